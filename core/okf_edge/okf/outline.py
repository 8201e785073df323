"""The structure of a note: blocks, sections, and which characters are prose.

CommonMark with tables decides what a block is; Obsidian's comments are taken out first. A heading inside a list item,
as outline editors write them, starts a section like any other.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from okf_edge.okf.document import Document
from okf_edge.okf.hidden import FILLER, Span, blanked, hidden_of
from okf_edge.okf.lines import line_at, line_starts

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

BlockKind = Literal["heading", "paragraph", "list", "table", "code", "quote", "html", "comment", "rule"]

_KINDS: dict[str, BlockKind] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "blockquote_open": "quote",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "html_block": "html",
    "hr": "rule",
}
_TABLE_HEAD_LINES = 2
_BLOCK_ID = re.compile(r"(?:(?<=[ \t\r\n])|\A)\^([A-Za-z0-9-]+)[ \t]*(?=[\r\n]|\Z)")
_INLINE_MARKUP = re.compile(
    r"!?\[\[(?:[^\[\]|]*\|)?(?P<wiki>[^\[\]]*)\]\]|!?\[(?P<label>[^\[\]]*)\]\([^()\s]*\)|[*`]+|==|~~|(?<!\w)_+|_+(?!\w)"
)


@dataclass(frozen=True, slots=True)
class Block:
    """One block. Lines are 1-based and inclusive, in the file; offsets are characters in `document.text`.

    `text` is the source, or a heading's words. `level` is a heading's. `rows_start` is where a table's body begins.
    """

    kind: BlockKind
    text: str
    first_line: int
    last_line: int
    start: int
    end: int
    level: int = 0
    rows_start: int = 0


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what follows up to the next heading of any level; `subtree_end` is past its own subsections.

    `path` holds the headings from the outermost to this one; it is empty for what precedes the first heading.
    """

    path: tuple[str, ...]
    level: int
    first_line: int
    last_line: int
    start: int
    end: int
    subtree_end: int
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """`prose` are the spans where inline markdown counts: no code, no comment, no raw HTML; a table row is one span.

    `block_ids` maps each `^id`, in lower case, to what it names: a list item with its children, else a block.
    """

    blocks: tuple[Block, ...] = ()
    sections: tuple[Section, ...] = ()
    prose: tuple[Span, ...] = ()
    comments: tuple[Span, ...] = ()
    math: tuple[Span, ...] = ()
    block_ids: Mapping[str, Block] = field(default_factory=dict)
    line_starts: Sequence[int] = (0,)


def outline_of(document: Document) -> Outline:
    """The outline of a document's body. Linear in its length."""
    text = document.text
    hidden = hidden_of(text, document.body_start)
    readable = blanked(text, hidden.comments)
    tokens = _parser().parse(readable[document.body_start :])
    frame = _Frame(text, readable, line_starts(text), document.body_line - 1)
    blocks = sorted([*_blocks(tokens, frame), *_comment_blocks(hidden.comments, frame)], key=lambda block: block.start)
    return Outline(
        blocks=tuple(blocks),
        sections=tuple(_sections(blocks, len(text))),
        prose=tuple(_prose(tokens, frame)),
        comments=hidden.comments,
        math=hidden.math,
        block_ids=_block_ids(tokens, blocks, frame),
        line_starts=frame.starts,
    )


def plain(text: str) -> str:
    """The words of a line of markdown, without emphasis, code marks and link targets."""
    words = _INLINE_MARKUP.sub(lambda match: match["wiki"] or match["label"] or "", text)
    return " ".join(words.replace(FILLER, " ").split())


@cache
def _parser() -> MarkdownIt:
    """Blocks only. Imported when first needed: a query that reads no note does not pay for it."""
    from markdown_it import MarkdownIt

    from okf_edge.okf.table_rule import table_rows

    parser = MarkdownIt("commonmark", {"maxNesting": 40}).enable("table")
    parser.disable(["reference", "inline", "text_join"])
    parser.block.ruler.at("table", table_rows, {"alt": ["paragraph", "reference"]})
    return parser


@dataclass(frozen=True, slots=True)
class _Frame:
    """The file as lines. `readable` is the text with comments blanked; `shift` lines precede the body."""

    text: str
    readable: str
    starts: list[int]
    shift: int

    def span(self, lines: Sequence[int]) -> Span:
        """Characters of the token lines [first, last), without the newline and blank lines at the end."""
        start = self.starts[min(lines[0] + self.shift, len(self.starts) - 1)]
        stop = lines[1] + self.shift
        end = self.starts[stop] if stop < len(self.starts) else len(self.text)
        return start, start + len(self.readable[start:end].rstrip())

    def block(self, kind: BlockKind, span: Span, text: str | None = None, level: int = 0, rows_start: int = 0) -> Block:
        start, end = span
        first, last = line_at(self.starts, start), line_at(self.starts, max(end - 1, start))
        return Block(kind, self.text[start:end] if text is None else text, first, last, start, end, level, rows_start)


