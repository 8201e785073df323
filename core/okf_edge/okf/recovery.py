"""What can still be read of frontmatter that is no YAML: key by key, line by line.

1. A line `key: …` without indentation starts a key; what follows up to the next one belongs to it.
2. Each key alone is read as YAML; if that fails, again with tabs as spaces and with suspicious values quoted; if that
   fails too, its value is the text that was typed.
3. A blank line followed by prose means that the closing `---` is missing: there the note's text begins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from okf_edge.limits import LIMITS
from okf_edge.okf import yaml12

_KEY = re.compile(r"(?![-#\[\]{}<>|&*!%@`,?]|---)(?P<key>\S(?:[^:\n]|:(?!\s|$))*?)[ \t]*:(?:[ \t]+(?P<value>.*)|$)")
_VALUE = re.compile(r"(?P<lead>[ \t]*(?:-[ \t]+)*(?:[^\s:'\"\[{#-][^:\n]*:[ \t]+|-[ \t]+))(?P<value>\S.*)")
_BELONGS = re.compile(r"[ \t#\]}]|-(?:[ \t]|$)")
_INDENT = re.compile(r"[ \t]*\t[ \t]*")
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+(?P<value>.*)|$)")
_LINKS = re.compile(r"!?\[\[[^\[\]\n]+\]\](?:[ \t]*[,;][ \t]*!?\[\[[^\[\]\n]+\]\])*[ \t]*,?")
_LINK = re.compile(r"!?\[\[[^\[\]\n]+\]\]")
_BLOCK_SCALAR = re.compile(r"[|>][-+0-9]*[ \t]*(?:#.*)?")
_LONGEST_KEY = 200


@dataclass(slots=True)
class Recovered:
    """`repaired` names the keys whose value YAML could not read, with their lines; `prose_line` is 0 for none.

    `failures` counts the parses that failed; past the limit the rest is taken as text.
    """

    values: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    notes: list[yaml12.Note] = field(default_factory=list)
    repaired: list[tuple[str, int]] = field(default_factory=list)
    prose_line: int = 0
    failures: int = 0


@dataclass(slots=True)
class Segment:
    """The lines of one top-level key. `first` is the 1-based line of the key."""

    key: str
    first: int
    lines: list[str]


def recover(text: str) -> Recovered:
    """Read what can be read. Never raises; linear in the text."""
    lines = text.split("\n")
    result = Recovered(prose_line=_prose_line(lines))
    for segment in segments(lines[: result.prose_line - 1] if result.prose_line else lines):
        _read_segment(segment, result)
    return result


def segments(lines: list[str]) -> list[Segment]:
    """The top-level keys of a block, in order, with the lines that belong to each."""
    found: list[Segment] = []
    for number, line in enumerate(lines, 1):
        key = key_of(line)
        if key:
            found.append(Segment(key, number, [line]))
        elif found:
            found[-1].lines.append(line)
    return found


def key_of(line: str) -> str:
    """The top-level key that a line starts, unquoted; empty when it starts none."""
    match = _KEY.match(line) if line and not line[0].isspace() else None
    if not match or len(match["key"]) > _LONGEST_KEY:
        return ""
    key = match["key"]
    return key[1:-1] if len(key) > 1 and key[0] == key[-1] and key[0] in "\"'" else key


def _is_own(line: str) -> bool:
    """Whether a line below a key belongs to its value; one without indentation that starts no key is a stray."""
    return not line.strip() or bool(_BELONGS.match(line))


def _prose_line(lines: list[str]) -> int:
    after_blank = False
    for number, line in enumerate(lines, 1):
        if after_blank and not _is_own(line) and not key_of(line):
            return _start_of_prose(lines, number)
        after_blank = not line.strip() or (after_blank and line.startswith("#"))
    return 0


def _start_of_prose(lines: list[str], number: int) -> int:
    """Headings above the prose, which YAML would take for comments, belong to it."""
    while number > 1 and (not lines[number - 2].strip() or lines[number - 2].startswith("#")):
        number -= 1
    return number


def _read_segment(segment: Segment, result: Recovered) -> None:
    value = _parsed(segment, segment.lines, result)
    if value is _FAILED:
        result.repaired.append((segment.key, segment.first))
        own = [segment.lines[0], *(line if _is_own(line) else "" for line in segment.lines[1:])]
        value = _parsed(segment, [_repaired(line, result) for line in own], result)
    if value is _FAILED:
        value = _as_text(segment)
    if segment.key in result.values:
        result.notes.append(yaml12.Note("duplicate", segment.first, segment.key, result.lines[segment.key]))
        value = yaml12.joined(result.values[segment.key], value)
    result.lines.setdefault(segment.key, segment.first)
    result.values[segment.key] = value


_FAILED: Any = object()


def _parsed(segment: Segment, lines: list[str], result: Recovered) -> Any:
    parsed = _tried("\n".join(lines), result)
    if parsed is None or not isinstance(parsed.value, dict) or len(parsed.value) != 1:
        return _FAILED
    offset = segment.first - 1
    for note in parsed.notes:
        first_line = note.first_line + offset if note.first_line else 0
        result.notes.append(yaml12.Note(note.kind, note.line + offset, note.text, first_line))
    return next(iter(parsed.value.values()))


def _tried(text: str, result: Recovered) -> yaml12.Parsed | None:
    if result.failures > LIMITS.yaml_repairs_count:
        return None
    try:
        return yaml12.parse(text, explain=False)
    except yaml12.YamlProblem:
        result.failures += 1
        return None


def _repaired(line: str, result: Recovered) -> str:
    """The line with its indenting tabs as spaces, and with its value quoted when YAML can't read it alone."""
    indent = _INDENT.match(line)
    if indent:
        line = indent.group().replace("\t", "  ") + line[indent.end() :]
    match = _VALUE.fullmatch(line)
    if not match:
        return line
    value = match["value"].rstrip()
    return line if _stands_alone(value, result) else match["lead"] + _quoted(value)


def _stands_alone(value: str, result: Recovered) -> bool:
    if _BLOCK_SCALAR.fullmatch(value):
        return True
    parsed = _tried(value, result)
    return parsed is not None and (not isinstance(parsed.value, dict) or value.startswith("{"))


def _quoted(value: str) -> str:
    if not _LINK.fullmatch(value) and _LINKS.fullmatch(value):
        return "[" + ", ".join(_single_quoted(link) for link in _LINK.findall(value)) + "]"
    return _single_quoted(value)


def _single_quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _as_text(segment: Segment) -> Any:
    """The value as it was typed: a list when every line below the key is an item, else text."""
    match = _KEY.match(segment.lines[0])
    first = (match["value"] or "").strip() if match else ""
    below = [line for line in segment.lines[1:] if line.strip()]
    items = [_ITEM.fullmatch(line) for line in below]
    if below and not first and all(items):
        return [(item["value"] or "").strip() for item in items if item]
    return "\n".join([first, *(line.strip() for line in below)]).strip()
