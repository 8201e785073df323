"""How much of a result fits what a caller can read: whole passages, and where to go on.

A cursor is opaque to callers. It is bound to what was asked and to what was read, so that none leads into the middle of
something else.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from hashlib import sha256

from okf_edge.errors import InputError
from okf_edge.index.token_estimate import estimate_tokens
from okf_edge.json_text import json_value

PLACE_TOKENS = 60
"""What a place costs beside its text: path, title, heading, address and why it counts."""


def fitting(texts: Sequence[str], budget: int) -> int:
    """How many of the first passages fit whole. Costs are estimated only until it is known that the rest fits."""
    most = sum(map(_most_of, texts))
    for count, text in enumerate(texts):
        if most <= budget:
            break
        most -= _most_of(text)
        budget -= cost_of(text)
        if budget < 0:
            return count
    return len(texts)


def _most_of(text: str) -> int:
    """What a passage costs at most, at a glance: no character is more than a token, and a space is none."""
    return PLACE_TOKENS + len(text) - text.count(" ")


def cost_of(text: str) -> int:
    return PLACE_TOKENS + estimate_tokens(text)


def lines_fitting(lines: Sequence[str], budget: int) -> int:
    """How many of the first lines fit, ending between two paragraphs where there is one; at least one line."""
    count = last_gap = 0
    for number, line in enumerate(lines, 1):
        budget -= estimate_tokens(line) + 1
        if budget < 0:
            break
        count = number
        if not line.strip():
            last_gap = number
    if count == len(lines):
        return count
    return last_gap or max(count, 1)


def cursor_of(place: int, about: str) -> str:
    told = json.dumps([place, _digest(about)]).encode()
    return urlsafe_b64encode(told).decode().rstrip("=")


def place_of(cursor: str, about: str) -> int:
    """Where a cursor leads; 0 without one. Raises InputError: it is none of ours, or of something else."""
    if not cursor:
        return 0
    try:
        place, digest = json_value(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if type(place) is int and place >= 0 and digest == _digest(about):
            return place
    except (ValueError, TypeError, RecursionError):
        pass
    raise InputError(
        "this cursor does not belong to what is asked, or that has changed since",
        code="bad-cursor",
        hint="Ask again without a cursor.",
    )


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
