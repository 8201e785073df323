"""What would leave with some seed pages: the concepts that they lead to, what these are made from, and attachments.

Rules:
1. Concepts are followed up to a number of hops; a source or attachment is taken from the page that names it, and no
   further: a source's own links lead to attachments only.
2. A page that states a type or lies in a compiled folder is a concept, as is every seed. Any other note is a source.
3. What was flagged is told and not followed: what only it leads to does not leave either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

ItemKind = Literal["concept", "source", "attachment", "schema"]


@dataclass(frozen=True, slots=True)
class Arc:
    """A link of a page to a file of the base; `cites` says that the page derives from it."""

    target: str
    cites: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """One file that would leave. `why` says in words what leads to it."""

    path: str
    kind: ItemKind
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Linked:
    """A base as far as closure goes: the notes that may leave, those of them that are concepts, and all links.

    `files` are all files that are no notes and may leave.
    """

    notes: frozenset[str]
    concepts: frozenset[str]
    files: frozenset[str]
    arcs: Mapping[str, Sequence[Arc]]


def closure(seeds: Iterable[str], hops: int, linked: Linked, flagged: frozenset[str]) -> tuple[Item, ...]:
    """All items by path: seeds, concepts up to `hops` links away, and their sources and attachments."""
    found = {seed: Item(seed, "concept", ("a seed",)) for seed in seeds}
    layer = list(found)
    for hop in range(hops + 1):
        reached: list[str] = []
        for page in layer:
            if page not in flagged:
                reached += _take(found, page, linked, follow=hop < hops)
        layer = reached
    for page in [path for path, item in found.items() if item.kind == "source" and path in linked.notes]:
        if page not in flagged:
            _take_attachments(found, page, linked)
    return tuple(found[path] for path in sorted(found))


def _take(found: dict[str, Item], page: str, linked: Linked, *, follow: bool) -> list[str]:
    """Add what a concept leads to; the concepts that are new."""
    new = []
    for arc in linked.arcs.get(page, ()):
        kind = _kind(arc, linked, found)
        if kind is None or arc.target == page or (kind == "concept" and not follow and arc.target not in found):
            continue
        if kind == "concept" and arc.target not in found:
            new.append(arc.target)
        _add(found, arc.target, kind, f"{'cited by' if arc.cites else 'linked from'} {page}")
    return new


def _take_attachments(found: dict[str, Item], page: str, linked: Linked) -> None:
    for arc in linked.arcs.get(page, ()):
        if arc.target in linked.files:
            _add(found, arc.target, "attachment", f"linked from {page}")


def _kind(arc: Arc, linked: Linked, found: Mapping[str, Item]) -> ItemKind | None:
    known = found.get(arc.target)
    if arc.target in linked.concepts or (known and known.kind == "concept"):
        return "concept"
    if arc.target in linked.notes:
        return "source"
    return ("source" if arc.cites else "attachment") if arc.target in linked.files else None


def _add(found: dict[str, Item], path: str, kind: ItemKind, why: str) -> None:
    item = found.get(path)
    if item is None:
        found[path] = Item(path, kind, (why,))
    elif why not in item.why:
        stronger: ItemKind = "source" if (item.kind, kind) == ("attachment", "source") else item.kind
        found[path] = replace(item, kind=stronger, why=(*item.why, why))
