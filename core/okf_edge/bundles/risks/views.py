"""A text as a reader, a browser or a program would see it, with the way back to where each character stood.

Secrets hide behind spelling: full-width and look-alike letters, zero-width characters, entities and escapes, a string
put together over two lines. Each view undoes one kind, so that one simple pattern finds them all.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from unicodedata import normalize

ZERO_WIDTH = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"
)
BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

_LOOK_ALIKES = str.maketrans(
    "аеорсухіјѕԁһԛԝгАВЕКМНОРСТХІЈЅ" + "αοερτυνικΑΒΕΖΗΙΚΜΝΟΡΤΥΧ" + "＠．－＿：／＝＋％＃",
    "aeopcyxijsdhqwrABEKMHOPCTXIJS" + "aoeptuvikABEZHIKMNOPTYX" + "@.-_:/=+%#",
)
_FULL_WIDTH = {0xFF01 + offset: 0x21 + offset for offset in range(94)}
_DOTS = str.maketrans("。｡．․", "....")
_STYLED: dict[int, str] = {  # 𝐀 𝑎 𝟗, Ⓐ, ①, 🄰: letters of a style, which compatibility decomposition makes plain
    code: plain
    for first, last in ((0x1D400, 0x1D7FF), (0x2460, 0x2468), (0x24B6, 0x24E9), (0x1F130, 0x1F149))
    for code in range(first, last + 1)
    if (plain := normalize("NFKC", chr(code))).isascii() and len(plain) == 1
}
_WIDE: dict[int, int | str] = {**_FULL_WIDTH, **_DOTS, **_STYLED}
_LIKE_ASCII: dict[int, int | str] = {**_LOOK_ALIKES, **_WIDE}
_WIDE_LETTERS = re.compile(
    "[\u2024\u2460-\u2468\u24b6-\u24e9\u3002\uff01-\uff61\U0001d400-\U0001d7ff\U0001f130-\U0001f149]+"
)
_LIKE_ASCII_LETTERS = re.compile(f"[\u0370-\u052f{_WIDE_LETTERS.pattern[1:]}")
"""Ranges with all that the tables translate: to look for them is a tenth of the cost of translating a whole text."""

_UNSEEN = re.compile(
    f"[{ZERO_WIDTH}{BIDI}\u206a-\u206f\u3164\uffa0\ufe00-\ufe0f\U000e0000-\U000e007f\U000e0100-\U000e01ef]+"
)
_BEYOND_ASCII = re.compile("[^\x00-\x7f]+")
_ESCAPES = re.compile(
    r"&#[xX](?P<hex>[0-9a-fA-F]{1,6});|&#(?P<decimal>[0-9]{1,7});|&(?P<name>commat|period|lowbar|colon|equals|sol|num);"
    r"|\\(?P<blank>[nrt])|\\u(?P<unicode>[0-9a-fA-F]{4})|\\x(?P<byte>[0-9a-fA-F]{2})|%(?P<percent>[2-7][0-9a-fA-F])"
)
_NAMED = {"commat": "@", "period": ".", "lowbar": "_", "colon": ":", "equals": "=", "sol": "/", "num": "#"}
_JOINTS = re.compile(
    r"""(?<=[\w+/=.-])(?:
        ["'`][ \t]*(?:[+.&,]|\\)?[ \t]*(?:\r?\n[ \t>|]*)?(?:[+.&][ \t]*)?["'`]   # "abc" + "def"
      | \\\r?\n[ \t>]*                                                      # a continued line
      | -?\r?\n[ \t>|]*                                                     # a wrapped line
      | (?:</?(?:tspan|span|b|i|u|em|strong|mark|font|code)\b[^<>]{0,200}>[ \t]*)+   # styled in the middle
      | <wbr/?> | <br/?>(?:\r?\n)? | \*\*+ | __+(?=[A-Za-z0-9]{8})
      )(?=[\w+/=.-])""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class View:
    """A text and, where it lost or changed characters, the offsets of its pieces in the original."""

    text: str
    starts: tuple[int, ...] = (0,)
    origins: tuple[int, ...] = (0,)
    name: str = ""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The characters of the original from which `text[start:end]` came."""
        return self._origin(start), self._origin(end - 1) + 1 if end > start else self._origin(start)

    def _origin(self, offset: int) -> int:
        piece = bisect_right(self.starts, offset) - 1
        return self.origins[piece] + offset - self.starts[piece]


def has_any(text: str, marks: tuple[str, ...]) -> bool:
    """Whether a text has one of these marks. Patterns are fifty times dearer: each has marks without which it is idle.

    A pattern that ignores case has its marks in lower case, and is asked about the casefolded text.
    """
    for mark in marks:  # noqa: SIM110 - `any` would make a generator for each of some hundred texts a page
        if mark in text:
            return True
    return False


def lowered(text: str) -> str:
    """The text in lower case as patterns that ignore case see it, letter for letter."""
    if not text.isascii():
        text = text.replace("\u0130", "I").replace("\u0131", "i").replace("\u017f", "s")
    return text.lower()


def views_of(text: str) -> Iterator[View]:
    """The text as it reads, and again unescaped and joined where that makes a difference."""
    plain = reading(text)
    yield plain
    for name, pattern, meaning in (("escaped", _ESCAPES, _unescaped), ("split", _JOINTS, _nothing)):
        if pattern.search(plain.text):
            yield _replaced(plain, pattern, meaning, name)


@lru_cache(maxsize=2)
def beyond_ascii(text: str) -> str:
    """The letters of a text that are no ASCII: in most texts few, and then quickly looked through for many things."""
    return "" if text.isascii() else "".join(_BEYOND_ASCII.findall(text))


def reading(text: str, *, look_alikes: bool = True) -> View:
    """The text without what is not seen, and with full-width letters (and look-alikes) as the ASCII they look like."""
    if text.isascii():
        return View(text)
    table, known = (_LIKE_ASCII, _LIKE_ASCII_LETTERS) if look_alikes else (_WIDE, _WIDE_LETTERS)
    letters = beyond_ascii(text)
    plain = View(known.sub(lambda run: run[0].translate(table), text) if known.search(letters) else text)
    return _replaced(plain, _UNSEEN, _nothing, "unseen") if _UNSEEN.search(letters) else plain


def _replaced(view: View, pattern: re.Pattern[str], meaning: Callable[[re.Match[str]], str], name: str) -> View:
    built = _Builder(view)
    position = 0
    for match in pattern.finditer(view.text):
        built.keep(position, match.start())
        built.put(meaning(match), match.start())
        position = match.end()
    built.keep(position, len(view.text))
    return View("".join(built.parts), tuple(built.starts), tuple(built.origins), name)


class _Builder:
    """Puts a view together from pieces of another, and knows where each came from."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._length = 0
        self.parts: list[str] = []
        self.starts: list[int] = []
        self.origins: list[int] = []

    def keep(self, start: int, end: int) -> None:
        """A run of the other view; where that has a seam, this one has it too."""
        first, last = bisect_right(self._view.starts, start), bisect_right(self._view.starts, end)
        cuts = [start, *self._view.starts[first:last], end]
        for left, right in pairwise(cuts):
            self.put(self._view.text[left:right], left)

    def put(self, text: str, offset: int) -> None:
        """A piece that stands for what is at `offset` of the other view."""
        self.starts.append(self._length)
        self.origins.append(self._view.span(offset, offset)[0])
        self.parts.append(text)
        self._length += len(text)


def _nothing(match: re.Match[str]) -> str:
    return ""


def _unescaped(match: re.Match[str]) -> str:
    if name := match["name"]:
        return _NAMED[name]
    if match["blank"]:
        return " "
    digits = match["hex"] or match["unicode"] or match["byte"] or match["percent"]
    code = int(digits, 16) if digits else int(match["decimal"])
    return chr(code) if 0x20 <= code < 0x7F else match[0]
