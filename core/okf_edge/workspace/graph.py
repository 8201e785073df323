"""Where the links of all pages lead, and who is linked and cited by whom."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal, cast

from okf_edge.okf.resolve import Entry, Resolver
from okf_edge.workspace.facts import LinkFact, PageFacts, link_of
from okf_edge.workspace.scan import Scan

Outcome = Literal["found", "ambiguous", "not-downloaded", "missing", "elsewhere"]
"""`elsewhere` is no file of this base by what it says: a URL, or a description of a scope."""

_OUTCOMES: Mapping[str, Outcome] = {
    "resolved": "found",
    "attachment": "found",
    "anchor-missing": "found",
    "ambiguous": "ambiguous",
    "not-downloaded": "not-downloaded",
    "missing": "missing",
    "external": "elsewhere",
}


@dataclass(frozen=True, slots=True)
class End:
    """Where a link leads. `path` is empty where it leads nowhere; `candidates` are all files of an ambiguous name."""

    outcome: Outcome
    path: str = ""
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """One link of one page, and where it leads."""

    source: str
    link: LinkFact
    end: End


@dataclass(frozen=True)
class Graph:
    """All links of all pages. `names` is a digest of what files are called: while it holds, so do the ends."""

    ends: Mapping[str, tuple[End, ...]]
    names: str
    pages: Mapping[str, PageFacts] = field(repr=False)

    def edges_of(self, path: str) -> Iterator[Edge]:
        """The links of a page that lead to no one file for sure, and its citations."""
        for link, end in zip(self.pages[path].links, self.ends[path], strict=True):
            if link.is_citation or end.outcome != "found":
                yield Edge(path, link, end)

    def telling(self) -> Iterator[Edge]:
        """These links of all pages: what reports look at one by one."""
        for path in self.pages:
            yield from self.edges_of(path)

    def citations(self) -> Iterator[Edge]:
        """The citations that lead to files."""
        for path, page in self.pages.items():
            if page.citations:
                yield from (edge for edge in self.edges_of(path) if edge.link.is_citation and edge.end.path)

    @cached_property
    def linked_from(self) -> Mapping[str, frozenset[str]]:
        """Who links to each path, by citation or otherwise; a page that links to itself does not count."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for path in self.pages:
            for end in self.ends[path]:
                if end.path and end.path != path:
                    found[end.path].add(path)
        return {path: frozenset(sources) for path, sources in found.items()}


def graph_of(pages: Mapping[str, PageFacts], scan: Scan, kept: Graph | None = None) -> Graph:
    """Resolve every link; of `kept`, what still holds is taken over.

    Args: pages: by path. scan: everything that links may lead to.
    """
    entries = _entries(pages, scan)
    names = _digest(entries)
    known: Mapping[str, tuple[End, ...]] = kept.ends if kept and kept.names == names else {}
    old = kept.pages if kept else {}
    stale = [page for path, page in pages.items() if path not in known or old.get(path) is not page]
    ends = {path: known[path] for path in pages if path in known}
    if stale:
        resolver = Resolver(entries)
        ends.update((page.path, _ends_of(page, resolver)) for page in stale)
    return Graph(ends, names, pages)


def _entries(pages: Mapping[str, PageFacts], scan: Scan) -> list[Entry]:
    absent = scan.skipped_for("not-downloaded")
    files = (Entry(path, pages[path].aliases if path in pages else ()) for path in scan.paths)
    return [*files, *(Entry(path, downloaded=False) for path in absent)]


def _digest(entries: Iterable[Entry]) -> str:
    digest = sha256()
    for entry in entries:
        digest.update("\0".join((entry.path, *entry.aliases, str(entry.downloaded))).encode(errors="surrogatepass"))
        digest.update(b"\n")
    return digest.hexdigest()


def _ends_of(page: PageFacts, resolver: Resolver) -> tuple[End, ...]:
    return tuple([_end(link, page.path, resolver) for link in page.links])


def _end(fact: LinkFact, source: str, resolver: Resolver) -> End:
    found = resolver.resolve(link_of(fact), source)
    outcome = _OUTCOMES[found.status]
    return End("ambiguous" if found.candidates else outcome, found.path, found.candidates)


def encode_ends(graph: Graph) -> dict[str, Any]:
    ends = {
        path: [(end.outcome, end.path, *([end.candidates] if end.candidates else [])) for end in ends]
        for path, ends in graph.ends.items()
    }
    return {"names": graph.names, "ends": ends}


def decode_ends(kept: Mapping[str, Any], pages: Mapping[str, PageFacts]) -> Graph | None:
    """The graph that was kept with these pages, or None when what was kept is none of theirs."""
    try:
        ends = {path: tuple([_kept_end(row) for row in rows]) for path, rows in kept["ends"].items()}
        if any(len(ends[path]) != len(page.links) for path, page in pages.items()):
            return None
        return Graph(ends, kept["names"], pages)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        return None


def _kept_end(row: Sequence[Any]) -> End:
    outcome, path, *candidates = row
    return End(cast(Outcome, outcome), path, tuple(candidates[0]) if candidates else ())
