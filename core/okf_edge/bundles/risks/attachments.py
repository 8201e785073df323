"""What a binary attachment tells beside what it shows: text inside, where a photo was taken, what nobody looked into.

Rules:
1. Text is any run of printable characters, in one byte or two each. In packed data such runs arise by chance, so only
   keys, tokens of known providers and whole e-mail addresses count in them.
2. A photo's position is that of its Exif data, in JPEG, PNG, WebP, HEIC and TIFF alike.
3. Packed files are told: their content leaves unseen.

Source: Exif 2.32, section 4.6 (IFD structure, GPS attributes).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from okf_edge.bundles.risks.contacts import addresses
from okf_edge.bundles.risks.credentials import known_tokens
from okf_edge.bundles.risks.finding import Hit
from okf_edge.bundles.risks.views import View

_RUN = re.compile(rb"[\x20-\x7e]{12,4000}")
_WIDE_RUN = re.compile(rb"(?:[\x20-\x7e]\x00){12,4000}")
_LIKELY_ADDRESS = re.compile(r"[\w.+-]{3,}@[\w-]{3,}(?:\.[\w-]+)*\.[A-Za-z]{2,}")
_EXIF = (b"Exif\x00\x00", b"eXIf")
_TIFF = (b"II*\x00", b"MM\x00*")
_GPS_IFD, _LATITUDE = 0x8825, 2
_ENTRIES_COUNT = 512
"""Of one directory; cameras write below a hundred."""
_PACKED = frozenset(
    {"zip", "7z", "rar", "gz", "bz2", "xz", "tar", "tgz", "docx", "xlsx", "pptx", "odt", "ods", "odp", "epub", "pdf"}
)


def attachment_hits(path: str, data: bytes) -> Iterator[Hit]:
    """Findings of one binary file, all told at its beginning."""
    view = View("\n".join(_runs(data)))
    for hit in (*known_tokens(view), *_addresses(view)):
        yield Hit(hit.kind, 0, 0, hit.value, hit.severity, f"{hit.reason}, inside the file")
    if _tells_where(data):
        yield Hit("position", 0, 0, path.rpartition("/")[2], "blocking", "the photo tells where it was taken")
    suffix = path.rpartition(".")[2].casefold()
    if suffix in _PACKED:
        yield Hit(
            "packed file", 0, 0, path.rpartition("/")[2], "warning", f"a .{suffix} file is packed: look at it yourself"
        )


def _runs(data: bytes) -> Iterator[str]:
    for found in _RUN.finditer(data):
        yield found[0].decode("ascii")
    for found in _WIDE_RUN.finditer(data):
        yield found[0].decode("utf-16-le")


def _addresses(view: View) -> Iterator[Hit]:
    return (hit for hit in addresses(view) if _LIKELY_ADDRESS.fullmatch(hit.value))


def _tells_where(data: bytes) -> bool:
    starts = [at + len(mark) for mark in _EXIF if (at := data.find(mark)) != -1]
    if data[:4] in _TIFF:
        starts.append(0)
    return any(_has_latitude(data[start : start + 1024 * 1024]) for start in starts)


def _has_latitude(tiff: bytes) -> bool:
    """Whether a TIFF structure has a GPS directory with a latitude. Damage says no."""
    order = {b"II": "<", b"MM": ">"}.get(tiff[:2], "")
    try:
        (first,) = struct.unpack_from(f"{order}I", tiff, 4) if order else (0,)
        directory = _directory(tiff, order, first)
        return _GPS_IFD in directory and _LATITUDE in _directory(tiff, order, directory[_GPS_IFD])
    except struct.error:
        return False


def _directory(tiff: bytes, order: str, at: int) -> dict[int, int]:
    """The tags of a directory, each with its value or the place of it."""
    (count,) = struct.unpack_from(f"{order}H", tiff, at)
    entries = (
        struct.unpack_from(f"{order}HHII", tiff, at + 2 + 12 * number) for number in range(min(count, _ENTRIES_COUNT))
    )
    return {tag: value for tag, _, _, value in entries}
