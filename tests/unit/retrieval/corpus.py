"""A small corpus, indexed by the product's own builder into a database in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from okf_edge.index.build import BuildOptions, build_tables
from okf_edge.index.files import describe
from okf_edge.index.pages import Page
from okf_edge.inmemory.embedding import HashedEmbedder, MemoryModels
from okf_edge.inmemory.files import MemoryTree
from okf_edge.inmemory.system import ManualClock
from okf_edge.ports import Embedder, Models, SqlEngine
from okf_edge.retrieval.answer import Answer, Coverage
from okf_edge.retrieval.request import Filters, SearchRequest
from okf_edge.retrieval.search import search
from okf_edge.retrieval.source import Source
from tests.unit.retrieval.values import NOW

KNOWN = Coverage(read=1, found=1, problems=0, mode="hybrid")


@dataclass
class Corpus:
    """Sources in one engine, and the questions that are asked of them."""

    engine: SqlEngine
    models: Models = field(default_factory=lambda: MemoryModels(HashedEmbedder()))
    sources: list[Source] = field(default_factory=list)
    now: datetime = NOW

    async def add(self, alias: str, notes: Mapping[str, str], embedder: Embedder | None = None, **given: Any) -> Source:
        """Index the notes as one more source."""
        pages = [Page(path, text.encode(), 1, "user") for path, text in sorted(notes.items())]
        await self.engine.create(alias)
        await build_tables(pages, self.engine, alias, BuildOptions(embedder=embedder))
        index = await describe(self.engine, alias, alias)
        prefix = given.get("path_prefix", "")
        known = {
            "alias": alias,
            "tree": MemoryTree({f"{prefix}{path}": text for path, text in notes.items()}),
            "chunks": index.chunks,
            "kb": "notes",
            "uri_prefix": "okf://notes/",
            "embedder": index.embedder,
            "embedder_digest": index.embedder_digest,
            "dims": index.dims,
            "coarse": index.coarse,
        }
        source = Source(**{**known, **given})
        self.sources.append(source)
        return source

    async def ask(self, question: str, sources: list[Source] | None = None, **given: Any) -> Answer:
        filters = Filters(**{name: given.pop(name) for name in ("types", "tags", "paths") if name in given})
        request = SearchRequest(question, filters=filters, **given)
        asked = self.sources if sources is None else sources
        return await search(request, asked, self.engine, self.models, ManualClock(self.now), KNOWN)


def paths(answer: Answer) -> list[str]:
    """The ranking, whatever the verdict."""
    return [candidate.path for candidate in answer.candidates or answer.near]


def scores(answer: Answer) -> list[tuple[str, float, float]]:
    return [(found.path, found.score, found.confidence) for found in answer.candidates or answer.near]
