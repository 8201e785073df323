"""Index files at hand: attached, checked, and described."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from okf_edge.errors import IndexFileError, NewerFormatError, OkfError, StoreError
from okf_edge.index.schema import META_KEYS, SCHEMA_VERSION, TABLES
from okf_edge.index.tokens import PIPELINE_ID
from okf_edge.ports import FileTree, SqlEngine

INDEX_PATH = ".okf/index.duckdb"
"""Where a workspace keeps its index."""

_TABLE_NAMES = {
    "duckdb": "SELECT table_name FROM duckdb_tables() WHERE database_name = ? AND NOT internal",
    "sqlite": "SELECT name FROM {alias}.sqlite_master WHERE type = 'table' AND ? <> ''",
}
_REBUILD = "build it again with `okf index build`"


@dataclass(frozen=True, slots=True)
class IndexFile:
    """An attached index. `embedder` is empty and `dims` 0 where there are no vectors."""

    alias: str
    concepts: int
    chunks: int
    problems: int
    pipeline: str
    embedder: str
    embedder_digest: str
    dims: int
    source_digest: str
    writer: str
    coarse: bool


async def open_index(engine: SqlEngine, alias: str, tree: FileTree, path: str) -> IndexFile:
    """Attach the index at `path` read-only, when it is one that this version can search.

    Raises:
        NotFoundError: there is no file.
        NewerFormatError: a later version wrote it.
        IndexFileError: it is damaged, no index, or of another text pipeline.
    """
    await engine.attach(alias, tree, path)
    try:
        return await describe(engine, alias, path)
    except OkfError:
        await engine.detach(alias)
        raise


async def describe(engine: SqlEngine, alias: str, path: str) -> IndexFile:
    """What an attached database says of itself. Raises like `open_index`."""
    await _require_tables(engine, alias, path)
    meta = await _meta(engine, alias, path)
    _require_known(meta, path)
    cells = (await engine.query(f"SELECT count(*) FROM {alias}.coarse"))[0][0] if int(meta["dims"]) else 0
    return IndexFile(
        alias=alias,
        concepts=int(meta["concepts"]),
        chunks=int(meta["chunks"]),
        problems=int(meta["problems"]),
        pipeline=meta["pipeline"],
        embedder=meta["embedder"],
        embedder_digest=meta["embedder_digest"],
        dims=int(meta["dims"]),
        source_digest=meta["source_digest"],
        writer=meta["writer"],
        coarse=bool(cells),
    )


async def _require_tables(engine: SqlEngine, alias: str, path: str) -> None:
    """Tables, never views: a view of a hostile file would run its own SQL under our table's name."""
    rows = await engine.query(_TABLE_NAMES[engine.dialect].format(alias=alias), [alias])
    missing = sorted({name for name, columns in TABLES.items() if "{dims}" not in columns} - {row[0] for row in rows})
    if missing:
        raise IndexFileError(
            f"expected an index file at {path}, found a database without the tables {', '.join(missing)}", hint=_REBUILD
        )


async def _meta(engine: SqlEngine, alias: str, path: str) -> Mapping[str, str]:
    try:
        meta = {str(key): str(value) for key, value in await engine.query(f"SELECT key, value FROM {alias}.meta")}
    except StoreError as error:
        raise IndexFileError(f"the index file at {path} is damaged: {error.message}", hint=_REBUILD) from error
    schema = meta.get("schema", "")
    if schema.isdecimal() and int(schema) > SCHEMA_VERSION:
        raise NewerFormatError(
            f"expected an index of schema {SCHEMA_VERSION} at {path}, found {schema} "
            f"by {meta.get('writer', 'unknown')}",
            hint="update okf-edge, or build the index again",
        )
    issues = [f"no {key}" for key in META_KEYS if key not in meta]
    issues += [f"{key} is {meta[key]!r}" for key in ("dims", "concepts", "chunks", "problems") if _bad(meta.get(key))]
    if issues or schema != str(SCHEMA_VERSION):
        issues.append(f"schema is {schema!r}, expected {SCHEMA_VERSION}")
        raise IndexFileError(f"the index file at {path} is unusable: {'; '.join(issues)}", hint=_REBUILD, issues=issues)
    return meta


def _bad(number: str | None) -> bool:
    return number is not None and not (number.isascii() and number.isdecimal())


def _require_known(meta: Mapping[str, str], path: str) -> None:
    if meta["pipeline"] != PIPELINE_ID:
        raise IndexFileError(
            f"expected an index of the text pipeline {PIPELINE_ID} at {path}, found {meta['pipeline']}",
            code="index-other-pipeline",
            hint=_REBUILD,
        )
