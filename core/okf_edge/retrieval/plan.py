"""Step 1, plan: what of the question is searched for, and in which scripts it is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
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


Unit = tuple[str, ...]
"""Terms of which any one will do."""


@dataclass(frozen=True, slots=True)
class Sought:
    """What a term counts, from 0 to 1, and how it was typed."""

    counts: float
    word: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A question taken apart.

    `terms` are distinct and in the question's order. `units` are what a text may cover of the question: a term, or a
    character of a run by any pair that it is in. `scripts` gives the share of each script. `chunks` and `concepts` say
    how much each means of search contributes at least.
    """

    question: str
    terms: Mapping[str, Sought]
    units: Sequence[Unit]
    scripts: Mapping[str, float]
    chunks: int
    concepts: int


def plan_of(request: SearchRequest) -> Plan:
    """The plan of a question; it has no terms when the question has no words that are indexed."""
    words = _words(request.question) if request.lexical else []
    return Plan(
        question=request.question,
        terms=terms_of(words),
        units=units_of(words),
        scripts=shares_of(request.question),
        chunks=CANDIDATE_CHUNKS,
        concepts=max(CANDIDATE_CONCEPTS, request.k),
    )


def _words(question: str) -> Sequence[Word]:
    """The words that tell; stop words only where there is nothing else."""
    words = tokens.words(question)
    return [word for word in words if not word.is_stop] or words


def terms_of(words: Sequence[Word]) -> dict[str, Sought]:
    """The terms to search for."""
    return {term: _sought(term, word) for word in words for term in _telling(word)}


def units_of(words: Sequence[Word]) -> tuple[Unit, ...]:
    """What a text may cover, each once.

    A run of characters is no row of words: of the pairs of 采样策略 a text that holds 采样 and 策略 apart lacks 样策,
    though it holds every character. So characters are what is covered there.
    """
    return tuple(dict.fromkeys(unit for word in words for unit in _units(word)))


def _units(word: Word) -> Iterator[Unit]:
    pairs = frozenset(term for term in _telling(word) if _is_pair(term))
    if not pairs:
        yield from ((term,) for term in _telling(word))
        return
    for at in range(len(word.text)):
        around = (word.text[max(at - 1, 0) : at + 1], word.text[at : at + 2])
        if unit := tuple(dict.fromkeys(pair for pair in around if pair in pairs)):
            yield unit


def _sought(term: str, word: Word) -> Sought:
    if _is_pair(term):
        return Sought(FUNCTION_WEIGHT if _FUNCTION.search(term) and term not in _CONTENT else 1.0, term)
    return Sought(1.0, word.text)


def _telling(word: Word) -> Sequence[str]:
    """A word's terms; of a run of Han, kana or Hangul the pairs alone, since single characters match too much."""
    return [term for term in word.terms if len(term) > 1 or term.isascii()] or word.terms


def _is_pair(term: str) -> bool:
    """Whether it is a pair of characters of a script that is written without spaces."""
    return len(term) == 2 and min(term) >= "\u0e00"
