"""Lines of a text whose newlines may be LF, CRLF, lone CR or a mixture.

Only these three end a line. `str.splitlines` also splits at form feeds and U+2028, which would shift every line number
after them away from what an editor shows.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

NEWLINE = re.compile(r"\r\n?|\n")


def line_starts(text: str) -> list[int]:
    """The character offset at which each line starts; line n (1-based) starts at `[n - 1]`."""
    if "\r" not in text:
        return _unix_starts(text)
    return [0, *(match.end() for match in NEWLINE.finditer(text))]


def line_at(starts: Sequence[int], offset: int) -> int:
    """The 1-based line that holds the character at `offset`."""
    return bisect_right(starts, offset)


def unix_newlines(text: str) -> str:
    """The same lines, each ended by LF."""
    return text if "\r" not in text else NEWLINE.sub("\n", text)


def _unix_starts(text: str) -> list[int]:
    starts = [0]
    find = text.find
    position = find("\n")
    while position >= 0:
        starts.append(position + 1)
        position = find("\n", position + 1)
    return starts
