"""How a link is written: labels escaped, destinations percent-encoded as little as a markdown parser needs.

Letters of any script stay readable; consumers that do not decode percent-encoding then still find most files.
"""

from __future__ import annotations

import re
from urllib.parse import quote

_UNSAFE = re.compile("[\\s\"<>()\\[\\]{}|\\\\^`%?#*_~!&'\\x00-\\x1f\\x7f\\u0080-\\u00a0\\u2028\\u2029]")
_UNSAFE_URL = re.compile('[\\s"<>()\\[\\]|\\\\`\\x00-\\x1f\\x7f\\u0080-\\u00a0\\u2028\\u2029]')
# What would end the label, or begin code, raw HTML or math that swallows the bracket.
_LABEL = re.compile(r"[\[\]\\`<$]")
_LABEL_IN_TABLE = re.compile(r"[\[\]\\`<$|]")


def encoded_path(path: str) -> str:
    """A path as part of a destination: `#`, `?` and `%` are encoded too, since here they are letters of a name."""
    return _UNSAFE.sub(_encoded, path)


def encoded_anchor(anchor: str) -> str:
    """What follows `#`. A block id keeps its `^`."""
    return "^" + encoded_path(anchor[1:]) if anchor.startswith("^") else encoded_path(anchor).replace("%23", "#")


def destination_of(url: str) -> str:
    """A URL or an already encoded path, safe between parentheses."""
    return _UNSAFE_URL.sub(_encoded, url)


def escaped_label(label: str, *, in_table: bool = False) -> str:
    """Text between `[` and `]` that reads as itself; in a table its `|` separates no cells."""
    return (_LABEL_IN_TABLE if in_table else _LABEL).sub(r"\\\g<0>", label)


def _encoded(match: re.Match[str]) -> str:
    character = match.group()
    return quote(character, safe="") if quote(character, safe="") != character else f"%{ord(character):02X}"
