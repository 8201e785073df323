"""Zip archives as bundles travel in them: a reader that trusts nothing, and a writer whose bytes repeat.

The reader takes an archive apart in two steps. `open_archive` checks structure, names and declared totals, and
touches no data. `Archive.chunks` then unpacks one entry in pieces and stops at the first byte that was not declared,
so a bomb costs what its headers promised at most, and those are within `limits`.

Source: `zip_records` for the format; D. Fifield, "A better zip bomb" (2019), for what overlapping entries do.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

from okf_edge.bundles.digest import FileDigest
from okf_edge.bundles.names import problems_of_paths
from okf_edge.bundles.zip_records import DEFLATED, ZipEntry, read_entries, refuse
from okf_edge.errors import ArchiveError, DigestMismatchError
from okf_edge.limits import LIMITS, Limits

_PIECE_BYTES = 64 * 1024


class Archive:
    """An archive whose structure and names were checked. Data is checked as it is read."""

    def __init__(self, data: bytes, entries: Sequence[ZipEntry]) -> None:
        self._data = memoryview(data)
        self._files = {entry.path: entry for entry in entries if not entry.is_directory}
        self._digests: dict[str, FileDigest] = {}

    @property
    def sizes(self) -> Mapping[str, int]:
        """Declared bytes of each file, by path, in path order."""
        return {path: self._files[path].bytes for path in sorted(self._files)}

    def digest(self, path: str) -> FileDigest:
        """Unpack a file piece by piece, keeping none of it. Raises DigestMismatchError: the data is damaged."""
        if path not in self._digests:
            whole = sha256()
            for piece in self.chunks(path):
                whole.update(piece)
            self._digests[path] = FileDigest(self._files[path].bytes, whole.hexdigest())
        return self._digests[path]

    def read(self, path: str) -> bytes:
        """One whole file. Raises DigestMismatchError: the data is damaged."""
        self.digest(path)
        entry = self._files[path]
        packed = self._data[entry.start : entry.start + entry.packed]
        if entry.method != DEFLATED:
            return bytes(packed)
        return zlib.decompress(packed, -zlib.MAX_WBITS, bufsize=max(1, entry.bytes))

    def chunks(self, path: str) -> Iterator[bytes]:
        """The content of one file in pieces, ending with the check of length and CRC."""
        entry = self._files[path]
        crc = count = 0
        for piece in self._unpack(entry):
            count += len(piece)
            if count > entry.bytes:
                raise _size_mismatch(entry, "more")
            crc = zlib.crc32(piece, crc)
            yield piece
        if count < entry.bytes:
            raise _size_mismatch(entry, f"{count:,}")
        if crc != entry.crc:
            raise DigestMismatchError(f"expected crc {entry.crc:08x} of {entry.path!r}, found {crc:08x}")

    def _unpack(self, entry: ZipEntry) -> Iterator[bytes]:
        packed = self._data[entry.start : entry.start + entry.packed]
        if entry.method != DEFLATED:
            for at in range(0, len(packed), _PIECE_BYTES):
                yield bytes(packed[at : at + _PIECE_BYTES])
            return
        try:
            yield from _inflate(entry, packed)
        except zlib.error as error:
            raise DigestMismatchError(f"expected deflated data of {entry.path!r}, found damage ({error})") from error


def open_archive(data: bytes, limits: Limits = LIMITS) -> Archive:
    """Check everything that can be known without unpacking: structure, names, counts, sizes and ratios.

    Raises: ArchiveError: its code is the reason; all names that are bad are in `issues`.
    """
    if len(data) > limits.archive_bytes:
        refuse("too-large", f"expected an archive of at most {limits.archive_bytes:,} bytes, found {len(data):,}")
    entries = read_entries(data, limits)
    _require_safe_names(entries, limits)
    _require_sane_sizes(entries, limits)
    return Archive(data, entries)


def _inflate(entry: ZipEntry, packed: memoryview) -> Iterator[bytes]:
    stream = zlib.decompressobj(-zlib.MAX_WBITS)
    for at in range(0, len(packed), _PIECE_BYTES):
        waiting: bytes | memoryview = packed[at : at + _PIECE_BYTES]
        while waiting:
            yield stream.decompress(waiting, _PIECE_BYTES)
            waiting = stream.unconsumed_tail
            if stream.eof and (stream.unused_data or at + _PIECE_BYTES < len(packed)):
                raise DigestMismatchError(f"expected the data of {entry.path!r} to end, found bytes behind it")
    while not stream.eof:
        piece = stream.decompress(b"", _PIECE_BYTES)
        if not piece:
            raise DigestMismatchError(f"expected whole deflated data of {entry.path!r}, found it cut")
        yield piece


def _size_mismatch(entry: ZipEntry, found: str) -> ArchiveError:
    return ArchiveError(
        f"expected {entry.bytes:,} bytes of {entry.path!r} as declared, found {found}",
        code="size-mismatch",
        hint="The archive lies about its content; do not use it.",
    )


def _require_safe_names(entries: Sequence[ZipEntry], limits: Limits) -> None:
    files = [entry.path for entry in entries if not entry.is_directory]
    directories = [entry.path for entry in entries if entry.is_directory]
    problems = problems_of_paths(files, directories, limits)
    if len(set(directories)) < len(directories):
        refuse("name-collision", "expected each directory once, found one named twice")
    if problems:
        raise ArchiveError(
            f"expected portable names, found {len(problems)} that are not: {problems[0]}",
            code=problems[0].code,
            hint="Names are never repaired. Ask the publisher to rename the files.",
            issues=[str(problem) for problem in problems],
        )


def _require_sane_sizes(entries: Sequence[ZipEntry], limits: Limits) -> None:
    for entry in entries:
        if entry.bytes > limits.archive_file_bytes:
            refuse("too-large", f"expected files up to {limits.archive_file_bytes:,} bytes, found {entry.path!r}"
                                f" with {entry.bytes:,}")  # fmt: skip
        _require_ratio(entry.path, entry.bytes, entry.packed, limits)
    total, packed = sum(entry.bytes for entry in entries), sum(entry.packed for entry in entries)
    if total > limits.archive_total_bytes:
        refuse("too-large", f"expected at most {limits.archive_total_bytes:,} bytes unpacked, found {total:,}")
    _require_ratio("the archive", total, packed, limits)


def _require_ratio(name: str, size: int, packed: int, limits: Limits) -> None:
    if size > limits.archive_ratio_floor_bytes and size > packed * limits.archive_ratio:
        refuse("suspicious-ratio", f"expected at most {limits.archive_ratio} times the packed size, found"
                                   f" {size:,} bytes from {packed:,} in {name!r}")  # fmt: skip
