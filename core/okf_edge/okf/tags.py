"""Tags: in frontmatter and in prose, nested by `/`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from okf_edge.okf.document import Document
from okf_edge.okf.inline import masked
from okf_edge.okf.links import without_links
from okf_edge.okf.outline import Outline, outline_of

_FIELDS = ("tags", "tag")
# What ends a tag: space, and punctuation of any script but `-`, `_` and `/`. Emoji, their joiners and selectors do not.
_INLINE = re.compile(
    "(?:(?<=\\s)|\\A)#([^\\s\\x00-\\x2c.:-@\\[-^`{-\\x7f"
    "\\u00a1\\u00a7\\u00ab\\u00b6\\u00b7\\u00bb\\u00bf\\u2000-\\u200c\\u200e-\\u206f\\u2e00-\\u2e7f"
    "\\u3001-\\u3004\\u3008-\\u3020\\u3030\\u303d\\u30fb\\ufe10-\\ufe19\\ufe30-\\ufe6f"
    "\\uff01-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff3d\\uff3f-\\uff40\\uff5b-\\uff65]+)"
)
_SELECTOR = "\ufe0f"


def tags_of(document: Document, outline: Outline | None = None) -> tuple[str, ...]:
    """All tags as they were typed, without `#`: those of the frontmatter, then those of the prose, each once."""
    outline = outline or outline_of(document)
    distinct: dict[str, str] = {}
    for tag in (*frontmatter_tags(document), *_inline_tags(document, outline)):
        distinct.setdefault(_folded(tag), tag)
    return tuple(distinct.values())


def frontmatter_tags(document: Document) -> list[str]:
    """Tags of `tags` and `tag`: a list, or a string split at commas or, without any, at spaces."""
    found: list[str] = []
    for key in _FIELDS:
        value = document.frontmatter.get(key)
        found += [tag for tag in map(_trimmed, strings_of(value, split_words=True)) if tag]
    return found


def matches(tag: str, query: str) -> bool:
    """Whether a query for a tag finds this one: itself or a parent, in any case and Unicode form."""
    wanted = _folded(_trimmed(query))
    folded = _folded(tag)
    return bool(wanted) and (folded == wanted or folded.startswith(f"{wanted}/"))


def strings_of(value: Any, *, split_words: bool = False) -> list[str]:
    """The strings of a field that should be a list of them: numbers and booleans by their text, nothing nested."""
    if isinstance(value, str):
        if "," in value and split_words:
            return [part.strip() for part in value.split(",") if part.strip()]
        return value.split() if split_words else [value.strip()] if value.strip() else []
    items = value if isinstance(value, list) else [value]
    return [text for text in map(_text, items) if text]


def _text(item: Any) -> str:
    if isinstance(item, bool):
        return str(item).lower()
    return str(item).strip() if isinstance(item, str | int | float) else ""


def _inline_tags(document: Document, outline: Outline) -> Iterator[str]:
    text = document.text
    for span in outline.prose:
        if "#" in text[span[0] : span[1]]:
            words = masked(text, span, outline)
            for match in _INLINE.finditer(without_links(words)):
                tag = _trimmed(match[1])
                if tag and not tag.isdecimal():
                    yield tag


def _trimmed(tag: str) -> str:
    return tag.strip().lstrip("#").strip("/").strip()


def _folded(tag: str) -> str:
    return unicodedata.normalize("NFC", tag).lower().replace(_SELECTOR, "")
