"""Answers over the handbook do not get worse: figures of the labelled questions stay above their floors.

Each floor lies a little below what was measured when it was set. PROTOCOL.md says how floors are moved.
"""

from __future__ import annotations

from typing import Literal

import pytest

from okf_edge.embedding.models import model_of
from okf_edge.errors import UnavailableError
from okf_edge.retrieval.answer import Answer
from okf_edge_native.compose import NoModels
from okf_edge_native.models.shelf import ModelShelf
from tests.floors.asked import answers, handbook_with
from tests.floors.handbook import ROOT
from tests.floors.questions import SPLITS, Figures, Split, figures_of, misses, questions, rank_of
from tests.models_fixture import FOLDER as MODELS_FOLDER

Mode = Literal["lexical", "hybrid"]
MODEL = "e5-small-cjk"
ALL = tuple(question for split in SPLITS for question in questions(split))
FLOORS: dict[tuple[Mode, Split], Figures] = {
    ("lexical", "dev"): Figures(recall=0.82, mrr=0.64, kept=0.66, refused=0.85),
    ("lexical", "test"): Figures(recall=0.77, mrr=0.69, kept=0.56, refused=0.84),
    ("hybrid", "dev"): Figures(recall=0.93, mrr=0.71, kept=0.68, refused=0.85),
    ("hybrid", "test"): Figures(recall=0.90, mrr=0.78, kept=0.68, refused=0.84),
}


@pytest.fixture(scope="module")
def lexical(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answer]:
    """Every question asked of a host that has no model."""
    none = NoModels(UnavailableError("no model in this test"))
    return answers(handbook_with(none, tmp_path_factory.mktemp("lexical")), ALL)


@pytest.fixture(scope="module")
def hybrid(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answer]:
    """Every question asked with the multilingual model, which the content of the handbook picks by itself."""
    shelf = ModelShelf(MODELS_FOLDER)
    if not shelf.has(model_of(MODEL)):
        pytest.skip(f"{MODEL} is not in the cache of the tests")
    return answers(handbook_with(shelf, tmp_path_factory.mktemp("hybrid")), ALL)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_figures_stay_above_their_floors(mode: Mode, split: Split, request: pytest.FixtureRequest) -> None:
    answered: dict[str, Answer] = request.getfixturevalue(mode)
    figures, floor = figures_of(questions(split), answered), FLOORS[mode, split]
    hints = "\n".join(misses(questions(split), answered)) if split == "dev" else "look at the development half"
    fallen = [name for name in ("recall", "mrr", "kept", "refused") if getattr(figures, name) < getattr(floor, name)]
    assert not fallen, f"{mode} {split}: {figures}, below the floor in {fallen}\n{hints}"


def test_answers_say_by_which_means_they_were_found(lexical: dict[str, Answer], hybrid: dict[str, Answer]) -> None:
    assert {answer.coverage.mode for answer in lexical.values()} == {"lexical"}
    assert {answer.coverage.mode for answer in hybrid.values()} == {"hybrid"}
    assert all(answer.coverage.note for answer in lexical.values())


def test_every_page_of_the_handbook_was_searched(lexical: dict[str, Answer]) -> None:
    coverage = next(iter(lexical.values())).coverage
    assert (coverage.read, coverage.problems) == (coverage.found, 0)


def test_an_identifier_is_found_without_a_model(lexical: dict[str, Answer]) -> None:
    ranks = {question.text: rank_of(question, lexical[question.id]) for question in ALL if question.kind == "lookup"}
    assert {text: rank for text, rank in ranks.items() if not 1 <= rank <= 10} == {}


def test_evidence_is_quoted_from_the_lines_that_it_names(lexical: dict[str, Answer]) -> None:
    """The header of a table that is continued may stand above the lines; everything else stands within."""
    for place in (place for answer in lexical.values() for place in answer.candidates[:1]):
        page = [line.strip() for line in (ROOT / place.path).read_text(encoding="utf-8").splitlines()]
        within = set(page[place.lines[0] - 1 : place.lines[1]])
        outside = [line for line in map(str.strip, place.text.splitlines()) if line and line not in within]
        assert len(outside) in {0, 2}
        assert all(line.startswith("|") and line in page for line in outside)
