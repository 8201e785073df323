"""Which chunks of one source may be found: all but those of masked concepts, and only those that pass the filters.

Both are conditions inside the SQL, applied before any top-k.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from okf_edge.okf.tags import matches
from okf_edge.ports import SqlEngine
from okf_edge.retrieval.request import Filters
from okf_edge.retrieval.source import Source


@dataclass(frozen=True, slots=True)
class Scope:
    """One source and its conditions on a column named `chunk`: `present` leaves out masks, `wanted` filters as well.

    `chunks` counts what is present; `empty` says that nothing passes the filters.
    """

    source: Source
    chunks: int
    present: str = "TRUE"
    wanted: str = "TRUE"
    empty: bool = False


async def scope_of(engine: SqlEngine, source: Source, filters: Filters) -> Scope:
    present, chunks = "TRUE", source.chunks
    if source.masked:
        masked = _chunks_of(source, source.masked)
        present = f"chunk NOT IN ({masked})"
        [(gone,)] = await engine.query(f"SELECT COUNT(*) FROM ({masked}) AS masked")
        chunks -= int(gone or 0)
    if not filters:
        return Scope(source, chunks, present, present)
    passing = await _passing(engine, source, filters) - source.masked
    return Scope(source, chunks, present, f"chunk IN ({_chunks_of(source, passing)})", empty=not passing)


async def _passing(engine: SqlEngine, source: Source, filters: Filters) -> frozenset[int]:
    rows = await engine.query(f"SELECT number, path, type, tags FROM {source.alias}.concept")
    return frozenset(
        int(number or 0)
        for number, path, kind, tags in rows
        if passes(filters, f"{source.path_prefix}{path!s}", str(kind or ""), str(tags or "").split("\n"))
    )


def passes(filters: Filters, path: str, kind: str, tags: Iterable[str]) -> bool:
    """Whether a concept passes every kind of filter that is given."""
    held = tuple(tags)
    return (
        (not filters.types or kind.casefold() in {wanted.casefold() for wanted in filters.types})
        and (not filters.tags or any(matches(tag, wanted) for wanted in filters.tags for tag in held))
        and (not filters.paths or any(_below(path, wanted) for wanted in filters.paths))
    )


def _below(path: str, wanted: str) -> bool:
    folder = wanted.removeprefix("./").strip("/")
    return folder in ("", ".") or path == folder or path.startswith(f"{folder}/")


def _chunks_of(source: Source, concepts: Collection[int]) -> str:
    numbers = ",".join(map(str, sorted(concepts))) or "NULL"
    return f"SELECT number FROM {source.alias}.chunk WHERE concept IN ({numbers})"
