"""What changed in a folder between two looks, and how long to wait for the next: decided on values, for `okf watch`."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Literal

from okf_edge.workspace.scan import Scan

LEAST_SECONDS = 1.0
MOST_SECONDS = 10.0
SHARE_OF_TIME = 0.05
"""Looking takes at most this share of the time: a large folder is looked at less often, never harder."""

CALMER = 1.25
"""How much longer each wait is than the last, while nothing changes."""

Kind = Literal["watching", "new", "changed", "gone"]
Seen = Mapping[str, tuple[int, int]]
"""Size and time of each note, by path."""


@dataclass(frozen=True, slots=True)
class Event:
    """One change of one note. `stale` are pages that lag behind their sources since."""

    kind: Kind
    path: str
    stale: tuple[str, ...] = ()


def seen_in(scan: Scan) -> dict[str, tuple[int, int]]:
    return {note.path: (note.stat.bytes, note.stat.mtime_ns) for note in scan.notes}


def events_between(before: Seen, after: Seen, cited_by: Mapping[str, Set[str]], newly_stale: Set[str]) -> list[Event]:
    """Each change once, in path order.

    Args: cited_by: the pages that cite a path. newly_stale: pages that were not stale before.
    """
    changed = [path for path in before.keys() | after.keys() if before.get(path) != after.get(path)]
    return [_event(path, before, after, cited_by.get(path, frozenset()) & newly_stale) for path in sorted(changed)]


def wait_after(look_seconds: float, last_wait: float, is_calm: bool) -> float:
    """Seconds until the next look."""
    least = max(LEAST_SECONDS, look_seconds / SHARE_OF_TIME)
    return max(least, min(last_wait * CALMER, MOST_SECONDS)) if is_calm else least


def _event(path: str, before: Seen, after: Seen, stale: Set[str]) -> Event:
    kind: Kind = "gone" if path not in after else "changed" if path in before else "new"
    return Event(kind, path, tuple(sorted(stale)))
