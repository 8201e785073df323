"""Step 6, gate: how likely each candidate answers, and whether the best of them is likely enough to show any.

Rules:
1. A candidate is judged by itself: its words, their coverage of the question and its cosine. So a long or stuffed page
   that ranks high can't cause a refusal when a page below it matches.
2. Where question and content share no script, words say nothing and the cosine decides alone.
3. A missing index is an error elsewhere, never a refusal here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from okf_edge.retrieval.answer import Verdict
from okf_edge.retrieval.calibration import Gate
from okf_edge.retrieval.fuse import Hit, Ranked
from okf_edge.retrieval.lexical import Vocabulary
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


def foreign_part(hit: Hit, plan: Plan, text: str) -> float:
    """The part of the question about which words say nothing: what is in scripts that the candidate's text lacks.

    All of it in a search by meaning alone; nothing without a vector, since then there is nothing else to go by.
    """
    if hit.cosine is None:
        return 0.0
    return unshared(plan.scripts, shares_of(text)) if plan.terms else 1.0


def confidence(hit: Hit, gate: Gate, foreign: float) -> float:
    """Calibrated probability that a candidate answers, in [0, 1]."""
    cosine = hit.cosine or 0.0
    native = gate.bias + gate.lexical * hit.lexical + gate.coverage * hit.coverage + gate.cosine * cosine
    odds = (1 - foreign) * native + foreign * (gate.foreign_bias + gate.foreign_meaning * (hit.meaning or 0.0))
    return round(1 / (1 + math.exp(-odds)), CONFIDENCE_DIGITS)


def judge(ranked: Sequence[Ranked], confidences: Sequence[float], vocabulary: Vocabulary) -> Judgement:
    """Whether the best candidates are likely enough to answer, and why."""
    if not ranked:
        return Judgement("no-confident-match", "Nothing here matches the question.")
    best = max(range(min(JUDGED, len(ranked))), key=lambda place: confidences[place])
    found = words_of(ranked[best].hit, vocabulary)
    if confidences[best] >= THRESHOLD:
        return Judgement("ok", " ".join([f"{ranked[best].path} {found}.", *conflicts(ranked)]))
    reason = f"The nearest page, {ranked[best].path}, {found}{_missing(ranked[:JUDGED], vocabulary)}."
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


def _missing(ranked: Sequence[Ranked], vocabulary: Vocabulary) -> str:
    """The question's rarest words that none of these holds, as the end of a sentence."""
    absent = [term for term in vocabulary.terms if not any(term.text in item.hit.weights for item in ranked)]
    rarest = list(dict.fromkeys(term.word for term in sorted(absent, key=lambda term: -term.idf)))[:NAMED]
    return f"; none near it has {', '.join(map(repr, rarest))}" if rarest else ""
