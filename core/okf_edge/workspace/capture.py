"""`okf capture`: a thought as a note in the inbox, with where and when it came from.

Rules:
1. The name tells the moment (UTC) and the title; it is safe on every file system, and creating is exclusive.
2. The text is kept as it is, below frontmatter that nothing in title or text can break out of.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime

from okf_edge.errors import AlreadyExistsError, InputError, TooLargeError
from okf_edge.limits import LIMITS
from okf_edge.okf.freshness import format_instant
from okf_edge.okf.writer import emitted
from okf_edge.ports import FileTree
from okf_edge.workspace import layout
from okf_edge.workspace.setup import PROGRAM

SLUG_BYTES = 64
TITLE_CHARACTERS = 120
_MOST_OF_ONE_SECOND = 1000


@dataclass(frozen=True, slots=True)
class Captured:
    """The note that was made."""

    path: str
    title: str


async def capture(tree: FileTree, text: str, title: str, origin: str, now: datetime) -> Captured:
    """Keep a text in the inbox.

    Args:
        title: what to call it; empty takes the first line of the text.
        origin: where it came from, in words, e.g. `command line`.
    Raises: InputError: there is no text. TooLargeError: it is no note any more. UnavailableError: nothing was written.
    """
    if not text.strip():
        raise InputError("expected a text to capture, found none", code="no-text", hint="Pass it, or pipe it in.")
    title = _one_line(title) or _one_line(next(line for line in text.splitlines() if line.strip()).lstrip("#>-* \t"))
    data = _note(text, title or "Note", origin, now)
    if len(data) > LIMITS.note_bytes:
        raise TooLargeError(f"expected at most {LIMITS.note_bytes:,} bytes of text, found {len(data):,}")
    stem = f"{layout.INBOX}/{now:%Y-%m-%d-%H%M%S}-{slug_of(title)}"
    for number in range(1, _MOST_OF_ONE_SECOND):
        path = f"{stem}.md" if number == 1 else f"{stem}-{number}.md"
        try:
            await tree.create(path, data)
        except AlreadyExistsError:
            continue
        return Captured(path, title or "Note")
    raise AlreadyExistsError(f"expected a free name like {stem}.md, found none", hint="Try again in a second.")


def slug_of(title: str) -> str:
    """Letters and digits of any script, joined by dashes, short enough for every file system."""
    folded = unicodedata.normalize("NFC", title).casefold()
    words = "".join(letter if letter.isalnum() else " " for letter in folded).split()
    cut = "-".join(words).encode()[:SLUG_BYTES].decode(errors="ignore").strip("-")
    return cut or "note"


def _note(text: str, title: str, origin: str, now: datetime) -> bytes:
    at = format_instant(now)
    values = {"type": "Note", "title": title, "captured": at, "origin": origin, "generated": {"by": PROGRAM, "at": at}}
    body = text.encode("utf-8", errors="replace").decode().strip("\r\n")
    return f"---\n{emitted(values)}---\n\n{body}\n".encode()


def _one_line(text: str) -> str:
    words = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return words.encode("utf-8", errors="replace").decode()[:TITLE_CHARACTERS].strip()
