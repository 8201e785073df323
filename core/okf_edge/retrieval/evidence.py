"""Step 7, pack: the quoted text of a place, read from its concept's file and never from a file that changed since.

Rules:
1. The file's size and sha256 must be those that were indexed; else its lines may be wrong, and it is left out.
2. A chunk is quoted whole, as its author wrote it. One beyond the limit is cut to the lines around the best match, and
   `lines` says which.
3. Rows of a table keep the table's header above them.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256
from itertools import takewhile

from okf_edge.errors import NotFoundError, TooLargeError
from okf_edge.index import tokens
from okf_edge.limits import LIMITS
from okf_edge.okf.decoding import decode
from okf_edge.okf.lines import NEWLINE
from okf_edge.retrieval.places import Place
from okf_edge.retrieval.visible import visible

_RULE_ROW = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*\Z")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Quoted text and its first and last line in the file."""

    text: str
    lines: tuple[int, int]


async def evidence_of(place: Place, terms: Collection[str]) -> Evidence | None:
    """The text of a place; None when its file is gone or is not the one that was indexed."""
    try:
        data = await place.source.tree.read(place.path, max_bytes=place.file_bytes)
    except (NotFoundError, TooLargeError):
        return None
    if len(data) != place.file_bytes or (place.sha256 and sha256(data).hexdigest() != place.sha256):
        return None
    return quote(data, place, terms)


def quote(data: bytes, place: Place, terms: Collection[str], limit: int = LIMITS.evidence_chars) -> Evidence:
    """The place's text out of its file's bytes, cut to the limit around the lines that hold most of the terms."""
    first, last = place.bytes
    rows = NEWLINE.split(decode(data[first:last]).text.rstrip())
    start, end = _window([row[:limit] for row in rows], frozenset(terms), limit)
    header = _header(NEWLINE.split(decode(data[:first]).text)[:-1], rows) if start == 0 else _own_header(rows, start)
    shown = [*header, *(row[:limit] for row in rows[start:end])]
    return Evidence(visible("\n".join(shown)), (place.lines[0] + start, place.lines[0] + end - 1))


def _window(rows: list[str], terms: frozenset[str], limit: int) -> tuple[int, int]:
    """The rows to show, as a half-open range: all of them, or as many as fit around the best one."""
    if sum(len(row) + 1 for row in rows) <= limit:
        return 0, len(rows)
    held = [len(terms.intersection(tokens.terms(row))) for row in rows]
    start = held.index(max(held))
    end, left = start + 1, limit - len(rows[start])
    while end < len(rows) and len(rows[end]) < left:
        left -= len(rows[end]) + 1
        end += 1
    while start > 0 and len(rows[start - 1]) < left:
        start -= 1
        left -= len(rows[start]) + 1
    return start, end


def _header(above: list[str], rows: list[str]) -> list[str]:
    """The header of the table that these rows continue; nothing when they don't start within a table."""
    if not _is_row(rows[0]):
        return []
    table = list(takewhile(_is_row, reversed(above)))[::-1]
    return table[:2] if len(table) >= 2 and _RULE_ROW.match(table[1]) else []


def _own_header(rows: list[str], start: int) -> list[str]:
    return _header(rows[:start], rows[start:])


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|")
