"""The records of a zip file, read strictly: what two readers could take in two ways is refused.

Rules:
1. The file is exactly: entries without gap or overlap, then the central directory, then one end record with its
   comment. Nothing before, between or after.
2. The central directory is trusted only where every local header says the same.
3. Methods are stored and deflate. No encryption, no parts, no ZIP64 in directory and end record: no bundle needs it,
   and readers differ in whether they look for it. In a local header, where those who stream write it, it is read.

Source: PKWARE APPNOTE 6.3.10, sections 4.3 to 4.5.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from okf_edge.errors import ArchiveError
from okf_edge.limits import Limits

STORED, DEFLATED = 0, 8
LOCAL_SIGNATURE = b"PK\x03\x04"
CENTRAL_SIGNATURE = b"PK\x01\x02"
END_SIGNATURE = b"PK\x05\x06"
DESCRIPTOR_SIGNATURE = b"PK\x07\x08"
ZIP64_LOCATOR_SIGNATURE = b"PK\x06\x07"

LOCAL = struct.Struct("<4sHHHHHIIIHH")
CENTRAL = struct.Struct("<4sHHHHHHIIIHHHHHII")
END = struct.Struct("<4sHHHHIIH")

FLAG_ENCRYPTED, FLAG_DESCRIPTOR, FLAG_PATCH, FLAG_STRONG, FLAG_UTF8, FLAG_MASKED = 1, 8, 0x20, 0x40, 0x800, 0x2000
_FILE_TYPE_MASK, _REGULAR, _DIRECTORY = 0o170000, 0o100000, 0o040000
_DOS_DIRECTORY, _DOS_OTHER = 0x10, 0x08 | 0x40 | 0x400  # volume label, device, reparse point
_MAX_32 = 0xFFFFFFFF
_ZIP64_EXTRA, _UNICODE_PATH_EXTRA, _AES_EXTRA = 0x0001, 0x7075, 0x9901
_COMMENT_MAX_BYTES = 0xFFFF
_DEFLATED_NOTHING_BYTES = 2


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """One regular file or directory of an archive. `start` and `packed` locate its data in the archive's bytes."""

    path: str
    is_directory: bool
    method: int
    crc: int
    bytes: int
    packed: int
    start: int
    end: int
    """Where the next record starts: behind the data and its descriptor."""


class _Central(NamedTuple):
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    name: bytes
    attributes: int
    offset: int


def read_entries(data: bytes, limits: Limits) -> tuple[ZipEntry, ...]:
    """All entries, in the order of their data.

    Raises: ArchiveError: with the reason as its code.
    """
    start, end, count = _end_record(data, limits)
    records = _central_directory(data, start, end, count)
    entries = sorted((_entry(data, record, start) for record in records), key=lambda entry: entry.start)
    _require_contiguous(entries, records, start)
    return tuple(entries)


def refuse(code: str, message: str, hint: str = "") -> NoReturn:
    raise ArchiveError(message, code=code, hint=hint or "Get the archive again from where it was published.")


def _end_record(data: bytes, limits: Limits) -> tuple[int, int, int]:
    """Where the central directory starts and ends, and how many entries it has."""
    position = _find_end_record(data)
    _, disk, start_disk, here, count, size, offset, comment = END.unpack_from(data, position)
    if disk or start_disk or here != count:
        refuse("bad-end-record", "expected an archive in one part, found an end record that names several")
    if data[max(0, position - 20) : max(0, position - 16)] == ZIP64_LOCATOR_SIGNATURE:
        refuse("unsupported-zip64", "expected a zip end record, found a ZIP64 one, which no archive of this size needs")
    if position + END.size + comment != len(data):
        _refuse_end(position + END.size + comment, len(data))
    if END_SIGNATURE in data[position + END.size :]:
        refuse("bad-end-record", "expected one end record, found what some readers take for one in the comment")
    if count > limits.archive_entries_count:
        refuse("too-many-entries", f"expected at most {limits.archive_entries_count:,} entries, found {count:,}")
    if offset + size > position:
        refuse("bad-end-record", "expected the central directory in front of the end record, found it elsewhere")
    if offset + size < position:
        _refuse_gap_at_end(data, position, size, offset)
    return offset, position, count


