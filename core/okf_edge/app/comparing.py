"""Two versions of a bundle, side by side, wherever they are: archives, folders, or installed here."""

from __future__ import annotations

from dataclasses import dataclass

from okf_edge.app.contents import opened
from okf_edge.bundles.diff import Change, changes_between
from okf_edge.bundles.digest import MANIFEST
from okf_edge.bundles.edits import files_below
from okf_edge.bundles.manifest import read_manifest
from okf_edge.bundles.registry import read_registry
from okf_edge.errors import NotFoundError
from okf_edge.limits import LIMITS
from okf_edge.ports import FileTree

Side = bytes | FileTree | str
"""The bytes of an archive, a folder, or the id of an installed bundle."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What changed, and which versions were compared, as `id@version`; empty for a side that states none."""

    old: str
    new: str
    changes: tuple[Change, ...]


async def compare(base: FileTree, old: Side, new: Side) -> Compared:
    """Raises: NotFoundError: no such bundle is installed. BundleError and its kinds: it is no bundle."""
    before, after = await _files(base, old), await _files(base, new)
    return Compared(_name(before), _name(after), changes_between(before, after))


async def _files(base: FileTree, side: Side) -> dict[str, bytes]:
    if isinstance(side, str):
        return await _installed(base, side)
    contents = await opened(side)
    return {path: await contents.read(path) for path in contents.sizes}


async def _installed(base: FileTree, bundle_id: str) -> dict[str, bytes]:
    bundle = (await read_registry(base)).bundles.get(bundle_id)
    if bundle is None:
        raise NotFoundError(
            f"expected an archive, a folder, a URL or an installed bundle, found none called {bundle_id!r}",
            hint="`okf list` shows what is installed.",
        )
    paths = await files_below(base, bundle.path)
    return {path: await base.read(f"{bundle.path}/{path}", LIMITS.archive_file_bytes) for path in paths}


def _name(files: dict[str, bytes]) -> str:
    if MANIFEST not in files:
        return ""
    manifest = read_manifest(files[MANIFEST])
    return f"{manifest.id}@{manifest.version}"
