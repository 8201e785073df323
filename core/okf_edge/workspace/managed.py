"""`.okf/managed.json`: which files are generated, and the bytes that we gave them. It tells our text from the person's.

A file that still has the bytes that we gave it is ours to renew. One that has others was changed by the person, and one
that was there before us is theirs: both are left as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from okf_edge.errors import NotFoundError, StoreError
from okf_edge.limits import LIMITS
from okf_edge.ports import FileTree
from okf_edge.state import State, corrupt, read_state
from okf_edge.workspace import layout

FORMAT = 1

Standing = Literal["absent", "outdated", "current", "changed", "foreign"]
"""`changed` was ours and has been edited; `foreign` never was ours."""


@dataclass(frozen=True, slots=True)
class File:
    """One file that we generate: the text that it should have, and how it stands."""

    path: str
    data: bytes
    standing: Standing

    @property
    def needs_writing(self) -> bool:
        return self.standing in ("absent", "outdated")

    @property
    def is_ours(self) -> bool:
        return self.standing not in ("changed", "foreign")


async def read_managed(tree: FileTree) -> dict[str, str]:
    """The sha256 of each generated file, by path. Raises StateFileError, NewerFormatError."""
    state = await read_state(tree, layout.MANAGED, FORMAT)
    if state is None:
        return {}
    files = state.get("files")
    if not isinstance(files, dict) or not all(isinstance(digest, str) for digest in files.values()):
        raise corrupt(layout.MANAGED, "has no usable list of files")
    return files


def state_of(files: Mapping[str, str]) -> State:
    return {"format": FORMAT, "files": dict(sorted(files.items()))}


async def compare(tree: FileTree, wanted: Mapping[str, bytes], known: Mapping[str, str]) -> list[File]:
    """How each wanted file stands."""
    return [
        File(path, data, _standing(data, await _present(tree, path), known.get(path))) for path, data in wanted.items()
    ]


def recorded(files: list[File], known: Mapping[str, str]) -> dict[str, str]:
    """The record after what needs writing was written. Files that are wanted no longer stay recorded."""
    return {**known, **dict(_digests(files))}


def _digests(files: list[File]) -> Iterator[tuple[str, str]]:
    return ((file.path, sha256(file.data).hexdigest()) for file in files if file.is_ours)


def _standing(wanted: bytes, present: bytes | None, known: str | None) -> Standing:
    if present is None:
        return "absent"
    if present == wanted:
        return "current"
    if known is None:
        return "foreign"
    return "outdated" if sha256(present).hexdigest() == known else "changed"


async def _present(tree: FileTree, path: str) -> bytes | None:
    """The bytes of a file; empty for what is there and can't be read, which is nobody's text of ours."""
    try:
        return await tree.read(path, LIMITS.note_bytes)
    except NotFoundError:
        return None
    except StoreError:
        return b""
