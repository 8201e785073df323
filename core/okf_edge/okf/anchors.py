"""What a link may point to inside a note: headings, by their words, their path or their slug, and block ids."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from okf_edge.okf.outline import Outline


@dataclass(frozen=True, slots=True)
class Place:
    """Part of a note: 1-based inclusive lines, and character offsets in `document.text`. `heading` is its path."""

    heading: tuple[str, ...]
    first_line: int
    last_line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Anchors:
    """The places of one note, ready to be looked up."""

    blocks: Mapping[str, Place] = field(default_factory=dict)
    headings: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)

    def find(self, anchor: str) -> Place | None:
        """The place that an anchor names, percent-encoded or not; None when the note has none such."""
        spellings = dict.fromkeys((anchor, unquote(anchor)))
        return next((place for spelling in spellings if (place := self._find(spelling.strip()))), None)

    def _find(self, anchor: str) -> Place | None:
        if anchor.startswith("^"):
            return self.blocks.get(anchor[1:].lower())
        found = self._one(anchor) or self._by_path(anchor.split("#"))
        return found or self._numbered(anchor)

    def _one(self, words: str) -> Place | None:
        places = next((self.headings[key] for key in _keys(words) if key in self.headings), ())
        return places[0] if places else None

    def _by_path(self, parts: list[str]) -> Place | None:
        """`#Outer#Inner`: the inner heading below the outer one."""
        parts = [part for part in parts if part.strip()]
        if not parts:
            return None
        candidates = next((self.headings[key] for key in _keys(parts[-1]) if key in self.headings), ())
        return next((place for place in candidates if _lies_below(place.heading, parts)), None)

    def _numbered(self, anchor: str) -> Place | None:
        """`#name-1`: the second heading of that name, as renderers number repeated slugs."""
        stem, dash, number = anchor.rpartition("-")
        if not dash or not number.isdecimal() or len(number) > 4:
            return None
        places = next((self.headings[key] for key in _keys(stem) if key in self.headings), ())
        return places[int(number)] if 0 < int(number) < len(places) else None


def anchors_of(outline: Outline) -> Anchors:
    """All anchors of a note."""
    headings: dict[str, list[Place]] = defaultdict(list)
    last_line = len(outline.line_starts)
    for section in outline.sections:
        if section.path:
            end_line = _last_line(outline, section.subtree_end, last_line)
            place = Place(section.path, section.first_line, end_line, section.start, section.subtree_end)
            for key in dict.fromkeys(_keys(section.path[-1])):
                headings[key].append(place)
    blocks = {
        name: Place((), block.first_line, block.last_line, block.start, block.end)
        for name, block in outline.block_ids.items()
    }
    return Anchors(blocks, {key: tuple(places) for key, places in headings.items()})


def _last_line(outline: Outline, end: int, last_line: int) -> int:
    return min(max(bisect_left(outline.line_starts, end), 1), last_line)


def _keys(words: str) -> list[str]:
    """The forms under which a heading and an anchor may meet, the strictest first.

    As typed but for case and spacing; without punctuation, which Obsidian drops from anchors and slugs turn into
    dashes; and without symbols, which slugs drop too.
    """
    exact = " ".join(unicodedata.normalize("NFC", words).lower().split())
    letters = "".join(character for character in exact if not _is_punctuation(character))
    plain = "".join(
        character for character in letters if not unicodedata.category(character).startswith(("S", "C", "M"))
    )
    return [f"={exact}", *(f"~{key}" for key in (letters, plain) if key)]


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PZ" or character in "`|^$+<=>~"


def _lies_below(heading: tuple[str, ...], parts: list[str]) -> bool:
    """Whether the parts are headings on the way to this one, in their order."""
    rest = iter(heading)
    return all(any(set(_keys(part)) & set(_keys(word)) for word in rest) for part in parts)
