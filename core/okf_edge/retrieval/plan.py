"""Step 1, plan: what of the question is searched for, and in which scripts it is asked."""

from __future__ import annotations

from dataclasses import dataclass

from okf_edge.index import tokens
from okf_edge.retrieval.request import SearchRequest
from okf_edge.retrieval.scripts import shares_of

CANDIDATE_CHUNKS = 100
"""Chunks that each means of search contributes. More changed no measured ranking within the first ten."""

CANDIDATE_CONCEPTS = 20
"""Distinct concepts that each means contributes at least, so that one long page can't crowd out the others."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A question taken apart. `terms` are distinct, in the question's order; `scripts` gives each script's share."""

    question: str
    terms: tuple[str, ...]
    scripts: dict[str, float]
    chunks: int
    concepts: int


def plan_of(request: SearchRequest) -> Plan:
    """The plan of a question; it has no terms when the question has no words that are indexed."""
    terms = dict.fromkeys(tokens.terms(request.question)) if request.lexical else {}
    return Plan(
        question=request.question,
        terms=tuple(terms),
        scripts=shares_of(request.question),
        chunks=CANDIDATE_CHUNKS,
        concepts=max(CANDIDATE_CONCEPTS, request.k),
    )
