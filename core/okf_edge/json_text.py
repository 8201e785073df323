"""JSON from outside: read as `json.loads` reads it, unless it nests so deep that a parser could run out of stack.

In Pyodide that is no RecursionError but the end of the interpreter: the browser's stack is smaller than Python expects.
"""

from __future__ import annotations

import json
import re
from typing import Any

from okf_edge.limits import LIMITS

_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)
"""A text as a whole, or a bracket outside of texts."""


def json_value(data: bytes | str, **options: Any) -> Any:
    """The value that a JSON text spells. Args: options: those of `json.loads`.

    Raises: ValueError: no JSON, no Unicode, or nested too deep.
    """
    text = data if isinstance(data, str) else data.decode(json.detect_encoding(data), "surrogatepass")
    if is_deeper(text, LIMITS.json_depth):
        raise ValueError(f"expected at most {LIMITS.json_depth} levels of nesting")
    return json.loads(text, **options)


def is_deeper(text: str, levels: int) -> bool:
    """Whether a text may nest deeper than so many levels; few brackets in all tell without looking where they are."""
    return text.count("[") + text.count("{") > levels and _depth_of(text) > levels


def _depth_of(text: str) -> int:
    """The deepest nesting that brackets outside of texts can open; counted before any parser recurses."""
    depth = deepest = 0
    for match in _BRACKET.finditer(text):
        if match[0] in ("[", "{"):
            depth += 1
            deepest = max(deepest, depth)
        elif match[0] in ("]", "}"):
            depth -= 1
    return deepest
