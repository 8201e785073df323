"""A large index out of a smaller one: its text some times over, with a vector of its own for each chunk.

Reading and weighing a million chunks of text would take half an hour and change nothing of what a search reads. What is
written is written by the product; cells are found in numpy, since SQL takes a quarter of an hour for a million.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from okf_edge.index import coarse
from okf_edge.index.build import WORK, write_index
from okf_edge.index.files import IndexFile, open_index
from okf_edge.index.schema import names_of
from okf_edge.index.tables import Embedding
from okf_edge.ports import SqlEngine, Vectors
from okf_edge_native.disk import DiskTree
from okf_edge_native.duckdb_engine import DuckdbSql
from tests.bench.noisy import Codes, Matrix, cells_of, noisy_codes

BASE = "base"
BATCH = 20_000


async def copied(source: Path, folder: Path, index: str, times: int, real: Matrix) -> None:
    """Index in `folder` the pages of `source`, so many times over."""
    _link_pages(source, folder, times)
    engine, tree = DuckdbSql(), DiskTree(folder)
    found = await open_index(engine, BASE, DiskTree(source), index)
    await engine.create(WORK)
    for statement in _statements(found, times):
        await engine.query(statement)
    codes, scales = noisy_codes(real, found.chunks * times)
    await _load_vectors(engine, codes, scales)
    centroids, cells = cells_of(codes)
    await coarse._load(engine, WORK, dict(enumerate(centroids)), found.dims)
    await engine.load(WORK, "assigned", {"chunk": list(range(len(cells))), "cell": cells.tolist()})
    made = Embedding(found.embedder, found.embedder_digest, found.dims)
    (folder / index).parent.mkdir()
    await write_index(engine, tree, index, len(codes), made)
    await engine.close()


def _link_pages(source: Path, folder: Path, times: int) -> None:
    for page in source.rglob("*.md"):
        for number in range(times):
            place = folder / f"copy-{number}" / page.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            os.link(page, place)


def _statements(found: IndexFile, times: int) -> Iterator[str]:
    """What stands for the staged tables: the base's rows, so many times."""
    copies = f"(SELECT unnest(range({times}))::INTEGER AS copy) AS n"
    chunk_columns = ", ".join(f"c.{name}" for name in names_of("chunk")[2:])
    concept_columns = ", ".join(f"c.{name}" for name in names_of("concept")[2:])
    link_columns = ", ".join(f"l.{name}" for name in names_of("link")[2:])
    yield (
        f"CREATE TABLE {WORK}.numbered AS SELECT number AS chunk, "
        f"(row_number() OVER (ORDER BY concept, ordinal) - 1)::INTEGER AS number FROM {BASE}.chunk"
    )
    yield (
        f"CREATE VIEW {WORK}.concept AS SELECT c.number + n.copy * {found.concepts} AS number, "
        f"'copy-' || n.copy || '/' || c.path AS path, {concept_columns} FROM {BASE}.concept AS c CROSS JOIN {copies}"
    )
    yield (
        f"CREATE VIEW {WORK}.chunk AS SELECT m.number + n.copy * {found.chunks} AS number, "
        f"c.concept + n.copy * {found.concepts} AS concept, {chunk_columns} FROM {BASE}.chunk AS c "
        f"JOIN {WORK}.numbered AS m ON m.chunk = c.number CROSS JOIN {copies}"
    )
    yield (
        f"CREATE VIEW {WORK}.posting AS SELECT p.term, m.number + n.copy * {found.chunks} AS chunk, p.weight "
        f"FROM {BASE}.posting AS p JOIN {WORK}.numbered AS m ON m.chunk = p.chunk CROSS JOIN {copies}"
    )
    yield f"CREATE VIEW {WORK}.rank AS SELECT number AS provisional, number, term FROM {BASE}.term"
    yield (
        f"CREATE VIEW {WORK}.link AS SELECT 'copy-' || n.copy || '/' || l.source AS source, "
        f"'copy-' || n.copy || '/' || l.target AS target, {link_columns} FROM {BASE}.link AS l CROSS JOIN {copies}"
    )
    yield f"CREATE TABLE {WORK}.vector (chunk INTEGER, scale FLOAT, v TINYINT[{found.dims}])"
    yield from coarse.create_statements(WORK, found.dims)


async def _load_vectors(engine: SqlEngine, codes: Codes, scales: Matrix) -> None:
    for first in range(0, len(codes), BATCH):
        part = codes[first : first + BATCH]
        numbers = list(range(first, first + len(part)))
        columns = {"chunk": numbers, "scale": scales[first : first + BATCH].tolist()}
        await engine.load(WORK, "vector", {**columns, "v": Vectors(codes.shape[1], part.tobytes())})
