"""Links of an index: resolved when every page is known, kept so that they can be resolved again without the page."""

from __future__ import annotations

from collections.abc import Iterable

from okf_edge.index.pages import ReadPage
from okf_edge.okf.links import Link, LinkForm, wiki_link
from okf_edge.okf.resolve import Entry, Resolver

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

    def resolved(self, files: Iterable[str] = ()) -> list[LinkRow]:
        """All links as rows. `files` are further files that links may lead to."""
        concepts = {entry.path for entry in self._entries}
        resolver = Resolver([*self._entries, *(Entry(path) for path in files if path not in concepts)])
        return [row_of(link, source, resolver, concepts) for source, link in self._links]


def row_of(link: Link, source: str, resolver: Resolver, concepts: set[str]) -> LinkRow:
    """A link as a row; its target is empty unless it leads to a concept."""
    path = resolver.resolve(link, source).path
    kind = CITATION if link.field in _CITING_FIELDS else link.kind
    return source, path if path in concepts else "", link.inner, kind, link.form, link.anchor


def link_of(raw: str, form: LinkForm) -> Link:
    """The link that a row was made from, as far as resolving goes."""
    if form == "wiki":
        return wiki_link(raw, "wikilink", 1)
    target, _, anchor = raw.partition("#")
    return Link("markdown", form, raw, target, anchor, "", 1)
