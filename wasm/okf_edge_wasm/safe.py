"""Safe mode: questions by words alone, over the standard library's sqlite3, on a device where the engine keeps dying.

Rules:
1. Index files that DuckDB wrote stay as they are: here every index lies in the spare folder instead.
2. The index of a bundle is built from its pages, each of which has to be what the bundle's manifest promised.
3. Pages are indexed one by one, each told as progress.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress

from okf_edge.app.bundle_index import concepts_among
from okf_edge.bundles.digest import digest_of
from okf_edge.bundles.manifest import read_manifest
from okf_edge.bundles.registry import InstalledBundle, read_registry
from okf_edge.errors import NotFoundError, OkfError
from okf_edge.index.build import BuildOptions, build_index
from okf_edge.index.pages import Page
from okf_edge.inmemory.sql import SqliteSql
from okf_edge.limits import LIMITS
from okf_edge.ports import FileStat, FileTree, Progress

_INDEX_SUFFIX = ".duckdb"
_PLACE = "safe"


class SafeTree:
    """A folder whose index files lie in another one, below `safe/`."""

    def __init__(self, tree: FileTree, spare: FileTree) -> None:
        self._tree = tree
        self._spare = spare
        self.name = "safe"

    async def list(self, enter: Callable[[str], bool] | None = None) -> Sequence[FileStat]:
        return [stat for stat in await self._tree.list(enter) if not stat.path.endswith(_INDEX_SUFFIX)]

    async def stat(self, path: str) -> FileStat:
        tree, place = self._at(path)
        found = await tree.stat(place)
        return FileStat(path, found.bytes, found.mtime_ns, found.kind)

    async def read(self, path: str, max_bytes: int | None = None) -> bytes:
        tree, place = self._at(path)
        return await tree.read(place, max_bytes)

    async def write(self, path: str, data: bytes) -> None:
        tree, place = self._at(path)
        await tree.write(place, data)

    async def create(self, path: str, data: bytes) -> None:
        tree, place = self._at(path)
        await tree.create(place, data)

    async def rename(self, old: str, new: str) -> None:
        tree, place = self._at(old)
        await tree.rename(place, self._at(new)[1])

    async def replace(self, old: str, new: str) -> None:
        tree, place = self._at(old)
        await tree.replace(place, self._at(new)[1])

    async def exchange(self, one: str, other: str) -> bool:
        return await self._tree.exchange(one, other)

    async def remove(self, path: str) -> None:
        tree, place = self._at(path)
        await tree.remove(place)

    async def stage(self) -> str:
        return await self._tree.stage()

    def locate(self, path: str) -> str:
        return self._tree.locate(path)

    def _at(self, path: str) -> tuple[FileTree, str]:
        is_index = path.endswith(_INDEX_SUFFIX)
        return (self._spare, f"{_PLACE}/{path}") if is_index else (self._tree, path)


async def index_bundles(tree: FileTree, progress: Progress) -> None:
    """Give every installed bundle an index of words that is as old as the bundle.

    Args: tree: a SafeTree.
    """
    for bundle in (await read_registry(tree)).bundles.values():
        if bundle.index and not await _is_indexed(tree, bundle):
            await _index(tree, bundle, progress)


def _path(bundle: InstalledBundle) -> str:
    assert bundle.index is not None
    return f"{bundle.path}/{bundle.index.path}"


def _mark(bundle: InstalledBundle) -> str:
    """A file beside the index that names the content it was built from."""
    return f"{_path(bundle).removesuffix(_INDEX_SUFFIX)}.of{_INDEX_SUFFIX}"


async def _is_indexed(tree: FileTree, bundle: InstalledBundle) -> bool:
    with suppress(NotFoundError):
        await tree.stat(_path(bundle))
        return await tree.read(_mark(bundle), LIMITS.state_file_bytes) == bundle.content_digest.encode()
    return False


async def _index(tree: FileTree, bundle: InstalledBundle, progress: Progress) -> None:
    manifest = read_manifest(await tree.read(bundle.manifest_path, LIMITS.manifest_bytes))
    promised = {each.path: each.sha256 for each in manifest.files}
    paths = concepts_among(promised)
    others = tuple(path for path in promised if path not in set(paths))
    options = BuildOptions(None, files=others, progress=progress, total=len(paths))
    engine = SqliteSql()
    try:
        await build_index(_pages(tree, bundle, paths, promised), engine, tree, _path(bundle), options)
    finally:
        await engine.close()
    await tree.write(_mark(bundle), bundle.content_digest.encode())


async def _pages(
    tree: FileTree, bundle: InstalledBundle, paths: Sequence[str], promised: dict[str, str]
) -> AsyncIterator[Page]:
    """The pages that are what the manifest promised."""
    for path in paths:
        with suppress(OkfError):
            data = await tree.read(f"{bundle.path}/{path}", LIMITS.note_bytes)
            if digest_of(data).sha256 == promised[path]:
                yield Page(path, data)
