"""A file tree in a dict. Links and oddities of a disk are put in by `put`, since no port verb makes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from okf_edge.errors import AlreadyExistsError, NotFoundError, TooLargeError, UnavailableError
from okf_edge.paths import parents, require_relative
from okf_edge.ports import EntryKind, FileStat


class MemoryTree:
    """A `FileTree` whose files are bytes in memory. Times are a counter of writes, so that tests repeat."""

    def __init__(self, files: Mapping[str, bytes | str] | None = None) -> None:
        self.files: dict[str, bytes] = {}
        self.kinds: dict[str, EntryKind] = {}
        self.mtimes: dict[str, int] = {}
        self._directories: set[str] = set()
        self._ticks = 0
        for path, data in (files or {}).items():
            self.put(path, data.encode() if isinstance(data, str) else data)

    def put(self, path: str, data: bytes, *, kind: EntryKind = "file", mtime_ns: int | None = None) -> None:
        """Set an entry as it is, of any kind and time."""
        self._ticks += 1
        self.files[require_relative(path)] = data
        self.kinds[path] = kind
        self.mtimes[path] = self._ticks if mtime_ns is None else mtime_ns

    async def list(self, enter: Callable[[str], bool] | None = None) -> Sequence[FileStat]:
        paths = sorted(path for path in self.files if enter is None or all(map(enter, parents(path))))
        return [self._stat(path) for path in paths]

    async def stat(self, path: str) -> FileStat:
        self._require(path)
        return self._stat(path)

    async def read(self, path: str, max_bytes: int | None = None) -> bytes:
        self._require(path)
        if self.kinds[path] != "file":
            raise NotFoundError(f"expected a file at {path!r}, found a {self.kinds[path]}")
        data = self.files[path]
        if max_bytes is not None and len(data) > max_bytes:
            raise TooLargeError(f"expected at most {max_bytes} bytes in {path!r}, found {len(data)}")
        return data

    async def write(self, path: str, data: bytes) -> None:
        require_relative(path)
        self._require_place(path)
        self.put(path, data)

    async def create(self, path: str, data: bytes) -> None:
        require_relative(path)
        self._require_free(path)
        await self.write(path, data)

    async def rename(self, old: str, new: str) -> None:
        require_relative(new)
        moved = self._below(old)
        self._require_free(new)
        self._require_place(new)
        self._move(moved, old, new)

    async def replace(self, old: str, new: str) -> None:
        self._require(old)
        require_relative(new)
        self._require_place(new)
        self._move([old], old, new)

    async def exchange(self, one: str, other: str) -> bool:
        moved = [(path, other + path[len(one) :]) for path in self._below(one)]
        moved += [(path, one + path[len(other) :]) for path in self._below(other)]
        entries = [(new, self.files[old], self.kinds[old], self.mtimes[old]) for old, new in moved]
        for old, _ in moved:
            self._forget(old)
        for path, data, kind, mtime_ns in entries:
            self.put(path, data, kind=kind, mtime_ns=mtime_ns)
        return True

    async def remove(self, path: str) -> None:
        for each in self._below(path):
            self._forget(each)
        self._directories.discard(path)

    async def stage(self) -> str:
        self._ticks += 1
        path = f".okf-stage-{self._ticks}"
        self._directories.add(path)
        return path

    def locate(self, path: str) -> str:
        raise UnavailableError(f"a file in memory has no address: {path!r}", hint="Read it through the tree.")

    def _stat(self, path: str) -> FileStat:
        return FileStat(path, len(self.files[path]), self.mtimes[path], self.kinds[path])

    def _below(self, path: str) -> Sequence[str]:
        """The file itself, or all files of a directory."""
        require_relative(path)
        found = [path] if path in self.files else [each for each in self.files if each.startswith(f"{path}/")]
        if not found and path not in self._directories:
            raise NotFoundError(f"expected something at {path!r}, found nothing")
        return found

    def _move(self, paths: Sequence[str], old: str, new: str) -> None:
        for path in paths:
            target = new + path[len(old) :]
            self.put(target, self.files[path], kind=self.kinds[path], mtime_ns=self.mtimes[path])
            self._forget(path)
        self._directories.discard(old)

    def _forget(self, path: str) -> None:
        del self.files[path], self.kinds[path], self.mtimes[path]

    def _require(self, path: str) -> None:
        if require_relative(path) not in self.files:
            raise NotFoundError(f"expected a file at {path!r}, found none")

    def _require_free(self, path: str) -> None:
        if path in self.files or path in self._directories or self._is_directory(path):
            raise AlreadyExistsError(f"expected nothing at {path!r}, found something")

    def _require_place(self, path: str) -> None:
        """A file can't lie below another file, nor where a directory is."""
        if self._is_directory(path) or any(parent in self.files for parent in parents(path)):
            raise AlreadyExistsError(f"expected room for a file at {path!r}, found something else there")

    def _is_directory(self, path: str) -> bool:
        return any(each.startswith(f"{path}/") for each in self.files)
