"""A note's body as standard markdown that any OKF consumer reads: no wikilinks, no comments, the same graph."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator

from okf_edge.okf.document import Document
from okf_edge.okf.lines import NEWLINE
from okf_edge.okf.links import Link, links_of
from okf_edge.okf.outline import Outline, outline_of
from okf_edge.okf.resolve import Resolution, Resolver
from okf_edge.okf.spelling import encoded_anchor, encoded_path, escaped_label

_IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".bmp")

Edit = tuple[int, int, str]
Meaning = Callable[[Link], Resolution | None]


def standard_body(document: Document, meaning: Meaning, outline: Outline | None = None) -> str:
    """The body with every wikilink as an absolute markdown link, and without `%%comments%%`.

    Args:
        meaning: what a link means in the bundle, its `path` there without a leading `/`; None for what is not in
            it. A wikilink to that becomes its label. Standard markdown links stay as they are.
    """
    outline = outline or outline_of(document)
    edits = [*comment_edits(document, outline), *_link_edits(document, meaning, outline)]
    return applied(document, sorted(edits))


def meaning_by(resolver: Resolver, from_path: str) -> Meaning:
    """What links mean in a bundle that keeps the paths of its sources."""

    def meaning(link: Link) -> Resolution | None:
        resolution = resolver.resolve(link, from_path)
        return resolution if resolution.path else None

    return meaning


def label_of(link: Link, resolution: Resolution | None = None) -> str:
    """What a reader sees of a wikilink: its alias, else the name and heading, as Obsidian shows them."""
    target, anchor = (resolution.target, resolution.anchor) if resolution else (link.target, link.anchor)
    if link.alias and not _is_size(link) and "|" not in target:
        return link.alias
    headings = [part for part in anchor.split("#") if part and not part.startswith("^")]
    return " > ".join([*([target] if target else []), *headings]) or link.inner


def standard_link(link: Link, resolution: Resolution, *, in_table: bool = False) -> str:
    """The markdown link that stands for a wikilink or embed."""
    is_image = link.is_embed and resolution.path.lower().endswith(_IMAGES)
    label = label_of(link, resolution)
    if is_image and _is_size(link):
        label = f"{label}|{link.alias}"
    return f"{'!' if is_image else ''}[{escaped_label(label, in_table=in_table)}]({destination(resolution)})"


def destination(resolution: Resolution) -> str:
    """Where a link into a bundle leads: absolute, with its anchor."""
    anchor = f"#{encoded_anchor(resolution.anchor)}" if resolution.anchor else ""
    return f"/{encoded_path(resolution.path)}{anchor}"


def _is_size(link: Link) -> bool:
    return link.is_embed and link.alias.replace("x", "", 1).isdecimal()


def _link_edits(document: Document, meaning: Meaning, outline: Outline) -> Iterator[Edit]:
    tables = [block for block in outline.blocks if block.kind == "table"]
    for link in links_of(document, outline):
        if link.form == "wiki" and link.end:
            place = bisect_right(tables, link.start, key=lambda block: block.start) - 1
            in_table = place >= 0 and link.start < tables[place].end
            yield link.start, link.end, _replacement(document.text, link, meaning(link), in_table)


def _replacement(text: str, link: Link, resolution: Resolution | None, in_table: bool) -> str:
    """Logseq writes `[label]([[Page]])`: there only the destination is ours to write."""
    is_destination = text[max(link.start - 2, 0) : link.start] == "](" and text[link.end : link.end + 1] == ")"
    if is_destination:
        return destination(resolution) if resolution else encoded_path(link.target)
    if resolution:
        return standard_link(link, resolution, in_table=in_table)
    return escaped_label(label_of(link), in_table=in_table)


def comment_edits(document: Document, outline: Outline) -> Iterator[Edit]:
    """A comment that fills its lines goes with its last newline."""
    text = document.text
    for start, end in outline.comments:
        if text.startswith("%%", start):
            newline = NEWLINE.match(text, end)
            fills_line = newline and (start == 0 or text[start - 1] in "\r\n")
            yield start, newline.end() if newline and fills_line else end, ""


def applied(document: Document, edits: list[Edit]) -> str:
    """The body with sorted edits; of two that overlap the first counts."""
    parts: list[str] = []
    position = document.body_start
    for start, end, replacement in edits:
        if start >= position:
            parts += [document.text[position:start], replacement]
            position = end
    return "".join([*parts, document.text[position:]])
