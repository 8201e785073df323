"""Stage 1, parse: bytes from outside as one JSON object, within limits. Only its form is judged here."""

from __future__ import annotations

import json
import re
from typing import Any

from okf_edge.errors import FormatError, TooLargeError
from okf_edge.limits import LIMITS

_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)
"""A text as a whole, or a bracket outside of texts."""


def parse(data: bytes) -> Any:
    """The value in a message.

    Raises: TooLargeError. FormatError: bad UTF-8, no JSON, a number that is none, or nested too deep.
    """
    if len(data) > LIMITS.call_bytes:
        raise TooLargeError(f"expected at most {LIMITS.call_bytes:,} bytes in a call, found {len(data):,}")
    if _depth(data) > LIMITS.call_depth:
        raise FormatError(f"expected at most {LIMITS.call_depth} levels of nesting", code="too-deep")
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise FormatError("expected one JSON message in UTF-8, found something else", code="bad-json") from error


def canonical(value: Any) -> bytes:
    """The one spelling of a JSON value: keys sorted, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _depth(data: bytes) -> int:
    """The deepest nesting that brackets outside of texts can open; counted before any parser recurses."""
    depth = deepest = 0
    for match in _BRACKET.finditer(data):
        if match[0] in (b"[", b"{"):
            depth += 1
            deepest = max(deepest, depth)
        elif match[0] in (b"]", b"}"):
            depth -= 1
    return deepest
