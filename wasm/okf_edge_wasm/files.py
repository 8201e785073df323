"""A folder of the page as a `FileTree`: each verb is a message.

Rules:
1. Paths are checked here, before the page sees them.
2. Folders are listed level by level, so that what the core does not enter is not walked.
3. Our own leftovers (stages) are never listed unless asked into.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from okf_edge.errors import AlreadyExistsError, NotFoundError, TooLargeError, UnavailableError
from okf_edge.paths import parents, require_relative
from okf_edge.ports import Entropy, EntryKind, FileStat
from okf_edge_wasm.bridge import Page

TreeName = Literal["base", "spare", "device"]

STAGE = ".okf-stage-"


class PageTree:
    """One of the folders that the page offers."""

    def __init__(self, page: Page, name: TreeName, entropy: Entropy) -> None:
        self._page = page
        self._entropy = entropy
        self.name = name

    async def list(self, enter: Callable[[str], bool] | None = None) -> Sequence[FileStat]:
        found: list[FileStat] = []
        level = [""]
        while level:
            entries = await self._ask("tree.list", folders=level)
            level = []
            for path, size, mtime_ms, kind in entries:
                if path.startswith(STAGE):
                    continue
                if kind != "folder":
                    found.append(_stat(path, size, mtime_ms, kind))
                elif enter is None or enter(path):
                    level.append(path)
        found.sort(key=lambda stat: stat.path)
        return found

    async def stat(self, path: str) -> FileStat:
        entry = await self._entry(path)
        if entry is None or entry[3] == "folder":
            raise NotFoundError(f"expected a file at {path!r}, found {'a folder' if entry else 'none'}")
        return _stat(*entry)

    async def read(self, path: str, max_bytes: int | None = None) -> bytes:
        if max_bytes is not None and (size := (await self.stat(path)).bytes) > max_bytes:
            raise TooLargeError(f"expected at most {max_bytes} bytes at {path!r}, found {size}")
        data = await self._page.bytes_of("tree.read", {"tree": self.name, "path": require_relative(path)})
        if max_bytes is not None and len(data) > max_bytes:
            raise TooLargeError(f"expected at most {max_bytes} bytes at {path!r}, found {len(data)}")
        return data

    async def write(self, path: str, data: bytes) -> None:
        entry = await self._entry(path)
        if entry is not None and entry[3] not in ("file", "link"):
            raise AlreadyExistsError(f"expected room for a file at {path!r}, found a folder")
        await self._require_folders_above(path)
        await self._ask("tree.write", data, path=path)

    async def create(self, path: str, data: bytes) -> None:
        await self._require_nothing(path)
        await self._require_folders_above(path)
        await self._ask("tree.create", data, path=path)

    async def rename(self, old: str, new: str) -> None:
        await self._require_something(old)
        await self._require_nothing(new)
        await self._require_folders_above(new)
        await self._ask("tree.rename", **{"from": old, "to": new})

    async def replace(self, old: str, new: str) -> None:
        await self.stat(old)
        require_relative(new)
        await self._ask("tree.replace", **{"from": old, "to": new})

    async def exchange(self, one: str, other: str) -> bool:
        for path in (one, other):
            entry = await self._entry(path)
            if entry is None or entry[3] != "folder":
                raise NotFoundError(f"expected a folder at {path!r}, found none")
        return False

    async def remove(self, path: str) -> None:
        await self._require_something(path)
        await self._ask("tree.remove", path=path)

    async def stage(self) -> str:
        path = f"{STAGE}{self._entropy.token(8).hex()}"
        await self._ask("tree.makeFolder", path=path)
        return path

    def locate(self, path: str) -> str:
        raise UnavailableError(f"a file of the page has no address: {path!r}", hint="Read it through the tree.")

    async def _entry(self, path: str) -> Any:
        return await self._ask("tree.stat", path=require_relative(path))

    async def _require_something(self, path: str) -> None:
        if await self._entry(path) is None:
            raise NotFoundError(f"expected something at {path!r}, found nothing")

    async def _require_nothing(self, path: str) -> None:
        if await self._entry(path) is not None:
            raise AlreadyExistsError(f"expected nothing at {path!r}, found something")

    async def _require_folders_above(self, path: str) -> None:
        for parent in parents(path):
            entry = await self._entry(parent)
            if entry is None:
                return
            if entry[3] != "folder":
                raise AlreadyExistsError(f"expected folders above {path!r}, found a file at {parent!r}")

    async def _ask(self, service: str, data: bytes | None = None, /, **argument: Any) -> Any:
        return await self._page.ask(service, {"tree": self.name, **argument}, data)


def _stat(path: str, size: int, mtime_ms: float, kind: EntryKind) -> FileStat:
    return FileStat(path, int(size), int(mtime_ms * 1_000_000), kind)
