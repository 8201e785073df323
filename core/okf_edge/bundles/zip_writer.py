"""Writes archives whose bytes repeat: fixed times, attributes, order and compression level.

Two runs on one host give the same bytes. Hosts with different deflate implementations (zlib, zlib-ng) may not, so the
identity of a bundle is its `content_digest`, never the digest of its archive.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from okf_edge.bundles.zip_records import (
    CENTRAL,
    CENTRAL_SIGNATURE,
    DEFLATED,
    END,
    END_SIGNATURE,
    FLAG_UTF8,
    LOCAL,
    LOCAL_SIGNATURE,
    STORED,
)  # fmt: skip

_LEVEL = 9
_VERSION = 20
_MADE_BY_UNIX = 3 << 8 | _VERSION
_REGULAR_FILE_0644 = 0o100644 << 16
_MIDNIGHT, _FIRST_OF_1980 = 0, 0x21


def write_archive(files: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip of the files, in the order given. Names must be portable and distinct: callers check with `names`."""
    body, directory = bytearray(), bytearray()
    count = 0
    for path, data in files:
        count += 1
        name = path.encode()
        method, packed = _pack(data)
        shared = (_flags(name), method, _MIDNIGHT, _FIRST_OF_1980, zlib.crc32(data), len(packed), len(data), len(name))
        directory += CENTRAL.pack(
            CENTRAL_SIGNATURE, _MADE_BY_UNIX, _VERSION, *shared, 0, 0, 0, 0, _REGULAR_FILE_0644, len(body)
        )
        directory += name
        body += LOCAL.pack(LOCAL_SIGNATURE, _VERSION, *shared, 0) + name + packed
    end = END.pack(END_SIGNATURE, 0, 0, count, count, len(directory), len(body), 0)
    return bytes(body + directory + end)


def _pack(data: bytes) -> tuple[int, bytes]:
    """Deflated where that saves something: pictures and indexes that do not shrink are stored."""
    stream = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = stream.compress(data) + stream.flush()
    return (DEFLATED, packed) if len(packed) < len(data) else (STORED, data)


def _flags(name: bytes) -> int:
    return 0 if name.isascii() else FLAG_UTF8
