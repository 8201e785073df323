"""Pages on their way into an index: what must wait until all are read, in memory or in a staging database.

Terms get provisional numbers as they come, chunks get theirs in concept order; `tables` puts both into final order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import count, repeat

from okf_edge.index.chunks import Chunk
from okf_edge.index.linking import Links, load_links
from okf_edge.index.pages import ReadPage, instant_text
from okf_edge.index.passages import PassageVectors
from okf_edge.index.rows import ROWS_AT_ONCE, Rows
from okf_edge.index.schema import names_of
from okf_edge.index.tables import create_staged
from okf_edge.index.weighing import weights_of
from okf_edge.okf.resolve import Entry
from okf_edge.ports import SqlEngine

STAGED_POSTINGS = 200_000
"""Postings in memory before they are staged: about 20 MB."""

EMBEDDED_TOGETHER = 64
"""Passages handed to the embedder at once: progress stays smooth, and a kill loses little."""


class Staging:
    """Takes pages in path order and stages their rows in the empty database `alias`."""

    def __init__(self, engine: SqlEngine, alias: str, vectors: PassageVectors | None) -> None:
        self._engine = engine
        self._alias = alias
        self._vectors = vectors
        self._concepts = Rows("concept", *names_of("concept"))
        self._chunks = Rows("chunk", *names_of("chunk"))
        self._postings = Rows("posting", *names_of("posting"))
        self._vector_rows = Rows("vector", *names_of("vector"))
        self._passages: list[tuple[int, str]] = []
        self._vocabulary: defaultdict[str, int] = defaultdict(count().__next__)
        self.links = Links()
        self.concepts = 0
        self.chunks = 0
        self.problems = 0

    async def open(self) -> None:
        await create_staged(self._engine, self._alias, self._vectors.spec.dims if self._vectors else 0)

    async def add(self, read: ReadPage) -> None:
        """Stage one page."""
        self._add_concept(read)
        for chunk in read.chunks:
            self._add_chunk(chunk)
        self.links.add(read)
        self.concepts += 1
        self.problems += bool(read.problems)
        if len(self._passages) >= EMBEDDED_TOGETHER:
            await self._embed()
        if len(self._postings) >= STAGED_POSTINGS:
            await self._load()

    async def close(self, files: Iterable[str], concepts: Iterable[Entry]) -> None:
        """Stage what is left, and what can only be known now: the rank of every term, and where links lead."""
        await self._embed()
        await self._load()
        await self._load_ranks()
        await load_links(self.links.resolved(files, concepts), self._engine, self._alias)

    async def _load_ranks(self) -> None:
        ranks = Rows("rank", "provisional", "number", "term")
        for number, term in enumerate(sorted(self._vocabulary)):
            ranks.add(self._vocabulary[term], number, term)
            if len(ranks) == ROWS_AT_ONCE:
                await ranks.load(self._engine, self._alias)
        await ranks.load(self._engine, self._alias)

    def _add_concept(self, read: ReadPage) -> None:
        page, concept = read.page, read.concept
        self._concepts.add(
            self.concepts,
            page.path,
            concept.type,
            concept.title,
            concept.description,
            "\n".join(concept.tags),
            "\n".join(concept.aliases),
            concept.status,
            page.tier,
            concept.trust,
            instant_text(concept.generated_at),
            instant_text(concept.stale_after),
            read.sha256,
            len(page.data),
            page.mtime_ns,
            read.problems,
        )

    def _add_chunk(self, chunk: Chunk) -> None:
        number = self.chunks
        self._chunks.add(
            number,
            self.concepts,
            chunk.ordinal,
            " > ".join(chunk.heading),
            chunk.first_line,
            chunk.last_line,
            chunk.first_byte,
            chunk.last_byte,
            chunk.tokens,
        )
        weights = weights_of(chunk)
        self._postings.extend(
            map(self._vocabulary.__getitem__, weights), repeat(number, len(weights)), weights.values()
        )
        if self._vectors:
            self._passages.append((number, chunk.embedding_text))
        self.chunks += 1

    async def _embed(self) -> None:
        if self._vectors and self._passages:
            vectors = await self._vectors.of([text for _, text in self._passages])
            for (number, _), vector in zip(self._passages, vectors, strict=True):
                self._vector_rows.add(number, vector.scale, vector.data)
            self._passages = []

    async def _load(self) -> None:
        for rows in (self._concepts, self._chunks, self._postings, self._vector_rows):
            await rows.load(self._engine, self._alias)
