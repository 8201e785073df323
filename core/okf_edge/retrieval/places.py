"""What an index tells of a chunk and its concept: where it is, and how far it may be trusted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from okf_edge.ports import SqlEngine
from okf_edge.retrieval.source import Source

_COLUMNS = (
    "chunk.number, chunk.concept, chunk.ordinal, chunk.heading, chunk.first_line, chunk.last_line, chunk.first_byte, "
    "chunk.last_byte, concept.path, concept.title, concept.status, concept.tier, concept.trust, concept.stale_after, "
    "concept.sha256, concept.bytes"
)


@dataclass(frozen=True, slots=True)
class Place:
    """One chunk of one concept. `path` opens in the source's tree; `name` is the path within the indexed thing.

    Lines are 1-based and both inclusive; bytes are a half-open range of the concept's file.
    """

    source: Source
    chunk: int
    concept: int
    ordinal: int
    heading: str
    lines: tuple[int, int]
    bytes: tuple[int, int]
    name: str
    title: str
    status: str
    tier: str
    trust: str
    stale_after: str
    sha256: str
    file_bytes: int

    @property
    def path(self) -> str:
        return f"{self.source.path_prefix}{self.name}"


async def places_of(engine: SqlEngine, source: Source, chunks: Iterable[int]) -> dict[int, Place]:
    """The place of each chunk, by chunk number."""
    numbers = ",".join(map(str, sorted(chunks)))
    if not numbers:
        return {}
    rows = await engine.query(
        f"SELECT {_COLUMNS} FROM {source.alias}.chunk AS chunk JOIN {source.alias}.concept AS concept "
        f"ON concept.number = chunk.concept WHERE chunk.number IN ({numbers})"
    )
    return {int(row[0] or 0): _place(source, *row) for row in rows}


def _place(source: Source, *row: str | int | float | bytes | None) -> Place:
    chunk, concept, ordinal, heading, first_line, last_line, first_byte, last_byte, *rest = row
    name, title, status, tier, trust, stale_after, sha256, file_bytes = rest
    return Place(
        source=source,
        chunk=int(chunk or 0),
        concept=int(concept or 0),
        ordinal=int(ordinal or 0),
        heading=str(heading or ""),
        lines=(int(first_line or 1), int(last_line or 1)),
        bytes=(int(first_byte or 0), int(last_byte or 0)),
        name=str(name),
        title=str(title or ""),
        status=str(status or ""),
        tier=str(tier or ""),
        trust=str(trust or ""),
        stale_after=str(stale_after or ""),
        sha256=str(sha256 or ""),
        file_bytes=int(file_bytes or 0),
    )
