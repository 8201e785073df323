"""index.md and log.md: parsed leniently, written exactly.

Source: OKF v0.2 sections 8 and 9.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from okf_edge.okf.document import Document
from okf_edge.okf.lines import unix_newlines
from okf_edge.okf.outline import Outline, Section, outline_of
from okf_edge.okf.spelling import destination_of, escaped_label

OKF_VERSION = "0.2"
KNOWN_VERSIONS = ("0.1", OKF_VERSION)

_ITEM = re.compile(r"(?m)^(?P<indent>[ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?P<text>\S.*?)[ \t]*\r?$")
_ENTRY = re.compile(
    r"\[(?P<title>(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]\((?:<(?P<angle>[^<>]*)>|(?P<url>[^\s()]*(?:\([^\s()]*\)[^\s()]*)*))\)"
    r"(?:[ \t]*[-–—:][ \t]*(?P<description>.*))?"
)
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_UNESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of an index. `url` is a link destination, unescaped; `line` is 1-based, 0 for one that was not read."""

    title: str
    url: str
    description: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """Entries under one heading; the heading is empty for those above the first. `strays` are lines of other items."""

    heading: str
    entries: tuple[Entry, ...]
    strays: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Day:
    """What happened on one day. `date` is the heading as typed; `entries` are markdown without their bullets."""

    date: str
    entries: tuple[str, ...]
    line: int = 0


@dataclass(frozen=True, slots=True)
class Log:
    """`undated` are the lines of entries that stand under no date."""

    title: str
    days: tuple[Day, ...]
    undated: tuple[int, ...] = ()


def parse_index(document: Document, outline: Outline | None = None) -> tuple[Group, ...]:
    """The groups of an index.md, in order."""
    outline = outline or outline_of(document)
    return tuple(_group(document, section) for section in outline.sections)


def write_index(groups: Iterable[Group], *, okf_version: str = "") -> str:
    """An index.md. Only that of a bundle's root may state the version."""
    head = f'---\nokf_version: "{okf_version}"\n---\n\n' if okf_version else ""
    return head + "\n".join("".join(_group_lines(group)) for group in groups)


def parse_log(document: Document, outline: Outline | None = None) -> Log:
    """The days of a log.md, in the order of the file. A heading of level 2, or any that is a date, starts a day."""
    outline = outline or outline_of(document)
    title, days, undated = "", [], []
    for section in outline.sections:
        heading = section.path[-1] if section.path else ""
        items = list(_items(document, section))
        if section.level == 2 or is_date(heading):
            days.append(Day(heading, tuple(text for _, text in items), section.first_line))
        elif days and section.level > 2:
            days[-1] = Day(days[-1].date, (*days[-1].entries, *(text for _, text in items)), days[-1].line)
        else:
            title = title or heading
            undated += [line for line, _ in items]
    return Log(title, tuple(days), tuple(undated))


def write_log(log: Log) -> str:
    """A log.md: newest first, one heading a day. Days of one date are joined in their order."""
    ordered = sorted(log.days, key=lambda day: day.date, reverse=True)
    parts = [f"# {log.title}\n"]
    for heading, days in groupby(ordered, key=lambda day: day.date):
        entries = [f"* {_one_line(entry)}\n" for day in days for entry in day.entries]
        parts.append(f"## {heading}\n" + "".join(entries))
    return "\n".join(parts)


def is_date(text: str) -> bool:
    """Whether the text is a day of the calendar as YYYY-MM-DD."""
    try:
        return bool(_ISO_DATE.fullmatch(text)) and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _group(document: Document, section: Section) -> Group:
    entries: list[Entry] = []
    strays: list[int] = []
    for line, text in _items(document, section):
        match = _ENTRY.fullmatch(text)
        if match:
            entries.append(_entry(match, line))
        else:
            strays.append(line)
    return Group(section.path[-1] if section.path else "", tuple(entries), tuple(strays))


def _entry(match: re.Match[str], line: int) -> Entry:
    url = match["angle"] if match["angle"] is not None else match["url"]
    return Entry(_plain(match["title"]), _plain(url), (match["description"] or "").strip(), line)


def _items(document: Document, section: Section) -> Iterator[tuple[int, str]]:
    """Line and text of each list item of a section; an item's own further lines are joined to it."""
    for block in section.blocks:
        if block.kind == "list":
            lines = unix_newlines(block.text).split("\n")
            starts = [number for number, line in enumerate(lines) if _ITEM.match(line)]
            for start, stop in zip(starts, [*starts[1:], len(lines)], strict=False):
                bullet = _ITEM.match(lines[start])
                rest = [line.strip() for line in lines[start + 1 : stop] if line.strip()]
                yield block.first_line + start, " ".join([bullet["text"] if bullet else "", *rest])


def _group_lines(group: Group) -> Iterator[str]:
    if group.heading:
        yield f"# {_one_line(group.heading)}\n\n"
    for entry in group.entries:
        description = f" - {_one_line(entry.description)}" if entry.description else ""
        yield f"* [{escaped_label(_one_line(entry.title))}]({destination_of(entry.url)}){description}\n"


def _plain(text: str) -> str:
    return _UNESCAPED.sub(r"\1", text)


def _one_line(text: str) -> str:
    return " ".join(text.split())
