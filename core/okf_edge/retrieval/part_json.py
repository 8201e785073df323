"""What parts of a search tell each other, as JSON. The trees of sources don't travel: the reader puts its own in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any

from okf_edge.errors import FormatError
from okf_edge.ports import FileTree
from okf_edge.retrieval.answer import Coverage
from okf_edge.retrieval.dense import Moments
from okf_edge.retrieval.graph import Edge
from okf_edge.retrieval.lexical import Term, Vocabulary
from okf_edge.retrieval.parts import Contribution, Placed, Tally
from okf_edge.retrieval.places import Place
from okf_edge.retrieval.source import Source

TreeOf = Callable[[Mapping[str, Any]], FileTree]
_LEFT_OUT = frozenset({"tree", "masked", "relinked"})
_PAIRS = ("lines", "bytes")


def tally_json(tally: Tally) -> dict[str, Any]:
    return {"chunks": tally.chunks, "held": tally.held, "compounds": tally.compounds}


def tally_from(told: Mapping[str, Any]) -> Tally:
    """Raises FormatError: it is none."""
    with _checked():
        held = tuple({term: (tuple(numbers), int(df)) for term, (numbers, df) in each.items()} for each in told["held"])
        compounds = tuple(
            {part: {word: (int(n), int(df)) for word, (n, df) in words.items()} for part, words in each.items()}
            for each in told["compounds"]
        )
        return Tally(tuple(map(int, told["chunks"])), held, compounds)


def vocabulary_json(vocabulary: Vocabulary) -> dict[str, Any]:
    return asdict(vocabulary)


def vocabulary_from(told: Mapping[str, Any]) -> Vocabulary:
    """Raises FormatError: it is none."""
    with _checked():
        terms = tuple(
            Term(**{**each, "numbers": {int(at): tuple(numbers) for at, numbers in each["numbers"].items()}})
            for each in told["terms"]
        )
        units = tuple((tuple(unit), float(weight)) for unit, weight in told["units"])
        return Vocabulary(terms, told["mass"], units, tuple(told["dropped"]))


def contribution_json(part: Contribution) -> dict[str, Any]:
    return {
        "sources": [_plain(source) for source in part.sources],
        "placed": [_placed_json(each) for each in part.placed],
        "moments": [asdict(each) for each in part.moments],
        "edges": [asdict(each) for each in part.edges],
        "coverage": asdict(part.coverage),
        "notes": part.notes,
    }


def contribution_from(told: Mapping[str, Any], tree_of: TreeOf) -> Contribution:
    """Args: tree_of: opens the files of a source, as the message tells it. Raises FormatError: it is none."""
    with _checked():
        sources = tuple(Source(tree=tree_of(each), **each) for each in told["sources"])
        return Contribution(
            sources,
            tuple(_placed(each, sources) for each in told["placed"]),
            tuple(Moments(**each) for each in told["moments"]),
            tuple(Edge(**each) for each in told["edges"]),
            Coverage(**told["coverage"]),
            tuple(told["notes"]),
        )


def _plain(source: Source) -> dict[str, Any]:
    return {each.name: getattr(source, each.name) for each in fields(source) if each.name not in _LEFT_OUT}


def _placed_json(placed: Placed) -> dict[str, Any]:
    place = {each.name: getattr(placed.place, each.name) for each in fields(Place) if each.name != "source"}
    found = {each.name: getattr(placed, each.name) for each in fields(Placed) if each.name != "place"}
    return {**found, "place": place}


def _placed(told: Mapping[str, Any], sources: tuple[Source, ...]) -> Placed:
    place: dict[str, Any] = {name: tuple(value) if name in _PAIRS else value for name, value in told["place"].items()}
    return Placed(**{**told, "place": Place(source=sources[told["source"]], **place)})


class _checked:
    """Whatever is missing or of another form is one error."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, KeyError | TypeError | ValueError | AttributeError | IndexError):
            raise FormatError("expected a part of a search, found something else", code="bad-part") from error
