"""Quality of the ranking and of refusals on the public sets, through the product: `python -m tests.bench.quality`.

Each document is a note in a folder, with a real index file and the real search. Vectors are computed once and kept in
`.build/bench-cache` by model digest and text. Prints a table and writes JSON. Needs the public corpora beside the
checkout.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from okf_edge.ports import Models
from okf_edge.retrieval.answer import Answer
from okf_edge.retrieval.request import SearchRequest
from okf_edge_native import compose
from tests.bench import metrics, sets
from tests.bench.cached_vectors import CachedModels
from tests.bench.product import indexed
from tests.bench.sets import REPOSITORY, Question, RetrievalSet

BUILD = REPOSITORY / ".build"
Means = Literal["hybrid", "lexical", "dense"]
RANK_CONSTANT = 60
MODES: tuple[Means, ...] = ("hybrid", "lexical", "dense")
FLOORS = {
    "scifact": 0.735,
    "cranfield": 0.41,
    "xquad_en": 0.978,
    "xquad_zh": 0.975,
    "cmrc_zh": 0.988,
    "xquad_zh2en": 0.80,
}
"""nDCG@10 of the hybrid ranking that must hold."""


@dataclass(frozen=True, slots=True)
class Measure:
    """The mean over questions and its 95% bootstrap interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Row:
    """One set, searched by one means. `lead` is what hybrid search is ahead of it in nDCG@10."""

    name: str
    embedder: str
    means: Means | Literal["by ranks"]
    questions: int
    ndcg: Measure
    recall: Measure
    mrr: Measure
    answerable_refused: int
    unanswerable: int
    unanswerable_refused: int
    lead: metrics.Lead | None = None


async def measure(data: RetrievalSet, means: Sequence[Means], models: Models, half: int | None = None) -> list[Row]:
    """One row for each means; of one half of the questions where `half` is 0 (development) or 1 (test)."""
    questions = data.questions if half is None else sets.halves(data.questions)[half]
    async with indexed(data.notes, models, data.embedder) as product:
        answers = {one: [await product.ask(request_of(question, one)) for question in questions] for one in means}
    rows = [_row(data, one, questions, found) for one, found in answers.items()]
    by_means = {one: _ndcgs(questions, list(map(ranking, found))) for one, found in answers.items()}
    if "lexical" in answers and "dense" in answers:
        joined = [by_ranks(ranking(a), ranking(b)) for a, b in zip(answers["lexical"], answers["dense"], strict=True)]
        rows.append(_fused(rows[0], questions, joined))
        by_means["by ranks"] = _ndcgs(questions, joined)
    ours = by_means.get("hybrid")
    return [row if row.means == "hybrid" or not ours else _led(row, ours, by_means[row.means]) for row in rows]


def by_ranks(*rankings: Sequence[str]) -> list[str]:
    """Reciprocal rank fusion of the first tens: what many tools do."""
    scores: dict[str, float] = {}
    for paths in rankings:
        for place, path in enumerate(paths, 1):
            scores[path] = scores.get(path, 0.0) + 1 / (RANK_CONSTANT + place)
    return sorted(scores, key=lambda path: (-scores[path], path))


def _ndcgs(questions: Sequence[Question], rankings: Sequence[Sequence[str]]) -> list[float]:
    return [metrics.ndcg(paths, one.grades) for one, paths in zip(questions, rankings, strict=True) if one.grades]


def _fused(row: Row, questions: Sequence[Question], rankings: Sequence[Sequence[str]]) -> Row:
    ranked = [(one.grades, paths) for one, paths in zip(questions, rankings, strict=True) if one.grades]
    return replace(
        row,
        means="by ranks",
        ndcg=measured([metrics.ndcg(paths, grades) for grades, paths in ranked]),
        recall=measured([metrics.recall(paths, grades) for grades, paths in ranked]),
        mrr=measured([metrics.reciprocal_rank(paths, grades) for grades, paths in ranked]),
        answerable_refused=0,
        unanswerable_refused=0,
    )


