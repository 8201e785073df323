"""The product's own way from notes to answers: a real tree on disk, a real index file, a real search."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from okf_edge.index.build import BuildOptions, build_index
from okf_edge.index.files import IndexFile, open_index
from okf_edge.index.pages import Page
from okf_edge.ports import Models, SqlEngine
from okf_edge.retrieval.answer import Answer, Coverage
from okf_edge.retrieval.request import SearchRequest
from okf_edge.retrieval.search import search
from okf_edge.retrieval.source import Source
from okf_edge_native.disk import DiskTree
from okf_edge_native.duckdb_engine import DuckdbSql
from okf_edge_native.system import SystemClock

INDEX = ".okf/index.duckdb"
ALIAS = "base"


@dataclass(frozen=True, slots=True)
class Product:
    """An indexed folder, ready to be asked."""

    engine: SqlEngine
    models: Models
    source: Source
    index: IndexFile
    index_bytes: int

    def with_models(self, models: Models) -> Product:
        return replace(self, models=models)

    async def ask(self, request: SearchRequest) -> Answer:
        known = Coverage(self.index.concepts, self.index.concepts, self.index.problems, "hybrid")
        answer = await search(request, [self.source], self.engine, self.models, SystemClock(), known)
        if request.dense and self.index.embedder and answer.coverage.mode == "lexical":
            raise RuntimeError(f"expected to search by meaning too: {answer.coverage.note}")
        return answer


@asynccontextmanager
async def indexed(notes: Mapping[str, bytes], models: Models, embedder: str) -> AsyncIterator[Product]:
    """The notes written to a folder of their own, indexed with an embedder (empty: none) and attached."""
    folder = Path(tempfile.mkdtemp(prefix="okf-bench-"))
    for path, data in notes.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    tree = DiskTree(folder)
    options = BuildOptions(embedder=await models.embedder(embedder) if embedder else None)
    pages = (Page(path, data, 1, "user") for path, data in sorted(notes.items()))
    builder, engine = DuckdbSql(), DuckdbSql()
    await build_index(pages, builder, tree, INDEX, options)
    await builder.close()
    try:
        index = await open_index(engine, ALIAS, tree, INDEX)
        yield Product(engine, models, source_of(index, tree), index, (folder / INDEX).stat().st_size)
    finally:
        await engine.close()
        shutil.rmtree(folder, ignore_errors=True)


def source_of(index: IndexFile, tree: DiskTree) -> Source:
    return Source(
        alias=index.alias,
        tree=tree,
        chunks=index.chunks,
        kb="bench",
        uri_prefix="okf://bench/",
        embedder=index.embedder,
        embedder_digest=index.embedder_digest,
        dims=index.dims,
        coarse=index.coarse,
    )
