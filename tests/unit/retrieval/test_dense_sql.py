"""The scan of cells in real DuckDB finds what the whole scan finds, where the cells that matter are probed."""

from __future__ import annotations

import random
from array import array
from collections.abc import AsyncIterator
from math import sqrt

import pytest

from okf_edge.index.quantise import quantised
from okf_edge.index.schema import TABLES
from okf_edge.ports import SqlEngine, Vectors
from okf_edge.retrieval import dense
from okf_edge.retrieval.scope import Scope
from okf_edge_native.duckdb_engine import DuckdbSql
from tests.unit.retrieval.values import a_plan, a_source

DIMS, CELLS, PER_CELL = 16, 40, 10
SAMPLED = CELLS
SOURCE = a_source(alias="a", chunks=SAMPLED + CELLS * PER_CELL, dims=DIMS, coarse=True)


def unit(values: list[float]) -> array[float]:
    norm = sqrt(sum(value * value for value in values))
    return array("f", [value / norm for value in values])


@pytest.fixture
async def engine() -> AsyncIterator[SqlEngine]:
    """A sample of one vector near each centre, then cells of ten that lie close together."""
    chance = random.Random(1)
    centres = [[chance.gauss(0, 1) for _ in range(DIMS)] for _ in range(CELLS)]
    placed = [*centres, *(centre for centre in centres for _ in range(PER_CELL))]
    vectors = [unit([x + chance.gauss(0, 0.2) for x in centre]) for centre in placed]
    engine = DuckdbSql()
    await engine.create("a")
    for name in ("chunk", "vector", "coarse", "sample"):
        await engine.query(f"CREATE TABLE a.{name} ({TABLES[name].format(dims=DIMS)})")
    numbers = list(range(SOURCE.chunks))
    await engine.load("a", "chunk", {"number": numbers, "concept": [number // 2 for number in numbers]})
    await engine.load("a", "sample", {"chunk": numbers[:SAMPLED]})
    await engine.load("a", "vector", {"chunk": numbers, **columns(vectors)})
    in_cells = numbers[SAMPLED:]
    bounds = {"first_chunk": in_cells[::PER_CELL], "last_chunk": in_cells[PER_CELL - 1 :: PER_CELL]}
    await engine.load("a", "coarse", {"cell": list(range(CELLS)), **bounds, **columns([unit(c) for c in centres])})
    yield engine
    await engine.close()


def columns(vectors: list[array[float]]) -> dict[str, array[float] | Vectors]:
    rows = [quantised(vector) for vector in vectors]
    return {"scale": array("d", [row.scale for row in rows]), "v": Vectors(DIMS, b"".join(row.data for row in rows))}


async def near(engine: SqlEngine, scope: Scope, asked: list[int]) -> dense.Nearest:
    vector = unit([random.Random(5).gauss(0, 1) for _ in range(DIMS)])
    return await dense.nearest(engine, scope, vector, asked, a_plan())


async def test_probing_cells_finds_what_the_whole_scan_finds(engine: SqlEngine) -> None:
    probed = await near(engine, Scope(SOURCE, SOURCE.chunks), [])
    whole = await near(engine, Scope(a_source(alias="a", chunks=SOURCE.chunks, dims=DIMS), SOURCE.chunks), [])
    assert probed.best == whole.best
    assert CELLS > dense.PROBED_CELLS


async def test_a_chunk_outside_of_the_probed_cells_has_its_cosine_when_it_is_asked_for(engine: SqlEngine) -> None:
    numbers = list(range(SOURCE.chunks))
    assert set((await near(engine, Scope(SOURCE, SOURCE.chunks), numbers)).cosines) == set(numbers)


async def test_moments_come_from_the_sample_and_stand_for_all(engine: SqlEngine) -> None:
    moments = (await near(engine, Scope(SOURCE, SOURCE.chunks), [])).moments
    assert (moments.count, moments.stands_for) == (SAMPLED, SOURCE.chunks)


async def test_only_the_sample_and_the_probed_cells_are_scanned(
    engine: SqlEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dense, "NEARBY_CHUNKS", 1)
    wide = await dense.nearest(engine, Scope(SOURCE, SOURCE.chunks), unit([1.0] * DIMS), [], a_plan(chunks=1_000))
    assert len(wide.best) == SAMPLED + dense.PROBED_CELLS * PER_CELL


async def test_neighbouring_ranges_are_read_as_one() -> None:
    assert dense._Area((0, 9), [(800, 850), (30, 39), (10, 19), (851, 900)]).ranges == [(0, 39), (800, 900)]


async def test_masked_chunks_are_neither_found_nor_counted(engine: SqlEngine) -> None:
    first = (await near(engine, Scope(SOURCE, SOURCE.chunks), [])).best[0][0]
    scope = Scope(SOURCE, SOURCE.chunks - 1, f"chunk <> {first}", f"chunk <> {first}")
    found = await near(engine, scope, [first])
    assert first not in found.cosines
    assert found.moments.stands_for == SOURCE.chunks - 1


async def test_what_is_filtered_is_found_wherever_its_cell_is(engine: SqlEngine) -> None:
    last = (await near(engine, Scope(SOURCE, SOURCE.chunks), list(range(SOURCE.chunks)))).cosines
    farthest = min(last, key=lambda chunk: last[chunk])
    found = await near(engine, Scope(SOURCE, SOURCE.chunks, wanted=f"chunk = {farthest}"), [])
    assert [chunk for chunk, _, _ in found.best] == [farthest]