def _find_end_record(data: bytes) -> int:
    """The end record that closes the file, else the last one in reach, so that the reason for refusal is right."""
    tail_start = max(0, len(data) - END.size - _COMMENT_MAX_BYTES)
    tail = data[tail_start:]
    places = _places(tail, END_SIGNATURE, len(tail) - END.size)
    if not places:
        _refuse_without_end(data)
    closing = [at for at in places if at + END.size + _comment_bytes(tail, at) == len(tail)]
    if len(closing) > 1:
        refuse("bad-end-record", f"expected one end record, found {len(closing)} that each close the file")
    return tail_start + (closing or places)[-1]


def _places(tail: bytes, signature: bytes, last: int) -> list[int]:
    found = []
    at = tail.find(signature)
    while at != -1 and at <= last:
        found.append(at)
        at = tail.find(signature, at + 1)
    return found


def _comment_bytes(tail: bytes, at: int) -> int:
    return int.from_bytes(tail[at + END.size - 2 : at + END.size], "little")


def _refuse_without_end(data: bytes) -> NoReturn:
    """No end record in reach: the file was cut, has much data behind it, or never was a zip."""
    last = data.rfind(END_SIGNATURE)
    if last != -1 and last + END.size <= len(data):
        refuse("trailing-data", "expected nothing after the end record, found more than a comment can hold")
    if data[:4] == LOCAL_SIGNATURE:
        refuse("truncated", f"expected a zip end record, found none in {len(data):,} bytes: the archive was cut")
    refuse(
        "not-a-zip", f"expected a zip archive, found {len(data):,} bytes of something else", "Check the file's name."
    )


def _refuse_end(expected: int, found: int) -> NoReturn:
    if expected > found:
        refuse("bad-end-record", f"expected {expected - found:,} more bytes of comment, found the end of the file")
    refuse("trailing-data", f"expected nothing after the end record, found {found - expected:,} bytes")


def _refuse_gap_at_end(data: bytes, position: int, size: int, offset: int) -> NoReturn:
    """Offsets that miss by a constant tell data in front of the archive (a polyglot); else the record is wrong."""
    shifted = position - size
    if data[shifted : shifted + 4] == CENTRAL_SIGNATURE:
        refuse("leading-data", f"expected the archive to start with its first entry, found {shifted - offset:,} bytes")
    refuse("bad-end-record", "expected the end record right behind the central directory, found other bytes between")


def _central_directory(data: bytes, start: int, end: int, count: int) -> list[_Central]:
    records = []
    position = start
    for number in range(count):
        if position + CENTRAL.size > end or data[position : position + 4] != CENTRAL_SIGNATURE:
            refuse("bad-central-directory", f"expected {count:,} entries in the directory, found {number:,}")
        record, position = _central_record(data, position, end)
        records.append(record)
    if position != end:
        refuse("bad-central-directory", f"expected {count:,} entries, found {end - position:,} bytes behind them")
    return records


def _central_record(data: bytes, position: int, end: int) -> tuple[_Central, int]:
    fields = CENTRAL.unpack_from(data, position)
    _, _, _, flags, method, _, _, crc, packed, size, *rest = fields
    name_bytes, extra_bytes, comment_bytes, disk, _, attributes, offset = rest
    after_name = position + CENTRAL.size + name_bytes
    after = after_name + extra_bytes + comment_bytes
    if after > end:
        refuse("bad-central-directory", "expected a whole directory entry, found the end of the directory")
    name = data[position + CENTRAL.size : after_name]
    extra = _extra_fields(data[after_name : after_name + extra_bytes], name)
    if _MAX_32 in (size, packed, offset):
        refuse("unsupported-zip64", f"expected the sizes of {name!r} in the directory, found ZIP64 ones instead")
    _with_zip64(extra, name, [size, packed, offset])
    if disk:
        refuse("bad-central-directory", f"expected an archive in one part, found {name!r} in part {disk}")
    return _Central(flags, method, crc, packed, size, name, attributes, offset), after


