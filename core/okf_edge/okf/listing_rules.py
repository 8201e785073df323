"""The structure of index.md and log.md (specification sections 8, 9 and 12)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from okf_edge.okf.concept import text_of
from okf_edge.okf.document import Diagnostic, Document
from okf_edge.okf.listings import KNOWN_VERSIONS, is_date, parse_index, parse_log
from okf_edge.okf.outline import Outline, outline_of
from okf_edge.okf.rules import finding

_VERSION = "okf_version"


def check_index(document: Document, *, is_root: bool, outline: Outline | None = None) -> Iterator[Diagnostic]:
    """Every deviation of an index.md."""
    path = document.path
    if document.has_frontmatter:
        yield from _root_frontmatter(document) if is_root else [finding("OKF-I01", path, 1)]
    groups = parse_index(document, outline or outline_of(document))
    for group in groups:
        if not group.heading and group.entries:
            yield finding("OKF-I04", path, group.entries[0].line)
        for line in group.strays:
            yield finding("OKF-I05", path, line)


def check_log(document: Document, outline: Outline | None = None) -> Iterator[Diagnostic]:
    """Every deviation of a log.md."""
    path = document.path
    if document.has_frontmatter:
        yield finding("OKF-G03", path, 1)
    log = parse_log(document, outline or outline_of(document))
    for day in log.days:
        if not is_date(day.date):
            yield finding("OKF-G01", path, day.line, f"`{day.date}`")
    for newer, older in pairwise(day for day in log.days if is_date(day.date)):
        if newer.date < older.date:
            yield finding("OKF-G02", path, older.line, f"{older.date} follows {newer.date}")
    if log.undated:
        yield finding("OKF-G04", path, log.undated[0])


def _root_frontmatter(document: Document) -> Iterator[Diagnostic]:
    others = [key for key in document.frontmatter if key != _VERSION]
    if others:
        line = document.frontmatter_lines.get(others[0], 1)
        yield finding("OKF-I02", document.path, line, ", ".join(f"`{key}`" for key in others))
    version = document.frontmatter.get(_VERSION)
    if version is not None and text_of(version) not in KNOWN_VERSIONS:
        line = document.frontmatter_lines.get(_VERSION, 1)
        yield finding("OKF-I03", document.path, line, f"`{text_of(version)}`")
