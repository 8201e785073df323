"""Whether a second run agrees with the one before: its means lie within the earlier intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

MEASURE = {"mean", "low", "high"}


def outside(before: Any, after: Any, place: str = "") -> Iterator[str]:
    """Each mean of the JSON `after` that left the interval it had `before`. What only one of them has is not compared.

    Rows are the same when all of their texts are.
    """
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        if before.keys() >= MEASURE:
            yield from _left(before, after, place)
            return
        for key in before.keys() & after.keys():
            yield from outside(before[key], after[key], f"{place} {key}".strip())
    elif isinstance(before, list) and isinstance(after, list):
        known = {_name(row): row for row in before}
        for row in after:
            if _name(row) in known:
                yield from outside(known[_name(row)], row, f"{place} {_name(row)}".strip())


def _left(before: Mapping[str, float], after: Mapping[str, float], place: str) -> Iterator[str]:
    if not before["low"] <= after["mean"] <= before["high"]:
        yield f"{place}: {after['mean']:.3f}, earlier {before['mean']:.3f} [{before['low']:.3f}, {before['high']:.3f}]"


def _name(row: Any) -> str:
    texts = row.values() if isinstance(row, Mapping) else [row]
    return " ".join(text for text in texts if isinstance(text, str))
