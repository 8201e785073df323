"""Step 1, plan: what of the question is searched for, and in which scripts it is asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from okf_edge.index import tokens
from okf_edge.index.tokens import Word
from okf_edge.retrieval.request import SearchRequest
from okf_edge.retrieval.scripts import shares_of

CANDIDATE_CHUNKS = 100
"""Chunks that each means of search contributes. More changed no measured ranking within the first ten."""

CANDIDATE_CONCEPTS = 20
"""Distinct concepts that each means contributes at least, so that one long page can't crowd out the others."""


FUNCTION_WEIGHT = 0.3
"""What a pair of characters counts that only asks or joins, as stop words do in other scripts."""

_FUNCTION = re.compile(
    "[的了吗呢吧么什哪谁怎是们这那嗎麼誰們這]|多少|如何|为何|為何|几个|幾個|可以|以及|还是|還是|何时|何時|何地|何人|有多|为多"
    "|[\u3041-\u309f]{2}"
)
_CONTENT = frozenset({"目的", "了解", "的确", "的確", "是非"})


@dataclass(frozen=True, slots=True)
class Sought:
    """What a term counts, from 0 to 1, and how it was typed."""

    counts: float
    word: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A question taken apart.

    `terms` are distinct and in the question's order. `scripts` gives the share of each script. `chunks` and `concepts`
    say how much each means of search contributes at least.
    """

    question: str
    terms: Mapping[str, Sought]
    scripts: Mapping[str, float]
    chunks: int
    concepts: int


def plan_of(request: SearchRequest) -> Plan:
    """The plan of a question; it has no terms when the question has no words that are indexed."""
    return Plan(
        question=request.question,
        terms=terms_of(request.question) if request.lexical else {},
        scripts=shares_of(request.question),
        chunks=CANDIDATE_CHUNKS,
        concepts=max(CANDIDATE_CONCEPTS, request.k),
    )


def terms_of(question: str) -> dict[str, Sought]:
    """The terms to search for; stop words only where there is nothing else."""
    words = tokens.words(question)
    telling = [word for word in words if not word.is_stop] or words
    return {term: _sought(term, word) for word in telling for term in _telling(word)}


def _sought(term: str, word: Word) -> Sought:
    if len(term) == 2 and not term.isascii():
        return Sought(FUNCTION_WEIGHT if _FUNCTION.search(term) and term not in _CONTENT else 1.0, term)
    return Sought(1.0, word.text)


def _telling(word: Word) -> Sequence[str]:
    """A word's terms; of a run of Han, kana or Hangul the pairs alone, since single characters match too much."""
    return [term for term in word.terms if len(term) > 1 or term.isascii()] or word.terms
