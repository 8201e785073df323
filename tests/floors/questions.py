"""The labelled questions over the handbook, and what their answers are worth. PROTOCOL.md says how they were made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import yaml

from okf_edge.retrieval.answer import Answer

Split = Literal["dev", "test"]
SPLITS: tuple[Split, ...] = ("dev", "test")
DEPTH = 10


@dataclass(frozen=True, slots=True)
class Question:
    """One question; `expect` names the pages that answer it, none when the handbook does not answer it."""

    id: str
    kind: str
    lang: str
    text: str
    expect: frozenset[str]


@dataclass(frozen=True, slots=True)
class Figures:
    """Of answerable questions: `recall` (R@10) and `mrr` of the ranking whatever the verdict, and the share `kept`.

    Of the others: the share `refused`.
    """

    recall: float
    mrr: float
    kept: float
    refused: float

    def __str__(self) -> str:
        return f"R@10 {self.recall:.3f}, MRR {self.mrr:.3f}, kept {self.kept:.3f}, refused {self.refused:.3f}"


def questions(split: Split) -> tuple[Question, ...]:
    raw = yaml.safe_load(Path(__file__).with_name(f"questions-{split}.yaml").read_text(encoding="utf-8"))
    return tuple(Question(q["id"], q["kind"], q["lang"], q["question"], frozenset(q["expect"])) for q in raw)


def rank_of(question: Question, answer: Answer) -> int:
    """The rank of the first page that answers, from 1; 0 when there is none in the first ten."""
    shown = (answer.candidates or answer.near)[:DEPTH]
    return next((rank for rank, place in enumerate(shown, 1) if place.path in question.expect), 0)


def figures_of(asked: Sequence[Question], answers: Mapping[str, Answer]) -> Figures:
    answerable = [question for question in asked if question.expect]
    others = [question for question in asked if not question.expect]
    ranks = [rank_of(question, answers[question.id]) for question in answerable]
    return Figures(
        recall=_mean([rank > 0 for rank in ranks]),
        mrr=_mean([1 / rank if rank else 0.0 for rank in ranks]),
        kept=_mean([answers[question.id].verdict == "ok" for question in answerable]),
        refused=_mean([answers[question.id].verdict != "ok" for question in others]),
    )


def misses(asked: Sequence[Question], answers: Mapping[str, Answer]) -> list[str]:
    """For whoever looks into a fall of the development half: each question that went wrong, and how."""
    return [
        f"{question.id} {question.kind} {question.text!r}: rank {rank_of(question, answers[question.id])}, "
        f"{answers[question.id].verdict}"
        for question in asked
        if (answers[question.id].verdict == "ok") != bool(question.expect)
        or (question.expect and not rank_of(question, answers[question.id]))
    ]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
