"""Blocks cut into pieces that fit a chunk, and pieces packed into chunks of even size.

Pieces partition the text that they were cut from. A block that fits is one piece. One that does not is cut at the first
of these that helps: rows of a table, items of a list, blank lines, lines, sentences, words, characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from okf_edge.index.token_estimate import TokenMap, estimate_tokens
from okf_edge.okf.outline import Block

_LINES = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
_ITEMS = re.compile(r"(?<=[\r\n])(?=(?:[-*+]|\d{1,9}[.)])[ \t])")
_PARAGRAPHS = re.compile(r"(?<=\n)(?=[ \t]*\r?\n)")
_SENTENCES = re.compile(r"(?<=[.!?])(?=\s)|(?<=[。！？；])")
_WORDS = re.compile(r"(?<=[\s,，、;:])(?=\S)")
_CUTS = (_PARAGRAPHS, _LINES, _SENTENCES, _WORDS)

GRAINS = 8
"""A part is not cut finer than into this many of a chunk: enough to fill chunks evenly."""


@dataclass(frozen=True, slots=True)
class Source:
    """A text and the token estimate of its parts."""

    text: str
    map: TokenMap


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters [start, end). `repeated` is the table's header, for a chunk that starts with this row.

    An `is_head` piece stays with the next one where both fit: a heading, the header of a table.
    """

    start: int
    end: int
    tokens: int
    repeated: str = ""
    is_head: bool = False


def pieces_of(source: Source, start: int, end: int, blocks: Sequence[Block], room: int) -> list[Piece]:
    """Cut the characters [start, end) into pieces of at most `room` tokens, along the blocks that lie in them.

    What precedes a block, blank lines mostly, belongs to the piece before it; before the first, to the first.
    """
    edges = [start, *(block.start for block in blocks[1:]), end]
    found: list[Piece] = []
    for block, first, last in zip(blocks, edges, edges[1:], strict=False):
        heads = sum(piece.tokens for piece in takewhile(lambda piece: piece.is_head, reversed(found)))
        found += _pieces_of_block(source, first, last, block, max(room - heads, room // 2))
    return found or [Piece(start, end, 0)]


def packed(pieces: Sequence[Piece], room: int) -> Iterator[Sequence[Piece]]:
    """Runs of pieces, each of at most `room` tokens, as few as can be and of about the same size."""
    left = sum(piece.tokens for piece in pieces)
    run: list[Piece] = []
    taken = 0
    runs_left = max(1, -(-left // room))
    for piece in pieces:
        full = taken + piece.tokens > room
        even = taken + piece.tokens / 2 > left / runs_left and left - taken <= (runs_left - 1) * room
        if run and (full or (even and not run[-1].is_head)):
            yield run
            left -= sum(each.tokens for each in run)
            runs_left = max(1, -(-left // room))
            run, taken = [], estimate_tokens(piece.repeated)
        run.append(piece)
        taken += piece.tokens
    if run:
        yield run


def _pieces_of_block(source: Source, start: int, end: int, block: Block, room: int) -> Iterator[Piece]:
    tokens = source.map.tokens(start, end)
    if tokens <= room:
        yield Piece(start, end, tokens, is_head=block.kind == "heading")
    elif block.kind == "table":
        yield from _rows(source, start, end, block, room)
    elif block.kind == "list":
        yield from _cut(source, start, end, room, (_ITEMS, *_CUTS))
    else:
        yield from _cut(source, start, end, room, _CUTS)


def _rows(source: Source, start: int, end: int, block: Block, room: int) -> Iterator[Piece]:
    """The header, then the rows with the header to repeat, unless that takes more than half a chunk."""
    tokens = source.map.tokens(block.start, block.rows_start)
    repeated = source.text[block.start : block.rows_start] if tokens <= room // 2 else ""
    left = room - tokens if repeated else room
    for piece in _cut(source, start, block.rows_start, room, _CUTS):
        yield replace(piece, is_head=True)
    for piece in _cut(source, block.rows_start, end, left, (_LINES, _SENTENCES, _WORDS), is_whole=False):
        yield replace(piece, repeated=repeated)


def _cut(
    source: Source, start: int, end: int, room: int, cuts: Sequence[re.Pattern[str]], is_whole: bool = True
) -> Iterator[Piece]:
    """The span as it is when it fits and may stay whole, else its parts by the first cut, each cut where it must."""
    tokens = source.map.tokens(start, end)
    if tokens <= room and is_whole:
        yield Piece(start, end, tokens)
    elif cuts:
        for first, last in _grains(source, _split(source.text, start, end, cuts[0]), room // GRAINS):
            yield from _cut(source, first, last, room, cuts[1:])
    else:
        yield from _characters(start, end, tokens, room)


def _grains(source: Source, spans: Iterator[tuple[int, int]], grain: int) -> Iterator[tuple[int, int]]:
    """Neighbouring spans joined while they take at most `grain` tokens."""
    start, end = next(spans, (0, 0))
    for first, last in spans:
        if source.map.tokens(start, last) > grain:
            yield start, end
            start = first
        end = last
    if end > start:
        yield start, end


def _characters(start: int, end: int, tokens: int, room: int) -> Iterator[Piece]:
    """Equal parts of what has no place to cut it; each character takes at most about one token."""
    count = tokens // room + 1
    edges = [start + (end - start) * at // count for at in range(count + 1)]
    for first, last in pairwise(edges):
        yield Piece(first, last, -(-tokens // count))


def _split(text: str, start: int, end: int, cut: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    first = start
    for match in cut.finditer(text, start + 1, end):
        if match.start() > first:
            yield first, match.start()
            first = match.start()
    if first < end:
        yield first, end
