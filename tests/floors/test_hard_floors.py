"""Answers to the hard set do not get worse: a floor lies two questions below what its halves gave when it was set."""

from __future__ import annotations

import asyncio

import pytest

from okf_edge.embedding.models import model_of
from okf_edge_native.models.shelf import ModelShelf
from tests.bench.hard.measure import MODEL, ask, lines, misses, shown
from tests.bench.hard.questions import HALVES, Half, questions
from tests.models_fixture import FOLDER

FLOORS: dict[str, float] = {"answerable": 0.81, "cross": 0.74, "multihop": 0.73, "lookup": 0.92, "paraphrase": 0.64}
"""R@10 of the page that answers, in either half."""

REFUSED = {"off-topic": 0.81, "near-miss": 0.3}


@pytest.mark.slow
@pytest.mark.parametrize("half", HALVES)
def test_figures_of_the_hard_set_stay_above_their_floors(half: Half) -> None:
    shelf = ModelShelf(FOLDER)
    if not shelf.has(model_of(MODEL)):
        pytest.skip(f"{MODEL} is not in the cache of the tests")
    asked = asyncio.run(ask(questions(half), "hybrid", shelf))
    found = {line.name: line for line in lines(asked)}
    recall = {name: line.page.mean for name, line in found.items() if line.page}
    fallen = [name for name, floor in FLOORS.items() if recall[name] < floor]
    fallen += [name for name, floor in REFUSED.items() if found[name].refused < floor]
    hints = misses(asked) if half == "dev" else ["look at the development half"]
    assert not fallen, "\n".join([f"fallen: {fallen}", shown(lines(asked)), *hints])


def test_each_kind_has_a_floor() -> None:
    kinds = {one.kind for one in questions("dev")}
    assert kinds | {"answerable"} == {*FLOORS, *REFUSED}
