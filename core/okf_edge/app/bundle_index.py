"""The `Indexer` of bundles: builds and compares index files over the markdown of a bundle.

Every file of a bundle is there on purpose, so only listings, logs and root instruction files are no concepts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from okf_edge.app.embedders import embedder_for
from okf_edge.app.ports import Ports
from okf_edge.bundles.indexer import BuiltIndex
from okf_edge.bundles.manifest import IndexInfo
from okf_edge.index.build import BuildOptions, build_index
from okf_edge.index.files import IndexFile, open_index
from okf_edge.index.pages import Page
from okf_edge.index.schema import SCHEMA_VERSION, TABLES
from okf_edge.index.tokens import PIPELINE_ID
from okf_edge.index.vector_cache import VectorCache
from okf_edge.okf.notes import Notes
from okf_edge.ports import Embedder, FileStat, FileTree, SqlEngine
from okf_edge.workspace.scan import classify

_FILE = "index.duckdb"
_TELLING_META = "'schema', 'pipeline', 'embedder', 'embedder_digest', 'dims', 'concepts', 'chunks', 'source_digest'"
"""Of `meta`, what the text decides: not who wrote it."""


class BundleIndexer:
    """Builds in a private folder of `scratch`, which is opened when it is needed and left as it was."""

    def __init__(
        self, ports: Ports, scratch: Callable[[], FileTree], wanted: str = "", notes: Notes | None = None
    ) -> None:
        """Args: notes: those that were read already, when the work has some."""
        self._ports = ports
        self._notes = notes
        self._scratch = scratch
        self._wanted = wanted

    def reads(self, info: IndexInfo) -> bool:
        return (info.schema, info.pipeline) == (SCHEMA_VERSION, PIPELINE_ID)

    async def build(self, files: Mapping[str, bytes]) -> BuiltIndex:
        paths = concepts_among(files)
        sample = [files[path][:4000].decode(errors="replace") for path in paths[:: max(1, len(paths) // 100)]]
        embedder = await embedder_for(self._ports, self._wanted, sample)
        scratch = self._scratch()
        stage = await scratch.stage()
        try:
            cache = self._cache(embedder, scratch)
            index = await self._build(files, paths, embedder, scratch, f"{stage}/{_FILE}", cache)
            data = await scratch.read(f"{stage}/{_FILE}")
        finally:
            await scratch.remove(stage)
        scripts = embedder.spec.scripts if embedder else ()
        return BuiltIndex(
            data, SCHEMA_VERSION, PIPELINE_ID, index.chunks, index.embedder, index.embedder_digest, scripts
        )

    async def differences(self, files: Mapping[str, bytes], index: bytes, info: IndexInfo) -> Sequence[str]:
        embedder = await self._ports.models.embedder(info.embedder) if info.embedder else None
        scratch = self._scratch()
        stage = await scratch.stage()
        try:
            await scratch.write(f"{stage}/shipped.duckdb", index)
            await self._build(files, concepts_among(files), embedder, scratch, f"{stage}/{_FILE}")
            return await self._compared(scratch, f"{stage}/shipped.duckdb", f"{stage}/{_FILE}")
        finally:
            await scratch.remove(stage)

    def _cache(self, embedder: Embedder | None, scratch: FileTree) -> VectorCache | None:
        """The vectors of the last export, and of the folder's own index: what did not change is not embedded again.

        An installation keeps none: the cache of the base that it installs into is that of the base's own index.
        """
        if embedder is None or scratch is self._ports.tree:
            return None
        return VectorCache(scratch, embedder.spec, behind=VectorCache(self._ports.tree, embedder.spec))

    async def _build(
        self,
        files: Mapping[str, bytes],
        paths: Sequence[str],
        embedder: Embedder | None,
        scratch: FileTree,
        path: str,
        cache: VectorCache | None = None,
    ) -> IndexFile:
        others = tuple(files.keys() - set(paths))
        options = BuildOptions(embedder, cache=cache, files=others, progress=self._ports.progress, total=len(paths))
        engine = self._ports.engine()
        try:
            pages = (self._page(name, files[name]) for name in paths)
            await build_index(pages, engine, scratch, path, options)
            return await open_index(engine, "built", scratch, path)
        finally:
            await engine.close()

    def _page(self, path: str, data: bytes) -> Page:
        return Page(path, data, note=self._notes.of(path, data) if self._notes else None)

    async def _compared(self, scratch: FileTree, shipped: str, rebuilt: str) -> list[str]:
        engine = self._ports.engine()
        try:
            indexes = [
                await open_index(engine, "shipped", scratch, shipped),
                await open_index(engine, "rebuilt", scratch, rebuilt),
            ]
            have_vectors = all(index.dims for index in indexes)
            tables = [table for table, columns in TABLES.items() if have_vectors or "{dims}" not in columns]
            return [told for table in tables for told in await _compared_table(engine, table)]
        finally:
            await engine.close()


async def _compared_table(engine: SqlEngine, table: str) -> list[str]:
    """How the rows of one table differ, in words."""
    where = f" WHERE key IN ({_TELLING_META})" if table == "meta" else ""
    one, other = (f"SELECT * FROM {alias}.{table}{where}" for alias in ("shipped", "rebuilt"))
    found = []
    for word, query in (("too many", f"{one} EXCEPT ALL {other}"), ("missing", f"{other} EXCEPT ALL {one}")):
        count = int((await engine.query(f"SELECT count(*) FROM ({query})"))[0][0] or 0)
        if count:
            found.append(f"{table}: {count} rows {word}")
    return found


def concepts_among(paths: Iterable[str]) -> list[str]:
    """Which markdown files of a bundle are concepts, in path order."""
    return [note.path for note in classify((FileStat(path, 0, 0) for path in sorted(paths)), is_okf=True).notes]
