"""Pages on their way into an index: what must wait until all are read, in memory or in a staging database.

Terms get provisional numbers as they come, chunks get theirs in concept order; `tables` puts both into final order.
"""

from __future__ import annotations

from collections import defaultdict
from hashlib import sha256
from itertools import count, repeat

from okf_edge.index.chunks import Chunk
from okf_edge.index.linking import Links
from okf_edge.index.pages import ReadPage, instant_text
from okf_edge.index.passages import PassageVectors
from okf_edge.index.rows import Rows
from okf_edge.index.schema import create_statements, names_of
from okf_edge.index.weighing import weights_of
from okf_edge.ports import SqlEngine

STAGED_POSTINGS = 200_000
"""Postings in memory before they are staged: about 20 MB."""

EMBEDDED_TOGETHER = 64
"""Passages handed to the embedder at once: progress stays smooth, and a kill loses little."""


class Staging:
    """Takes pages in path order and stages their rows in the database `alias`, which it creates the tables of."""

    def __init__(self, engine: SqlEngine, alias: str, vectors: PassageVectors | None) -> None:
        self._engine = engine
        self._alias = alias
        self._vectors = vectors
        self._concepts = Rows("concept", *names_of("concept"))
        self._chunks = Rows("chunk", *names_of("chunk"))
        self._postings = Rows("posting", *names_of("posting"))
        self._vector_rows = Rows("vector", *names_of("vector"))
        self._passages: list[tuple[int, str]] = []
        self._digest = sha256()
        self.vocabulary: defaultdict[str, int] = defaultdict(count().__next__)
        self.links = Links()
        self.concepts = 0
        self.chunks = 0
        self.problems = 0

    @property
    def source_digest(self) -> str:
        return self._digest.hexdigest()

    async def open(self) -> None:
        for statement in create_statements(self._alias, self._vectors.spec.dims if self._vectors else 0):
            await self._engine.query(statement)

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

    async def close(self) -> None:
        """Stage what is left."""
        await self._embed()
        await self._load()

    def _add_concept(self, read: ReadPage) -> None:
        page, concept = read.page, read.concept
        self._digest.update(f"{page.path}\0{len(page.data)}\0{read.sha256}\n".encode("utf-8", "surrogatepass"))
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
        self._postings.extend(map(self.vocabulary.__getitem__, weights), repeat(number, len(weights)), weights.values())
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
