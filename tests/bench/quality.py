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
from collections.abc import Iterator, Mapping, Sequence
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
Way = Means | Literal["by ranks"]
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
    """One set, or all questions of one language, searched by one means. `lead` is what hybrid search is ahead of it in
    nDCG@10."""

    name: str
    embedder: str
    means: Way
    questions: int
    ndcg: Measure
    recall: Measure
    mrr: Measure
    answerable_refused: int
    unanswerable: int
    unanswerable_refused: int
    lead: metrics.Lead | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """One question by one means: the measures of its ranking, None where nothing answers, and whether it is refused."""

    language: str
    ndcg: float | None
    recall: float | None
    mrr: float | None
    refused: bool


ByWay = Mapping[Way, Sequence[Judged]]
"""The same questions in the same order by each means."""


async def judged(data: RetrievalSet, means: Sequence[Means], models: Models, half: int | None = None) -> ByWay:
    """Every question by every means; of one half of them where `half` is 0 (development) or 1 (test)."""
    questions = data.questions if half is None else sets.halves(data.questions)[half]
    async with indexed(data.notes, models, data.embedder) as product:
        answers = {one: [await product.ask(request_of(question, one)) for question in questions] for one in means}
    found: dict[Way, list[Judged]] = {one: judgements(data.name, questions, each) for one, each in answers.items()}
    if "lexical" in answers and "dense" in answers:
        pairs = zip(questions, answers["lexical"], answers["dense"], strict=True)
        found["by ranks"] = [judge(data.name, one, by_ranks(ranking(a), ranking(b)), False) for one, a, b in pairs]
    return found


def by_ranks(*rankings: Sequence[str]) -> list[str]:
    """Reciprocal rank fusion of the first tens: what many tools do."""
    scores: dict[str, float] = {}
    for paths in rankings:
        for place, path in enumerate(paths, 1):
            scores[path] = scores.get(path, 0.0) + 1 / (RANK_CONSTANT + place)
    return sorted(scores, key=lambda path: (-scores[path], path))


def judgements(name: str, questions: Sequence[Question], answers: Sequence[Answer]) -> list[Judged]:
    """Each answer to its question."""
    asked = zip(questions, answers, strict=True)
    return [judge(name, question, ranking(answer), answer.verdict != "ok") for question, answer in asked]


def judge(name: str, question: Question, paths: Sequence[str], refused: bool) -> Judged:
    language, grades = sets.language_of(name, question), question.grades
    if not grades:
        return Judged(language, None, None, None, refused)
    found = (measure(paths, grades) for measure in (metrics.ndcg, metrics.recall, metrics.reciprocal_rank))
    return Judged(language, *found, refused)


def rows_of(name: str, embedder: str, found: ByWay) -> list[Row]:
    """A row for each means, with the lead of hybrid search over the others."""
    rows = [_row(name, embedder, way, each) for way, each in found.items()]
    ours = found.get("hybrid")
    return [row if row.means == "hybrid" or not ours else _led(row, ours, found[row.means]) for row in rows]


def by_language(found: Sequence[ByWay]) -> Iterator[tuple[str, ByWay]]:
    """The questions of all sets, by language."""
    languages = dict.fromkeys(one.language for each in found for asked in each.values() for one in asked)
    for language in languages:
        yield (
            language,
            {way: [one for each in found for one in each.get(way, ()) if one.language == language] for way in found[0]},
        )


def ndcgs(asked: Sequence[Judged]) -> list[float]:
    """nDCG@10 of each question that something answers."""
    return [one.ndcg for one in asked if one.ndcg is not None]


def _led(row: Row, ours: Sequence[Judged], others: Sequence[Judged]) -> Row:
    return replace(row, lead=metrics.lead(ndcgs(ours), ndcgs(others)))


def request_of(question: Question, means: Means) -> SearchRequest:
    """A question as a request by one means."""
    return SearchRequest(question.text, k=10, lexical=means != "dense", dense=means != "lexical")


def _row(name: str, embedder: str, means: Way, asked: Sequence[Judged]) -> Row:
    answerable = [one for one in asked if one.ndcg is not None]
    return Row(
        name=name,
        embedder=embedder,
        means=means,
        questions=len(asked),
        ndcg=measured(ndcgs(asked)),
        recall=measured([one.recall for one in asked if one.recall is not None]),
        mrr=measured([one.mrr for one in asked if one.mrr is not None]),
        answerable_refused=sum(one.refused for one in answerable),
        unanswerable=len(asked) - len(answerable),
        unanswerable_refused=sum(one.refused for one in asked if one.ndcg is None),
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


async def _run(names: Sequence[str], means: Sequence[Means], half: int | None) -> tuple[list[Row], list[Row]]:
    """The rows of the sets, and those of the languages."""
    models = CachedModels(compose.shelf(), BUILD / "bench-cache")
    rows, found = [], []
    for name in names:
        data = sets.load(name)
        found.append(await judged(data, means, models, half))
        rows += rows_of(name, data.embedder, found[-1])
        print(shown(rows[-len(found[-1]) :]), flush=True)
    return rows, [row for language, each in by_language(found) for row in rows_of(language, "as its sets", each)]


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
    rows, languages = asyncio.run(_run(given.sets, given.means, half))
    given.json.parent.mkdir(parents=True, exist_ok=True)
    for path, kept in ((given.json, rows), (given.json.with_name("languages.json"), languages)):
        path.write_text(json.dumps([asdict(row) for row in kept], indent=2), "utf-8")
    print(shown([*rows, *languages]))
    return int(any(map(is_low, rows)))


if __name__ == "__main__":
    raise SystemExit(main())
