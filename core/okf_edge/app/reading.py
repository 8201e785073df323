"""Finds one concept by how people name it, and reads it or one section of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from heapq import nlargest
from itertools import pairwise

from okf_edge.app import addresses
from okf_edge.errors import InputError, NotFoundError, UnavailableError
from okf_edge.limits import LIMITS
from okf_edge.okf.anchors import anchors_of
from okf_edge.okf.concept import Concept, TrustTier, concept_of
from okf_edge.okf.document import Document
from okf_edge.okf.links import Link
from okf_edge.okf.outline import Outline, outline_of
from okf_edge.okf.reader import read_document
from okf_edge.okf.resolve import Entry, Resolver
from okf_edge.ports import FileTree
from okf_edge.workspace import layout
from okf_edge.workspace.scan import Scan, scan

_SUGGESTIONS_COUNT = 5
_COMPARED_COUNT = 2000
_COMPARED_CHARS = 40


@dataclass(frozen=True, slots=True)
class Reading:
    """A concept or one section of it. `lines` are 1-based and inclusive; `heading` is empty for the whole concept.

    `trust` is the tier that it claims; `stale_after` the instant after which it asks to be looked at again, if any.
    """

    path: str
    title: str
    heading: str
    lines: tuple[int, int]
    text: str
    trust: TrustTier = "unverified"
    stale_after: datetime | None = None


async def read_concept(tree: FileTree, wanted: str) -> Reading:
    """The concept that a path, a name or an `okf://` address names, or its section after `#`.

    Raises:
        NotFoundError: no such concept, or no such heading in it; the hint names what comes near.
        InputError: the name is empty, or means several concepts.
        UnavailableError: a sync service has not downloaded it yet.
    """
    path, anchor = _locate(await scan(tree), wanted)
    document = read_document(path, await tree.read(path, LIMITS.note_bytes))
    outline = outline_of(document)
    concept = concept_of(document, outline)
    if anchor:
        return _section(document, outline, concept, anchor)
    lines = (1, max(1, len(document.text.splitlines())))
    return Reading(path, concept.title, "", lines, document.text, concept.trust, concept.stale_after)


def _section(document: Document, outline: Outline, concept: Concept, anchor: str) -> Reading:
    place = anchors_of(outline).find(anchor)
    if place is None:
        headings = [block.text for block in outline.blocks if block.kind == "heading"]
        raise NotFoundError(
            f"no heading {anchor!r} in {document.path}", code="no-heading", hint=_nearest(anchor, headings, "It has: ")
        )
    heading, lines = " > ".join(place.heading), (place.first_line, place.last_line)
    text = document.text[place.start : place.end]
    return Reading(document.path, concept.title, heading, lines, text, concept.trust, concept.stale_after)


def _locate(found: Scan, wanted: str) -> tuple[str, str]:
    """The path that a name means, and the anchor in it. A path as an answer shows it comes before all else."""
    notes = [path for path in found.paths if layout.is_note(path)]
    if wanted in notes:
        return wanted, ""
    wanted = _as_path(wanted.strip(), found)
    if not wanted:
        raise InputError(
            "expected the name of a concept, found an empty one", code="no-concept", hint="Name a concept."
        )
    if wanted in notes:
        return wanted, ""
    resolution = Resolver(_entries(notes, found)).resolve(_link(wanted), "")
    if resolution.status == "resolved":
        return resolution.path, resolution.anchor
    if resolution.status == "ambiguous":
        raise InputError(
            f"{wanted!r} means {len(resolution.candidates)} concepts: {', '.join(resolution.candidates)}",
            code="ambiguous-concept",
            hint="Name one by its path.",
        )
    if resolution.status == "not-downloaded":
        raise UnavailableError(
            f"{resolution.path} is not downloaded yet", code="not-downloaded", hint="Let the sync service fetch it."
        )
    raise NotFoundError(f"no concept {wanted!r}", code="no-concept", hint=_nearest(wanted, notes, "Near it: "))


def _as_path(wanted: str, found: Scan) -> str:
    """The name in an address of ours, or the name as it is."""
    address = addresses.parse(wanted)
    if address is None:
        return wanted
    owner, path, heading = address
    in_bundle = f"{layout.LIBRARY}/{owner}/{path}"
    path = in_bundle if in_bundle in found.paths else path
    return f"{path}#{heading}" if heading else path


def _entries(notes: Sequence[str], found: Scan) -> list[Entry]:
    absent = found.skipped_for("not-downloaded")
    return [*map(Entry, notes), *(Entry(path, downloaded=False) for path in absent)]


def _link(wanted: str) -> Link:
    target, _, anchor = wanted.partition("#")
    return Link("wikilink", "wiki", wanted, target, anchor, "", line=1)


def _nearest(wanted: str, names: Sequence[str], word: str) -> str:
    """The names most like the wanted one, by their whole and by their last part."""
    by_stem = {name.rpartition("/")[2].rpartition(".")[0].casefold(): name for name in reversed(names)}
    by_name = {name.casefold(): name for name in reversed(names)}
    keys = get_close_matches(
        wanted.casefold(), _comparable(wanted.casefold(), [*by_name, *by_stem]), _SUGGESTIONS_COUNT, cutoff=0.5
    )
    near = list(dict.fromkeys((by_name | by_stem)[key] for key in keys))
    return word + ", ".join(near or names[:_SUGGESTIONS_COUNT]) + "." if names else ""


def _comparable(wanted: str, names: Sequence[str]) -> Sequence[str]:
    """Few names as they are; of many, whose comparison takes seconds, those that share most pairs of letters."""
    if len(names) <= _COMPARED_COUNT:
        return names
    last = wanted.rpartition("/")[2].removesuffix(".md")[:_COMPARED_CHARS]
    pairs = {f"{one}{other}" for one, other in pairwise(last)}
    return nlargest(_COMPARED_COUNT, names, key=lambda name: sum(pair in name for pair in pairs))
