"""Links of an index: resolved when every page is known, kept so that they can be resolved again without the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from okf_edge.index.pages import ReadPage
from okf_edge.index.rows import ROWS_AT_ONCE, Rows
from okf_edge.index.schema import names_of
from okf_edge.okf.links import Link, wiki_link
from okf_edge.okf.resolve import Entry, Resolver
from okf_edge.ports import SqlEngine

CITATION = "source"
_CITING_FIELDS = ("sources", "sources.resource")

LinkRow = tuple[str, str, str, str, str, str]
"""source, target, raw, kind, form, anchor: a row of the table `link`."""


class Links:
    """The links of pages, and the names by which pages are called, until they can be resolved."""

    def __init__(self) -> None:
        self._links: list[tuple[str, Link]] = []
        self._entries: list[Entry] = []

    def add(self, read: ReadPage) -> None:
        self._links += ((read.page.path, link) for link in read.links)
        self._entries.append(Entry(read.page.path, read.concept.aliases))

    def resolved(self, files: Iterable[str] = (), concepts: Iterable[Entry] = ()) -> Iterator[LinkRow]:
        """All links as rows. `concepts` are indexed elsewhere; `files` are what links may lead to beside concepts."""
        known = [*self._entries, *concepts]
        paths = {entry.path for entry in known}
        resolver = Resolver([*known, *(Entry(path) for path in files if path not in paths)])
        return (row_of(link, source, resolver, paths) for source, link in self._links)


async def load_links(rows: Iterable[LinkRow], engine: SqlEngine, alias: str) -> None:
    links = Rows("link", *names_of("link"))
    for row in rows:
        links.add(*row)
        if len(links) == ROWS_AT_ONCE:
            await links.load(engine, alias)
    await links.load(engine, alias)


def row_of(link: Link, source: str, resolver: Resolver, concepts: Set[str]) -> LinkRow:
    """A link as a row; its target is empty unless it leads to a concept."""
    path = resolver.resolve(link, source).path
    kind = CITATION if link.field in _CITING_FIELDS else link.kind
    return source, path if path in concepts else "", link.inner, kind, link.form, link.anchor


def link_of(raw: str, form: str) -> Link:
    """The link that a row was made from, as far as resolving goes."""
    if form == "wiki":
        return wiki_link(raw, "wikilink", 1)
    target, _, anchor = raw.partition("#")
    return Link("markdown", "path" if form == "path" else "markdown", raw, target, anchor, "", 1)