def _blocks(tokens: list[Any], frame: _Frame) -> Iterator[Block]:
    for number, token in enumerate(tokens):
        kind = _KINDS.get(token.type) if token.level == 0 and token.map else None
        if kind == "heading":
            yield _heading(tokens, number, frame)
        elif kind == "list":
            yield from _list_blocks(tokens, number, frame)
        elif kind == "table":
            rows_start, _ = frame.span((token.map[0] + _TABLE_HEAD_LINES, token.map[1]))
            yield frame.block(kind, frame.span(token.map), rows_start=rows_start)
        elif kind:
            yield frame.block(kind, frame.span(token.map))


def _heading(tokens: list[Any], number: int, frame: _Frame) -> Block:
    token = tokens[number]
    words = _BLOCK_ID.sub("", tokens[number + 1].content)
    return frame.block("heading", frame.span(token.map), text=plain(words), level=int(token.tag[1]))


def _list_blocks(tokens: list[Any], number: int, frame: _Frame) -> Iterator[Block]:
    """One block, or, where items are headings, those headings and what lies between them."""
    first, last = tokens[number].map
    for heading in _headings_in_list(tokens, number):
        top, bottom = tokens[heading].map
        if top > first:
            yield frame.block("list", frame.span((first, top)))
        yield _heading(tokens, heading, frame)
        first = max(bottom, first)
    if first < last and frame.span((first, last))[1] > frame.span((first, last))[0]:
        yield frame.block("list", frame.span((first, last)))


def _headings_in_list(tokens: list[Any], number: int) -> Iterator[int]:
    quotes = 0
    for position in range(number + 1, len(tokens)):
        token = tokens[position]
        if token.level == 0:
            return
        quotes += token.nesting if token.type.startswith("blockquote") else 0
        if token.type == "heading_open" and not quotes:
            yield position


def _comment_blocks(comments: Iterable[Span], frame: _Frame) -> Iterator[Block]:
    """Comments that stand alone on their lines."""
    starts = frame.starts
    blank: dict[int, bool] = {}
    for start, end in comments:
        first, last = line_at(starts, start), line_at(starts, end)
        if first not in blank:
            stop = starts[last] if last < len(starts) else len(frame.text)
            blank[first] = not frame.readable[starts[first - 1] : stop].strip()
        if blank[first]:
            yield frame.block("comment", (start, end))


def _sections(blocks: Sequence[Block], length: int) -> Iterator[Section]:
    heads = [number for number, block in enumerate(blocks) if block.kind == "heading"]
    if heads[:1] != [0] and blocks:
        yield _section((), blocks[: heads[0] if heads else len(blocks)], length)
    path: list[Block] = []
    ends = _subtree_ends(blocks, heads, length)
    for place, head in enumerate(heads):
        while path and path[-1].level >= blocks[head].level:
            path.pop()
        path.append(blocks[head])
        stop = heads[place + 1] if place + 1 < len(heads) else len(blocks)
        yield _section(tuple(block.text for block in path), blocks[head:stop], ends[place])


def _section(path: tuple[str, ...], blocks: Sequence[Block], subtree_end: int) -> Section:
    first, last = blocks[0], blocks[-1]
    return Section(
        path, first.level, first.first_line, last.last_line, first.start, last.end, subtree_end, tuple(blocks)
    )


def _subtree_ends(blocks: Sequence[Block], heads: Sequence[int], length: int) -> list[int]:
    """For each heading, the start of the next one that is not below it. One pass from the end, with a stack."""
    ends: list[int] = []
    after: list[Block] = []
    for head in reversed(heads):
        while after and after[-1].level > blocks[head].level:
            after.pop()
        ends.append(after[-1].start if after else length)
        after.append(blocks[head])
    return ends[::-1]


def _prose(tokens: Iterable[Any], frame: _Frame) -> Iterator[Span]:
    seen = -1
    for token in tokens:
        if token.type != "inline" or not token.map or token.map[0] <= seen:
            continue
        yield frame.span(token.map)
        seen = token.map[1] - 1


def _block_ids(tokens: Sequence[Any], blocks: Sequence[Block], frame: _Frame) -> dict[str, Block]:
    if "^" not in frame.text:
        return {}
    items = _innermost_items(tokens)
    found: dict[str, Block] = {}
    for start, end in _prose(tokens, frame):
        for match in _BLOCK_ID.finditer(frame.readable, start, end):
            found.setdefault(match[1].lower(), _named(match.start(), items, blocks, frame))
    return found


def _innermost_items(tokens: Iterable[Any]) -> dict[int, Span]:
    """The list item that each token line belongs to. Outer items come first, so inner ones paint over them."""
    items: dict[int, Span] = {}
    for token in tokens:
        if token.type == "list_item_open" and token.map:
            first, last = token.map
            items.update(dict.fromkeys(range(first, last), (first, last)))
    return items


def _named(offset: int, items: Mapping[int, Span], blocks: Sequence[Block], frame: _Frame) -> Block:
    item = items.get(line_at(frame.starts, offset) - 1 - frame.shift)
    if item:
        return frame.block("list", frame.span(item))
    place = max(bisect_left(blocks, offset + 1, key=lambda block: block.start) - 1, 0)
    is_alone = blocks[place].text.strip().startswith("^") and place > 0
    return blocks[place - 1 if is_alone else place]
