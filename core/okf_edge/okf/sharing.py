"""A note as it leaves its base: every link leads into the bundle, and none tells of what stays behind.

Rules:
1. A link to what ships becomes an absolute markdown link. A link to what is nowhere becomes its label.
2. A link to a file that stays becomes the words that the author gave it; a bare wikilink, whose words are that file's
   name, becomes an ellipsis. In lists of frontmatter it is left out; a source keeps its place, as one that stays.
3. Values of frontmatter that are no links, dates above all, are not touched.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from okf_edge.errors import FormatError
from okf_edge.okf.document import Document
from okf_edge.okf.lines import line_at
from okf_edge.okf.links import Link, links_of, markdown_link, wiki_link
from okf_edge.okf.outline import BlockKind, Outline, outline_of
from okf_edge.okf.publish import applied, comment_edits, destination, label_of, standard_link
from okf_edge.okf.reader import read_document
from okf_edge.okf.resolve import Resolution
from okf_edge.okf.spelling import encoded_path, escaped_label
from okf_edge.okf.writer import edited

STAYS = "…"
"""What stands for the name of a file that stays behind."""
UNSHARED = "a source that is not shared"

_PLACEHOLDERS = ("", STAYS)
_WIKI = re.compile(r"!?\[\[(?P<inner>[^\[\]\r\n]+)\]\]")
_MARKDOWN = re.compile(r"!?\[(?P<label>[^\[\]]*)\]\((?P<where>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)")
_DEFINITION = re.compile(
    r"(?m)^[ \t>]{0,8}\[(?!\^)[^\[\]\r\n]{1,400}\]:[ \t]*(?:<(?P<angle>[^<>\r\n]*)>|(?P<bare>[^\s<]\S*)).*(?:\r?\n)?"
)
_ATTRIBUTE = re.compile(r"""(?i)\b(?P<name>src|href)\s*=\s*(?P<quote>["'])(?P<where>[^"'<>\r\n]*)(?P=quote)""")
_SPACED_LABEL = re.compile(r"[\s_-]+")
_CITING = ("sources", "sources.resource")


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of a link: where it leads in the bundle, or whether its file stays behind (else it is nowhere)."""

    target: Resolution | None = None
    stays: bool = False


Meaning = Callable[[Link], Fate | None]
"""None for what leads out of the base by what it says: a URL, or a description of a scope."""


@dataclass(slots=True)
class _Sharing:
    """One note on its way out. `withheld` are the lines on which a name was taken out."""

    document: Document
    outline: Outline
    meaning: Meaning
    withheld: list[int] = field(default_factory=list)
    _spans: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def spans(self, kind: BlockKind) -> list[tuple[int, int]]:
        """Where the blocks of a kind are, in order."""
        if kind not in self._spans:
            blocks = (block for block in self.outline.blocks if block.kind == kind)
            self._spans[kind] = sorted((block.start, block.end) for block in blocks)
        return self._spans[kind]


def shared_note(
    document: Document, meaning: Meaning, type_if_none: str, outline: Outline | None = None
) -> tuple[bytes, tuple[int, ...]]:
    """The bytes of a note as it leaves, and the lines on which the name of something that stays was taken out.

    Args: type_if_none: the type of a page that states none.
    Raises: FormatError: it is no UTF-8, or its frontmatter can't be written without losing something.
    """
    if not document.decodable:
        raise FormatError(
            f"{document.path} is not UTF-8, so it can't leave in a bundle",
            code="not-utf8",
            hint="Save it as UTF-8 in an editor first.",
        )
    sharing = _Sharing(document, outline or outline_of(document), meaning)
    body = _body(sharing)
    data = (document.text[: document.body_start] + body).encode()
    changes, removed = _frontmatter(sharing)
    if not str(document.frontmatter.get("type") or "").strip():
        changes["type"] = type_if_none
    if changes or removed:
        data = edited(read_document(document.path, data), changes, removed)
    return data, tuple(sharing.withheld)


# --- body ------------------------------------------------------------------------------------------------------------


def _body(sharing: _Sharing) -> str:
    document, outline = sharing.document, sharing.outline
    found = (link for link in links_of(document, outline) if link.end and link.kind != "footnote")
    links = sorted(found, key=lambda each: (each.start, -each.end))
    starts = [link.start for link in links]
    edits = list(comment_edits(document, outline))
    position = document.body_start
    for link in links:
        if link.start >= position:
            within = links[bisect_right(starts, link.start) : bisect_left(starts, link.end)]
            inner = [each for each in within if each.end <= link.end]
            edits.append((link.start, link.end, _rendered(sharing, link, inner)))
            position = link.end
    edits += _definition_edits(sharing)
    edits += _attribute_edits(sharing)
    return applied(document, sorted(edits))


def _rendered(sharing: _Sharing, link: Link, inner: list[Link]) -> str:
    text = sharing.document.text
    fate = sharing.meaning(link)
    if link.form == "wiki":
        return _wiki(sharing, link, fate)
    start, end = _label_span(text, link)
    label = _replaced(sharing, start, end, inner)
    if fate is None:
        return text[link.start : start] + label + text[end : link.end]
    if fate.target is None:
        _withhold(sharing, link, fate)
        return "" if link.is_embed else label
    return f"{'!' if link.is_embed else ''}[{label}]({destination(fate.target)})"


def _replaced(sharing: _Sharing, start: int, end: int, links: list[Link]) -> str:
    """A piece of the text with the links in it rendered."""
    text, parts, position = sharing.document.text, [], start
    for link in links:
        if link.start >= position and link.end <= end:
            parts += [text[position : link.start], _rendered(sharing, link, [])]
            position = link.end
    return "".join([*parts, text[position:end]])


def _label_span(text: str, link: Link) -> tuple[int, int]:
    start = link.start + (2 if link.is_embed else 1)
    ends = [text.rfind(mark, start, link.end) for mark in ("](", "][")]
    return start, max(ends) if max(ends) >= start else link.end - 1


def _wiki(sharing: _Sharing, link: Link, fate: Fate | None) -> str:
    text = sharing.document.text
    is_destination = text[max(link.start - 2, 0) : link.start] == "](" and text[link.end : link.end + 1] == ")"
    in_table = _is_within(sharing.spans("table"), link.start)
    if fate is None:
        return escaped_label(label_of(link), in_table=in_table)
    if is_destination:
        return destination(fate.target) if fate.target else "#"
    if fate.target:
        return standard_link(link, fate.target, in_table=in_table)
    return "" if link.is_embed else escaped_label(_words(sharing, link, fate), in_table=in_table)


def _words(sharing: _Sharing, link: Link, fate: Fate) -> str:
    """What stands for a wikilink that leads nowhere any more."""
    if link.alias and not (fate.stays and _names_it(link)):
        return link.alias
    if fate.stays:
        _withhold(sharing, link, fate)
        return STAYS
    return label_of(link).rpartition("/")[2] or label_of(link)


def _names_it(link: Link) -> bool:
    """Whether an alias is just the name of the file."""
    return _plain(link.alias.rpartition("/")[2]) == _plain(link.target.rpartition("/")[2].removesuffix(".md"))


def _plain(name: str) -> str:
    return _SPACED_LABEL.sub(" ", name).strip().casefold()


def _withhold(sharing: _Sharing, link: Link, fate: Fate) -> None:
    if fate.stays and (link.form == "wiki" or link.is_embed):
        sharing.withheld.append(link.line)


def _is_within(spans: Sequence[tuple[int, int]], offset: int) -> bool:
    """Whether one of the spans, which are in order and apart, holds an offset."""
    number = bisect_right(spans, offset, key=lambda span: span[0]) - 1
    return number >= 0 and offset < spans[number][1]


def _definition_edits(sharing: _Sharing) -> Iterator[tuple[int, int, str]]:
    """`[label]: destination` lines of files: their links were written out where they stand."""
    text = sharing.document.text
    for start, end in sharing.outline.prose:
        for match in _DEFINITION.finditer(text, start, end) if "]:" in text[start:end] else ():
            link = markdown_link(match["angle"] if match["angle"] is not None else match["bare"], "", False, 0)
            if not link.is_external and not link.inner.startswith("#"):
                yield match.start(), match.end(), ""


def _attribute_edits(sharing: _Sharing) -> Iterator[tuple[int, int, str]]:
    """Files that raw HTML names, outside of code."""
    text = sharing.document.text
    code = sharing.spans("code")
    for match in _ATTRIBUTE.finditer(text, sharing.document.body_start):
        if _is_within(code, match.start()):
            continue
        link = markdown_link(match["where"], "", True, line_at(sharing.outline.line_starts, match.start()))
        if link.inner.startswith("#") or link.is_external:
            continue
        fate = sharing.meaning(link)
        where = destination(fate.target) if fate and fate.target else ""
        yield match.start("where"), match.end("where"), where


# --- frontmatter -----------------------------------------------------------------------------------------------------


def _frontmatter(sharing: _Sharing) -> tuple[dict[str, Any], list[str]]:
    """The keys whose values change, and those that are left out."""
    changes: dict[str, Any] = {}
    removed = []
    for key, value in sharing.document.frontmatter.items():
        shared = _value(sharing, key, value)
        if shared in _PLACEHOLDERS and value not in _PLACEHOLDERS:
            removed.append(key)
        elif shared != value:
            changes[key] = shared
    return changes, removed


def _value(sharing: _Sharing, key: str, value: Any) -> Any:
    if isinstance(value, str):
        return _text(sharing, key, value)
    if isinstance(value, Mapping):
        return _mapping(sharing, key, value)
    if isinstance(value, list):
        items = [(item, _value(sharing, key, item)) for item in value]
        kept = [new for old, new in items if new not in _PLACEHOLDERS or old in _PLACEHOLDERS]
        return [item for number, item in enumerate(kept) if item != UNSHARED or item not in kept[:number]]
    return value


def _mapping(sharing: _Sharing, key: str, value: Mapping[str, Any]) -> dict[str, Any]:
    shared = {name: _value(sharing, f"{key}.{name}", item) for name, item in value.items()}
    if shared.get("resource") == UNSHARED:
        shared.pop("title", None)
    return {name: item for name, item in shared.items() if item not in _PLACEHOLDERS or value[name] in _PLACEHOLDERS}


def _text(sharing: _Sharing, key: str, text: str) -> str:
    """One value: a whole path or link becomes a path where paths are expected; links in words become links."""
    whole = text.strip()
    line = sharing.document.frontmatter_lines.get(key.partition(".")[0], 1)
    wiki = _WIKI.fullmatch(whole)
    if key in _CITING or key.rpartition(".")[2] == "resource":
        cited = _WIKI.search(whole) or _MARKDOWN.search(whole)
        return _cited(sharing, _link_of(cited, line) if cited else _path_link(whole, line), text)
    if wiki is None and "[[" not in text and "](" not in text:
        return _named_file(sharing, whole, line, text)
    shared = _WIKI.sub(lambda match: _in_words(sharing, _link_of(match, line), match[0]), text)
    return _MARKDOWN.sub(lambda match: _in_words(sharing, _link_of(match, line), match[0]), shared)


def _link_of(match: re.Match[str], line: int) -> Link:
    if "inner" in match.re.groupindex:
        return wiki_link(match["inner"], "frontmatter", line)
    return markdown_link(match["where"], match["label"], False, line)


def _path_link(text: str, line: int) -> Link:
    where = text if "://" in text else text.replace("\\", "/")
    target, _, anchor = where.partition("#")
    return Link("path", "path", where, target, anchor, "", line)


def _cited(sharing: _Sharing, link: Link, text: str) -> str:
    fate = None if link.is_external else sharing.meaning(link)
    if fate is None:
        return text
    if fate.target:
        return "/" + fate.target.path + (f"#{fate.target.anchor}" if fate.target.anchor else "")
    return UNSHARED if fate.stays or link.form == "wiki" else text


def _named_file(sharing: _Sharing, whole: str, line: int, text: str) -> str:
    """A value that is the path of a file of the base, in any key."""
    if "/" not in whole and not re.search(r"\.[A-Za-z0-9]{1,8}\Z", whole):
        return text
    link = _path_link(whole, line)
    fate = None if link.is_external else sharing.meaning(link)
    if fate is None or (fate.target is None and not fate.stays):
        return text
    return f"/{fate.target.path}" if fate.target else STAYS


def _in_words(sharing: _Sharing, link: Link, written: str) -> str:
    if link.is_external or (
        link.form == "markdown" and written.startswith("[") and unquote(link.inner).startswith("#")
    ):
        return written
    fate = sharing.meaning(link)
    if fate is None:
        return written
    if fate.target:
        label = label_of(link, fate.target) if link.form == "wiki" else link.alias
        return f"[{escaped_label(label)}](/{encoded_path(fate.target.path)})"
    return _words(sharing, link, fate) if link.form == "wiki" else link.alias
