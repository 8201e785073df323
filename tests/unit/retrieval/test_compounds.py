"""A word that no note holds finds the longer words that it is part of."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from okf_edge.inmemory import SqliteSql
from okf_edge.retrieval.lexical import COMPOUNDS, lookup_compounds, matches, vocabulary_of
from tests.unit.retrieval.values import a_plan

WORDS = ("donaudampfschifffahrt", "kai", "raddampfschiff")


@pytest.fixture
async def engine() -> SqliteSql:
    engine = SqliteSql()
    await engine.create("a")
    await engine.query("CREATE TABLE a.term (number INTEGER, term VARCHAR, df INTEGER)")
    await engine.query("CREATE TABLE a.posting (term INTEGER, chunk INTEGER, weight INTEGER)")
    await engine.load("a", "term", {"number": [1, 2, 3], "term": list(WORDS), "df": [2, 1, 1]})
    await engine.load("a", "posting", {"term": [1, 1, 2, 3], "chunk": [0, 1, 1, 1], "weight": [200, 50, 9, 90]})
    return engine


def scope() -> Any:
    return SimpleNamespace(source=SimpleNamespace(alias="a", masked=()), chunks=2)


async def test_it_weighs_by_all_notes_that_hold_one_of_them(engine: SqliteSql) -> None:
    (term,) = (await vocabulary_of(engine, [scope()], a_plan("dampfschiff"))).terms
    assert (term.text, term.df, set(term.numbers[0])) == ("dampfschiff", 3, {1, 3})


async def test_a_note_with_several_of_them_counts_the_heaviest(engine: SqliteSql) -> None:
    vocabulary = await vocabulary_of(engine, [scope()], a_plan("dampfschiff"))
    assert await matches(engine, scope(), vocabulary, 0, [0, 1]) == {0: {"dampfschiff": 200}, 1: {"dampfschiff": 90}}


@pytest.mark.parametrize("word", ["schiff2", "fahrt", "kai", "donaudampfschifffahrt"])
async def test_short_mixed_and_known_words_stand_for_themselves_only(engine: SqliteSql, word: str) -> None:
    (term,) = (await vocabulary_of(engine, [scope()], a_plan(word))).terms
    assert len(term.numbers.get(0, ())) <= 1


async def test_only_the_shortest_of_many_are_taken(engine: SqliteSql) -> None:
    many = [f"dampfer{'x' * length}" for length in range(1, 30)]
    await engine.load("a", "term", {"number": list(range(10, 39)), "term": many, "df": [1] * 29})
    assert await lookup_compounds(engine, [scope()], "dampfer") == [(tuple(range(10, 10 + COMPOUNDS)), COMPOUNDS)]
