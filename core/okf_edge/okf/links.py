"""Every link that a note makes: wikilinks, embeds, markdown links of all forms, footnotes, and links in frontmatter.

Nothing inside code, comments, math or raw HTML is a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from okf_edge.okf.document import Document
from okf_edge.okf.hidden import Span
from okf_edge.okf.inline import erased, masked
from okf_edge.okf.lines import line_at
from okf_edge.okf.outline import Outline, outline_of

LinkKind = Literal["wikilink", "markdown", "embed", "frontmatter", "path", "footnote"]
LinkForm = Literal["wiki", "markdown", "path"]

_WIKI = re.compile(
    r"(?P<bang>!?)\[\[(?!\[)(?P<inner>(?>\[[^\[\]\r\n\x00]*\](?!\](?!\]))|\](?!\])|\[(?!\[)|[^\[\]\r\n])++)\]\]"
)
_BRACKET = re.compile(r"!?\[|\]")
_DESTINATION = re.compile(
    r"\([ \t\r\n]*+(?:<(?P<angle>[^<>\r\n]*+)>|(?P<bare>(?:[^\s()<>\x00]|\x00|\((?:[^\s()\x00]|\([^\s()]*+\))*+\))*+))"
    r"(?:[ \t\r\n]++(?:\"[^\"]*+\"|'[^']*+'|\([^()]*+\)))?[ \t\r\n]*+\)"
)
# No CommonMark, but common: a file name with spaces and without angle brackets.
_SPACED = re.compile(r"\((?P<bare>[^()<>\r\n\x00\"]{1,400}?\.(?:md|MD)(?:#[^()<>\r\n\x00\"]{0,200})?)[ \t]*\)")
_REFERENCE = re.compile(r"\[(?P<label>[^\[\]\r\n]{0,400})\]")
_DEFINITION = re.compile(
    r"(?m)^[ \t>]{0,8}\[(?!\^)(?P<label>[^\[\]\r\n]{1,400})\]:[ \t]*(?:<(?P<angle>[^<>\r\n]*)>|(?P<bare>[^\s<]\S*))"
)
_FOOTNOTE = re.compile(r"\[\^(?P<label>[^\[\]\s\x00]{1,200})\](?!\()")
_ALIAS_BAR = re.compile(r"\\?\|")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
# What a path-valued field must look like to be a path, and no description of a scope.
_PATH_LIKE = re.compile(r"\.{0,2}/\S.*|\S+/\S*|.*\S\.[A-Za-z0-9]{1,8}(?:#.*)?")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_PATH_FIELDS = {
    "resource": "",
    "computation": "",
    "executor": "resource",
    "attester": "resource",
    "sources": "resource",
}


@dataclass(frozen=True, slots=True)
class Link:
    """One link as it was written.

    `inner` is all between the brackets of a wikilink, or the destination of a markdown link, unescaped; `target` is
    the part that names a file and `anchor` what follows its first `#`, both as typed. `alias` is the label, empty when
    there is none. `start` and `end` are characters in `document.text`; both are 0 for links in frontmatter, which
    carry their `field`. `form` says by which rules it resolves.
    """

    kind: LinkKind
    form: LinkForm
    inner: str
    target: str
    anchor: str
    alias: str
    line: int
    start: int = 0
    end: int = 0
    field: str = ""
    is_embed: bool = False

    @property
    def is_external(self) -> bool:
        """Whether it leaves the tree: it has a scheme or names a host. A wikilink may hold a whole URL by mistake."""
        return bool((_URL if self.form == "wiki" else _SCHEME).match(self.target))


def links_of(document: Document, outline: Outline | None = None) -> tuple[Link, ...]:
    """All links of a note: first those of its frontmatter, then those of its body, in order."""
    outline = outline or outline_of(document)
    found = (*_frontmatter_links(document, outline), *_body_links(document, outline))
    return tuple(link for link in found if link.target or link.anchor)


def without_links(words: str) -> str:
    """Masked prose with its links masked too; for whoever looks for something else between them."""
    if "[[" in words:
        words = erased(words, [match.span() for match in _WIKI.finditer(words)])
    if "](" not in words:
        return words
    spans = sorted((start, end) for start, end, _, _ in _inline_links(words))
    return erased(words, [span for number, span in enumerate(spans) if not number or span[0] >= spans[number - 1][1]])


# --- body ------------------------------------------------------------------------------------------------------------


def _body_links(document: Document, outline: Outline) -> list[Link]:
    found: list[Link] = []
    text = document.text
    regions = [(span, masked(text, span, outline)) for span in outline.prose if "[" in text[span[0] : span[1]]]
    definitions = _definitions(text, regions)
    for (start, _), words in regions:
        wiki = list(_WIKI.finditer(words)) if "[[" in words else []
        found += [_wiki_link(match, text, start, outline) for match in wiki]
        rest = erased(words, [match.span() for match in wiki])
        found += _markdown_links(rest, text, start, outline, definitions)
    return sorted(found, key=lambda link: link.start)


def _wiki_link(match: re.Match[str], text: str, offset: int, outline: Outline) -> Link:
    start, end = match.start() + offset, match.end() + offset
    inner = text[match.start("inner") + offset : match.end("inner") + offset]
    kind: LinkKind = "embed" if match["bang"] else "wikilink"
    return wiki_link(inner, kind, line_at(outline.line_starts, start), start, end)


def wiki_link(inner: str, kind: LinkKind, line: int, start: int = 0, end: int = 0, field: str = "") -> Link:
    """The link of what stands between `[[` and `]]`."""
    bar = _ALIAS_BAR.search(inner)
    place, alias = (inner[: bar.start()], inner[bar.end() :]) if bar else (inner, "")
    target, _, anchor = place.partition("#")
    whole = inner.replace("\\|", "|")
    return Link(
        kind, "wiki", whole, target.strip(), anchor.strip(), alias.strip(), line, start, end, field, kind == "embed"
    )


def _markdown_links(
    words: str, text: str, offset: int, outline: Outline, definitions: Mapping[str, str]
) -> Iterator[Link]:
    for start, end, label, destination in _inline_links(words, definitions):
        span = (start + offset, end + offset)
        line = line_at(outline.line_starts, span[0])
        source = text[label[0] + offset : label[1] + offset]
        where = (
            text[destination[0] + offset : destination[1] + offset] if isinstance(destination, tuple) else destination
        )
        yield markdown_link(where, source, words[start] == "!", line, span)
    for match in _FOOTNOTE.finditer(words) if "[^" in words else ():
        if words[match.end() : match.end() + 1] != ":" or not _at_line_start(words, match.start()):
            start, end = match.start() + offset, match.end() + offset
            line = line_at(outline.line_starts, start)
            yield Link("footnote", "markdown", match["label"], match["label"], "", "", line, start, end)


def markdown_link(destination: str, label: str, is_embed: bool, line: int, span: Span = (0, 0)) -> Link:
    """The link to a destination as it stands in the source, with its backslash escapes."""
    where = _ESCAPED.sub(r"\1", destination).strip()
    target, _, anchor = where.partition("#")
    kind: LinkKind = "embed" if is_embed else "markdown"
    if _SCHEME.match(where):
        target, anchor = where, ""
    return Link(kind, "markdown", where, target, anchor, _ESCAPED.sub(r"\1", label), line, *span, "", is_embed)


Found = tuple[int, int, Span, "Span | str"]


def _inline_links(words: str, definitions: Mapping[str, str] | None = None) -> Iterator[Found]:
    """Start, end, label and destination of each link: a span of the words, or the text of a reference's definition.

    One pass with a stack of open brackets, so that nested brackets match and unmatched ones cost nothing.
    """
    if "](" not in words and not definitions:
        return
    opened: list[re.Match[str]] = []
    position = 0
    for bracket in _BRACKET.finditer(words):
        if bracket.start() < position:
            continue
        if bracket.group() != "]":
            opened.append(bracket)
        elif opened:
            opening = opened.pop()
            label = (opening.end(), bracket.start())
            found = _destination(words, label, bracket.end(), definitions or {})
            if found:
                position = found[0]
                yield opening.start(), found[0], label, found[1]


def _destination(words: str, label: Span, after: int, definitions: Mapping[str, str]) -> tuple[int, Span | str] | None:
    follows = words[after : after + 1]
    if follows == "(":
        match = _DESTINATION.match(words, after) or _SPACED.match(words, after)
        if match:
            group = "angle" if match.groupdict().get("angle") is not None else "bare"
            return match.end(), match.span(group)
        return None
    if not definitions or follows == ":":
        return None
    reference = _REFERENCE.match(words, after) if follows == "[" else None
    name = (reference["label"] if reference else "") or words[label[0] : label[1]]
    target = definitions.get(_folded(name))
    return (reference.end() if reference else after, target) if target else None


def _definitions(text: str, regions: list[tuple[Span, str]]) -> dict[str, str]:
    """`[label]: destination` lines. The first of a label counts."""
    found: dict[str, str] = {}
    for (start, _), words in regions:
        for match in _DEFINITION.finditer(words) if "]:" in words else ():
            group = "angle" if match["angle"] is not None else "bare"
            first, last = match.span(group)
            found.setdefault(_folded(match["label"]), text[first + start : last + start])
    return found


def _folded(label: str) -> str:
    return " ".join(label.lower().split())


def _at_line_start(words: str, position: int) -> bool:
    before = words[max(position - 4, 0) : position].rstrip(" ")
    return not before or before[-1] in "\r\n"


# --- frontmatter -----------------------------------------------------------------------------------------------------


def _frontmatter_links(document: Document, outline: Outline) -> Iterator[Link]:
    for key, value in document.frontmatter.items():
        line = document.frontmatter_lines.get(key, 1)
        found = [link for text in _texts(value) for link in _links_in_value(text, key, line)]
        if key in _PATH_FIELDS:
            found += _path_links(key, value, line)
        position = outline.line_starts[line - 1]
        for link in found:
            place = document.text.find(link.inner, position, document.body_start)
            yield replace(link, line=line_at(outline.line_starts, place)) if place >= 0 else link


def _texts(value: Any) -> Iterator[str]:
    """Every string of a value, with a stack of its own: depth costs no recursion."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            waiting.extend(reversed(list(item.values())))
        elif isinstance(item, list):
            waiting.extend(reversed(item))


