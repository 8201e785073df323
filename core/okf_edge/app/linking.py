"""Who a page links to, and who links to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from okf_edge.app.lifecycle import look_at
from okf_edge.app.ports import Ports
from okf_edge.app.reading import read_concept
from okf_edge.workspace.graph import Edge
from okf_edge.workspace.survey import Survey


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A page at the other end of a link. `line` is that of the link, in the page that links."""

    path: str
    title: str
    line: int
    cites: bool


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Both directions, each page once, by path."""

    path: str
    links: tuple[Neighbour, ...]
    linked_from: tuple[Neighbour, ...]


async def neighbours(ports: Ports, wanted: str) -> Neighbours:
    """The neighbours of a page. Raises what reading it raises."""
    path = (await read_concept(ports.tree, wanted)).path
    survey, _ = await look_at(ports)
    out = survey.graph.edges_of(path) if path in survey.pages else ()
    into = (edge for each in survey.graph.linked_from.get(path, ()) for edge in survey.graph.edges_of(each))
    return Neighbours(
        path,
        _each_once(survey, ((edge.end.path, edge) for edge in out if edge.end.path != path)),
        _each_once(survey, ((edge.source, edge) for edge in into if edge.end.path == path)),
    )


def _each_once(survey: Survey, ends: Iterable[tuple[str, Edge]]) -> tuple[Neighbour, ...]:
    found: dict[str, Neighbour] = {}
    for path, edge in ends:
        known = found.get(path)
        if path and (known is None or edge.link.is_citation > known.cites):
            page = survey.pages.get(path)
            found[path] = Neighbour(path, page.title if page else "", edge.link.line, edge.link.is_citation)
    return tuple(found[path] for path in sorted(found))
