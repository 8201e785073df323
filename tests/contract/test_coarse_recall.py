"""A search of coarse ranges finds nearly all that a scan of everything finds, and knows the same mean and deviation."""

from __future__ import annotations

import random
from array import array
from collections.abc import AsyncIterator
from dataclasses import replace
from math import sqrt

import pytest

from okf_edge.index import coarse
from okf_edge.index.quantise import quantised
from okf_edge.index.schema import create_statements
from okf_edge.index.tables import create_staged
from okf_edge.ports import SqlEngine, Vectors
from okf_edge.retrieval import dense
from okf_edge.retrieval.scope import Scope
from okf_edge_native.duckdb_engine import DuckdbSql
from tests.unit.retrieval.values import a_plan, a_source

DIMS, TOPICS, VECTORS, QUESTIONS, PROBED = 24, 60, 2_000, 20, 18
SOURCE = a_source(alias="made", chunks=VECTORS, dims=DIMS, coarse=True)
SCOPE = Scope(SOURCE, VECTORS)
WHOLE = Scope(replace(SOURCE, coarse=False), VECTORS)


def unit(values: list[float]) -> array[float]:
    norm = sqrt(sum(value * value for value in values))
    return array("f", [value / norm for value in values])


def near(topics: list[list[float]], chance: random.Random) -> array[float]:
    """A vector of one topic, as far from its middle as texts of a subject are."""
    return unit([value + chance.gauss(0, 0.6) for value in chance.choice(topics)])


@pytest.fixture
async def engine(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SqlEngine]:
    """Vectors of many topics, placed in cells by the product."""
    for module, name, value in ((coarse, "CELLS_FROM", 1_000), (coarse, "ROUNDS", 2), (dense, "PROBED_CELLS", PROBED)):
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(dense, "NEARBY_CHUNKS", 1)
    chance = random.Random(1)
    rows = [quantised(near(topics(), chance)) for _ in range(VECTORS)]
    numbers, scales = list(range(VECTORS)), array("d", [row.scale for row in rows])
    engine = DuckdbSql()
    for alias in ("work", "made"):
        await engine.create(alias)
    await create_staged(engine, "work", DIMS)
    for statement in create_statements("made", DIMS):
        await engine.query(statement)
    await engine.load("work", "chunk", {"number": numbers, "concept": numbers})
    vectors = {"chunk": numbers, "scale": scales, "v": Vectors(DIMS, b"".join(row.data for row in rows))}
    await engine.load("work", "vector", vectors)
    await coarse.place(engine, "work", "made", DIMS)
    for table, columns in (("chunk (number, concept)", "c.concept"), ("vector", "c.scale, c.v")):
        name = table.split()[0]
        key = "number" if name == "chunk" else "chunk"
        await engine.query(
            f"INSERT INTO made.{table} SELECT p.number, {columns} FROM work.{name} AS c "
            f"JOIN work.placing AS p ON p.chunk = c.{key} ORDER BY p.number"
        )
    yield engine
    await engine.close()


def topics() -> list[list[float]]:
    chance = random.Random(2)
    return [[chance.gauss(0, 1) for _ in range(DIMS)] for _ in range(TOPICS)]


async def test_ranges_find_nearly_all_of_the_ten_nearest_and_measure_alike(engine: SqlEngine) -> None:
    chance, found, plan = random.Random(3), 0, a_plan(chunks=10, concepts=1)
    for _ in range(QUESTIONS):
        vector = near(topics(), chance)
        ranges, whole = [await dense.nearest(engine, scope, vector, [], plan) for scope in (SCOPE, WHOLE)]
        found += len({chunk for chunk, _, _ in ranges.best} & {chunk for chunk, _, _ in whole.best})
        of_sample, of_all = (dense.pool([each.moments], 0.0, 0.1) for each in (ranges, whole))
        assert of_sample.mean == pytest.approx(of_all.mean, abs=0.05)
        assert of_sample.deviation == pytest.approx(of_all.deviation, rel=0.2)
        assert ranges.moments.count < VECTORS / 10
    assert found / (10 * QUESTIONS) >= 0.97
