"""The final tables out of the staged ones: terms and chunks get their numbers, and every table its order."""

from __future__ import annotations

from collections.abc import Iterable

from okf_edge import __version__
from okf_edge.index import coarse
from okf_edge.index.rows import Rows
from okf_edge.index.schema import SCHEMA_VERSION, create_statements, names_of
from okf_edge.index.staging import Staging
from okf_edge.index.tokens import PIPELINE_ID
from okf_edge.ports import EmbedderSpec, SqlEngine

ROWS_AT_ONCE = 100_000


async def write_tables(
    engine: SqlEngine, work: str, made: str, staging: Staging, spec: EmbedderSpec | None, files: Iterable[str]
) -> None:
    """Create and fill all tables of `made` from what was staged in `work`."""
    for statement in create_statements(made, spec.dims if spec else 0):
        await engine.query(statement)
    await engine.query(f"CREATE TABLE {work}.rank (provisional INTEGER, number INTEGER, term VARCHAR)")
    await engine.query(f"CREATE TABLE {work}.placing (chunk INTEGER, number INTEGER)")
    await _rank_terms(engine, work, staging)
    await coarse.place(engine, work, made, spec)
    for statement in _copies(work, made, bool(spec)):
        await engine.query(statement)
    await _write_links(engine, made, staging, files)
    await _write_meta(engine, made, staging, spec)


async def _rank_terms(engine: SqlEngine, work: str, staging: Staging) -> None:
    """Stage the final number of every term: its place in term order."""
    ranks = Rows("rank", "provisional", "number", "term")
    for number, term in enumerate(sorted(staging.vocabulary)):
        ranks.add(staging.vocabulary[term], number, term)
        if len(ranks) == ROWS_AT_ONCE:
            await ranks.load(engine, work)
    await ranks.load(engine, work)


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
    ]
    if has_vectors:
        statements.append(
            f"INSERT INTO {made}.vector SELECT p.number, w.scale, w.v FROM {work}.vector AS w "
            f"JOIN {work}.placing AS p ON p.chunk = w.chunk ORDER BY p.number"
        )
    return statements


async def _write_links(engine: SqlEngine, made: str, staging: Staging, files: Iterable[str]) -> None:
    links = Rows("link", *names_of("link"))
    for row in staging.links.resolved(files):
        links.add(*row)
        if len(links) == ROWS_AT_ONCE:
            await links.load(engine, made)
    await links.load(engine, made)


async def _write_meta(engine: SqlEngine, made: str, staging: Staging, spec: EmbedderSpec | None) -> None:
    values = {
        "schema": SCHEMA_VERSION,
        "writer": f"okf-edge {__version__}",
        "pipeline": PIPELINE_ID,
        "embedder": spec.id if spec else "",
        "embedder_digest": spec.digest if spec else "",
        "dims": spec.dims if spec else 0,
        "concepts": staging.concepts,
        "chunks": staging.chunks,
        "problems": staging.problems,
        "source_digest": staging.source_digest,
    }
    await engine.load(made, "meta", {"key": list(values), "value": [str(value) for value in values.values()]})
