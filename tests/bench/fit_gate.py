"""Fits the gate's coefficients: `python -m tests.bench.fit_gate`. Never on pulseboard, which judges them.

Questions of the public sets are asked of worlds: of the whole set, and of small folders of its notes, for people keep
folders of every size and most are on few subjects. A question is one of four kinds: answerable; off-topic, from a set
on other matters in the same language; removed, whose relevant notes are masked while near-topic notes stay; absent, of
the same set, but whose relevant notes are not in this folder. The three kinds without an answer weigh alike, together
as much as the answerable, and so do worlds.

A relevant candidate of an answerable question counts as answering; every candidate of an unanswerable question counts
as not. What is not judged relevant to an answerable question is left out, since the sets judge few notes and others
answer too. Coefficients below zero are held at zero: more evidence never lowers a confidence.

Prints the coefficients for `retrieval/calibration.py`, fitted on all sets, and, for each set, how the gate does on it
when fitted on the others.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from okf_edge.retrieval.answer import Answer
from okf_edge.retrieval.request import SearchRequest
from okf_edge_native.models.shelf import ModelShelf
from tests.bench import sets
from tests.bench.cached_vectors import CachedModels
from tests.bench.product import Product, indexed
from tests.bench.quality import BUILD
from tests.bench.sets import Question

QUESTIONS = 200
"""Of each kind, asked of one world."""

SMALL_WORLDS = 3
SMALL_NOTES = 120
JUDGED = 5
OFF_TOPIC = {
    "xquad_en": ("cranfield", "scifact"),
    "cranfield": ("xquad_en", "scifact"),
    "scifact": ("xquad_en", "cranfield"),
    "xquad_zh": ("cmrc_zh",),
    "cmrc_zh": ("xquad_zh",),
    "xquad_zh2en": ("cmrc_zh",),
}
UNDERJUDGED = ("cranfield",)
"""Sets whose judgements miss so many relevant notes that a question stays answerable without those that are judged."""

Features = tuple[float, float, float]
"""Lexical score, coverage, cosine."""


@dataclass(frozen=True, slots=True)
class Case:
    """One question asked of one world. `relevant` says of each candidate whether it answers."""

    world: str
    kind: str
    features: tuple[Features, ...]
    relevant: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Fit:
    """What is fitted together: sets, searched with one model (empty: by words alone), and the features used.

    `whole` names those of the sets that are asked as a whole too, beside the small worlds.
    """

    name: str
    model: str
    sets: tuple[str, ...]
    whole: tuple[str, ...]
    used: tuple[int, ...]


ENGLISH, CHINESE = ("xquad_en", "scifact", "cranfield"), ("xquad_zh", "cmrc_zh")
FITS = (
    Fit("minilm-l6", "minilm-l6", ENGLISH, ENGLISH, (0, 1, 2)),
    Fit("e5-small-cjk", "e5-small-cjk", (*ENGLISH, *CHINESE), ("xquad_en", *CHINESE), (0, 1, 2)),
    Fit("e5-small-cjk, foreign", "e5-small-cjk", ("xquad_zh2en",), ("xquad_zh2en",), (2,)),
    Fit("words alone", "", (*ENGLISH, *CHINESE), (*ENGLISH, *CHINESE), (0, 1)),
)


@dataclass(frozen=True, slots=True)
class World:
    """A folder of notes and what is asked of it, by kind."""

    name: str
    notes: dict[str, bytes]
    asked: dict[str, tuple[Question, ...]]


def worlds_of(name: str, *, whole: bool) -> Iterator[World]:
    """The set as a whole, where that is wanted, and small folders of it."""
    data, chance = sets.load(name), random.Random(name)
    others = [question for other in OFF_TOPIC[name] for question in sets.load(other).questions]
    if whole:
        own = _some(chance, data.questions)
        removed = () if name in UNDERJUDGED else own
        yield World(name, data.notes, {"answerable": own, "removed": removed, "off-topic": _some(chance, others)})
    for number in range(SMALL_WORLDS):
        kept = _neighbourhood(chance, sorted(data.notes))
        inside = [question for question in data.questions if kept & set(question.grades)]
        outside = [question for question in data.questions if not kept & set(question.grades)]
        own = _some(chance, inside)
        asked = {"answerable": own, "absent": _some(chance, outside), "off-topic": _some(chance, others)}
        if name not in UNDERJUDGED:
            asked["removed"] = own
        yield World(f"{name}-{number}", {path: data.notes[path] for path in kept}, asked)


def _neighbourhood(chance: random.Random, paths: Sequence[str]) -> set[str]:
    """Notes that follow one another in the set, since neighbours are often on one subject."""
    start = chance.randrange(max(1, len(paths) - SMALL_NOTES))
    return set(paths[start : start + SMALL_NOTES])


def _some(chance: random.Random, questions: Sequence[Question]) -> tuple[Question, ...]:
    return tuple(chance.sample(list(questions), min(QUESTIONS, len(questions))))


async def cases_of(name: str, model: str, models: CachedModels, *, whole: bool) -> list[Case]:
    """Every question that is asked of every world of a set."""
    return [case for world in worlds_of(name, whole=whole) for case in await _cases_of(world, model, models)]


async def _cases_of(world: World, model: str, models: CachedModels) -> list[Case]:
    async with indexed(world.notes, models, model) as product:
        rows = await product.engine.query(f"SELECT path, number FROM {product.source.alias}.concept")
        numbers = {str(path): int(number or 0) for path, number in rows}
        cases = []
        for kind, questions in world.asked.items():
            for question in questions:
                gone = {numbers[path] for path in question.grades if path in numbers} if kind == "removed" else set()
                asked = replace(product, source=replace(product.source, masked=frozenset(gone)))
                grades = question.grades if kind == "answerable" else {}
                cases.append(await _case(asked, world.name, kind, question.text, grades))
        return cases


async def _case(product: Product, world: str, kind: str, question: str, grades: Mapping[str, int]) -> Case:
    answer = await product.ask(SearchRequest(question, k=JUDGED, explain=True))
    judged = list(_judged(answer))
    return Case(
        world,
        kind,
        tuple((item["lexical"], item["coverage"], item["cosine"] or 0.0) for item in judged),
        tuple(item["path"] in grades for item in judged),
    )


def _judged(answer: Answer) -> Iterator[dict[str, Any]]:
    """The first candidates, with what the trace says of them."""
    assert answer.explain is not None
    ranked = {item["path"]: item for item in answer.explain["fuse"]}
    for item in answer.explain["gate"]["judged"][:JUDGED]:
        yield {**ranked[item["path"]], **item}


def logistic(cases: Mapping[str, Sequence[Case]], used: Sequence[int]) -> NDArray[np.float64]:
    """Bias and one coefficient per used feature, none below zero; sets weigh alike, and so do the kinds of refusal."""
    rows, labels, weights = _examples(cases, used)
    free = list(range(rows.shape[1]))
    while True:
        solved = np.zeros(rows.shape[1])
        solved[free] = _newton(rows[:, free], labels, weights)
        negative = [at for at in free if at and solved[at] < 0]
        if not negative:
            return solved
        free = [at for at in free if at not in negative]


def _examples(cases: Mapping[str, Sequence[Case]], used: Sequence[int]) -> tuple[NDArray[np.float64], ...]:
    rows, labels, weights = [], [], []
    for known in cases.values():
        counts = Counter((case.world, case.kind) for case in known)
        kinds = Counter(world for world, kind in counts if kind != "answerable")
        for case in known:
            answers = case.kind == "answerable"
            shown = [at for at in range(len(case.features)) if not answers or case.relevant[at]]
            share = (1.0 if answers else 1.0 / kinds[case.world]) / counts[case.world, case.kind] / len(kinds)
            for at in shown:
                rows.append([1.0, *(case.features[at][feature] for feature in used)])
                labels.append(float(answers))
                weights.append(1000 * share / len(shown))
    return np.array(rows), np.array(labels), np.array(weights)


def _newton(
    rows: NDArray[np.float64], labels: NDArray[np.float64], weights: NDArray[np.float64], ridge: float = 0.01
) -> NDArray[np.float64]:
    solved = np.zeros(rows.shape[1])
    penalty = ridge * np.diag([0.0] + [1.0] * (rows.shape[1] - 1))
    for _ in range(60):
        chance = 1 / (1 + np.exp(-np.clip(rows @ solved, -40, 40)))
        slope = rows.T @ (weights * (chance - labels)) + penalty @ solved
        bend = (rows * (weights * chance * (1 - chance))[:, None]).T @ rows + penalty + 1e-9 * np.eye(rows.shape[1])
        solved = solved - np.linalg.solve(bend, slope)
    return solved


def best_confidence(case: Case, solved: NDArray[np.float64], used: Sequence[int]) -> float:
    """The confidence of the best candidate, which carries the verdict."""
    odds = [solved[0] + sum(solved[n] * features[at] for n, at in enumerate(used, 1)) for features in case.features]
    return float(1 / (1 + np.exp(-max(odds, default=-40.0))))


def report(name: str, cases: Sequence[Case], solved: NDArray[np.float64], used: Sequence[int]) -> str:
    by_kind: dict[str, list[float]] = {}
    for case in cases:
        by_kind.setdefault(case.kind, []).append(best_confidence(case, solved, used))
    kept = by_kind.pop("answerable")
    told = [f"{name:12} answerable refused {np.mean(np.array(kept) < 0.5):.3f}"]
    for kind, values in by_kind.items():
        told.append(f"{kind}: refused {np.mean(np.array(values) < 0.5):.3f}, AUROC {auroc(kept, values):.3f}")
    return "; ".join(told)


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    high, low = np.array(positive)[:, None], np.array(negative)[None]
    return float((high > low).mean() + 0.5 * (high == low).mean())


async def _run() -> None:
    models = CachedModels(ModelShelf(BUILD / "models"), BUILD / "bench-cache")
    seen: dict[tuple[str, str], list[Case]] = {}
    for fit in FITS:
        for name in fit.sets:
            if (name, fit.model) not in seen:
                seen[name, fit.model] = await cases_of(name, fit.model, models, whole=name in fit.whole)
        cases = {name: seen[name, fit.model] for name in fit.sets}
        solved = logistic(cases, fit.used)
        print(f"\n{fit.name}: bias {solved[0]:.2f}, coefficients {[round(float(value), 2) for value in solved[1:]]}")
        for name, held in cases.items():
            others = {other: known for other, known in cases.items() if other != name}
            print("  fitted on all   ", report(name, held, solved, fit.used), flush=True)
            if others:
                print("  fitted on others", report(name, held, logistic(others, fit.used), fit.used), flush=True)
    kept = [{"set": name, "model": model, **asdict(case)} for (name, model), known in seen.items() for case in known]
    (BUILD / "bench" / "gate-cases.json").write_text(json.dumps(kept), "utf-8")


if __name__ == "__main__":
    asyncio.run(_run())
