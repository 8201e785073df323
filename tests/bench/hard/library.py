"""The handbook and the pages of the hard set as installed bundles: one index each, asked as one corpus."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from okf_edge.index.build import BuildOptions, build_index
from okf_edge.index.files import open_index
from okf_edge.index.pages import Page
from okf_edge.ports import Models, SqlEngine
from okf_edge.retrieval.answer import Answer, Coverage
from okf_edge.retrieval.request import SearchRequest
from okf_edge.retrieval.search import search
from okf_edge.retrieval.source import Source
from okf_edge_native.disk import DiskTree
from okf_edge_native.duckdb_engine import DuckdbSql
from okf_edge_native.system import SystemClock
from tests.bench.hard.questions import BUNDLES
from tests.bench.product import INDEX, source_of

RESERVED = frozenset({"index.md", "log.md"})


@dataclass(frozen=True, slots=True)
class Library:
    """Indexed bundles, ready to be asked."""

    engine: SqlEngine
    models: Models
    sources: tuple[Source, ...]

    async def ask(self, request: SearchRequest, sources: tuple[Source, ...] | None = None) -> Answer:
        """The answer of all bundles, or of these."""
        known = Coverage(0, 0, 0, "hybrid")
        return await search(request, sources or self.sources, self.engine, self.models, SystemClock(), known)


@asynccontextmanager
async def library(models: Models, embedder: str) -> AsyncIterator[Library]:
    """A copy of every bundle, indexed with an embedder (empty: none) and attached."""
    root, engine = Path(tempfile.mkdtemp(prefix="okf-hard-")), DuckdbSql()
    try:
        sources = [await _attached(name, root, engine, models, embedder) for name in BUNDLES]
        yield Library(engine, models, tuple(sources))
    finally:
        await engine.close()
        shutil.rmtree(root, ignore_errors=True)


async def _attached(name: str, root: Path, engine: SqlEngine, models: Models, embedder: str) -> Source:
    shutil.copytree(BUNDLES[name], root / name, ignore=shutil.ignore_patterns(".okf"))
    tree, builder = DiskTree(root / name), DuckdbSql()
    options = BuildOptions(embedder=await models.embedder(embedder) if embedder else None)
    paths = sorted(path for path in (root / name).rglob("*.md") if path.name not in RESERVED)
    pages = (Page(path.relative_to(root / name).as_posix(), path.read_bytes(), 1, "bundle") for path in paths)
    await build_index(pages, builder, tree, INDEX, options)
    await builder.close()
    index = await open_index(engine, name, tree, INDEX)
    return replace(source_of(index, DiskTree(root)), path_prefix=f"{name}/", bundle=name)
