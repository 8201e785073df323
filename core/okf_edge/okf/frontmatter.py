"""The YAML block at the top of a note: where it is, and what can be read of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from okf_edge.okf import recovery, yaml12
from okf_edge.okf.document import Diagnostic
from okf_edge.okf.lines import NEWLINE, unix_newlines
from okf_edge.okf.rules import finding

_OPENING = re.compile(r"---[ \t]*(?:\r\n?|\n|\Z)")
_CLOSING = re.compile(r"(?:\A|(?<=[\r\n]))---[ \t]*(?:\r\n?|\n|\Z)")
_RULE_OF_NOTE = {"duplicate": "OKF-F05", "wikilink": "OKF-F07", "placeholder": "OKF-F08"}
_OPEN_PLACEHOLDER = re.compile(r"\{\{|<%|\{%")


@dataclass(frozen=True, slots=True)
class Block:
    """Offsets are characters in the text of the file. The block's own text lies in `[start, end)`."""

    start: int
    end: int
    body_start: int


@dataclass(slots=True)
class Frontmatter:
    values: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    block: Block | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list)


def read_frontmatter(path: str, text: str) -> Frontmatter:
    """Everything that can be read of a note's frontmatter, with a diagnostic for each line that can't."""
    block = find_block(text)
    if block:
        return _read_block(path, text, block)
    unclosed = bool(_OPENING.match(text))
    return Frontmatter(diagnostics=[finding("OKF-F03", path, 1)] if unclosed else [])


def find_block(text: str) -> Block | None:
    """The block between a first line of `---` and the next one; None when there is no such pair."""
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    return Block(opening.end(), closing.start(), closing.end()) if opening and closing else None


def _read_block(path: str, text: str, block: Block) -> Frontmatter:
    source = unix_newlines(text[block.start : block.end])
    result = Frontmatter(block=block)
    try:
        parsed = yaml12.parse(source)
    except yaml12.YamlProblem as problem:
        return _recover(path, text, block, source, problem)
    _report_notes(path, parsed.notes, result)
    if isinstance(parsed.value, dict):
        result.values = parsed.value
        result.lines = {key: line + 1 for key, line in parsed.lines.items()}
    elif parsed.value is not None:
        result.diagnostics.append(finding("OKF-F04", path, 2, f"it is a {_kind(parsed.value)}"))
    return result


def _recover(path: str, text: str, block: Block, source: str, problem: yaml12.YamlProblem) -> Frontmatter:
    """Key by key, when the block as a whole is no YAML."""
    result = Frontmatter(block=block)
    recovered = recovery.recover(source)
    result.values = recovered.values
    result.lines = {key: line + 1 for key, line in recovered.lines.items()}
    if recovered.prose_line:
        result.diagnostics.append(finding("OKF-F03", path, recovered.prose_line + 1, "the note's text begins here"))
        result.block = _cut(text, block, recovered.prose_line)
    result.diagnostics.append(_yaml_finding(path, source, problem))
    _report_notes(path, recovered.notes, result)
    for key, line in recovered.repaired:
        result.diagnostics.append(finding("OKF-F02", path, line + 1, f"`{key}` was read leniently"))
    return result


def _yaml_finding(path: str, source: str, problem: yaml12.YamlProblem) -> Diagnostic:
    line = problem.line + 1
    if problem.too_much:
        return finding("OKF-F09", path, line, problem.message)
    found = source.split("\n")[problem.line - 1 : problem.line]
    if found and "\t" in found[0]:
        return finding("OKF-F06", path, line, problem.message)
    if found and _OPEN_PLACEHOLDER.search(found[0]):
        return finding("OKF-F02", path, line, f"{problem.message} (a template placeholder)")
    return finding("OKF-F02", path, line, problem.message)


def _report_notes(path: str, notes: list[yaml12.Note], result: Frontmatter) -> None:
    for note in notes:
        detail = f"`{note.text}`, first on line {note.first_line + 1}" if note.first_line else note.text
        result.diagnostics.append(finding(_RULE_OF_NOTE[note.kind], path, note.line + 1, detail))


def _cut(text: str, block: Block, prose_line: int) -> Block:
    """The block up to the line (1-based in the block) where prose begins."""
    position = block.start
    for _ in range(prose_line - 1):
        newline = NEWLINE.search(text, position)
        if newline is None:
            break
        position = newline.end()
    return Block(block.start, position, position)


def _kind(value: Any) -> str:
    return "list" if isinstance(value, list) else "single value"
