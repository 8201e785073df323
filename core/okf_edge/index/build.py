"""An index file from pages: read, weigh, embed and stage each; then write every table in order, and rename into place.

Rules:
1. Equal pages give equal rows, whatever ran before: numbers follow paths and terms, not the order of arrival.
2. Nothing of the new file is seen before it is complete. A kill at any point leaves the old file as it was.
3. Vectors come from the cache where the same text was embedded before, so a build that was killed resumes.
4. Memory holds the vocabulary, the links and one batch; postings and vectors wait in a staging database.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from okf_edge.index.pages import Page, read_page
from okf_edge.index.passages import PassageVectors
from okf_edge.index.schema import SMALL_CHUNKS
from okf_edge.index.staging import Staging
from okf_edge.index.tables import Embedding, write_tables
from okf_edge.index.vector_cache import VectorCache
from okf_edge.okf.resolve import Entry
from okf_edge.ports import Embedder, FileTree, Progress, SqlEngine
from okf_edge.turns import give_way

WORK = "work"
MADE = "made"
FILE_NAME = "index.duckdb"

Pages = Iterable[Page] | AsyncIterable[Page]


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What a build may use.

    Without an `embedder` the index is lexical. `cache` holds vectors of earlier builds and gets the new ones. Links may
    lead to `files`, such as attachments, and to `concepts` that are indexed elsewhere, beside the pages themselves.
    `total` is the number of pages, for the progress.
    """

    embedder: Embedder | None = None
    cache: VectorCache | None = None
    files: tuple[str, ...] = ()
    concepts: tuple[Entry, ...] = ()
    progress: Progress | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What was built: concepts, those of which not all could be read, chunks; vectors computed, and reused."""

    concepts: int
    problems: int
    chunks: int
    embedded: int = 0
    reused: int = 0


async def build_index(
    pages: Pages, engine: SqlEngine, tree: FileTree, path: str, options: BuildOptions | None = None
) -> BuildReport:
    """Build the index of `pages`, which come in path order, and put it at `path` in place of what is there.

    Raises:
        ValueError: the pages are not in path order.
        StoreError: the engine or the disk failed. The old file is as it was, as it is after any other error.
    """
    options = options or BuildOptions()
    vectors = PassageVectors(options.embedder, options.cache) if options.embedder else None
    stage = await tree.stage()
    try:
        async with _staged(pages, engine, options, vectors) as report:
            await write_index(engine, tree, f"{stage}/{FILE_NAME}", report.chunks, _embedding_of(vectors))
        await tree.replace(f"{stage}/{FILE_NAME}", path)
    finally:
        await tree.remove(stage)
    if vectors:
        await vectors.keep_only_used()
    return report


async def build_tables(pages: Pages, engine: SqlEngine, alias: str, options: BuildOptions | None = None) -> BuildReport:
    """Fill the empty database `alias` with the tables of the index of `pages`, e.g. in memory."""
    options = options or BuildOptions()
    vectors = PassageVectors(options.embedder, options.cache) if options.embedder else None
    async with _staged(pages, engine, options, vectors) as report:
        await write_tables(engine, WORK, alias, _embedding_of(vectors))
    return report


async def write_index(engine: SqlEngine, tree: FileTree, path: str, chunks: int, embedding: Embedding) -> None:
    """Write what is staged to a new file."""
    async with new_database(engine, MADE, tree, path, small=chunks < SMALL_CHUNKS):
        await write_tables(engine, WORK, MADE, embedding)


@asynccontextmanager
async def _staged(
    pages: Pages, engine: SqlEngine, options: BuildOptions, vectors: PassageVectors | None
) -> AsyncIterator[BuildReport]:
    """Everything about the pages, staged while the block runs."""
    staging = Staging(engine, WORK, vectors)
    async with new_database(engine, WORK):
        try:
            await _stage_all(staging, pages, options)
        finally:
            if vectors:
                await vectors.keep()
        counts = (vectors.embedded, vectors.reused) if vectors else (0, 0)
        yield BuildReport(staging.concepts, staging.problems, staging.chunks, *counts)


def _embedding_of(vectors: PassageVectors | None) -> Embedding:
    return vectors.embedding if vectors else Embedding()


async def _stage_all(staging: Staging, pages: Pages, options: BuildOptions) -> None:
    await staging.open()
    async for page in _in_order(pages):
        await staging.add(read_page(page))
        if options.progress:
            options.progress.step("indexing", staging.concepts, options.total)
        await give_way(staging.concepts)
    await staging.close(options.files, options.concepts)


@asynccontextmanager
async def new_database(
    engine: SqlEngine, alias: str, tree: FileTree | None = None, path: str = "", small: bool = False
) -> AsyncIterator[None]:
    """A new database while the block runs; afterwards it is detached, so its file is complete."""
    await engine.create(alias, tree, path, small)
    try:
        yield
    finally:
        await engine.detach(alias)


async def _in_order(pages: Pages) -> AsyncIterator[Page]:
    last = ""
    async for page in _each(pages):
        if page.path <= last:
            raise ValueError(f"expected pages in path order, got {page.path!r} after {last!r}")
        last = page.path
        yield page


async def _each(pages: Pages) -> AsyncIterator[Page]:
    if isinstance(pages, AsyncIterable):
        async for page in pages:
            yield page
        return
    for page in pages:
        yield page
