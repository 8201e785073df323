"""A document as chunks: what is embedded, matched and quoted as one place.

Rules:
1. Chunks follow headings. They partition the body: every character of it lies in exactly one chunk.
2. No chunk takes more than MAX_TOKENS by estimate. A table row, a line of code or a sentence is cut only when it alone
   takes more than a chunk may.
3. A heading stays with what follows it. Sections too small to stand alone are joined with their next siblings.
4. A table that is continued repeats its header; the caption stays where it is.
5. Every chunk carries the title and its heading path as context; the first also the description, aliases and tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from okf_edge.index.pieces import Source, packed, pieces_of
from okf_edge.index.token_estimate import TokenMap, estimate_tokens
from okf_edge.okf.concept import Concept
from okf_edge.okf.document import Document
from okf_edge.okf.lines import line_at
from okf_edge.okf.outline import Outline, Section

MAX_TOKENS = 224
"""Estimated tokens of a chunk with its context. At most 1% of real chunks then take more than 256 in a model."""

CONTEXT_TOKENS = 56
"""Most of them that title and heading path may take; what is longer is cut."""

TINY_TOKENS = 32
"""A section below this says too little alone: it is joined with its next siblings, up to JOINED_TOKENS."""

JOINED_TOKENS = 112


@dataclass(frozen=True, slots=True)
class Chunk:
    """One place of a document.

    `start` and `end` are characters in the document's text; `first_byte` and `last_byte` are the same half-open range
    in its file. Characters of a file that is not UTF-8 have no place in its bytes: there the range is empty, and the
    lines are those of the whole file. `heading` is the path from the outermost heading, `headings` all headings that
    lie within. `body` is the text, after the table's header where a table is continued. `tokens` is the estimate for
    `embedding_text`.
    """

    ordinal: int
    start: int
    end: int
    first_line: int
    last_line: int
    first_byte: int
    last_byte: int
    title: str
    heading: tuple[str, ...]
    headings: tuple[str, ...]
    body: str
    tokens: int
    description: str = ""
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def embedding_text(self) -> str:
        """What a model sees: context, then text."""
        return "\n".join(filter(None, (_context(self.title, self.heading), self.body.strip() or self.description)))


@dataclass(frozen=True, slots=True)
class _Group:
    """Sections that share chunks: one, with childless headings before it, or tiny siblings."""

    path: tuple[str, ...]
    sections: tuple[Section, ...]
    tokens: int


def chunks_of(document: Document, concept: Concept, outline: Outline) -> tuple[Chunk, ...]:
    """The chunks of a document, in order. At least one, so that a note of nothing but frontmatter is found."""
    source = Source(document.text, TokenMap(document.text, document.body_start))
    groups = _joined(_with_parents(outline.sections, source.map))
    spans = _spans(groups, source, document.body_start, concept.title)
    return tuple(_chunks(spans, document, concept, outline))


@dataclass(frozen=True, slots=True)
class _Span:
    path: tuple[str, ...]
    sections: tuple[Section, ...]
    start: int
    end: int
    tokens: int = 0
    repeated: str = ""


def _with_parents(sections: Sequence[Section], tokens: TokenMap) -> Iterator[_Group]:
    """Each section with the headings before it that have no text of their own and lead to it."""
    waiting: list[Section] = []
    for number, section in enumerate(sections):
        following = sections[number + 1] if number + 1 < len(sections) else None
        waiting.append(section)
        if len(section.blocks) == 1 and section.level and following and following.level > section.level:
            continue
        yield _Group(section.path, tuple(waiting), tokens.tokens(waiting[0].start, section.end))
        waiting = []


def _joined(groups: Iterator[_Group]) -> Iterator[_Group]:
    """The groups, where tiny siblings that follow one another are one."""
    last: _Group | None = None
    for group in groups:
        if last and _may_join(last, group):
            parent = group.path[:-1]
            last = _Group(parent, last.sections + group.sections, last.tokens + group.tokens)
            continue
        if last:
            yield last
        last = group
    if last:
        yield last


def _may_join(last: _Group, group: _Group) -> bool:
    tiny = group.tokens < TINY_TOKENS and (last.tokens < TINY_TOKENS or len(last.sections) > 1)
    siblings = last.sections[-1].path[:-1] == group.path[:-1] and group.sections[0].path == group.path
    return tiny and siblings and bool(group.path) and last.tokens + group.tokens <= JOINED_TOKENS


def _spans(groups: Iterator[_Group], source: Source, start: int, title: str) -> Iterator[_Span]:
    """Each group cut into spans that fit; together they cover the text from `start` on."""
    found = list(groups)
    for number, group in enumerate(found):
        end = found[number + 1].sections[0].start if number + 1 < len(found) else len(source.text)
        room = MAX_TOKENS - estimate_tokens(_context(title, group.path))
        blocks = [block for section in group.sections for block in section.blocks]
        for run in packed(pieces_of(source, start, end, blocks, room), room):
            tokens = sum(piece.tokens for piece in run)
            yield _Span(group.path, group.sections, run[0].start, run[-1].end, tokens, run[0].repeated)
        start = end
    if not found:
        yield _Span((), (), start, len(source.text))


def _chunks(spans: Iterator[_Span], document: Document, concept: Concept, outline: Outline) -> Iterator[Chunk]:
    offset = document.bom_bytes + len(document.text[: document.body_start].encode())
    for ordinal, span in enumerate(spans):
        text = document.text[span.start : span.end]
        size = len(text.encode())
        visible_end = max(span.start, span.start + len(text.rstrip()) - 1)
        lines = (line_at(outline.line_starts, span.start), line_at(outline.line_starts, visible_end))
        bytes_ = (offset, offset + size)
        if not document.decodable:
            bytes_, lines = (0, 0), (1, len(outline.line_starts))
        body = span.repeated + text
        offset += size
        yield _chunk(ordinal, span, bytes_, lines, body, concept)


def _chunk(
    ordinal: int, span: _Span, bytes_: tuple[int, int], lines: tuple[int, int], body: str, concept: Concept
) -> Chunk:
    is_first = ordinal == 0
    return Chunk(
        ordinal=ordinal,
        start=span.start,
        end=span.end,
        first_line=lines[0],
        last_line=lines[1],
        first_byte=bytes_[0],
        last_byte=bytes_[1],
        title=concept.title,
        heading=span.path,
        headings=tuple(s.path[-1] for s in span.sections if s.path and s.start < span.end and s.end > span.start),
        body=body,
        tokens=span.tokens + estimate_tokens(span.repeated) + estimate_tokens(_context(concept.title, span.path)),
        description=concept.description if is_first else "",
        aliases=concept.aliases if is_first else (),
        tags=concept.tags if is_first else (),
    )


def _context(title: str, heading: tuple[str, ...]) -> str:
    """Title and heading path in one line, cut to CONTEXT_TOKENS; a first heading that repeats the title is left out."""
    path = heading[1:] if heading[:1] == (title,) else heading
    context = " > ".join(part for part in (title, *path) if part and not _is_nameless(part))
    while estimate_tokens(context) > CONTEXT_TOKENS:
        context = context[: max(len(context) * CONTEXT_TOKENS // estimate_tokens(context), 1) - 1]
    return context


def _is_nameless(title: str) -> bool:
    """Whether it is a date, a number or an id such as `p12`: it tells a model nothing and draws such texts together."""
    return bool(_DIGIT.search(title)) and not _NAMING.search(title)


_DIGIT = re.compile(r"\d")
_NAMING = re.compile(r"[^\W\d_]{3}|[\u0e00-\u0eff\u1000-\u109f\u2e80-\uffef]")
