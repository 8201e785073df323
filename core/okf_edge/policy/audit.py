"""Stage 10, record: one line for each call, whatever became of it, in a chain that shows every change.

A line is JSON and holds who called what and how it ended, never content: arguments appear as a keyed hash. `mac` is an
HMAC over the line and the `mac` before it, so that without the key no line can be changed, moved, dropped or added;
the last line is noted beside the log, so that a cut end is seen too.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from okf_edge.json_text import json_value
from okf_edge.policy.parse import canonical


@dataclass(frozen=True, slots=True)
class Record:
    """How one call ended. `code` is that of its error, if any; `arguments` is a keyed hash of what was asked."""

    at: str
    caller: str
    tool: str
    base: str
    arguments: str
    outcome: str
    code: str
    milliseconds: float
    bytes: int


_FIELDS = tuple(field.name for field in fields(Record))
_values_of = attrgetter(*_FIELDS)


@dataclass(frozen=True, slots=True)
class Verified:
    """How many lines hold, and what is wrong with the first that does not (empty: nothing)."""

    lines: int
    problem: str = ""


def hidden(key: bytes, text: str) -> str:
    """A hash that says whether two texts are equal, to nobody without the key what they are."""
    return hmac.digest(key, text.encode("utf-8", "surrogatepass"), "sha256").hex()[:32]


def line_of(record: Record, last: bytes, key: bytes) -> bytes:
    """The next line of a log after its last one (empty: the first), without a newline.

    After a damaged line the log goes on, and will never verify again.
    """
    before = _told(last)
    number = before.get("n", 0)
    told = dict(zip(_FIELDS, _values_of(record), strict=True))
    told["n"] = number + 1 if isinstance(number, int) else 1
    return canonical({**told, "mac": _mac(told, str(before.get("mac", "")), key)})


def verify(lines: Sequence[bytes], head: bytes, key: bytes) -> Verified:
    """Whether a log is whole.

    Args: head: the last line as it was noted beside the log.
    """
    mac = ""
    for number, line in enumerate(lines, 1):
        told = _told(line)
        claimed = told.pop("mac", "")
        if told.get("n") != number or not hmac.compare_digest(_mac(told, mac, key), str(claimed)):
            return Verified(number - 1, f"line {number} is not what was written there")
        mac = str(claimed)
    if head != (lines[-1] if lines else b""):
        return Verified(len(lines), "the end of the log is not the end that was noted")
    return Verified(len(lines))


def _told(line: bytes) -> dict[str, Any]:
    try:
        told = json_value(line)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _mac(told: dict[str, Any], before: str, key: bytes) -> str:
    return hmac.digest(key, canonical([before, told]), "sha256").hex()