def _links_in_value(text: str, key: str, line: int) -> Iterator[Link]:
    wiki = list(_WIKI.finditer(text)) if "[[" in text else []
    for match in wiki:
        link = wiki_link(match["inner"], "frontmatter", line, field=key)
        yield link
    if "](" in text:
        rest = erased(text, [match.span() for match in wiki])
        for _, _, label, destination in _inline_links(rest):
            if isinstance(destination, tuple):
                link = markdown_link(text[slice(*destination)], text[slice(*label)], False, line)
                yield Link("frontmatter", "markdown", link.inner, link.target, link.anchor, link.alias, line, field=key)


def _path_links(key: str, value: Any, line: int) -> Iterator[Link]:
    """Path-valued fields (section 6.2). A scope descriptor in `sources[].resource` is no path, and no link."""
    inner = _PATH_FIELDS[key]
    for entry in value if isinstance(value, list) else [value]:
        text = entry.get(inner) if inner and isinstance(entry, Mapping) else entry
        if isinstance(text, str) and _PATH_LIKE.fullmatch(text.strip()) and "[[" not in text and "](" not in text:
            where = text.strip()
            target, _, anchor = (where, "", "") if _SCHEME.match(where) else where.partition("#")
            yield Link("path", "path", where, target, anchor, "", line, field=f"{key}.{inner}" if inner else key)
