"""One markdown file, read leniently: whatever could be read, and a diagnostic for whatever could not.

Rules:
1. Reading never raises for content; it raises for nothing but programmer mistakes.
2. Line numbers are 1-based and count in the file as it is; byte ranges are offsets in the file's bytes as they are.
3. A document whose bytes are not UTF-8 is `decodable=False` and is never written back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Severity = Literal["error", "advice", "info"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem of one file. `rule` is a stable id such as `OKF-F03`; `line` is None for the file as a whole."""

    rule: str
    path: str
    line: int | None
    message: str
    fix: str
    severity: Severity = "advice"


@dataclass(frozen=True, slots=True)
class Document:
    """A file taken apart.

    `text` is the decoded file (undecodable bytes shown as U+FFFD, BOM removed, newlines as they are).
    `frontmatter` holds YAML 1.2 core values (str, int, float, bool, None, list, dict) where the author's spelling wins:
    `1.10`, `02700`, `no` and dates stay strings. `frontmatter_lines` maps each top-level key to its line.
    `body` is `text` from `body_start` (a character offset); `body_line` is the line on which it starts.
    """

    path: str
    text: str
    frontmatter: Mapping[str, Any] = field(default_factory=dict)
    frontmatter_lines: Mapping[str, int] = field(default_factory=dict)
    has_frontmatter: bool = False
    body_start: int = 0
    body_line: int = 1
    decodable: bool = True
    bom_bytes: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def body(self) -> str:
        return self.text[self.body_start :]
