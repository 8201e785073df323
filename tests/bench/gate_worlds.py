"""Folders of notes in which it is known what can be answered, and what the product sees in each question to them.

A world is a whole public set, a small folder of its notes, the handbook, or the hard set: people keep folders of every
size, and most are on few subjects. A question is of one of five kinds: answerable; off-topic, on other matters in the
same language; removed, whose relevant notes are masked while near-topic notes stay; absent, of the same set, but whose
relevant notes are not in this folder; near-miss, written so that the subject is there and what is asked is not.

Of the handbook and of the hard set only the development half of their questions is asked. Pulseboard is no world: it
judges.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from okf_edge.retrieval.answer import Answer
from okf_edge.retrieval.gate import JUDGED
from okf_edge.retrieval.request import SearchRequest
from okf_edge.retrieval.source import Source
from tests.bench import sets
from tests.bench.cached_vectors import CachedModels
from tests.bench.hard import questions as hard
from tests.bench.hard.library import Library, library
from tests.bench.hard.questions import HardQuestion
from tests.bench.product import Product, indexed
from tests.bench.sets import Question
from tests.floors import questions as floors
from tests.floors.handbook import ROOT

HANDBOOK, HARD = "handbook", "hard"
QUESTIONS = 40
"""Of each kind, asked of one world."""

SMALL_WORLDS = 3
SMALL_NOTES = 120
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


@dataclass(frozen=True, slots=True)
class Sight:
    """What the product sees in one candidate, and whether that answers."""

    lexical: float
    coverage: float
    cosine: float
    meaning: float
    foreign: float
    lacking: bool
    unnamed: float
    answers: bool


@dataclass(frozen=True, slots=True)
class Case:
    """One question asked of one world, and its first candidates."""

    world: str
    kind: str
    text: str
    seen: tuple[Sight, ...]

    @property
    def is_answerable(self) -> bool:
        return self.kind == "answerable"


@dataclass(frozen=True, slots=True)
class World:
    """A folder of notes and what is asked of it, by kind."""

    name: str
    notes: dict[str, bytes]
    asked: dict[str, tuple[Question, ...]]


async def cases_of(name: str, model: str, models: CachedModels, *, whole: bool) -> list[Case]:
    """Every question that is asked of every world of a set, searched with one model (empty: by words alone)."""
    if name == HARD:
        return await hard_cases(model, models)
    worlds = [_handbook(model)] if name == HANDBOOK else worlds_of(name, whole=whole)
    return [case for world in worlds for case in await _cases_of(world, model, models)]


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


def _handbook(model: str, split: floors.Split = "dev") -> World:
    """The handbook; a model of English alone is asked in English only."""
    notes = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in sorted(ROOT.rglob("*.md"))}
    asked: dict[str, tuple[Question, ...]] = {}
    for question in floors.questions(split):
        if model != "minilm-l6" or question.lang == "en":
            kind = "answerable" if question.expect else question.kind
            known = Question(question.id, question.text, dict.fromkeys(question.expect, 1))
            asked[kind] = (*asked.get(kind, ()), known)
    return World(HANDBOOK, notes, asked)


async def hard_cases(model: str, models: CachedModels, half: hard.Half = "dev") -> list[Case]:
    """The questions of one half of the hard set; a model of English alone is asked what is English throughout."""
    asked = [
        one for one in hard.questions(half) if model != "minilm-l6" or (one.lang == "en" and "/zh/" not in one.path)
    ]
    async with library(models, model) as shelf:
        cases = [await _hard_case(shelf, one, one.kind, shelf.sources) for one in asked]
        for one in asked:
            if one.is_answerable:
                cases.append(await _hard_case(shelf, one, "removed", await _without(shelf, one.path)))
        return cases


async def _hard_case(shelf: Library, one: HardQuestion, kind: str, sources: tuple[Source, ...]) -> Case:
    answers = one.is_answerable and kind != "removed"
    answer = await shelf.ask(SearchRequest(one.text, k=JUDGED, explain=True), sources)
    return Case(HARD, "answerable" if answers else kind, one.text, _sights(answer, {one.path} if answers else ()))


async def _without(shelf: Library, path: str) -> tuple[Source, ...]:
    """The sources, one page masked."""
    bundle, _, name = path.partition("/")
    [(number,)] = await shelf.engine.query(f"SELECT number FROM {bundle}.concept WHERE path = ?", (name,))
    gone = frozenset({int(number or 0)})
    return tuple(replace(each, masked=gone) if each.bundle == bundle else each for each in shelf.sources)


async def _cases_of(world: World, model: str, models: CachedModels) -> list[Case]:
    async with indexed(world.notes, models, model) as product:
        rows = await product.engine.query(f"SELECT path, number FROM {product.source.alias}.concept")
        numbers = {str(path): int(number or 0) for path, number in rows}
        cases = []
        for kind, questions in world.asked.items():
            for question in questions:
                gone = {numbers[path] for path in question.grades if path in numbers} if kind == "removed" else set()
                asked = replace(product, source=replace(product.source, masked=frozenset(gone)))
                seen = await _seen(asked, question.text, question.grades if kind == "answerable" else {})
                cases.append(Case(world.name, kind, question.text, seen))
        return cases


async def _seen(product: Product, question: str, grades: Mapping[str, int]) -> tuple[Sight, ...]:
    return _sights(await product.ask(SearchRequest(question, k=JUDGED, explain=True)), grades)


def _sights(answer: Answer, relevant: Collection[str]) -> tuple[Sight, ...]:
    return tuple(
        Sight(
            lexical=item["lexical"],
            coverage=item["coverage"],
            cosine=item["cosine"] or 0.0,
            meaning=item["meaning"] or 0.0,
            foreign=item["foreign"],
            lacking=bool(item["lacking"]),
            unnamed=item["unnamed"],
            answers=item["path"] in relevant,
        )
        for item in _judged(answer)
    )


def _judged(answer: Answer) -> Iterator[dict[str, Any]]:
    """The first candidates, with what the trace says of them."""
    assert answer.explain is not None
    ranked = {item["path"]: item for item in answer.explain["fuse"]}
    for item in answer.explain["gate"]["judged"][:JUDGED]:
        yield {**ranked[item["path"]], **item}
