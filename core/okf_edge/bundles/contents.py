"""The files of a bundle before it is installed, wherever they are: an archive in memory, or a folder.

Rules:
1. Names and sizes are checked when contents are opened; every byte is checked when it is read.
2. One wrapper folder around everything is taken off, as most archivers add one.
3. What no bundle consists of is left out and told: hidden files, leftovers of archivers, links in a folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from okf_edge.bundles.archive import Archive, open_archive
from okf_edge.bundles.digest import KNOWLERY_MANIFEST, MANIFEST, FileDigest, digest_of
from okf_edge.bundles.names import is_hidden, problems_of_paths
from okf_edge.bundles.tar import is_tarball, zip_of_tarball
from okf_edge.errors import BundleError, DigestMismatchError, TooLargeError
from okf_edge.limits import LIMITS, Limits
from okf_edge.ports import FileTree

_ROOT_MARKS = (MANIFEST, KNOWLERY_MANIFEST, "index.md", "README.md", "LICENSE")


class Contents(Protocol):
    """Files by path in the bundle."""

    @property
    def archive_sha256(self) -> str:
        """The digest of the archive's own bytes; empty for a folder."""

    @property
    def sizes(self) -> Mapping[str, int]:
        """Bytes of each file, in path order."""

    @property
    def left_out(self) -> tuple[str, ...]:
        """Paths that were found and are no part of the bundle."""

    async def digest(self, path: str) -> FileDigest: ...

    async def read(self, path: str) -> bytes:
        """Raises DigestMismatchError: the file is damaged, or another than was digested."""

    async def markdown(self) -> Mapping[str, bytes]:
        """All markdown files; an archive unpacks each as it is asked for."""


class ZipContents:
    """The files of an archive."""

    def __init__(
        self, archive: Archive, archive_sha256: str, prefix: str, paths: tuple[str, ...], left_out: tuple[str, ...]
    ) -> None:
        self.archive_sha256 = archive_sha256
        self._archive = archive
        self._prefix = prefix
        self.sizes: Mapping[str, int] = {path: archive.sizes[prefix + path] for path in paths}
        self.left_out = left_out

    async def digest(self, path: str) -> FileDigest:
        return self._archive.digest(self._prefix + path)

    async def read(self, path: str) -> bytes:
        return self._archive.read(self._prefix + path)

    async def markdown(self) -> Mapping[str, bytes]:
        return _Unpacked(self._archive, {path: self._prefix + path for path in self.sizes if is_markdown(path)})


class TreeContents:
    """The files of a folder. Each is read again when it is copied, and must still be what was verified."""

    archive_sha256 = ""

    def __init__(self, tree: FileTree, prefix: str, sizes: Mapping[str, int], left_out: tuple[str, ...]) -> None:
        self._tree = tree
        self._prefix = prefix
        self._digests: dict[str, FileDigest] = {}
        self.sizes = sizes
        self.left_out = left_out

    async def digest(self, path: str) -> FileDigest:
        if path not in self._digests:
            self._digests[path] = digest_of(await self._bytes(path))
        return self._digests[path]

    async def read(self, path: str) -> bytes:
        data = await self._bytes(path)
        if digest_of(data) != self._digests.setdefault(path, digest_of(data)):
            raise DigestMismatchError(f"expected {path!r} as it was verified, found it changed meanwhile")
        return data

    async def markdown(self) -> Mapping[str, bytes]:
        return {path: await self.read(path) for path in self.sizes if is_markdown(path)}

    async def _bytes(self, path: str) -> bytes:
        return await self._tree.read(self._prefix + path, LIMITS.archive_file_bytes)


def open_bytes(data: bytes, limits: Limits = LIMITS) -> ZipContents:
    """The contents of a zip archive or a tarball. Raises ArchiveError: it is hostile or damaged."""
    if not is_tarball(data):
        return open_zip(data, limits)
    return _zipped(zip_of_tarball(data, limits), digest_of(data).sha256, limits)


def open_zip(data: bytes, limits: Limits = LIMITS) -> ZipContents:
    """The contents of a zip archive. Raises ArchiveError: it is hostile or damaged; nothing was unpacked."""
    return _zipped(data, digest_of(data).sha256, limits)


def _zipped(data: bytes, archive_sha256: str, limits: Limits) -> ZipContents:
    archive = open_archive(data, limits)
    shown = [path for path in archive.sizes if not is_hidden(path)]
    hidden = tuple(path for path in archive.sizes if is_hidden(path))
    prefix = _wrapper(shown)
    return ZipContents(archive, archive_sha256, prefix, tuple(path.removeprefix(prefix) for path in shown), hidden)


async def open_folder(tree: FileTree, limits: Limits = LIMITS) -> TreeContents:
    """The contents of a folder. Links are left out, never followed.

    Raises: BundleError: names that are not portable. TooLargeError.
    """
    entries = await tree.list(enter=lambda directory: not is_hidden(directory))
    files = {entry.path: entry.bytes for entry in entries if entry.kind == "file" and not is_hidden(entry.path)}
    left_out = tuple(entry.path for entry in entries if entry.path not in files)
    prefix = _wrapper(list(files))
    sizes = {path.removeprefix(prefix): files[path] for path in sorted(files)}
    _require_portable(sizes, limits)
    _require_within(sizes, limits)
    return TreeContents(tree, prefix, sizes, left_out)


def is_markdown(path: str) -> bool:
    return path.casefold().endswith(".md")


class _Unpacked(Mapping[str, bytes]):
    """Markdown of an archive, unpacked at each look-up: a thousand pages are never in memory at once."""

    def __init__(self, archive: Archive, places: Mapping[str, str]) -> None:
        self._archive = archive
        self._places = places

    def __getitem__(self, path: str) -> bytes:
        return self._archive.read(self._places[path])

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _wrapper(paths: list[str]) -> str:
    """`name/` when everything lies in one folder that looks like a bundle's root, else an empty string."""
    first = paths[0].partition("/")[0] if paths else ""
    prefix = f"{first}/"
    if not all(path.startswith(prefix) for path in paths):
        return ""
    return prefix if any(prefix + mark in paths for mark in _ROOT_MARKS) else ""


def _require_portable(sizes: Mapping[str, int], limits: Limits) -> None:
    problems = problems_of_paths(list(sizes), (), limits)
    if problems:
        raise BundleError(
            f"expected portable names, found {len(problems)} that are not: {problems[0]}",
            code=problems[0].code,
            hint="Rename the files: a bundle must mean the same on every system.",
            issues=[str(problem) for problem in problems],
        )


def _require_within(sizes: Mapping[str, int], limits: Limits) -> None:
    total = sum(sizes.values())
    if len(sizes) > limits.archive_entries_count:
        raise TooLargeError(f"expected at most {limits.archive_entries_count:,} files, found {len(sizes):,}")
    if total > limits.archive_total_bytes:
        raise TooLargeError(f"expected at most {limits.archive_total_bytes:,} bytes, found {total:,}")
    if big := [path for path, size in sizes.items() if size > limits.archive_file_bytes]:
        raise TooLargeError(f"expected files up to {limits.archive_file_bytes:,} bytes, found more", issues=big)
