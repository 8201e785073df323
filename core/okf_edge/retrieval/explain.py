"""The trace of one query: how long each step took, and, when it is asked for, what each step decided."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from okf_edge.ports import Clock
from okf_edge.retrieval.fuse import Ranked
from okf_edge.retrieval.gate import Judgement, Reading
from okf_edge.retrieval.lexical import Vocabulary
from okf_edge.retrieval.meaning import Questions
from okf_edge.retrieval.plan import Plan
from okf_edge.retrieval.pool import Found
from okf_edge.retrieval.scope import Scope

TIMING_DIGITS = 3
SCORE_DIGITS = 6
"""Beyond them a sum depends on the order of its parts."""

LISTED = 20
"""Chunks and concepts that a step of the trace lists at most."""


class Trace:
    """Collects milliseconds by step, and details by step when `wanted`."""

    def __init__(self, clock: Clock, wanted: bool) -> None:
        self._clock, self._wanted = clock, wanted
        self._start = self._last = clock.monotonic()
        self._milliseconds: dict[str, float] = {}
        self._details: dict[str, Any] = {}

    def step(self, name: str, details: Callable[[], Any]) -> None:
        """The step that just ended; `details` is only called when the trace is wanted."""
        now = self._clock.monotonic()
        self._milliseconds[name] = _milliseconds(now - self._last)
        if self._wanted:
            self._details[name] = details()
        self._last = self._clock.monotonic()

    @property
    def timings(self) -> dict[str, float]:
        return {**self._milliseconds, "total": _milliseconds(self._last - self._start)}

    @property
    def explain(self) -> dict[str, Any] | None:
        return self._details if self._wanted else None


def _milliseconds(seconds: float) -> float:
    return round(max(seconds, 0.0) * 1000, TIMING_DIGITS)


def plan(asked: Plan, vocabulary: Vocabulary, scopes: Sequence[Scope]) -> dict[str, Any]:
    return {
        "scripts": asked.scripts,
        "terms": [{"term": term.text, "df": term.df, "idf": round(term.idf, 3)} for term in vocabulary.terms],
        "dropped": list(vocabulary.dropped),
        "sources": [
            {
                "kb": scope.source.kb,
                "bundle": scope.source.bundle,
                "chunks": scope.chunks,
                "embedder": scope.source.embedder,
            }
            for scope in scopes
            if scope.chunks
        ],
    }


def found(scopes: Sequence[Scope], by_source: Sequence[Sequence[Found]]) -> list[dict[str, Any]]:
    """How many passages each source gave, and the scores of the best.

    Their numbers in the index would tell how many lie between them, hidden ones too; so would a source without any.
    """
    return [
        {
            "source": scope.source.alias,
            "found": len(part),
            "best": [round(score, SCORE_DIGITS) for _, _, score in part[:LISTED]],
        }
        for scope, part in zip(scopes, by_source, strict=True)
        if scope.chunks
    ]


def questions(asked: Questions) -> dict[str, Any]:
    return {"embedders": [model for model, _ in asked.by_identity], "notes": list(asked.notes)}


def credits(lent: Mapping[str, tuple[float, str]]) -> dict[str, Any]:
    return {path: {"credit": round(credit, 4), "from": lender} for path, (credit, lender) in lent.items()}


def ranking(ranked: Sequence[Ranked]) -> list[dict[str, Any]]:
    return [
        {
            "path": item.path,
            "score": item.score,
            "lexical": round(item.hit.lexical, 4),
            "presumed": round(item.hit.presumed, 4),
            "coverage": round(item.hit.coverage, 4),
            "cosine": item.hit.cosine,
            "meaning": item.hit.meaning,
            "weight": item.hit.weight,
            "credit": round(item.credit, 4),
            "deprecated": item.deprecated,
            "stale": item.stale,
            "terms": dict(item.hit.weights),
        }
        for item in ranked[:LISTED]
    ]


def gate(
    judgement: Judgement, shown: Sequence[Ranked], confidences: Sequence[float], readings: Sequence[Reading]
) -> dict[str, Any]:
    judged = [
        {
            "path": item.path,
            "confidence": confidence,
            "foreign": round(read.foreign, 3),
            "lacking": read.lacking,
            "unnamed": round(read.unnamed, 3),
        }
        for item, confidence, read in zip(shown, confidences, readings, strict=True)
    ]
    return {"verdict": judgement.verdict, "judged": judged}
