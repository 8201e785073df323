"""A budget is kept to the token, however the passages are counted."""

from __future__ import annotations

import random

import pytest

from okf_edge.tools import budget

WORDS = ["a", "weir", "7", "20261130", "水閘", "→", "…", "internationalisation", "\n", "\t", "(x)", "_" * 30, "z" * 80]


def one_by_one(texts: list[str], most: int) -> int:
    for count, text in enumerate(texts):
        most -= budget.cost_of(text)
        if most < 0:
            return count
    return len(texts)


@pytest.mark.parametrize("seed", range(40))
def test_as_many_passages_fit_as_when_each_is_counted(seed: int) -> None:
    chance = random.Random(seed)
    texts = [
        " ".join(chance.choices(WORDS, k=chance.randrange(0, 200)))
        if seed % 2
        else "".join(chance.choices("a1 水.", k=99))
        for _ in range(chance.randrange(0, 9))
    ]
    for most in (0, 59, 60, 200, 700, 4_000, *(chance.randrange(0, 6_000) for _ in range(30))):
        assert budget.fitting(texts, most) == one_by_one(texts, most)
