"""`okf map`: what a base holds, so that whoever comes new finds the way. Always made from the files as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from okf_edge.workspace import layout
from okf_edge.workspace.agents import BundleLine
from okf_edge.workspace.facts import PageFacts
from okf_edge.workspace.staleness import Staleness
from okf_edge.workspace.survey import Survey

HUBS = 10


@dataclass(frozen=True, slots=True)
class Group:
    """The compiled pages of one folder, by title."""

    folder: str
    pages: tuple[PageFacts, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """How much there is. `inbox` are the notes that were captured and lie there still."""

    compiled: int
    notes: int
    bundles: int
    stale: int
    uncooked: int
    inbox: int


@dataclass(frozen=True, slots=True)
class Orientation:
    """The map. `folders` counts the person's notes by their top folder (empty for the root); `hubs` are the pages that
    most others link to, with how many."""

    name: str
    groups: tuple[Group, ...]
    folders: tuple[tuple[str, int], ...]
    hubs: tuple[tuple[PageFacts, int], ...]
    bundles: tuple[BundleLine, ...]
    counts: Counts


def orientation_of(name: str, survey: Survey, staleness: Staleness, bundles: Sequence[BundleLine]) -> Orientation:
    """Draw the map of a base or of any folder."""
    folders = Counter(_top(page.path) for page in survey.personal)
    return Orientation(
        name=name,
        groups=tuple(group for folder in layout.COMPILED if (group := _group(survey, folder)).pages),
        folders=tuple(sorted(folders.items())),
        hubs=tuple(_hubs(survey)),
        bundles=tuple(bundles),
        counts=Counts(
            compiled=len(survey.compiled),
            notes=len(survey.personal),
            bundles=len(bundles),
            stale=len(staleness.stale),
            uncooked=len(staleness.uncooked),
            inbox=folders[layout.INBOX],
        ),
    )


def _group(survey: Survey, folder: str) -> Group:
    pages = [page for page in survey.compiled if _top(page.path) == folder]
    return Group(folder, tuple(sorted(pages, key=lambda page: (page.title.casefold(), page.path))))


def _hubs(survey: Survey) -> list[tuple[PageFacts, int]]:
    linked = survey.graph.linked_from
    counted = [(page, len(linked[path])) for path, page in survey.pages.items() if path in linked]
    return sorted(counted, key=lambda item: (-item[1], item[0].path))[:HUBS]


def _top(path: str) -> str:
    folder, slash, _ = path.partition("/")
    return folder if slash else ""
