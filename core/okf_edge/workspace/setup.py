"""`okf init`: make a folder a knowledge base by creating what is missing, and touching nothing that is there.

Rules:
1. Every write is an exclusive create, so what appears meanwhile is kept too.
2. The manifest is written last: a setup that was interrupted is not taken for a finished one.
3. A second run finds everything and writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from okf_edge import __version__
from okf_edge.errors import AlreadyExistsError, InputError
from okf_edge.ports import FileTree
from okf_edge.state import encode_state
from okf_edge.workspace import layout, texts
from okf_edge.workspace.manifest import MAX_NAME_CHARACTERS, KbManifest, read_manifest

KEEP = ".gitkeep"
"""Holds an otherwise empty folder open, in git as on any host that knows files only."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What `okf init` did: the knowledge base's name, and each path as created or found there already."""

    name: str
    created: tuple[str, ...]
    kept: tuple[str, ...]


async def set_up(tree: FileTree, name: str | None, folder_name: str, now: datetime) -> Setup:
    """Create what a knowledge base needs and lacks.

    Args: name: what to call it; None keeps the name that it has, or takes that of its folder.
    Raises:
        InputError: the name is unusable, or another than the one that the manifest has.
        StateFileError, NewerFormatError: the manifest is there but can't be read; nothing was written.
        NotFoundError: the folder does not exist.
    """
    name = _agreed_name(name, folder_name, await read_manifest(tree))
    present = frozenset(entry.path for entry in await tree.list(_enter))
    created: list[str] = []
    kept: list[str] = []
    for path, data in _wanted(name, now):
        folder = path.removesuffix(f"/{KEEP}")
        is_there = path in present or (folder != path and any(p.startswith(f"{folder}/") for p in present))
        (kept if is_there or not await _create(tree, path, data) else created).append(_shown(path))
    return Setup(name, tuple(created), tuple(kept))


def _wanted(name: str, now: datetime) -> Iterator[tuple[str, bytes]]:
    yield layout.GUIDE, texts.GUIDE.format(name=name).encode()
    yield layout.SCHEMA, texts.SCHEMA.encode()
    yield layout.BASES_INDEX, texts.BASES_INDEX.encode()
    for folder in layout.COMPILED:
        yield f"{folder}/{KEEP}", b""
    yield layout.IGNORE, texts.IGNORE.encode()
    manifest = KbManifest(name=name, created=now, created_by=f"okf-edge/{__version__}")
    yield layout.MANIFEST, encode_state(manifest.model_dump(mode="json"))


def _agreed_name(wanted: str | None, folder_name: str, manifest: KbManifest | None) -> str:
    if wanted is None:
        return manifest.name if manifest else folder_name
    name = " ".join(wanted.split())
    if not name or not name.isprintable() or len(name) > MAX_NAME_CHARACTERS:
        raise InputError(
            f"the name {wanted!r} is unusable, expected 1 to {MAX_NAME_CHARACTERS} printable characters",
            hint="Pass another --name.",
        )
    if manifest and name != manifest.name:
        raise InputError(
            f"this knowledge base is already named {manifest.name!r}, not {name!r}",
            hint=f"Leave the name out, or edit `name` in {layout.MANIFEST}.",
        )
    return name


async def _create(tree: FileTree, path: str, data: bytes) -> bool:
    """True when the file was created, False when something was there."""
    try:
        await tree.create(path, data)
    except AlreadyExistsError:
        return False
    return True


def _enter(folder: str) -> bool:
    return folder.partition("/")[0] in (*layout.COMPILED, layout.STATE) and "/" not in folder


def _shown(path: str) -> str:
    return path.removesuffix(KEEP)
