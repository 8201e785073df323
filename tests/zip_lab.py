"""Zip archives put together byte by byte, so that every field can lie."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

LINK = 0o120777 << 16
DEVICE = 0o020666 << 16
FILE = 0o100644 << 16
DIRECTORY = 0o040755 << 16


@dataclass
class Entry:
    """One entry; what is None follows from the data."""

    name: bytes
    data: bytes = b"---\ntype: Note\n---\nx\n"
    method: int = 8
    flags: int | None = None
    attributes: int = FILE
    local_name: bytes | None = None
    local_flags: int | None = None
    crc: int | None = None
    size: int | None = None
    packed_size: int | None = None
    raw: bytes | None = None
    offset: int | None = None
    descriptor: bytes | None = None
    zip64: bool = False
    central_zip64: bool = False
    extra: bytes = b""


def build(
    entries: Sequence[Entry], *, prefix: bytes = b"", between: bytes = b"", suffix: bytes = b"", comment: bytes = b"",
    comment_bytes: int | None = None, count: int | None = None, shift: int = 0,
) -> bytes:  # fmt: skip
    """The archive. `shift` moves all stated offsets, `between` stands in front of the directory."""
    body, directory = bytearray(prefix), bytearray()
    for entry in entries:
        _add(entry, body, directory, shift)
    body += between
    start = len(body) - shift
    number = len(entries) if count is None else count
    end = struct.pack(
        "<4sHHHHIIH", b"PK\x05\x06", 0, 0, number, number, len(directory), start,
        len(comment) if comment_bytes is None else comment_bytes,
    )  # fmt: skip
    return bytes(body + directory + end + comment + suffix)


def deflated(data: bytes) -> bytes:
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    return stream.compress(data) + stream.flush()


def _add(entry: Entry, body: bytearray, directory: bytearray, shift: int) -> None:
    raw = entry.raw if entry.raw is not None else deflated(entry.data) if entry.method == 8 else entry.data
    flags = entry.flags if entry.flags is not None else (0 if entry.name.isascii() else 0x800)
    flags |= 8 if entry.descriptor is not None else 0
    crc = zlib.crc32(entry.data) if entry.crc is None else entry.crc
    size = len(entry.data) if entry.size is None else entry.size
    packed = len(raw) if entry.packed_size is None else entry.packed_size
    large = struct.pack("<HHQQ", 1, 16, size, packed), (0xFFFFFFFF, 0xFFFFFFFF)
    extra, sizes = large if entry.central_zip64 else (entry.extra, (packed, size))
    local_extra, local_sizes = large if entry.zip64 or entry.central_zip64 else (entry.extra, (packed, size))
    local_sizes = (0, 0, 0) if entry.descriptor is not None else (crc, *local_sizes)
    offset = len(body) - shift if entry.offset is None else entry.offset
    if entry.offset is None:
        name = entry.name if entry.local_name is None else entry.local_name
        local_flags = flags if entry.local_flags is None else entry.local_flags
        body += struct.pack(
            "<4sHHHHHIIIHH",
            b"PK\x03\x04",
            20,
            local_flags,
            entry.method,
            0,
            0x21,
            *local_sizes,
            len(name),
            len(local_extra),
        )
        body += name + local_extra + raw + (entry.descriptor or b"")
    directory += struct.pack(
        "<4sHHHHHHIIIHHHHHII", b"PK\x01\x02", 0x031E, 20, flags, entry.method, 0, 0x21, crc, *sizes,
        len(entry.name), len(extra), 0, 0, 0, entry.attributes, offset,
    )  # fmt: skip
    directory += entry.name + extra
