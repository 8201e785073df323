"""Step 6, gate: how likely each candidate answers, and whether the best of them is likely enough to show any.

Rules:
1. A candidate is judged by itself: its words, their coverage of the question and its cosine. So a long or stuffed page
   that ranks high can't cause a refusal when a page below it matches.
2. Where question and content share no script, words say nothing and the cosine decides alone.
3. A candidate without anything of the kind that is asked for, say an amount of money (`asked`), or without the number
   or identifier that is asked about, hardly answers.
4. A missing index is an error elsewhere, never a refusal here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from okf_edge.retrieval.answer import Verdict
from okf_edge.retrieval.asked import lacking
from okf_edge.retrieval.calibration import Gate
from okf_edge.retrieval.fuse import Hit, Ranked
from okf_edge.retrieval.lexical import Term, Vocabulary
from okf_edge.retrieval.plan import Plan
from okf_edge.retrieval.scripts import shares_of, unshared

JUDGED = 3
"""Candidates from the top whose confidence can carry the verdict."""

NAMED = 3
"""Words that a refusal names at most."""

THRESHOLD = 0.7
"""The confidence from which on an answer is shown. On sets left out of the fit, the shares of answerable questions kept
and of others refused add up best from .6 to .7. Of these the strictest, since a wrong answer costs more than a refusal,
which shows the nearest pages all the same."""

CONFIDENCE_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict with its reason in words."""

    verdict: Verdict
    reason: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What a candidate's text tells beside its scores.

    `foreign` is the part of the question about which words say nothing: what is in scripts that the text lacks. It is
    all in a search by meaning alone, and nothing without a vector, since then there is nothing else to go by. `lacking`
    names the kind of thing that the question asks for, where the text has nothing of it. `unnamed` is the share of the
    question's numbers and identifiers that the candidate does not name.
    """

    foreign: float = 0.0
    lacking: str = ""
    unnamed: float = 0.0


def reading_of(hit: Hit, plan: Plan, vocabulary: Vocabulary, text: str) -> Reading:
    """What the text of a candidate tells; its title counts as text."""
    return Reading(
        foreign=_foreign_part(hit, plan, text),
        lacking=lacking(plan.question, f"{hit.place.title}\n{text}"),
        unnamed=_unnamed(hit, vocabulary),
    )


def _unnamed(hit: Hit, vocabulary: Vocabulary) -> float:
    """What alarm E-415 means no page on E-405 tells, however alike they are. Parts of an identifier don't name it."""
    named = [term.text in hit.weights for term in vocabulary.terms if _NUMBERED.search(term.text) and _is_whole(term)]
    return named.count(False) / len(named) if named else 0.0


def _is_whole(term: Term) -> bool:
    return term.text == term.word.casefold()


_NUMBERED = re.compile(r"\d")


def _foreign_part(hit: Hit, plan: Plan, text: str) -> float:
    if hit.cosine is None:
        return 0.0
    return unshared(plan.scripts, shares_of(text)) if plan.terms else 1.0


def confidence(hit: Hit, gate: Gate, reading: Reading) -> float:
    """Calibrated probability that a candidate answers, in [0, 1]."""
    cosine, foreign = hit.cosine or 0.0, reading.foreign
    native = gate.bias + gate.lexical * hit.lexical + gate.coverage * hit.coverage + gate.cosine * cosine
    odds = (1 - foreign) * native + foreign * (gate.foreign_bias + gate.foreign_meaning * (hit.meaning or 0.0))
    odds -= gate.lacking * bool(reading.lacking) + gate.unnamed * reading.unnamed
    return round(1 / (1 + math.exp(-odds)), CONFIDENCE_DIGITS)


def judge(
    ranked: Sequence[Ranked], confidences: Sequence[float], readings: Sequence[Reading], vocabulary: Vocabulary
) -> Judgement:
    """Whether the best candidates are likely enough to answer, and why."""
    if not ranked:
        return Judgement("no-confident-match", "Nothing here matches the question.")
    best = max(range(min(JUDGED, len(ranked))), key=lambda place: confidences[place])
    found = words_of(ranked[best].hit, vocabulary)
    if confidences[best] >= THRESHOLD:
        return Judgement("ok", " ".join([f"{ranked[best].path} {found}.", *conflicts(ranked)]))
    missing = f"{_missing(ranked[:JUDGED], vocabulary)}{_lacking(readings[:JUDGED])}"
    reason = f"The nearest page, {ranked[best].path}, {found}{missing}."
    return Judgement("no-confident-match", reason)


def words_of(hit: Hit, vocabulary: Vocabulary) -> str:
    """What the candidate holds of the question, as the end of a sentence."""
    held = [term.text for term in vocabulary.terms if term.text in hit.weights]
    if not held:
        return "holds none of the question's words" if hit.cosine is None else "is near in meaning, without its words"
    return f"holds {len(held)} of {len(vocabulary.terms)} terms of the question ({hit.coverage:.0%} of its weight)"


def conflicts(ranked: Sequence[Ranked]) -> list[str]:
    """A sentence for each outdated page that speaks of the same as the best current one."""
    current = next((item for item in ranked if not item.yields), None)
    if current is None:
        return [f"{ranked[0].path} is {outdated(ranked[0])}, and no current page answers."]
    return [
        f"{item.path} speaks of the same but is {outdated(item)}: it may conflict."
        for item in ranked[:JUDGED]
        if item.yields and item.relevance >= CONFLICT_SHARE * current.relevance
    ]


CONFLICT_SHARE = 0.7
"""An outdated page conflicts when at least this share of the current page's relevance speaks for it."""


def outdated(item: Ranked) -> str:
    return " and ".join(["deprecated"] * item.deprecated + ["stale"] * item.stale)


def _lacking(readings: Sequence[Reading]) -> str:
    """What is asked for, where none of these has anything of the kind, as the end of a sentence."""
    kind = readings[0].lacking
    return f"; no {kind} stands in it" if kind and all(reading.lacking for reading in readings) else ""


def _missing(ranked: Sequence[Ranked], vocabulary: Vocabulary) -> str:
    """The question's rarest words that none of these holds, as the end of a sentence."""
    absent = [term for term in vocabulary.terms if not any(term.text in item.hit.weights for item in ranked)]
    rarest = list(dict.fromkeys(term.word for term in sorted(absent, key=lambda term: -term.idf)))[:NAMED]
    return f"; none near it has {', '.join(map(repr, rarest))}" if rarest else ""
