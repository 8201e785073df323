"""A base and its delta as one new base, without reading or embedding a page again.

The rows are those that a build of the same pages gives: the merged rows are staged as a build stages its own, with
concepts in path order, and written by the same code. Where there are cells of near vectors, the base's are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from okf_edge.index import coarse
from okf_edge.index.build import FILE_NAME, WORK, new_database, write_index
from okf_edge.index.refresh import Refreshed
from okf_edge.index.rows import Rows
from okf_edge.index.schema import names_of
from okf_edge.index.tables import Embedding, create_staged
from okf_edge.ports import FileTree, SqlEngine

_SCRATCH = (
    "gone (concept INTEGER)",  # masked concepts of the base
    "relinked (path VARCHAR)",  # base concepts whose links the delta holds
    "touched (path VARCHAR, mtime_ns BIGINT)",
    "moved (part INTEGER, concept INTEGER, number INTEGER)",  # the new number of each part's concept
    "placed (part INTEGER, chunk INTEGER, number INTEGER)",  # and chunk
)


def can_fold(refreshed: Refreshed) -> bool:
    """Whether both have vectors of one model, or neither has any. Otherwise the index has to be built anew."""
    base, delta = refreshed.base, refreshed.delta
    return delta is None or (delta.embedder, delta.embedder_digest) == (base.embedder, base.embedder_digest)


async def fold(engine: SqlEngine, refreshed: Refreshed, tree: FileTree, path: str) -> None:
    """Write base and delta as one index to `path`, in place of what is there; both stay attached as they are.

    Raises: StoreError: the engine or the disk failed. The old file is as it was.
    """
    base = refreshed.base
    stage = await tree.stage()
    try:
        async with new_database(engine, WORK):
            await _stage(engine, refreshed)
            embedding = Embedding(base.embedder, base.embedder_digest, base.dims)
            await write_index(engine, tree, f"{stage}/{FILE_NAME}", base.chunks, embedding)
        await tree.replace(f"{stage}/{FILE_NAME}", path)
    finally:
        await tree.remove(stage)


async def _stage(engine: SqlEngine, refreshed: Refreshed) -> None:
    await create_staged(engine, WORK, refreshed.base.dims)
    for columns in _SCRATCH:
        await engine.query(f"CREATE TABLE {WORK}.{columns}")
    await _load_scratch(engine, refreshed)
    parts = [refreshed.base.alias, *([refreshed.delta.alias] if refreshed.delta else [])]
    for statement in _statements(parts, bool(refreshed.base.dims)):
        await engine.query(statement)
    if refreshed.base.coarse:
        await coarse.inherit(engine, WORK, refreshed.base.dims, refreshed.base.alias, f"{WORK}.placed")


async def _load_scratch(engine: SqlEngine, refreshed: Refreshed) -> None:
    gone, relinked, touched = Rows("gone", "concept"), Rows("relinked", "path"), Rows("touched", "path", "mtime_ns")
    gone.extend(sorted(refreshed.masked))
    relinked.extend(sorted(refreshed.relinked))
    for stat in refreshed.changes.touched:
        touched.add(stat.path, stat.mtime_ns)
    for rows in (gone, relinked, touched):
        await rows.load(engine, WORK)


def _statements(parts: Sequence[str], has_vectors: bool) -> Iterator[str]:
    """What fills the staged tables from the parts, base first, in order."""
    concepts = _united(parts, "SELECT {at} AS part, number, path FROM {alias}.concept")
    yield (
        f"INSERT INTO {WORK}.moved SELECT part, number, row_number() OVER (ORDER BY path) - 1 FROM ({concepts}) AS c "
        f"WHERE part > 0 OR number NOT IN (SELECT concept FROM {WORK}.gone)"
    )
    chunks = _united(
        parts,
        "SELECT {at} AS part, c.number AS chunk, m.number AS concept, c.ordinal FROM {alias}.chunk AS c "
        f"JOIN {WORK}.moved AS m ON m.part = {{at}} AND m.concept = c.concept",
    )
    yield (
        f"INSERT INTO {WORK}.placed SELECT part, chunk, row_number() OVER (ORDER BY concept, ordinal) - 1 "
        f"FROM ({chunks}) AS c"
    )
    for at, alias in enumerate(parts):
        yield from _copies(at, alias, parts[0], has_vectors)
    terms = " UNION ALL ".join(
        f"SELECT {_provisional('number', at, parts[0])} AS provisional, term FROM {alias}.term"
        for at, alias in enumerate(parts)
    )
    yield (
        f"INSERT INTO {WORK}.rank SELECT provisional, dense_rank() OVER (ORDER BY term) - 1, term FROM ({terms}) AS t "
        f"WHERE provisional IN (SELECT term FROM {WORK}.posting)"
    )
    yield (
        f"UPDATE {WORK}.concept SET mtime_ns = (SELECT t.mtime_ns FROM {WORK}.touched AS t "
        f"WHERE t.path = concept.path) WHERE path IN (SELECT path FROM {WORK}.touched)"
    )


def _united(parts: Sequence[str], select: str) -> str:
    return " UNION ALL ".join(select.format(at=at, alias=alias) for at, alias in enumerate(parts))


def _copies(at: int, alias: str, base: str, has_vectors: bool) -> Iterator[str]:
    """Rows of one part, with their new numbers."""
    concept, chunk = (", ".join(f"c.{name}" for name in names_of(table)[1:]) for table in ("concept", "chunk"))
    chunk = chunk.replace("c.concept", "m.number")
    moved = f"JOIN {WORK}.moved AS m ON m.part = {at} AND m.concept ="
    placed = f"JOIN {WORK}.placed AS p ON p.part = {at} AND p.chunk ="
    yield f"INSERT INTO {WORK}.concept SELECT m.number, {concept} FROM {alias}.concept AS c {moved} c.number"
    yield (
        f"INSERT INTO {WORK}.chunk SELECT p.number, {chunk} FROM {alias}.chunk AS c {moved} c.concept {placed} c.number"
    )
    yield (
        f"INSERT INTO {WORK}.posting SELECT {_provisional('w.term', at, base)}, p.number, w.weight "
        f"FROM {alias}.posting AS w {placed} w.chunk"
    )
    if has_vectors:
        yield f"INSERT INTO {WORK}.vector SELECT p.number, w.scale, w.v FROM {alias}.vector AS w {placed} w.chunk"
    masked = (
        f" WHERE source NOT IN (SELECT path FROM {WORK}.relinked) AND source NOT IN "
        f"(SELECT path FROM {alias}.concept WHERE number IN (SELECT concept FROM {WORK}.gone))"
    )
    yield f"INSERT INTO {WORK}.link SELECT * FROM {alias}.link" + ("" if at else masked)


def _provisional(number: str, part: int, base: str) -> str:
    """The number of a term while it is staged: those of the delta come after those of the base."""
    return f"{number} + (SELECT count(*) FROM {base}.term)" if part else number
