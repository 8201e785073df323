"""Secrets in columns: a table, or an export of a password manager, names what it holds once, in its first row.

Rules:
1. A column counts when its heading is the name of a secret: in a markdown table, or in the first row of separated
   values.
2. Its cells count as values that are assigned to that name do, if they hold no blank.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

from okf_edge.bundles.risks.credentials import NAME, is_secret_like, secret_hit
from okf_edge.bundles.risks.finding import Hit
from okf_edge.bundles.risks.views import View

_RULE = re.compile(r"^[ \t>|:-]*+$", re.MULTILINE)
_HEADING = re.compile(rf"(?:\w{{1,30}}[ _.-]){{0,3}}(?:{NAME}|(?:api|access|private|secret) key)s?", re.IGNORECASE)
_SEPARATORS = ",;\t"
_QUOTES = " \t\r*`\"'"


def columns(view: View) -> Iterator[Hit]:
    """Every credential in a column whose heading names one."""
    text = view.text
    first = text.find("\n")
    for separator in _SEPARATORS:
        if separator in text[:first]:
            yield from _column_hits(view, 0, first + 1, separator)
    done = 0
    for rule in _RULE.finditer(text) if "|" in text else ():
        heading = text.rfind("\n", 0, max(rule.start() - 1, 0)) + 1
        if rule.start() >= done and "-" in rule[0] and "|" in text[heading : rule.end()]:
            done = yield from _column_hits(view, heading, rule.end() + 1, "|")


def _column_hits(view: View, heading: int, rows: int, separator: str) -> Generator[Hit, None, int]:
    """What the columns of one table show; returns where its rows were read to."""
    names = [name for _, name in _cells(view.text, heading, separator)]
    named = {place: name for place, name in enumerate(names) if _HEADING.fullmatch(name)}
    while named and 0 < rows < len(view.text):
        cells = _cells(view.text, rows, separator)
        if len(cells) < 2:
            break
        for place, name in named.items():
            at, value = cells[place] if place < len(cells) else (0, "")
            if not re.search(r"\s", value) and is_secret_like(value, name):
                yield secret_hit(view, (at, at + len(value)), value, f"a value of {name.casefold()}", "")
        rows = view.text.find("\n", rows) + 1
    return rows if rows > 0 else len(view.text)


def _cells(text: str, start: int, separator: str) -> list[tuple[int, str]]:
    """The cells of one line, each with where its content begins; the empty one before a table's first bar counts."""
    end = text.find("\n", start)
    cells: list[tuple[int, str]] = []
    for cell in text[start : end if end != -1 else len(text)].split(separator):
        lead = len(cell) - len(cell.lstrip(_QUOTES))
        cells.append((start + lead, cell.strip(_QUOTES)))
        start += len(cell) + 1
    return cells
