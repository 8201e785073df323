"""What a binary attachment tells beside what it shows: text inside, where a photo was taken, what nobody looked into.

Rules:
1. Text is any run of printable characters, in one byte or two each. In packed data such runs arise by chance, so only
   keys, tokens of known providers and whole e-mail addresses count in them.
2. A position is that of the Exif data of a photo, in JPEG, PNG, WebP, HEIC and TIFF alike, of its XMP data, or of a
   film's metadata. The compressed texts of a PNG are unpacked for it.
3. Packed files are told: their content leaves unseen.
4. A picture that a text holds as a `data:` address is a file in that text.

Source: Exif 2.32, section 4.6 (IFD structure, GPS attributes); XMP part 2, section 1.2.6; PNG, third edition, 11.3.3.
ISO 6709 annex H, as QuickTime writes it.
"""

from __future__ import annotations

import base64
import re
import struct
import zlib
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
_XMP_LATITUDE = re.compile(rb"GPSLatitude\s*(?:=\s*[\"']|>)\s*[+-]?\d")
_ISO_6709 = re.compile(rb"[+-]\d{2}\.\d{2,9}[+-]\d{3}\.\d{2,9}(?:[+-]\d[\d.]{0,12})?/")
_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_TEXTS = (b"tEXt", b"zTXt", b"iTXt")
_ZLIB = b"\x78"
_TEXTS_COUNT, _TEXT_BYTES = 64, 1024 * 1024
"""Texts of one picture that are looked into, and how much of each: it is hostile until it is unpacked."""
_EMBEDDED = re.compile(r"data:(?:image|video|audio|application)/[\w.+-]{1,80}(?:;[\w=.-]{1,80})*;base64,")
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]+")
_PACKED = frozenset(
    {"zip", "7z", "rar", "gz", "bz2", "xz", "tar", "tgz", "docx", "xlsx", "pptx", "odt", "ods", "odp", "epub", "pdf"}
)


def attachment_hits(path: str, data: bytes) -> Iterator[Hit]:
    """Findings of one binary file, all told at its beginning."""
    texts = tuple(_png_texts(data))
    view = View("\n".join(run for part in (data, *texts) for run in _runs(part)))
    for hit in (*known_tokens(view), *_addresses(view)):
        yield Hit(hit.kind, 0, 0, hit.value, hit.severity, f"{hit.reason}, inside the file")
    if any(map(_tells_where, (data, *texts))):
        yield Hit("position", 0, 0, path.rpartition("/")[2], "blocking", "the photo tells where it was taken")
    suffix = path.rpartition(".")[2].casefold()
    if suffix in _PACKED:
        yield Hit(
            "packed file", 0, 0, path.rpartition("/")[2], "warning", f"a .{suffix} file is packed: look at it yourself"
        )


def embedded_hits(text: str) -> Iterator[Hit]:
    """Findings of the files that a text holds as `data:` addresses, told where each begins."""
    for match in _EMBEDDED.finditer(text) if ";base64," in text else ():
        body = _BASE64.match(text, match.end())
        letters = "".join(body[0].split()) if body else ""
        data = base64.b64decode(letters[: len(letters) - (len(letters) % 4 == 1)] + "==")
        for hit in attachment_hits(f"{match[0][:40]}…", data):
            yield Hit(hit.kind, *match.span(), hit.value, hit.severity, f"{hit.reason}, in a picture in this text")


def _png_texts(data: bytes) -> Iterator[bytes]:
    """What the texts of a PNG say, each without the checksum behind it; damage says nothing."""
    at = len(_PNG) if data.startswith(_PNG) else len(data)
    left = _TEXTS_COUNT
    while at + 8 <= len(data) and left:
        (size,) = struct.unpack_from(">I", data, at)
        if data[at + 4 : at + 8] in _PNG_TEXTS:
            left -= 1
            keyword, _, rest = data[at + 8 : at + 8 + size].partition(b"\0")
            yield _unpacked(keyword, rest)
        at += size + 12


def _unpacked(keyword: bytes, rest: bytes) -> bytes:
    """The text behind a keyword, unpacked if packed. A raw profile of ImageMagick is hexadecimal below two words."""
    at = rest.find(_ZLIB)
    try:
        text = zlib.decompressobj().decompress(rest[at:], _TEXT_BYTES) if at != -1 else rest
    except zlib.error:
        return rest
    if not keyword.startswith(b"Raw profile type"):
        return text
    try:
        return bytes.fromhex("".join(text.decode("ascii").split()[2:]))
    except ValueError:
        return text


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
    in_exif = any(_has_latitude(data[start : start + 1024 * 1024]) for start in starts)
    return in_exif or bool(_XMP_LATITUDE.search(data) or _ISO_6709.search(data))


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
