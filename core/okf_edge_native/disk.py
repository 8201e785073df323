"""A directory of the local disk as a `FileTree`.

Rules:
1. Nothing outside the root is read, written or listed: paths are relative and plain, directories on the way must be
   real ones, and the last step never follows a symbolic link.
2. Files become visible whole (`atomic`); our temporary files and stages are never listed unless asked into.
3. Names stay as the system spells them.
4. Nobody else enters a stage, so that nothing in it is exchanged before it is in place.

A process that swaps directories for links within one call, as the same user, is outside of this protection.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from okf_edge.errors import AlreadyExistsError, NotFoundError, TooLargeError, UnavailableError
from okf_edge.paths import parents, require_relative
from okf_edge.ports import EntryKind, FileStat
from okf_edge_native import atomic
from okf_edge_native.exchange import exchange
from okf_edge_native.failures import as_port_error, port_errors

_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


class DiskTree:
    """The files below one directory. Making it touches nothing."""

    def __init__(self, root: str | Path) -> None:
        self.root = os.path.realpath(root)

    async def list(self, enter: Callable[[str], bool] | None = None) -> Sequence[FileStat]:
        found: list[FileStat] = []
        pending = [""]
        while pending:
            pending += _scan(self.root, pending.pop(), found, enter)
        found.sort(key=_path)
        return found

    async def stat(self, path: str) -> FileStat:
        place = self._place(path)
        with port_errors(path):
            status = os.lstat(place)
        if stat.S_ISDIR(status.st_mode):
            raise NotFoundError(f"expected a file at {path!r}, found a directory")
        return FileStat(path, status.st_size, status.st_mtime_ns, _kind(status.st_mode))

    async def read(self, path: str, max_bytes: int | None = None) -> bytes:
        place = self._place(path)
        with port_errors(path):
            descriptor = os.open(place, _READ)
            try:
                return _content(descriptor, path, max_bytes)
            finally:
                os.close(descriptor)

    async def write(self, path: str, data: bytes) -> None:
        place = self._room(path)
        if os.path.lexists(place) and not (os.path.islink(place) or os.path.isfile(place)):
            what = "a directory" if os.path.isdir(place) else "no file but a device or a pipe"
            raise AlreadyExistsError(f"expected room for a file at {path!r}, found {what}")
        with port_errors(path):
            atomic.write_whole(place, data, flush=not _is_staged(path))

    async def create(self, path: str, data: bytes) -> None:
        place = self._room(path)
        with port_errors(path):
            atomic.create_whole(place, data, flush=not _is_staged(path))

    async def rename(self, old: str, new: str) -> None:
        source, target = self._place(old), self._place(new)
        with port_errors(old):
            is_directory = stat.S_ISDIR(os.lstat(source).st_mode)
        self._room(new)
        if os.path.lexists(target):
            raise AlreadyExistsError(f"expected nothing at {new!r}, found something")
        with port_errors(new):
            if _is_staged(old):
                self._open_up(source)
            if is_directory:
                os.rename(source, target)  # refuses a directory with content, as two installs may race
            else:
                atomic.move_exclusively(source, target)
            atomic.flush_directory(os.path.dirname(target))

    async def replace(self, old: str, new: str) -> None:
        source, target = self._place(old), self._place(new)
        await self.stat(old)
        self._room(new)
        with port_errors(new):
            if _is_staged(old):
                atomic.flush_tree(source)
            os.replace(source, target)
            atomic.flush_directory(os.path.dirname(target))

    async def exchange(self, one: str, other: str) -> bool:
        first, second = self._place(one), self._place(other)
        for path, place in ((one, first), (other, second)):
            if not os.path.isdir(place):
                raise NotFoundError(f"expected a directory at {path!r}, found none")
            if _is_staged(path):
                with port_errors(path):
                    self._open_up(place)
        with port_errors(other):
            if not exchange(first, second):
                return False
            for place in (first, second):
                atomic.flush_directory(os.path.dirname(place))
        return True

    async def remove(self, path: str) -> None:
        place = self._place(path)
        with port_errors(path):
            if stat.S_ISDIR(os.lstat(place).st_mode):
                import shutil  # here, since it costs a query 3 ms

                shutil.rmtree(place)
            else:
                os.unlink(place)

    async def stage(self) -> str:
        atomic.sweep((self.root, f"{self.root}/.okf"))
        path = f"{atomic.STAGE}{os.urandom(8).hex()}"
        self._make_root()
        with port_errors(self.root):
            os.mkdir(f"{self.root}/{path}", 0o700)
        return path

    def locate(self, path: str) -> str:
        return self._place(path)

    def _place(self, path: str) -> str:
        """The address of a path whose directories are real ones, as far as they exist."""
        require_relative(path)
        for parent in parents(path):
            try:
                mode = os.lstat(f"{self.root}/{parent}").st_mode
            except OSError:
                break
            if stat.S_ISLNK(mode):
                raise NotFoundError(
                    f"expected a directory at {parent!r}, found a symbolic link", hint="Links are never followed."
                )
        return f"{self.root}/{path}"

    def _room(self, path: str) -> str:
        """The address for a new file, its parents made."""
        place = self._place(path)
        self._make_root()
        try:
            with port_errors(path):
                os.makedirs(os.path.dirname(place), exist_ok=True)
        except NotFoundError as error:
            raise AlreadyExistsError(f"expected directories above {path!r}, found a file among them") from error
        return place

    def _open_up(self, stage: str) -> None:
        """Make ready what becomes visible now: on the device, and open to those to whom the root is."""
        atomic.flush_tree(stage)
        own, wanted = (stat.S_IMODE(os.stat(place).st_mode) for place in (stage, self.root))
        if os.path.isdir(stage) and own | wanted & 0o777 != own:  # some disks know no modes
            os.chmod(stage, own | wanted & 0o777)

    def _make_root(self) -> None:
        """Make the directory itself, e.g. of a cache at its first use."""
        try:
            os.makedirs(self.root, exist_ok=True)
        except OSError as error:
            told = as_port_error(error, self.root)
            if isinstance(told, UnavailableError):
                raise told from error
            raise UnavailableError(
                f"expected room for a folder at {self.root!r}, found none ({error.strerror})",
                hint="Check what stands in its way; OKF_HOME tells okf where else to keep its own files.",
            ) from error


def _scan(root: str, directory: str, found: list[FileStat], enter: Callable[[str], bool] | None) -> list[str]:
    """Add the entries of one directory to `found` and return the directories to walk next."""
    below: list[str] = []
    prefix = f"{directory}/" if directory else ""
    for entry in _entries(root, directory, found):
        path = prefix + entry.name
        if atomic.is_leftover(entry.name):
            continue
        if entry.is_dir(follow_symlinks=False):
            if enter is None or enter(path):
                below.append(path)
            continue
        with suppress(FileNotFoundError):  # gone since the directory was read
            status = entry.stat(follow_symlinks=False)
            found.append(FileStat(path, status.st_size, status.st_mtime_ns, _kind(status.st_mode)))
    return below


def _entries(root: str, directory: str, found: list[FileStat]) -> list[os.DirEntry[str]]:
    """What a directory holds. One that can't be read is an entry of kind `other`; a missing root is an error."""
    try:
        with os.scandir(f"{root}/{directory}") as entries:
            return [*entries]
    except OSError as error:
        if not directory:
            raise as_port_error(error, root) from error
        if not isinstance(error, FileNotFoundError):
            found.append(FileStat(directory, 0, 0, "other"))
        return []


def _content(descriptor: int, path: str, max_bytes: int | None) -> bytes:
    """All bytes of an open file, unless it is no regular file or larger than allowed."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise NotFoundError(f"expected a file at {path!r}, found something else")
    allowed = sys.maxsize if max_bytes is None else max_bytes
    found, parts = status.st_size, []
    while found <= allowed and (part := os.read(descriptor, status.st_size + 1)):
        parts.append(part)
        found = max(found, sum(map(len, parts)))
    if found > allowed:
        raise TooLargeError(f"expected at most {allowed} bytes in {path!r}, found {found}")
    return b"".join(parts)


def _path(entry: FileStat) -> str:
    return entry.path


def _kind(mode: int) -> EntryKind:
    if stat.S_ISREG(mode):
        return "file"
    return "link" if stat.S_ISLNK(mode) else "other"


def _is_staged(path: str) -> bool:
    return path.startswith(atomic.STAGE)