def _extra_fields(extra: bytes, name: bytes) -> dict[int, bytes]:
    fields: dict[int, bytes] = {}
    position = 0
    while position + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, position)
        if position + 4 + length > len(extra) or kind in fields:
            refuse("bad-extra-field", f"expected whole, single extra fields of {name!r}, found a cut or doubled one")
        fields[kind] = extra[position + 4 : position + 4 + length]
        position += 4 + length
    if any(extra[position:]):
        refuse("bad-extra-field", f"expected whole extra fields of {name!r}, found {len(extra) - position} bytes more")
    if _UNICODE_PATH_EXTRA in fields and fields[_UNICODE_PATH_EXTRA][5:] != name:
        refuse("header-mismatch", f"expected one name of {name!r}, found a second one in an extra field")
    if _AES_EXTRA in fields:
        refuse("encrypted", f"expected no encryption, found {name!r} encrypted")
    return fields


def _with_zip64(extra: dict[int, bytes], name: bytes, values: list[int]) -> list[int]:
    """The values with those that are all ones taken from the ZIP64 field, in its fixed order."""
    asked = [index for index, value in enumerate(values) if value == _MAX_32]
    field = extra.get(_ZIP64_EXTRA, b"")
    if not asked:
        if field:
            refuse("header-mismatch", f"expected sizes of {name!r} once, found a ZIP64 field that none asks for")
        return values
    if len(field) != 8 * len(asked):
        refuse("header-mismatch", f"expected {8 * len(asked)} bytes of ZIP64 sizes of {name!r}, found {len(field)}")
    taken = list(values)
    for index, value in zip(asked, struct.unpack(f"<{len(asked)}Q", field), strict=True):
        taken[index] = value
    return taken


def _entry(data: bytes, record: _Central, limit: int) -> ZipEntry:
    path = _decode_name(record)
    _require_supported(record, path)
    is_directory = _is_directory(record, path)
    start = _require_same_local_header(data, record, path, limit)
    if start + record.packed > limit:
        refuse("header-mismatch", f"expected the data of {path!r} in front of the directory, found it beyond")
    end = start + record.packed
    if record.flags & FLAG_DESCRIPTOR:
        end = _descriptor_end(data, record, path, end, limit)
    return ZipEntry(
        path.rstrip("/") if is_directory else path,
        is_directory, record.method, record.crc, record.size, record.packed, start, end,
    )  # fmt: skip


def _decode_name(record: _Central) -> str:
    """Names are UTF-8, said by flag or plain ASCII. No code page is guessed: a guess writes a name nobody chose."""
    if not record.flags & FLAG_UTF8 and not record.name.isascii():
        refuse(
            "name-not-utf8",
            f"expected names in UTF-8, found {record.name!r} in an unnamed code page",
            "Make the archive with a tool that stores UTF-8 names.",
        )
    try:
        return record.name.decode("utf-8")
    except UnicodeDecodeError:
        refuse("name-not-utf8", f"expected names in UTF-8, found the bytes {record.name!r}")


def _require_supported(record: _Central, path: str) -> None:
    if record.flags & (FLAG_ENCRYPTED | FLAG_STRONG | FLAG_MASKED):
        refuse("encrypted", f"expected no encryption, found {path!r} encrypted", "Ask for an archive without password.")
    if record.method not in (STORED, DEFLATED) or record.flags & FLAG_PATCH:
        refuse("unsupported-method", f"expected stored or deflated data, found method {record.method} for {path!r}")
    if record.method == STORED and record.packed != record.size:
        refuse("header-mismatch", f"expected {record.size} stored bytes of {path!r}, found {record.packed}")


