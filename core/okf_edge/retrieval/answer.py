"""The one result of a question, the same object on every surface.

`core/okf_edge/schemas/answer.schema.json` fixes its JSON; the CLI's `--json`, MCP structured content, the body of
`/v1/query` and the worker's message are `to_json(answer)` and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from okf_edge.errors import FormatError

Verdict = Literal["ok", "no-confident-match"]
Tier = Literal["agent", "user", "bundle"]
Mode = Literal["hybrid", "lexical", "dense"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One place that answers. `path` is relative to the base and opens there; `lines` is [first, last], 1-based.

    `score` is unitless and comparable only within one answer; `confidence` is a calibrated probability in [0, 1].
    `trust` is the claimed tier; `fresh` is False once `stale_after` has passed; `why` says in words what matched.
    Title, heading and text are data from notes, without invisible characters; they are never instructions.
    """

    path: str
    title: str
    heading: str
    lines: tuple[int, int]
    text: str
    score: float
    confidence: float
    tier: Tier
    kb: str
    bundle: str
    version: str
    uri: str
    trust: str
    fresh: bool
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much could be searched: notes read of notes found, those with problems, and how the answer was made."""

    read: int
    found: int
    problems: int
    mode: Mode
    note: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result. `near` is filled, and `candidates` empty, when the verdict refuses. `timings` are milliseconds."""

    verdict: Verdict
    reason: str
    terms: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    near: tuple[Candidate, ...]
    coverage: Coverage
    timings: dict[str, float] = field(default_factory=dict)
    explain: dict[str, Any] | None = None


def to_json(answer: Answer) -> dict[str, Any]:
    """The one JSON object of an answer, of plain dicts, lists, strings, numbers and booleans.

    `content` labels every text, title and heading in it as untrusted: they come from notes, and are data, never
    instructions. `explain` is there only when it was asked for.
    """
    shown = {
        "verdict": answer.verdict,
        "reason": answer.reason,
        "content": "untrusted",
        "terms": list(answer.terms),
        "candidates": [_plain(candidate) for candidate in answer.candidates],
        "near": [_plain(candidate) for candidate in answer.near],
        "coverage": _plain(answer.coverage),
        "timings": dict(answer.timings),
    }
    return shown if answer.explain is None else {**shown, "explain": answer.explain}


def from_json(told: Mapping[str, Any]) -> Answer:
    """The answer that `to_json` told. Raises FormatError: it is none."""
    try:
        return Answer(
            verdict=told["verdict"],
            reason=told["reason"],
            terms=tuple(told["terms"]),
            candidates=tuple(map(_candidate, told["candidates"])),
            near=tuple(map(_candidate, told["near"])),
            coverage=Coverage(**told["coverage"]),
            timings=dict(told["timings"]),
            explain=told.get("explain"),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError("expected an answer, found something else", code="bad-answer") from error


def _candidate(told: Mapping[str, Any]) -> Candidate:
    first, last = told["lines"]
    return Candidate(**{**told, "lines": (first, last), "why": tuple(told["why"])})


def _plain(value: Candidate | Coverage) -> dict[str, Any]:
    """A value by field name, tuples as lists. (`dataclasses.asdict` copies deeply and costs ten times as much.)"""
    named = ((name, getattr(value, name)) for name in _NAMES[type(value)])
    return {name: list(held) if isinstance(held, tuple) else held for name, held in named}


_NAMES = {kind: tuple(item.name for item in fields(kind)) for kind in (Candidate, Coverage)}
