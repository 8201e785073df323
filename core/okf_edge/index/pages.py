"""A file as what the index keeps of it: one concept, its chunks and its links."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256

from okf_edge.index.chunks import Chunk, chunks_of
from okf_edge.okf.concept import Concept, concept_of
from okf_edge.okf.links import Link, links_of
from okf_edge.okf.notes import Note, Notes

UNLINKED = frozenset({"footnote"})


@dataclass(frozen=True, slots=True)
class Page:
    """One markdown file to index. `mtime_ns` is 0 and `tier` empty in a bundle. `note` is what was read of it."""

    path: str
    data: bytes
    mtime_ns: int = 0
    tier: str = ""
    note: Note | None = None


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page taken apart. `problems` counts what could not be read of it."""

    page: Page
    sha256: str
    concept: Concept
    chunks: tuple[Chunk, ...]
    links: tuple[Link, ...]
    problems: int


def read_page(page: Page) -> ReadPage:
    """Never raises for content."""
    document, outline = page.note or Notes().of(page.path, page.data)
    concept = concept_of(document, outline)
    chunks = chunks_of(document, concept, outline)
    if not document.decodable:
        chunks = tuple(replace(chunk, last_byte=len(page.data)) for chunk in chunks)
    return ReadPage(
        page=page,
        sha256=sha256(page.data).hexdigest(),
        concept=concept,
        chunks=chunks,
        links=tuple(link for link in links_of(document, outline) if link.kind not in UNLINKED and not link.is_external),
        problems=sum(diagnostic.severity == "error" for diagnostic in document.diagnostics),
    )


def instant_text(instant: datetime | None) -> str:
    """An instant as it stands in the index; empty for none."""
    return instant.isoformat() if instant else ""
