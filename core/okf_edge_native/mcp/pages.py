"""Pages of other origins that may call from a browser: what it asks first, and needs to hear with each answer (CORS).

Nobody else hears any of it, so that what was not allowed is not told apart from what is not there.

Source: the Fetch standard, HTTP CORS protocol.
"""

from __future__ import annotations

from collections.abc import Set

Headers = list[tuple[str, str]]

_FIRST = [
    ("access-control-allow-methods", "POST"),
    ("access-control-allow-headers", "authorization, content-type, mcp-method, mcp-name, mcp-protocol-version"),
    ("access-control-max-age", "600"),
]


def asks_first(method: str, origin: str, allowed: Set[str]) -> bool:
    """Whether a browser asks what a page of an allowed origin may send."""
    return method == "OPTIONS" and origin in allowed


def told(method: str, origin: str, allowed: Set[str]) -> Headers:
    """The headers for a browser; none unless the origin of its page was allowed."""
    if origin not in allowed:
        return []
    answer = [("access-control-allow-origin", origin), ("vary", "origin")]
    return [*answer, *(_FIRST if method == "OPTIONS" else [("access-control-expose-headers", "www-authenticate")])]
