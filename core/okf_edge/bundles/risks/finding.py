"""One thing in a file that should not leave, or enter, without a person's decision."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

Severity = Literal["blocking", "warning", "info"]
"""`blocking` stops an export until it is accepted; `info` is a documented sample or placeholder, with the reason."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found and where: line and columns count characters from 1 in the file as it is.

    `start` and `end` are character offsets in the decoded file. `sample` is masked: it never tells the secret. `id`
    depends on kind, path and value only, so that an accepted finding stays accepted when lines move.
    """

    kind: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    start: int
    end: int
    sample: str
    severity: Severity
    reason: str
    id: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}:{self.column}"
        return f"{place}: {self.severity}: {self.kind} {self.sample}: {self.reason} [{self.id}]"


@dataclass(frozen=True, slots=True)
class Hit:
    """A finding before its place in a file is worked out. `value` is what was matched, unmasked."""

    kind: str
    start: int
    end: int
    value: str
    severity: Severity
    reason: str


class Places:
    """Offsets of one text to lines and columns."""

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._starts = [0]
        at = -1
        while (at := text.find("\n", at + 1)) != -1:
            self._starts.append(at + 1)

    def finding(self, hit: Hit) -> Finding:
        line, column = self._at(hit.start)
        end_line, end_column = self._at(hit.end)
        identity = sha256(f"{hit.kind}\0{self._path}\0{hit.value}".encode("utf-8", "replace")).hexdigest()[:12]
        return Finding(
            hit.kind,
            self._path,
            line,
            column,
            end_line,
            end_column,
            hit.start,
            hit.end,
            mask(hit.value),
            hit.severity,
            hit.reason,
            identity,
        )

    def _at(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def mask(value: str) -> str:
    """Enough to recognise a value that one knows, too little to learn it: a quarter of it, at most six characters."""
    shown = " ".join("".join(char if char.isprintable() else "\ufffd" for char in value).split())
    keep = min(6, len(shown) // 4)
    return f"{shown[:keep]}…({len(shown)} characters)"
