"""Inline markdown: which characters of a line of prose are words, and which are code, comment, math or escapes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence

from okf_edge.okf.hidden import Span
from okf_edge.okf.outline import Outline

# One character that no pattern for links or tags matches.
MASK = "\x00"

_EXPECTED = re.compile(r"[`\\$<]")
_RUN = re.compile(r"\\.|`+")
_TAGGED = re.compile(r"(?is)<(pre|code|script|style|textarea|kbd|samp)\b[^<>]*>")
_MATH = re.compile(r"\$(?![\s$])[^$\n]*(?<![\s\\])\$(?!\d)")
_ESCAPE = re.compile(r"\\[^\w\s|]")


def masked(text: str, span: Span, outline: Outline) -> str:
    """The text of one prose span, as long as it was, with all that is no prose replaced by MASK.

    `\\|` is kept as it is: inside a table it separates a wikilink from its alias.
    """
    start, end = span
    words = text[start:end]
    words = _covered(words, start, outline.comments)
    words = _covered(words, start, outline.math)
    if not _EXPECTED.search(words):
        return words
    if "`" in words:
        words = _without_code(words)
    if "<" in words:
        words = _without_tagged_code(words)
    if "$" in words:
        words = _MATH.sub(_blank, words)
    return _ESCAPE.sub(_blank, words) if "\\" in words else words


def erased(words: str, spans: Sequence[Span]) -> str:
    """The words with what lies in the spans (ordered, apart) masked."""
    if not spans:
        return words
    parts: list[str] = []
    position = 0
    for start, end in spans:
        parts += [words[position:start], MASK * (end - start)]
        position = end
    return "".join([*parts, words[position:]])


def _covered(words: str, start: int, spans: Sequence[Span]) -> str:
    """Mask what spans of the whole text (ordered, apart) hold of these words, which begin at `start`."""
    end = start + len(words)
    place = bisect_left(spans, start, key=lambda span: span[1])
    inside: list[Span] = []
    while place < len(spans) and spans[place][0] < end:
        inside.append((max(spans[place][0], start) - start, min(spans[place][1], end) - start))
        place += 1
    return erased(words, inside)


def _without_code(words: str) -> str:
    """Mask code spans: a run of backticks up to the next run of the same length. Linear in the number of runs."""
    runs = [match.span() for match in _RUN.finditer(words) if match.group()[0] == "`"]
    waiting: dict[int, list[int]] = defaultdict(list)
    for number in range(len(runs) - 1, -1, -1):
        waiting[runs[number][1] - runs[number][0]].append(number)
    code: list[Span] = []
    number = 0
    while number < len(runs):
        first, last = runs[number]
        same = waiting[last - first]
        while same and same[-1] <= number:
            same.pop()
        if same:
            number = same[-1]
            code.append((first, runs[number][1]))
        number += 1
    return erased(words, code)


def _without_tagged_code(words: str) -> str:
    """Mask `<code>…</code>` and its like. An element that is not closed here is left alone."""
    lower = words.lower()
    code: list[Span] = []
    unclosed: set[str] = set()
    position = 0
    while match := _TAGGED.search(words, position):
        name = match[1].lower()
        close = -1 if name in unclosed else lower.find(f"</{name}", match.end())
        if close < 0:
            unclosed.add(name)
        else:
            code.append((match.start(), close))
        position = max(close, match.end())
    return erased(words, code)


def _blank(match: re.Match[str]) -> str:
    return MASK * len(match.group())
