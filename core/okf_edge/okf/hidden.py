"""Where a note does not speak to its reader: comments, and display math, which may span lines.

One pass, linear. It knows fences and inline code, so that `%%` inside code opens nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

Span = tuple[int, int]

_EXPECTED = re.compile(r"%%|<!--|\$\$")
_MARK = re.compile(
    r"(?P<escape>\\[%$`<])"
    r"|(?:(?<=[\r\n])|\A)[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<fence>`{3,}(?=[^`\r\n]*(?:[\r\n]|\Z))|~{3,})"
    r"|(?P<code>`+)"
    r"|(?P<comment>%%)"
    r"|(?P<html><!--)"
    r"|(?P<math>\$\$)"
)
_CLOSERS = {"comment": "%%", "html": "-->", "math": "$$"}
_REST_OF_LINE = re.compile(r"[^\r\n]*")
_ALONE = re.compile(r"[ \t]*(?:[\r\n]|\Z)")
_BLANK = re.compile(r"[ \t]*")
_NOT_NEWLINE = re.compile(r"[^\r\n]")
FILLER = "\ue000"


@dataclass(frozen=True, slots=True)
class Hidden:
    """Spans of characters, in order. `comments` are `%%…%%` and `<!--…-->`, with their marks; `math` is `$$…$$`."""

    comments: tuple[Span, ...] = ()
    math: tuple[Span, ...] = ()


def hidden_of(text: str, start: int) -> Hidden:
    """The comments and display math of `text` from `start` on."""
    if not _EXPECTED.search(text, start):
        return Hidden()
    found: dict[str, list[Span]] = {"comment": [], "html": [], "math": []}
    unclosed: set[str] = set()
    position = start
    while match := _MARK.search(text, position):
        kind = match.lastgroup or ""
        end = _end_of(text, match, kind, unclosed)
        if kind in found and end > match.end():
            found[kind].append((match.start(), end))
        position = end
    return Hidden(tuple(sorted([*found["comment"], *found["html"]])), tuple(found["math"]))


def blanked(text: str, spans: tuple[Span, ...]) -> str:
    """The text without what the spans hold: every offset and line stays what it is.

    A span that shares its last line with text after it is filled with a letter: spaces would read as indentation.
    """
    parts: list[str] = []
    position = 0
    for (start, end), filler in zip(spans, _fillers(text, spans), strict=True):
        parts += [text[position:start], _NOT_NEWLINE.sub(filler, text[start:end])]
        position = end
    return "".join([*parts, text[position:]]) if spans else text


def _fillers(text: str, spans: tuple[Span, ...]) -> list[str]:
    """From the last span to the first: what follows a span may be another one."""
    fillers: list[str] = []
    next_start = -1
    for start, end in reversed(spans):
        blank = _BLANK.match(text, end)
        follows = blank.end() if blank else end
        ends_line = follows == len(text) or text[follows] in "\r\n"
        fillers.append(fillers[-1] if follows == next_start else " " if ends_line else FILLER)
        next_start = start
    return fillers[::-1]


def _end_of(text: str, match: re.Match[str], kind: str, unclosed: set[str]) -> int:
    """Where what `match` opens ends; the end of the match itself when nothing closes it."""
    if kind == "fence":
        return _end_of_fence(text, match)
    if kind == "code":
        return _end_of_code(text, match)
    if kind in _CLOSERS:
        return _end_of_span(text, match, kind, unclosed)
    return match.end()


def _end_of_span(text: str, match: re.Match[str], kind: str, unclosed: set[str]) -> int:
    """A comment that begins on a line of its own and is never closed hides the rest of the note, as in Obsidian."""
    found = -1 if kind in unclosed else text.find(_CLOSERS[kind], match.end())
    if found >= 0:
        return found + len(_CLOSERS[kind])
    unclosed.add(kind)
    return len(text) if _opens_block(text, match, kind) else match.end()


def _opens_block(text: str, match: re.Match[str], kind: str) -> bool:
    before = text[max(match.start() - 4, 0) : match.start()].rstrip(" ")
    if kind == "math" or (before and before[-1] not in "\r\n"):
        return False
    return kind == "html" or bool(_ALONE.match(text, match.end()))


def _end_of_fence(text: str, match: re.Match[str]) -> int:
    run = match["fence"]
    found = re.compile(rf"[\r\n][ \t>]*{run[0]}{{{len(run)},}}[ \t]*(?=[\r\n]|\Z)").search(text, match.end())
    return found.end() if found else len(text)


def _end_of_code(text: str, match: re.Match[str]) -> int:
    """Past the closing run of the same length on this line, else past the opening run."""
    line = _REST_OF_LINE.match(text, match.end())
    limit = line.end() if line else len(text)
    found = re.compile(rf"(?<!`){match['code']}(?!`)").search(text, match.end(), limit)
    return found.end() if found else match.end()