def _led(row: Row, ours: Sequence[float], others: Sequence[float]) -> Row:
    return replace(row, lead=metrics.lead(ours, others))


def request_of(question: Question, means: Means) -> SearchRequest:
    """A question as a request by one means."""
    return SearchRequest(question.text, k=10, lexical=means != "dense", dense=means != "lexical")


def _row(data: RetrievalSet, means: Means, questions: Sequence[Question], answers: Sequence[Answer]) -> Row:
    asked = list(zip(questions, answers, strict=True))
    ranked = [(question.grades, ranking(answer)) for question, answer in asked if question.grades]
    refused = [(bool(question.grades), answer.verdict != "ok") for question, answer in asked]
    return Row(
        name=data.name,
        embedder=data.embedder,
        means=means,
        questions=len(questions),
        ndcg=measured([metrics.ndcg(paths, grades) for grades, paths in ranked]),
        recall=measured([metrics.recall(paths, grades) for grades, paths in ranked]),
        mrr=measured([metrics.reciprocal_rank(paths, grades) for grades, paths in ranked]),
        answerable_refused=sum(answerable and no for answerable, no in refused),
        unanswerable=sum(not answerable for answerable, _ in refused),
        unanswerable_refused=sum(not answerable and no for answerable, no in refused),
    )


def ranking(answer: Answer) -> list[str]:
    """Paths as they rank, whatever the verdict."""
    return [candidate.path for candidate in answer.candidates or answer.near]


def measured(values: Sequence[float]) -> Measure:
    """The mean and its interval."""
    return Measure(metrics.mean(values), *metrics.interval(values))


def shown(rows: Sequence[Row]) -> str:
    lines = [f"{'set':12} {'means':8} {'embedder':13} {'nDCG@10':23} R@10   MRR@10  refused: answerable, unanswerable"]
    for row in rows:
        interval = f"{row.ndcg.mean:.4f} [{row.ndcg.low:.3f}, {row.ndcg.high:.3f}]"
        refused = f"{row.answerable_refused} of {row.questions - row.unanswerable}"
        refused += f", {row.unanswerable_refused} of {row.unanswerable}"
        if row.lead:
            refused += (
                f"; hybrid {row.lead.mean:+.3f} [{row.lead.low:+.3f}, {row.lead.high:+.3f}] p={row.lead.chance:.3f}"
            )
        lines.append(
            f"{row.name:12} {row.means:8} {row.embedder:13} {interval:23} {row.recall.mean:.3f}  {row.mrr.mean:.3f}   "
            f"{refused}{'  below the floor' if is_low(row) else ''}"
        )
    return "\n".join(lines)


def is_low(row: Row) -> bool:
    """Whether a hybrid ranking is below its floor."""
    return row.means == "hybrid" and row.ndcg.mean < FLOORS.get(row.name, 0)


async def _run(names: Sequence[str], means: Sequence[Means], half: int | None) -> list[Row]:
    models = CachedModels(compose.shelf(), BUILD / "bench-cache")
    rows: list[Row] = []
    for name in names:
        found = await measure(sets.load(name), means, models, half)
        print(shown(found), flush=True)
        rows += found
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=sets.names(), help=f"of {', '.join(sets.names())}")
    parser.add_argument("--means", nargs="*", choices=MODES, default=list(MODES))
    parser.add_argument("--half", choices=["development", "test"], help="one half of the questions only")
    parser.add_argument("--json", type=Path, default=BUILD / "bench" / "quality.json")
    given = parser.parse_args(arguments)
    if not sets.CORPORA.is_dir():
        print(f"expected the public corpora at {sets.CORPORA}, found none", file=sys.stderr)
        return 2
    half = {"development": 0, "test": 1}.get(given.half)
    rows = asyncio.run(_run(given.sets, given.means, half))
    given.json.parent.mkdir(parents=True, exist_ok=True)
    given.json.write_text(json.dumps([asdict(row) for row in rows], indent=2), "utf-8")
    print(shown(rows))
    return int(any(map(is_low, rows)))


if __name__ == "__main__":
    raise SystemExit(main())
