"""What a person changed in the folder of an installed bundle since it was installed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from okf_edge.bundles.digest import MANIFEST, FileDigest, digest_of
from okf_edge.bundles.manifest import read_manifest
from okf_edge.bundles.names import is_hidden
from okf_edge.bundles.registry import InstalledBundle
from okf_edge.errors import NotFoundError
from okf_edge.limits import LIMITS
from okf_edge.ports import FileTree


@dataclass(frozen=True, slots=True)
class Edit:
    """One difference from what was installed; `path` is relative to the knowledge base."""

    path: str
    kind: Literal["edited", "added", "deleted"]

    def __str__(self) -> str:
        return f"{self.path}: {self.kind}"


async def edits_of(tree: FileTree, bundle: InstalledBundle) -> tuple[Edit, ...]:
    """All edits, by path. A changed manifest is an edit, and then the others can't be told.

    A deleted file is no loss to anybody: it can be installed again.
    """
    try:
        data = await tree.read(bundle.manifest_path, LIMITS.manifest_bytes)
    except NotFoundError:
        return (Edit(bundle.manifest_path, "deleted"),)
    if digest_of(data).sha256 != bundle.manifest_sha256:
        return (Edit(bundle.manifest_path, "edited"),)
    return await _compared(tree, bundle, _expected(bundle, data))


def would_be_lost(edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The edits that replacing or removing the folder would destroy."""
    return tuple(edit for edit in edits if edit.kind != "deleted")


def _expected(bundle: InstalledBundle, manifest: bytes) -> dict[str, FileDigest]:
    expected = {path: digest for path, digest in read_manifest(manifest).digests.items() if path not in bundle.left_out}
    if bundle.index is not None:
        expected[bundle.index.path] = FileDigest(bundle.index.bytes, bundle.index.sha256)
    return expected


async def _compared(tree: FileTree, bundle: InstalledBundle, expected: dict[str, FileDigest]) -> tuple[Edit, ...]:
    found = await files_below(tree, bundle.path)
    edits = [Edit(f"{bundle.path}/{path}", "deleted") for path in expected.keys() - found.keys()]
    for path, size in found.items():
        if path == MANIFEST or is_hidden(path):
            continue
        if path not in expected:
            edits.append(Edit(f"{bundle.path}/{path}", "added"))
        elif size != expected[path].bytes or digest_of(await tree.read(f"{bundle.path}/{path}")) != expected[path]:
            edits.append(Edit(f"{bundle.path}/{path}", "edited"))
    return tuple(sorted(edits, key=lambda edit: edit.path))


async def files_below(tree: FileTree, folder: str) -> dict[str, int]:
    """Bytes of each entry below a folder, by path relative to it."""
    way = {folder[:at] for at, char in enumerate(folder) if char == "/"} | {folder}
    inside = f"{folder}/"
    entries = await tree.list(enter=lambda each: each in way or each.startswith(inside))
    return {entry.path.removeprefix(inside): entry.bytes for entry in entries if entry.path.startswith(inside)}
