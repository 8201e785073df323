"""The final tables out of staged ones: terms and chunks get their numbers, and every table its order.

Staged tables are those of the schema, where `posting.term` is a provisional number that `rank` translates and chunks
are in concept order, which `placing` translates. Whoever stages fills concept, chunk, posting, vector, link and rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from okf_edge import __version__
from okf_edge.index import coarse
from okf_edge.index.schema import SCHEMA_VERSION, create_statements, names_of
from okf_edge.index.tokens import PIPELINE_ID
from okf_edge.ports import SqlEngine


@dataclass(frozen=True, slots=True)
class Embedding:
    """Which embedder an index's vectors are from; empty, and 0 dims, for an index without."""

    embedder: str = ""
    digest: str = ""
    dims: int = 0


async def create_staged(engine: SqlEngine, work: str, dims: int) -> None:
    """The empty tables of a staging database."""
    for statement in (*create_statements(work, dims), *coarse.create_statements(work, dims)):
        await engine.query(statement)
    await engine.query(f"CREATE TABLE {work}.rank (provisional INTEGER, number INTEGER, term VARCHAR)")


async def write_tables(engine: SqlEngine, work: str, made: str, embedding: Embedding) -> None:
    """Create and fill all tables of `made` from what is staged in `work`."""
    for statement in create_statements(made, embedding.dims):
        await engine.query(statement)
    await coarse.place(engine, work, made, embedding.dims)
    for statement in _copies(work, made, bool(embedding.dims)):
        await engine.query(statement)
    await _write_meta(engine, made, embedding)


def _copies(work: str, made: str, has_vectors: bool) -> list[str]:
    chunk_columns = ", ".join(f"c.{name}" for name in names_of("chunk")[1:])
    statements = [
        f"INSERT INTO {made}.concept SELECT * FROM {work}.concept ORDER BY number",
        f"INSERT INTO {made}.chunk SELECT p.number, {chunk_columns} FROM {work}.chunk AS c "
        f"JOIN {work}.placing AS p ON p.chunk = c.number ORDER BY p.number",
        f"INSERT INTO {made}.term SELECT r.number, r.term, count(*) FROM {work}.rank AS r "
        f"JOIN {work}.posting AS w ON w.term = r.provisional GROUP BY r.number, r.term ORDER BY r.number",
        f"INSERT INTO {made}.posting SELECT r.number, p.number, w.weight FROM {work}.posting AS w "
        f"JOIN {work}.rank AS r ON r.provisional = w.term JOIN {work}.placing AS p ON p.chunk = w.chunk "
        "ORDER BY r.number, p.number",
        f"INSERT INTO {made}.link SELECT * FROM {work}.link ORDER BY source, target, raw, kind, form, anchor",
    ]
    if has_vectors:
        statements.append(
            f"INSERT INTO {made}.vector SELECT p.number, w.scale, w.v FROM {work}.vector AS w "
            f"JOIN {work}.placing AS p ON p.chunk = w.chunk ORDER BY p.number"
        )
    return statements


async def _write_meta(engine: SqlEngine, made: str, embedding: Embedding) -> None:
    [(chunks,)] = await engine.query(f"SELECT count(*) FROM {made}.chunk")
    [(concepts, problems)] = await engine.query(
        f"SELECT count(*), count(CASE WHEN problems > 0 THEN 1 END) FROM {made}.concept"
    )
    values = {
        "schema": SCHEMA_VERSION,
        "writer": f"okf-edge {__version__}",
        "pipeline": PIPELINE_ID,
        "embedder": embedding.embedder,
        "embedder_digest": embedding.digest,
        "dims": embedding.dims,
        "concepts": concepts,
        "chunks": chunks,
        "problems": problems,
        "source_digest": await _source_digest(engine, made),
    }
    await engine.load(made, "meta", {"key": list(values), "value": [str(value) for value in values.values()]})


async def _source_digest(engine: SqlEngine, made: str) -> str:
    digest = sha256()
    for path, size, content in await engine.query(f"SELECT path, bytes, sha256 FROM {made}.concept ORDER BY number"):
        digest.update("\0".join(map(str, (path, size, content))).encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()
