"""Writes `core/okf_edge/index/unicode_table.py`: the Unicode classes of the text pipeline, frozen at Unicode 14.

Run with Python 3.11, the oldest that we support, from the repository's root:
    python tools/unicode_table.py > core/okf_edge/index/unicode_table.py
Another Python is refused, since it knows another Unicode, and indexes and questions must agree on every host.
"""

from __future__ import annotations

import sys
import textwrap
import unicodedata
from collections.abc import Callable, Iterator

UNICODE = "14.0.0"

CJK = (
    (0x2E80, 0x2FDF),  # radicals
    (0x3005, 0x3007),  # iteration mark, closing mark, zero
    (0x3021, 0x3029),  # Hangzhou numerals
    (0x3031, 0x3035),  # kana repeat marks
    (0x3041, 0x3096),  # hiragana
    (0x3099, 0x309F),
    (0x30A1, 0x30FA),  # katakana
    (0x30FC, 0x30FF),
    (0x3105, 0x312F),  # bopomofo
    (0x1100, 0x11FF),  # Hangul jamo
    (0x3131, 0x318E),
    (0x31A0, 0x31BF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xA960, 0xA97C),
    (0xAC00, 0xD7A3),  # Hangul syllables
    (0xD7B0, 0xD7FB),
    (0xF900, 0xFAFF),
    (0x1AFF0, 0x1B16F),  # kana supplements
    (0x20000, 0x3FFFF),  # the planes that only Han lives in, now and later
)
UNSPACED = (
    (0x0E01, 0x0E3A),  # Thai
    (0x0E40, 0x0E4E),
    (0x0E81, 0x0EDF),  # Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17D3),  # Khmer
    (0x17DC, 0x17DD),
    (0x1950, 0x19DF),  # Tai Le, New Tai Lue
    (0x1A20, 0x1A5E),  # Tai Tham
    (0xA9E0, 0xA9FE),
    (0xAA60, 0xAADF),
)
SYMBOL = ((0x2600, 0x27BF), (0x1F1E6, 0x1F1FF), (0x1F300, 0x1F64F), (0x1F680, 0x1F6FF), (0x1F900, 0x1FAFF))
IGNORED = ((0xAD, 0xAD), (0x034F, 0x034F), (0x200C, 0x200D), (0x2060, 0x2060), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF))

Ranges = tuple[tuple[int, int], ...]


def within(ranges: Ranges, point: int) -> bool:
    return any(first <= point <= last for first, last in ranges)


def is_unknown(point: int) -> bool:
    """Unassigned then: such a character passes through as it is, and is part of a word."""
    if within(CJK, point) or (point & 0xFFFE) == 0xFFFE or 0xFDD0 <= point <= 0xFDEF or point >= 0xE0000:
        return False
    return unicodedata.category(chr(point)) == "Cn"


def is_word(point: int) -> bool:
    if within(CJK, point) or within(UNSPACED, point) or within(IGNORED, point) or point == 0x20E3:
        return False
    return unicodedata.category(chr(point))[0] in "LMN"


def ranges_of(holds: Callable[[int], bool]) -> Iterator[tuple[int, int]]:
    first = None
    for point in range(sys.maxunicode + 2):
        inside = point <= sys.maxunicode and holds(point)
        if inside and first is None:
            first = point
        elif not inside and first is not None:
            yield first, point - 1
            first = None


def text_of(ranges: Ranges) -> str:
    return " ".join(f"{first:x}" if first == last else f"{first:x}-{last:x}" for first, last in ranges)


def main() -> None:
    if unicodedata.unidata_version != UNICODE:
        sys.exit(f"expected a Python with Unicode {UNICODE}, found {unicodedata.unidata_version}")
    print('"""Unicode classes of the text pipeline, as hexadecimal code points and ranges. Generated: see')
    print('`tools/unicode_table.py`.\n"""\n')
    print(f'UNICODE = "{UNICODE}"')
    tables = {
        "WORD": tuple(ranges_of(is_word)),
        "UNKNOWN": tuple(ranges_of(is_unknown)),
        "CJK": CJK,
        "UNSPACED": UNSPACED,
        "SYMBOL": SYMBOL,
        "IGNORED": IGNORED,
    }
    for name, ranges in tables.items():
        print(f"\n{name} = (")
        for line in textwrap.wrap(text_of(ranges), 112):
            print(f'    "{line} "')
        print(")")


if __name__ == "__main__":
    main()
