"""Figures of the hard set through the product: `python -m tests.bench.hard.measure [dev|test] [embedder|lexical]`.

`page` is whether the page that answers is among the first ten, `passage` whether its quoted text is in what is shown of
it. `--misses` lists what went wrong; it is refused for the test half.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from types import ModuleType
from typing import Any

from okf_edge.ports import Models
from okf_edge.retrieval import fuse, graph
from okf_edge.retrieval.answer import Answer, Candidate
from okf_edge.retrieval.request import SearchRequest
from okf_edge_native import compose
from tests.bench import metrics
from tests.bench.cached_vectors import CachedModels
from tests.bench.hard.library import Library, library
from tests.bench.hard.questions import ANSWERABLE, HALVES, UNANSWERABLE, Half, HardQuestion, questions
from tests.bench.quality import BUILD, MODES, Means, Measure, measured
from tests.bench.rows import OUT

MODEL = "e5-small-cjk"
LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Asked:
    """One question and what came back: the rank of the page that answers (0: not among the first ten)."""

    question: HardQuestion
    rank: int
    passage: bool
    refused: bool
    confidence: float
    first: str


@dataclass(frozen=True, slots=True)
class Line:
    """Figures of some of the questions. `page`, `passage` and `mrr` are None where nothing answers."""

    name: str
    questions: int
    refused: float
    page: Measure | None
    passage: Measure | None
    mrr: Measure | None


async def ask(asked: Sequence[HardQuestion], means: Means, models: Models, embedder: str = MODEL) -> list[Asked]:
    """Every question asked of the library, by one means."""
    async with library(models, "" if means == "lexical" else embedder) as shelf:
        return await ask_of(shelf, asked, means)


async def ask_of(shelf: Library, asked: Sequence[HardQuestion], means: Means) -> list[Asked]:
    """The same of a library that is open."""
    return [
        _asked(one, await shelf.ask(SearchRequest(one.text, lexical=means != "dense", dense=means != "lexical")))
        for one in asked
    ]


def _found(asked: Sequence[Asked]) -> list[float]:
    return [float(one.rank > 0) for one in asked if one.question.is_answerable]


def _asked(question: HardQuestion, answer: Answer) -> Asked:
    shown = answer.candidates or answer.near
    rank = next((place for place, found in enumerate(shown, 1) if found.path == question.path), 0)
    confidence = max((found.confidence for found in shown[:3]), default=0.0)
    first = shown[0].path if shown else ""
    holds = bool(rank) and _holds(shown[rank - 1], question.quote)
    return Asked(question, rank, holds, answer.verdict != "ok", confidence, first)


def _holds(found: Candidate, quote: str) -> bool:
    return quote in found.text


def lines(asked: Sequence[Asked]) -> list[Line]:
    """All, by kind, and by kind and language."""
    answerable = [one for one in asked if one.question.is_answerable]
    found = [_line("answerable", answerable)]
    found += [_line(lang, [one for one in answerable if one.question.lang == lang]) for lang in LANGUAGES]
    for kind in (*ANSWERABLE, *UNANSWERABLE):
        of_kind = [one for one in asked if one.question.kind == kind]
        found.append(_line(kind, of_kind))
        found += [_line(f"{kind} {lang}", [one for one in of_kind if one.question.lang == lang]) for lang in LANGUAGES]
    return found


def _line(name: str, asked: Sequence[Asked]) -> Line:
    if not all(one.question.is_answerable for one in asked):
        return Line(name, len(asked), metrics.mean([one.refused for one in asked]), None, None, None)

    def over(value: Callable[[Asked], float]) -> Measure:
        return measured([value(one) for one in asked])

    return Line(
        name,
        len(asked),
        metrics.mean([one.refused for one in asked]),
        page=over(lambda one: float(one.rank > 0)),
        passage=over(lambda one: float(one.passage)),
        mrr=over(lambda one: 1 / one.rank if one.rank else 0.0),
    )


def shown(found: Sequence[Line]) -> str:
    told = [f"{'questions':16} {'n':>4}  {'page R@10':22} {'passage':8} {'MRR':6} refused"]
    for line in found:
        figures = " " * 38
        if line.page and line.passage and line.mrr:
            interval = f"{line.page.mean:.3f} [{line.page.low:.3f}, {line.page.high:.3f}]"
            figures = f"{interval:22} {line.passage.mean:<8.3f} {line.mrr.mean:<6.3f}"
        told.append(f"{line.name:16} {line.questions:4}  {figures} {line.refused:.3f}")
    return "\n".join(told)


def misses(asked: Sequence[Asked]) -> list[str]:
    """Of the development half: what was not found, or wrongly refused or answered."""
    return [
        f"{one.question.id} {one.question.kind} {one.question.lang} {one.question.text!r}: rank {one.rank} of "
        f"{one.question.path}, first {one.first}, {'refused' if one.refused else 'ok'} at {one.confidence}"
        for one in asked
        if one.refused == one.question.is_answerable or (one.question.is_answerable and not one.rank)
    ]


LEFT_OUT: Mapping[str, tuple[ModuleType, Mapping[str, float]]] = {
    "without links": (graph, {"LINK_CREDIT": 0.0, "CITATION_CREDIT": 0.0}),
    "without presumption": (fuse, {"PRESUMED_SHARE": 0.0}),
}
"""Steps of the pipeline, each with the constants that take it out."""


@contextmanager
def left_out(step: str) -> Iterator[None]:
    """Within it, searches go without one step."""
    module, constants = LEFT_OUT[step]
    kept = {name: getattr(module, name) for name in constants}
    for name, value in constants.items():
        setattr(module, name, value)
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(module, name, value)


def both_halves() -> int:
    """Both halves by every means and without each step, as JSON for the report."""
    rows = [row for half in HALVES for row in asyncio.run(_half(half))]
    OUT.mkdir(exist_ok=True)
    (OUT / "hard.json").write_text(json.dumps(rows, indent=1), "utf-8")
    return 0


async def _half(half: Half) -> list[dict[str, Any]]:
    """The rows of one half; the first of each means has the lead of hybrid search over it."""
    asked = {}
    async with library(CachedModels(compose.shelf(), BUILD / "bench-cache"), MODEL) as shelf:
        for means in MODES:
            asked[str(means)] = await ask_of(shelf, questions(half), means)
        for step in LEFT_OUT:
            with left_out(step):
                asked[step] = await ask_of(shelf, questions(half), "hybrid")
    rows = []
    for means, found in asked.items():
        own = [{"half": half, "means": means, "lead": None, **asdict(line)} for line in lines(found)]
        if means != "hybrid":
            own[0]["lead"] = asdict(metrics.lead(_found(asked["hybrid"]), _found(found)))
        print(f"{half} {means}\n{shown(lines(found))}", flush=True)
        rows += own
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("half", choices=["dev", "test"])
    parser.add_argument("--means", choices=["hybrid", "lexical", "dense"], default="hybrid")
    parser.add_argument("--misses", action="store_true")
    given = parser.parse_args(arguments)
    if given.misses and given.half == "test":
        parser.error("nobody looks at single questions of the test half")
    half: Half = given.half
    asked = asyncio.run(ask(questions(half), given.means, CachedModels(compose.shelf(), BUILD / "bench-cache")))
    print("\n".join(misses(asked)) if given.misses else "", end="\n" if given.misses else "")
    print(shown(lines(asked)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
