"""The order of chunks, and cells of near vectors where there are many.

Below CELLS_FROM vectors chunks are in concept order. From there on they are ordered by cell, so that a search reads the
ranges of a few cells only. Before all cells comes a sample of chunks, spread over them: every search reads it, and it
stands for the whole where statistics are needed.

Cells are those of spherical k-means over the quantised vectors. Sums are of whole numbers and ties go to the lower
number, so equal vectors give equal cells.
"""

from __future__ import annotations

import json
from math import isqrt

from okf_edge.index.quantise import Quantised, quantised
from okf_edge.ports import SqlEngine, Vectors

CELLS_FROM = 30_000
"""Vectors; below, scanning all of them takes less than 20 ms."""

SAMPLE_CHUNKS = 1_500
SAMPLED_OF = 20
"""One chunk of so many is in the sample, up to SAMPLE_CHUNKS."""

TRAINED_PER_CELL = 64
ROUNDS = 6


async def place(engine: SqlEngine, work: str, made: str, dims: int) -> None:
    """Fill `work`.placing with the final number of every staged chunk, and the tables `coarse` and `sample`.

    Cells that `inherit` staged are used as they are.
    """
    vectors = await _count(engine, f"{work}.vector") if dims else 0
    if vectors < CELLS_FROM or engine.dialect != "duckdb":
        await engine.query(f"INSERT INTO {work}.placing SELECT number, number FROM {work}.chunk ORDER BY number")
        return
    if not await _count(engine, f"{work}.assigned"):
        await _find_cells(engine, work, dims, cells=isqrt(vectors), vectors=vectors)
        await engine.query(_assign_sql(work, dims, f"SELECT chunk, v FROM {work}.vector"))
    await engine.query(_lining_sql(work, dims, isqrt(await _count(engine, f"{work}.centroid"))))
    sampled = min(SAMPLE_CHUNKS, vectors // SAMPLED_OF)
    for statement in _placing(work, made, vectors, sampled):
        await engine.query(statement)
    await engine.load(made, "sample", {"chunk": list(range(sampled))})


async def inherit(engine: SqlEngine, work: str, dims: int, base: str, placed: str) -> None:
    """Stage the cells of `base`, so that few changes cost no new clustering: only new chunks, and the sample, look for
    their cell.

    Args: placed: a table of part, chunk and number, which gives the staged number of each chunk of part 0, the base.
    """
    await engine.query(f"INSERT INTO {work}.centroid SELECT cell, scale, v FROM {base}.coarse ORDER BY cell")
    await engine.query(
        f"INSERT INTO {work}.assigned SELECT p.number, c.cell FROM {placed} AS p JOIN {base}.coarse AS c "
        "ON p.part = 0 AND p.chunk BETWEEN c.first_chunk AND c.last_chunk"
    )
    others = f"SELECT chunk, v FROM {work}.vector WHERE chunk NOT IN (SELECT chunk FROM {work}.assigned)"
    await engine.query(_assign_sql(work, dims, others))


def create_statements(work: str, dims: int) -> list[str]:
    """The staging tables of this module."""
    return [
        f"CREATE TABLE {work}.placing (chunk INTEGER, number INTEGER)",
        f"CREATE TABLE {work}.assigned (chunk INTEGER, cell INTEGER)",
        f"CREATE TABLE {work}.lined (cell INTEGER, place INTEGER)",
        f"CREATE TABLE {work}.centroid (cell INTEGER, scale FLOAT, v TINYINT[{max(dims, 1)}])",
    ]


def _lining_sql(work: str, dims: int, groups: int) -> str:
    """SQL that lines the cells up: near ones beside each other, so that the cells of a search are few ranges.

    They are grouped around every so many-th of them, and the nearest to it comes first.
    """
    floats = f"SELECT cell, scale, v::FLOAT[{dims}] AS f FROM {work}.centroid"
    scored = (
        "SELECT a.cell, b.cell AS middle, b.scale * array_inner_product(a.f, b.f) AS score "
        f"FROM ({floats}) AS a CROSS JOIN ({floats} WHERE cell % {groups} = 0) AS b"
    )
    order = "arg_max(middle, score), max(score) DESC, cell"
    return (
        f"INSERT INTO {work}.lined SELECT cell, row_number() OVER (ORDER BY {order}) FROM ({scored}) AS s GROUP BY cell"
    )


def _placing(work: str, made: str, vectors: int, sampled: int) -> tuple[str, str]:
    """Statements that number the chunks: the sample, evenly out of all in the order of cells; then the cells."""
    ordered = (
        "SELECT c.number AS chunk, CAST(row_number() OVER (ORDER BY l.place, c.number) - 1 AS BIGINT) AS place "
        f"FROM {work}.chunk AS c JOIN {work}.assigned AS a ON a.chunk = c.number "
        f"JOIN {work}.lined AS l ON l.cell = a.cell"
    )
    ranges = (
        f"SELECT a.cell, min(p.number) AS first_chunk, max(p.number) AS last_chunk FROM {work}.assigned AS a "
        f"JOIN {work}.placing AS p ON p.chunk = a.chunk WHERE p.number >= {sampled} GROUP BY a.cell"
    )
    return (
        f"INSERT INTO {work}.placing SELECT chunk, "
        f"row_number() OVER (ORDER BY place * {sampled} % {vectors} >= {sampled}, place) - 1 FROM ({ordered}) AS o",
        f"INSERT INTO {made}.coarse SELECT row_number() OVER (ORDER BY first_chunk) - 1, first_chunk, last_chunk, "
        f"scale, v FROM ({ranges}) AS r JOIN {work}.centroid AS c ON c.cell = r.cell ORDER BY first_chunk",
    )


async def _find_cells(engine: SqlEngine, work: str, dims: int, cells: int, vectors: int) -> None:
    """Fill `work`.centroid by k-means over an even sample, which starts from evenly spread vectors."""
    step = max(1, vectors // (cells * TRAINED_PER_CELL))
    trained = f"SELECT chunk, v FROM {work}.vector WHERE chunk % {step} = 0"
    await engine.query(
        f"INSERT INTO {work}.centroid SELECT CAST(chunk AS BIGINT) * {cells} // {vectors}, scale, v "
        f"FROM {work}.vector WHERE CAST(chunk AS BIGINT) * {cells} % {vectors} < {cells} ORDER BY chunk"
    )
    for _ in range(ROUNDS):
        sums = await engine.query(_sums_sql(work, dims, trained))
        moved = {int(cell or 0): _centroid(json.loads(str(text))) for cell, text in sums}
        await engine.query(f"DELETE FROM {work}.centroid WHERE cell IN ({','.join(map(str, moved))})")
        await _load(engine, work, moved, dims)


def _sums_sql(work: str, dims: int, trained: str) -> str:
    """SQL for the sum of each cell's vectors, as text: cell, [total of each dimension]."""
    values = (
        "SELECT chunk, unnest(v::TINYINT[]) AS value, generate_subscripts(v::TINYINT[], 1) AS place "
        f"FROM ({trained}) AS t"
    )
    totals = (
        f"SELECT a.cell, u.place, sum(u.value) AS total FROM ({_nearest(work, dims, trained)}) AS a "
        f"JOIN ({values}) AS u ON u.chunk = a.chunk GROUP BY a.cell, u.place"
    )
    return f"SELECT cell, CAST(list(total ORDER BY place) AS VARCHAR) FROM ({totals}) AS s GROUP BY cell ORDER BY cell"


def _assign_sql(work: str, dims: int, vectors: str) -> str:
    return f"INSERT INTO {work}.assigned {_nearest(work, dims, vectors)}"


async def _load(engine: SqlEngine, work: str, centroids: dict[int, Quantised], dims: int) -> None:
    await engine.load(
        work,
        "centroid",
        {
            "cell": list(centroids),
            "scale": [vector.scale for vector in centroids.values()],
            "v": Vectors(dims, b"".join(vector.data for vector in centroids.values())),
        },
    )


def _centroid(total: list[int]) -> Quantised:
    """The direction of a sum of vectors, as a unit vector."""
    norm = sum(value * value for value in total) ** 0.5 or 1.0
    return quantised([value / norm for value in total])


def _nearest(work: str, dims: int, vectors: str) -> str:
    """SQL for the nearest centroid of each of `vectors`: chunk, cell."""
    floats = f"v::FLOAT[{dims}] AS f"
    return (
        "SELECT chunk, arg_max(cell, score) AS cell FROM ("
        "SELECT v.chunk, c.cell, c.scale * array_inner_product(v.f, c.f) AS score "
        f"FROM (SELECT chunk, {floats} FROM ({vectors}) AS t) AS v "
        f"CROSS JOIN (SELECT cell, scale, {floats} FROM {work}.centroid ORDER BY cell) AS c) AS s GROUP BY chunk"
    )


async def _count(engine: SqlEngine, table: str) -> int:
    return int((await engine.query(f"SELECT count(*) FROM {table}"))[0][0] or 0)
