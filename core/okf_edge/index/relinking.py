"""Links of unchanged pages that lead elsewhere, because concepts came, went or are called otherwise now.

Only links whose words name one of those concepts can be affected; the others are not looked at.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast
from urllib.parse import unquote

from okf_edge.index.linking import LinkRow, link_of
from okf_edge.index.schema import names_of
from okf_edge.okf.resolve import Entry, Resolver
from okf_edge.ports import SqlEngine

_AT_ONCE = 500
_COLUMNS = ", ".join(names_of("link"))


@dataclass(frozen=True, slots=True)
class Naming:
    """The concepts of a tree, by what became of their names: those before and after a change, and those that kept them.

    `files` are what links may lead to beside concepts.
    """

    before: tuple[Entry, ...]
    after: tuple[Entry, ...]
    kept: tuple[Entry, ...]
    files: tuple[str, ...] = ()

    def names(self) -> frozenset[str]:
        """Names that may lead elsewhere now."""
        differing = set(self.before) ^ set(self.after)
        return frozenset(name for entry in differing for name in _names_of(entry))


async def entries_of(engine: SqlEngine, alias: str) -> dict[int, Entry]:
    """The concepts of an attached index as the resolver knows them, by number."""
    rows = await engine.query(f"SELECT number, path, aliases FROM {alias}.concept")
    return {int(number or 0): Entry(str(path), tuple(str(aliases).splitlines())) for number, path, aliases in rows}


async def relinked(engine: SqlEngine, alias: str, naming: Naming) -> list[LinkRow]:
    """All links of each kept concept that has one which leads elsewhere now, as rows with their targets of now."""
    raws = await _affected(engine, alias, naming.names())
    if not raws:
        return []
    concepts = [*naming.kept, *naming.after]
    paths = {entry.path for entry in concepts}
    resolver = Resolver([*concepts, *(Entry(path) for path in naming.files if path not in paths)])
    kept = {entry.path for entry in naming.kept}
    rows = [row for row in await _rows(engine, alias, "raw", raws) if row[0] in kept]
    sources = sorted({row[0] for row in rows if _target(row, resolver, paths) != row[1]})
    return [(row[0], _target(row, resolver, paths), *row[2:]) for row in await _rows(engine, alias, "source", sources)]


def _target(row: LinkRow, resolver: Resolver, concepts: set[str]) -> str:
    source, _, raw, _, form, _ = row
    path = resolver.resolve(link_of(raw, form), source).path
    return path if path in concepts else ""


async def _affected(engine: SqlEngine, alias: str, names: frozenset[str]) -> list[str]:
    """What authors wrote that names one of `names`."""
    if not names:
        return []
    rows = await engine.query(f"SELECT DISTINCT raw, form FROM {alias}.link ORDER BY raw, form")
    found = (str(raw) for raw, form in rows if not names.isdisjoint(_names_in(str(raw), str(form))))
    return list(dict.fromkeys(found))


async def _rows(engine: SqlEngine, alias: str, column: str, values: Sequence[str]) -> list[LinkRow]:
    found: list[LinkRow] = []
    for at in range(0, len(values), _AT_ONCE):
        part = values[at : at + _AT_ONCE]
        marks = ",".join("?" * len(part))
        rows = await engine.query(f"SELECT {_COLUMNS} FROM {alias}.link WHERE {column} IN ({marks})", part)
        found += [cast(LinkRow, row) for row in rows]
    return sorted(found)


def _names_of(entry: Entry) -> Iterator[str]:
    yield _folded(entry.path)
    yield from map(_folded, entry.aliases)


def _names_in(raw: str, form: str) -> Iterator[str]:
    """The names that a link may mean, by any of its readings."""
    for text in (raw, link_of(raw, form).target):
        yield _folded(text)
        yield _folded(unquote(text))


def _folded(text: str) -> str:
    """The last part of a path, without its ending, in lower case."""
    name = unicodedata.normalize("NFC", unquote(text)).lower().rstrip("/").rpartition("/")[2]
    return name.removesuffix(".md").strip()
