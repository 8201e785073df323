"""Bytes to text, without ever losing a note."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

_BOM = codecs.BOM_UTF8
_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """`problem` is empty when the bytes are UTF-8; else it says what they are, and they must never be written back."""

    text: str
    bom_bytes: int = 0
    problem: str = ""


def decode(data: bytes) -> Decoded:
    """The text of a file: UTF-8, or what a byte order mark announces, else UTF-8 with U+FFFD for what is not."""
    bom_bytes = _bom_bytes(data)
    try:
        return Decoded(data[bom_bytes:].decode("utf-8"), bom_bytes)
    except UnicodeDecodeError as error:
        return _decode_wide(data) or _decode_damaged(data, bom_bytes, error)


def _bom_bytes(data: bytes) -> int:
    """All leading marks: some editors add one to a file that has one."""
    count = 0
    while data.startswith(_BOM, count):
        count += len(_BOM)
    return count


def _decode_wide(data: bytes) -> Decoded | None:
    for mark, codec, name in _WIDE:
        if data.startswith(mark):
            try:
                return Decoded(data[len(mark) :].decode(codec), len(mark), f"it is {name}")
            except UnicodeDecodeError:
                return None
    return None


def _decode_damaged(data: bytes, bom_bytes: int, error: UnicodeDecodeError) -> Decoded:
    where = bom_bytes + error.start
    problem = f"byte 0x{data[where]:02X} at offset {where} is not UTF-8"
    return Decoded(data[bom_bytes:].decode("utf-8", "replace"), bom_bytes, problem)