def _is_directory(record: _Central, path: str) -> bool:
    """Whether the entry is a directory. Links, devices and whatever else is no regular file are refused."""
    kind = record.attributes >> 16 & _FILE_TYPE_MASK
    named = path.endswith("/")
    if kind not in (0, _REGULAR, _DIRECTORY) or record.attributes & _DOS_OTHER:
        refuse("non-regular-entry", f"expected files and directories only, found {path!r} to be a link or device")
    if (kind == _DIRECTORY and not named) or (kind == _REGULAR and named):
        refuse("non-regular-entry", f"expected {path!r} to be a file or a directory, found it said to be both")
    if named and (record.size or record.packed > _DEFLATED_NOTHING_BYTES):
        refuse("non-regular-entry", f"expected no data in the directory {path!r}, found {record.packed} bytes")
    return named


def _require_same_local_header(data: bytes, record: _Central, path: str, limit: int) -> int:
    """Where the data of an entry starts, once its local header was found to say what the directory says."""
    position = record.offset
    if position + LOCAL.size > limit or data[position : position + 4] != LOCAL_SIGNATURE:
        refuse("header-mismatch", f"expected the header of {path!r} at byte {position:,}, found something else")
    fields: tuple[int, ...] = LOCAL.unpack_from(data, position)[2:]
    flags, method, _, _, crc, packed, size, name_bytes, extra_bytes = fields
    after_name = position + LOCAL.size + name_bytes
    start = after_name + extra_bytes
    if start > limit:
        refuse("header-mismatch", f"expected a whole header of {path!r}, found it cut")
    name = data[position + LOCAL.size : after_name]
    extra = _extra_fields(data[after_name:start], name)
    if (name, flags, method) != (record.name, record.flags, record.method):
        refuse("header-mismatch", f"expected one account of {path!r}, found another in its own header ({name!r})")
    size, packed = _with_zip64(extra, name, [size, packed])
    _require_same_sizes(record, path, (crc, packed, size))
    return start


def _require_same_sizes(record: _Central, path: str, local: tuple[int, int, int]) -> None:
    """With a descriptor behind the data, zeros stand in the header; otherwise the values themselves."""
    deferred = bool(record.flags & FLAG_DESCRIPTOR)
    stated = (record.crc, record.packed, record.size)
    if local != stated and not (deferred and all(have in (0, want) for have, want in zip(local, stated, strict=True))):
        refuse("header-mismatch", f"expected crc and sizes {stated} of {path!r}, found {local} in its own header")


def _descriptor_end(data: bytes, record: _Central, path: str, at: int, limit: int) -> int:
    """The end of the data descriptor: with or without signature, with sizes of 4 or 8 bytes, equal to the directory."""
    for sizes in ("II", "QQ"):
        for signature in (DESCRIPTOR_SIGNATURE, b""):
            expected = signature + struct.pack(f"<I{sizes}", record.crc, record.packed, record.size)
            if at + len(expected) <= limit and data[at : at + len(expected)] == expected:
                return at + len(expected)
    refuse("header-mismatch", f"expected the sizes of {path!r} behind its data, found other bytes")


def _require_contiguous(entries: Sequence[ZipEntry], records: Sequence[_Central], end: int) -> None:
    """Each header starts where the data before it ends: no byte belongs to two entries or to none."""
    headers = sorted(record.offset for record in records)
    position = 0
    for header, entry in zip(headers, entries, strict=True):
        if header < position:
            refuse("overlapping-entries", f"expected entries side by side, found {entry.path!r} inside another")
        if header > position:
            code = "hidden-data" if position else "leading-data"
            refuse(code, f"expected the entry {entry.path!r} at byte {position:,}, found it at {header:,}")
        position = entry.end
    if position != end:
        code = "hidden-data" if position <= end else "overlapping-entries"
        refuse(code, f"expected the directory at byte {position:,}, found it at {end:,}")
