"""What of a tree may differ from the index of it, and what really does. Whoever calls reads the files.

Every question compares, and most find no change: what indexes pages is imported only when some have changed.

Rules:
1. A file of the size, time and tier that were indexed is unchanged.
2. Otherwise its content decides, by sha256: clone, unzip and cloud sync scramble times.
3. A file that can't be read now is gone, as it would be for a new index.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from okf_edge.ports import FileStat, SqlEngine

if TYPE_CHECKING:
    from okf_edge.index.pages import Page

FOLD_CONCEPTS = 200
FOLD_SHARE = 0.05
"""From this many, or this share of all, changes are folded into a new base: the delta is built at every question."""

MILLISECOND_NS = 1_000_000


@dataclass(frozen=True, slots=True)
class Known:
    """A concept as it was indexed."""

    number: int
    bytes: int
    mtime_ns: int
    tier: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """What sizes and times tell: how many files are as they were, which have to be read, which concepts went away."""

    unchanged: int
    to_read: tuple[tuple[FileStat, str], ...]
    gone: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """What contents tell.

    `pages` changed or are new, in path order; `replaced` and `gone` are paths in the index whose content no longer
    counts. `touched` have the content that was indexed at another time.
    """

    unchanged: int = 0
    pages: tuple[Page, ...] = ()
    replaced: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    touched: tuple[FileStat, ...] = ()

    @property
    def added(self) -> int:
        return len(self.pages) - len(self.replaced)

    @property
    def is_worth_folding(self) -> bool:
        """Whether answering from a delta costs more, over some questions, than a new base."""
        count = len(self.pages) + len(self.gone) + len(self.touched)
        return count >= FOLD_CONCEPTS or count > FOLD_SHARE * (self.unchanged + count)


async def known_concepts(engine: SqlEngine, alias: str) -> dict[str, Known]:
    """Every concept of an attached index, by path."""
    rows = await engine.query(f"SELECT path, number, bytes, mtime_ns, tier FROM {alias}.concept")
    return {path: Known(number, size, mtime_ns, tier) for path, number, size, mtime_ns, tier in rows}  # type: ignore[misc, arg-type]


def compare(known: Mapping[str, Known], present: Iterable[tuple[FileStat, str]]) -> Comparison:
    """Compare the index with what is there.

    Args:
        known: by path.
        present: every file to be indexed, with its tier, in path order.
    """
    to_read = []
    seen = 0
    left = set(known)
    for stat, tier in present:
        left.discard(stat.path)
        indexed = known.get(stat.path)
        is_same = indexed and (indexed.bytes, indexed.tier) == (stat.bytes, tier)
        if indexed and is_same and is_same_time(indexed.mtime_ns, stat.mtime_ns):
            seen += 1
        else:
            to_read.append((stat, tier))
    return Comparison(seen, tuple(to_read), tuple(sorted(left)))


def is_same_time(one_ns: int, other_ns: int) -> bool:
    """Whether two times of a change are the same, as far as both are told: Obsidian and browsers cut off below 1 ms."""
    is_cut = one_ns % MILLISECOND_NS == 0 or other_ns % MILLISECOND_NS == 0
    return one_ns == other_ns or (is_cut and one_ns // MILLISECOND_NS == other_ns // MILLISECOND_NS)


def is_unchanged(comparison: Comparison) -> bool:
    return not comparison.to_read and not comparison.gone


def settle(
    comparison: Comparison,
    known: Mapping[str, Known],
    indexed_sha256: Mapping[str, str],
    contents: Mapping[str, bytes],
) -> Changes:
    """Decide by content.

    Args:
        indexed_sha256: of the concepts among `comparison.to_read`, by path.
        contents: of `comparison.to_read`, by path; what could not be read is absent.
    """
    from okf_edge.index.pages import Page

    pages, replaced, touched = [], [], []
    gone = list(comparison.gone)
    for stat, tier in comparison.to_read:
        data, indexed = contents.get(stat.path), known.get(stat.path)
        if data is None:
            gone += [stat.path] if indexed else []
        elif indexed and indexed.tier == tier and sha256(data).hexdigest() == indexed_sha256.get(stat.path):
            touched.append(stat)
        else:
            pages.append(Page(stat.path, data, stat.mtime_ns, tier))
            replaced += [stat.path] if indexed else []
    return Changes(comparison.unchanged, tuple(pages), tuple(replaced), tuple(sorted(gone)), tuple(touched))


def paths_of(comparison: Comparison) -> Sequence[str]:
    """The paths that have to be read."""
    return [stat.path for stat, _ in comparison.to_read]
