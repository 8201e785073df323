"""Values that the tests of retrieval are made of."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from okf_edge.inmemory.files import MemoryTree
from okf_edge.retrieval.fuse import Hit, Ranked
from okf_edge.retrieval.lexical import Term, Vocabulary
from okf_edge.retrieval.places import Place
from okf_edge.retrieval.plan import Plan, Sought
from okf_edge.retrieval.scripts import shares_of
from okf_edge.retrieval.source import Source

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def a_source(**given: Any) -> Source:
    return Source(**{"alias": "base", "tree": MemoryTree({}), "chunks": 10, "uri_prefix": "okf://notes/", **given})


def a_place(name: str = "a.md", **given: Any) -> Place:
    known = {
        "source": a_source(),
        "chunk": 0,
        "concept": 0,
        "ordinal": 0,
        "heading": "",
        "lines": (1, 1),
        "bytes": (0, 0),
        "name": name,
        "title": name.removesuffix(".md"),
        "status": "stable",
        "tier": "user",
        "trust": "unverified",
        "stale_after": "",
        "sha256": "",
        "file_bytes": 0,
    }
    return Place(**{**known, **given})


def a_hit(name: str = "a.md", place: dict[str, Any] | None = None, **given: Any) -> Hit:
    return Hit(place=a_place(name, **(place or {})), **given)


def a_ranked(name: str = "a.md", score: float = 0.5, hit: Hit | None = None, **given: Any) -> Ranked:
    return Ranked(hit or a_hit(name, lexical=score), score, **given)


def a_vocabulary(**idf: float) -> Vocabulary:
    terms = (Term(text, text, 1, weight, {0: (at,)}) for at, (text, weight) in enumerate(idf.items()))
    units = tuple(((text,), weight) for text, weight in idf.items())
    return Vocabulary(tuple(terms), sum(idf.values()), units)


def a_plan(question: str = "pump", **given: Any) -> Plan:
    terms = {question: Sought(1.0, question)}
    known = {"question": question, "terms": terms, "units": [(question,)], "scripts": shares_of(question)}
    return Plan(**{**known, "chunks": 3, "concepts": 2, **given})
