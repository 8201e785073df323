"""Tarballs (`.tar.gz`, and bare `.tar`) as other tools and source hosts make them, repacked as an archive of ours.

Rules:
1. Entries are read one after the other as they unpack; no more than one file is in memory, and never more than declared
   limits allow: a bomb stops where its promise would.
2. Only files and folders are taken. Links, devices and sparse files refuse the whole tarball.
3. Dot folders (`.git`, `.vscode`) are no part of knowledge and are left out, unless a manifest of a bundle is there:
   then the archive has to be exactly what it promises.

Source: POSIX.1-2017 pax interchange format; GNU long names.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import NoReturn

from okf_edge.bundles.digest import KNOWLERY_MANIFEST, MANIFEST
from okf_edge.bundles.names import is_hidden
from okf_edge.bundles.zip_writer import write_archive
from okf_edge.errors import ArchiveError
from okf_edge.limits import LIMITS, Limits

GZIP_MARK = b"\x1f\x8b"
_BLOCK = 512
_PIECE_BYTES = 64 * 1024
_MAGIC_AT, _MAGIC = 257, b"ustar"
_EXTENSION_BYTES = 64 * 1024
"""A pax header or long name. Those of source hosts are below 1 kB."""
_FOLDER, _PAX, _PAX_GLOBAL, _LONG_NAME = b"5", b"x", b"g", b"L"


def is_tarball(data: bytes) -> bool:
    return data.startswith(GZIP_MARK) or data[_MAGIC_AT : _MAGIC_AT + len(_MAGIC)] == _MAGIC


def zip_of_tarball(data: bytes, limits: Limits = LIMITS) -> bytes:
    """The files of a tarball as a zip archive, which is then checked like any other.

    Raises: ArchiveError: `truncated`, `non-regular-entry`, `too-large`, `suspicious-ratio`, `bad-archive`.
    """
    if len(data) > limits.archive_bytes:
        _refuse("too-large", f"expected an archive of at most {limits.archive_bytes:,} bytes, found {len(data):,}")
    paths = [path for path, _ in _entries(data, limits, keep=False)]
    has_manifest = any(path.count("/") < 2 and path.endswith((MANIFEST, KNOWLERY_MANIFEST)) for path in paths)
    if len(set(paths)) < len(paths):
        _refuse("name-collision", "expected each file once, found one twice")
    kept = {path for path in paths if has_manifest or not is_hidden(path) or ".." in path.split("/")}
    return write_archive(entry for entry in _entries(data, limits, keep=True) if entry[0] in kept)


class _Stream:
    """Unpacked bytes in order, never more than the limits allow."""

    def __init__(self, data: bytes, limits: Limits) -> None:
        self._pieces = _unpacked(data, limits)
        self._waiting = bytearray()

    def take(self, count: int, *, keep: bool = True) -> bytes:
        """The next bytes; without `keep` they are passed over and nothing is returned."""
        parts = bytearray()
        while count:
            if not self._waiting:
                piece = next(self._pieces, b"")
                if not piece:
                    _refuse("truncated", "expected a whole tarball, found it cut")
                self._waiting += piece
            taken = min(count, len(self._waiting))
            if keep:
                parts += self._waiting[:taken]
            del self._waiting[:taken]
            count -= taken
        return bytes(parts)


def _unpacked(data: bytes, limits: Limits) -> Iterator[bytes]:
    total = 0
    for piece in _gunzipped(data) if data.startswith(GZIP_MARK) else _pieces(data):
        total += len(piece)
        if total > limits.archive_total_bytes:
            _refuse("too-large", f"expected at most {limits.archive_total_bytes:,} bytes unpacked, found more")
        if total > limits.archive_ratio_floor_bytes and total > len(data) * limits.archive_ratio:
            _refuse("suspicious-ratio", f"expected at most {limits.archive_ratio} times the packed size, found more")
        yield piece


def _pieces(data: bytes) -> Iterator[bytes]:
    return (data[at : at + _PIECE_BYTES] for at in range(0, len(data), _PIECE_BYTES))


def _gunzipped(data: bytes) -> Iterator[bytes]:
    stream = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        for piece in _pieces(data):
            waiting = piece
            while waiting and not stream.eof:
                yield stream.decompress(waiting, _PIECE_BYTES)
                waiting = stream.unconsumed_tail
        while not stream.eof and (rest := stream.decompress(b"", _PIECE_BYTES)):
            yield rest
    except zlib.error as error:
        _refuse("bad-archive", f"expected gzip data, found damage ({error})")


def _entries(data: bytes, limits: Limits, *, keep: bool) -> Iterator[tuple[str, bytes]]:
    """Path and content of each file; without `keep` the contents are empty."""
    stream, count, named = _Stream(data, limits), 0, ""
    while any(header := stream.take(_BLOCK)):
        kind, size = header[156:157], _number(header[124:136])
        _require_checksum(header)
        count += 1
        if count > limits.archive_entries_count:
            _refuse("too-many-entries", f"expected at most {limits.archive_entries_count:,} entries, found more")
        if kind in (_PAX, _PAX_GLOBAL, _LONG_NAME):
            extension = _content(stream, size, _EXTENSION_BYTES, True)
            named = _named(kind, extension) if kind != _PAX_GLOBAL else named
            continue
        path, named = named or _path(header), ""
        if path.endswith("/") and kind in (b"0", b"7"):
            _refuse("non-regular-entry", f"expected files or folders, found what is both: {path!r}")
        if kind == _FOLDER or (kind == b"\0" and path.endswith("/")):
            _content(stream, size, limits.archive_file_bytes, False)
        elif kind in (b"0", b"\0", b"7"):
            yield path.removeprefix("./"), _content(stream, size, limits.archive_file_bytes, keep)
        else:
            _refuse("non-regular-entry", f"expected files and folders only, found another kind of entry: {path!r}")


def _content(stream: _Stream, size: int, most: int, keep: bool) -> bytes:
    if size > most:
        _refuse("too-large", f"expected an entry of at most {most:,} bytes, found {size:,}")
    content = stream.take(size, keep=keep)
    stream.take(-size % _BLOCK, keep=False)
    return content


def _number(field: bytes) -> int:
    text = field.strip(b" \0")
    if not text or not all(char in b"01234567" for char in text):
        if not text:
            return 0
        _refuse("bad-archive", "expected an octal size, found another form")
    return int(text, 8)


def _require_checksum(header: bytes) -> None:
    if _number(header[148:156]) != sum(header[:148]) + sum(header[156:]) + 8 * 0x20:
        _refuse("bad-archive", "expected tar headers, found a wrong checksum")


def _path(header: bytes) -> str:
    name = _text(header[:100])
    prefix = _text(header[345:500]) if header[_MAGIC_AT:263] == b"ustar\0" else ""
    return f"{prefix}/{name}" if prefix else name


def _named(kind: bytes, extension: bytes) -> str:
    """The path that an extended header states for the next entry; a GNU sparse map is refused."""
    if kind == _LONG_NAME:
        return _text(extension)
    path, at = "", 0
    while at < len(extension):
        length, space, _ = extension[at:].partition(b" ")
        if not space or not length.isdigit() or int(length) <= len(length) + 1:
            _refuse("bad-archive", "expected records in an extended header, found none")
        key, _, value = extension[at + len(length) + 1 : at + int(length) - 1].partition(b"=")
        if key.startswith(b"GNU.sparse") or key == b"size":
            _refuse("non-regular-entry", "expected whole files, found a sparse one or one of another size")
        path = _text(value) if key == b"path" else path
        at += int(length)
    return path


def _text(field: bytes) -> str:
    try:
        return field.partition(b"\0")[0].decode()
    except UnicodeDecodeError as error:
        raise ArchiveError("expected names in UTF-8, found others", code="bad-archive") from error


def _refuse(code: str, message: str) -> NoReturn:
    raise ArchiveError(message, code=code, hint="Nothing was unpacked.")
