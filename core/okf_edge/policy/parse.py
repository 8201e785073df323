"""Stage 1, parse: bytes from outside as one JSON object, within limits. Only its form is judged here."""

from __future__ import annotations

import json
from typing import Any

from okf_edge.errors import FormatError, TooLargeError
from okf_edge.json_text import is_deeper, json_value
from okf_edge.limits import LIMITS

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True)
"""Made once: `json.dumps` makes one for each value."""


def parse(data: bytes) -> Any:
    """The value in a message.

    Raises: TooLargeError. FormatError: bad UTF-8, no JSON, a number that is none, or nested too deep.
    """
    if len(data) > LIMITS.call_bytes:
        raise TooLargeError(f"expected at most {LIMITS.call_bytes:,} bytes in a call, found {len(data):,}")
    try:
        text = data.decode("utf-8")
        if not is_deeper(text, LIMITS.call_depth):
            return json_value(text, parse_constant=_no_number)
    except ValueError as error:
        raise FormatError("expected one JSON message in UTF-8, found something else", code="bad-json") from error
    raise FormatError(f"expected at most {LIMITS.call_depth} levels of nesting", code="too-deep")


def canonical(value: Any) -> bytes:
    """The one spelling of a JSON value: keys sorted, no spaces."""
    return _CANONICAL.encode(value).encode()


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")
