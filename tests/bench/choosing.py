"""Each default beside what else it could be: `python -m tests.bench.choosing`.

A default is chosen on the development half of the questions (every other one by id) and confirmed on the other half, so
both are shown, with what the default is ahead of each other value, question by question. Vectors are cached.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from okf_edge.ports import Models
from okf_edge_native import compose
from tests.bench import metrics, sets
from tests.bench.cached_vectors import CachedModels
from tests.bench.choices import CHOICES, HARD, Choice, with_value
from tests.bench.hard.library import Library, library
from tests.bench.hard.measure import MODEL, ask_of
from tests.bench.hard.questions import HALVES, questions
from tests.bench.product import Product, indexed
from tests.bench.quality import BUILD, Measure, judgements, measured, ndcgs, request_of
from tests.bench.rows import beside, keep, read
from tests.bench.sets import RetrievalSet

HALF_AT_MOST = 200
"""Questions that are asked of one half of a set."""


@dataclass(frozen=True, slots=True)
class Row:
    """One value on one set, in nDCG@10, or R@10 on the hard set, of both halves of the questions. The leads are what
    the default is ahead of it."""

    choice: str
    value: str
    is_default: bool
    set: str
    development: Measure
    test: Measure
    development_lead: metrics.Lead | None
    test_lead: metrics.Lead | None


Halves = tuple[list[float], list[float]]
"""A figure of each question, of the development half and of the test half."""


async def compare(choice: Choice, name: str, models: Models, data: RetrievalSet | None = None) -> list[Row]:
    """All values of a choice on one set; `data` is the set of that name where it is none of the public ones."""
    found = await (_on_hard(choice, models) if name == HARD else _on_set(choice, data or sets.load(name), models))
    first = next(iter(found))
    return [
        _row(choice.name, value, name, halves, None if value == first else found[first])
        for value, halves in found.items()
    ]


def _row(choice: str, value: str, name: str, halves: Halves, default: Halves | None) -> Row:
    development, test = map(measured, halves)
    leads = (
        (metrics.lead(ours, others) for ours, others in zip(default, halves, strict=True)) if default else (None, None)
    )
    return Row(choice, value, default is None, name, development, test, *leads)


async def _on_set(choice: Choice, data: RetrievalSet, models: Models) -> dict[str, Halves]:
    async def asked(product: Product) -> Halves:
        development, test = [await _ndcgs(data.name, product, some_of(half)) for half in sets.halves(data.questions)]
        return development, test

    return await _each_value(choice, lambda: indexed(data.notes, models, data.embedder), asked)


def some_of(half: Sequence[sets.Question]) -> Sequence[sets.Question]:
    """Every so many-th of a half, so that no set takes long."""
    return half[:: -(-len(half) // HALF_AT_MOST)]


async def _ndcgs(name: str, product: Product, asked: Sequence[sets.Question]) -> list[float]:
    answers = [await product.ask(request_of(question, "hybrid")) for question in asked]
    return ndcgs(judgements(name, asked, answers))


async def _on_hard(choice: Choice, models: Models) -> dict[str, Halves]:
    async def asked(shelf: Library) -> Halves:
        development, test = [await ask_of(shelf, questions(half), "hybrid") for half in HALVES]
        found = ([float(one.rank > 0) for one in each if one.question.is_answerable] for each in (development, test))
        return next(found), next(found)

    return await _each_value(choice, lambda: library(models, MODEL), asked)


async def _each_value(choice: Choice, opened: Callable[[], Any], asked: Callable[[Any], Any]) -> dict[str, Halves]:
    """What is asked of the product by each value; what is decided at indexing is indexed anew for each."""
    found: dict[str, Halves] = {}
    if not choice.indexed:
        async with opened() as product:
            for value, patches in choice.values.items():
                with with_value(patches):
                    found[value] = await asked(product)
        return found
    for value, patches in choice.values.items():
        with with_value(patches):
            async with opened() as product:
                found[value] = await asked(product)
    return found


def shown(rows: Sequence[Row]) -> str:
    return "\n".join(
        f"{row.choice:50} {row.value:21} {row.set:12} {row.development.mean:.3f} {row.test.mean:.3f}"
        + "".join(f"  {lead.mean:+.3f} p={lead.chance:.3f}" for lead in (row.development_lead, row.test_lead) if lead)
        for row in rows
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("choices", nargs="*", help="; ".join(choice.name for choice in CHOICES))
    given = parser.parse_args(arguments)
    models = CachedModels(compose.shelf(), BUILD / "bench-cache")
    for choice in CHOICES:
        for name in choice.sets if not given.choices or choice.name in given.choices else ():
            if name == HARD or sets.CORPORA.is_dir():
                rows = asyncio.run(compare(choice, name, models))
                print(shown(rows), flush=True)
                _keep(rows)
    return 0


def _keep(rows: Sequence[Row]) -> None:
    """Put the rows in place of earlier ones of the same choice and set, in the order of the choices."""
    order = {choice.name: at for at, choice in enumerate(CHOICES)}
    kept = beside(read("choices"), [asdict(row) for row in rows], "choice", "set")
    keep("choices", sorted((row for row in kept if row["choice"] in order), key=lambda row: order[row["choice"]]))


if __name__ == "__main__":
    raise SystemExit(main())
