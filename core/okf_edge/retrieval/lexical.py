"""Step 2, lexical: the chunks that hold the question's words, by BM25F, over all sources as one corpus.

The index holds each posting's saturated weight (0 to 255) without idf. N and df are summed over the sources here, so
that the parts rank like the whole. Scores are shares of the question's idf mass: 1 would be a chunk that holds every
term, each as saturated as can be.

A long word that no source holds stands for the words that it is part of, as in German or Dutch compounds: a question
for "dampfschiff" finds "donaudampfschifffahrt".

Source: BM25 with the always-positive idf ln(1 + (N - df + 0.5) / (df + 0.5)).
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from okf_edge.limits import LIMITS
from okf_edge.ports import SqlEngine, Value
from okf_edge.retrieval.plan import Plan, Sought, Unit
from okf_edge.retrieval.pool import Found, widened
from okf_edge.retrieval.scope import Scope

WEIGHT_SCALE = 255.0

PART = re.compile("[a-z\u00df-\u024f]{6,}")
"""What is looked for inside of words: Latin letters, since shorter parts lie in too many words by chance."""

COMPOUNDS = 8
"""Words that a part stands for at most, the shortest first."""

Entry = tuple[tuple[int, ...], int]
"""What a source knows of a term: its number, or those of the words that it is part of, and document frequency."""


@dataclass(frozen=True, slots=True)
class Term:
    """One term of the question in the whole corpus. `numbers` gives its numbers by position of the source.

    `word` is how it was typed. `idf` is already multiplied by what the term counts in the question.
    """

    text: str
    word: str
    df: int
    idf: float
    numbers: Mapping[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The question's terms. `mass` sums all their idf, of unknown terms too; `dropped` are those beyond the limit.

    `units` are what a chunk may cover of the question, each with its weight: the idf of its commonest term.
    """

    terms: tuple[Term, ...]
    mass: float
    units: tuple[tuple[Unit, float], ...] = ()
    dropped: tuple[str, ...] = ()


def idf(df: int, chunks: int) -> float:
    return math.log(1 + (chunks - df + 0.5) / (df + 0.5))


def weigh(plan: Plan, found: Sequence[Mapping[str, Entry]], chunks: int, limit: int) -> Vocabulary:
    """Weigh the question's terms over all sources.

    Args:
        found: for each source, the entries of the terms that it holds.
        chunks: chunks of all sources.
        limit: terms to keep, the rarest first; unknown ones are kept last, for they find nothing.
    """
    weighed = [_term(text, sought, found, chunks) for text, sought in plan.terms.items()]
    telling = {term.text for term in sorted(weighed, key=lambda term: (not term.numbers, -term.idf))[:limit]}
    kept = tuple(term for term in weighed if term.text in telling)
    dropped = tuple(term.text for term in weighed if term.text not in telling)
    return Vocabulary(kept, sum(term.idf for term in kept), _units(plan, kept), dropped)


def _units(plan: Plan, terms: Sequence[Term]) -> tuple[tuple[Unit, float], ...]:
    """A pair over the edge of two words is rare by chance: the commonest tells how rare the character's word is."""
    weights = {term.text: term.idf for term in terms}
    kept = (tuple(text for text in unit if text in weights) for unit in plan.units)
    return tuple((unit, min(weights[text] for text in unit)) for unit in kept if unit)


def _term(text: str, sought: Sought, found: Sequence[Mapping[str, Entry]], chunks: int) -> Term:
    held = {position: entry[text] for position, entry in enumerate(found) if text in entry}
    df = sum(frequency for _, frequency in held.values())
    return Term(
        text,
        sought.word,
        df,
        sought.counts * idf(df, chunks),
        {position: numbers for position, (numbers, _) in held.items()},
    )


async def lookup(engine: SqlEngine, scope: Scope, terms: Collection[str]) -> dict[str, Entry]:
    """The entry of each term that the source holds, masked chunks not counted."""
    if not terms:
        return {}
    marks = ",".join("?" * len(terms))
    rows = await engine.query(
        f"SELECT term, number, df FROM {scope.source.alias}.term WHERE term IN ({marks})", tuple(terms)
    )
    present = await _without_masked(engine, scope, {int(number or 0): int(df or 0) for _, number, df in rows})
    numbers = {str(term): int(number or 0) for term, number, _ in rows}
    return {term: ((number,), present[number]) for term, number in numbers.items() if number in present}


async def lookup_compounds(engine: SqlEngine, scopes: Sequence[Scope], part: str) -> list[Entry | None]:
    """For each source, the words that a part lies in as one entry: of the shortest words of all sources together."""
    return compounds_of([await words_with(engine, scope, part) for scope in scopes])


def compounds_of(held: Sequence[Mapping[str, tuple[int, int]]]) -> list[Entry | None]:
    """For each source, the shortest words of all sources together as one entry, where it holds some of them."""
    shortest = sorted({word for words in held for word in words}, key=lambda word: (len(word), word))[:COMPOUNDS]
    kept = [[words[word] for word in shortest if word in words] for words in held]
    return [(tuple(number for number, _ in each), sum(df for _, df in each)) if each else None for each in kept]


async def words_with(engine: SqlEngine, scope: Scope, part: str) -> dict[str, tuple[int, int]]:
    """Number and document frequency of each word of the source that a part lies in."""
    rows = await engine.query(
        f"SELECT term, number, df FROM {scope.source.alias}.term WHERE instr(term, ?) > 0", (part,)
    )
    present = await _without_masked(engine, scope, {int(number or 0): int(df or 0) for _, number, df in rows})
    numbers = {str(word): int(number or 0) for word, number, _ in rows}
    return {word: (number, present[number]) for word, number in numbers.items() if number in present}


async def _without_masked(engine: SqlEngine, scope: Scope, frequencies: dict[int, int]) -> dict[int, int]:
    """The document frequency of each term number, less the masked chunks; terms of nothing else are left out."""
    if not scope.source.masked or not frequencies:
        return frequencies
    rows = await engine.query(
        f"SELECT term, COUNT(*) FROM {scope.source.alias}.posting "
        f"WHERE term IN ({_listed([*frequencies])}) AND NOT ({scope.present}) GROUP BY term"
    )
    gone = {int(term or 0): int(count or 0) for term, count in rows}
    left = {number: df - gone.get(number, 0) for number, df in frequencies.items()}
    return {number: df for number, df in left.items() if df > 0}


async def vocabulary_of(engine: SqlEngine, scopes: Sequence[Scope], plan: Plan) -> Vocabulary:
    """The question's terms, weighed over all sources."""
    found = [await lookup(engine, scope, plan.terms) for scope in scopes]
    for part in plan.terms:
        if PART.fullmatch(part) and not any(part in held for held in found):
            compounds = await lookup_compounds(engine, scopes, part)
            for held, entry in zip(found, compounds, strict=True):
                held.update({part: entry} if entry else {})
    return weigh(plan, found, sum(scope.chunks for scope in scopes), LIMITS.question_terms_count)


async def best(engine: SqlEngine, scope: Scope, vocabulary: Vocabulary, position: int, plan: Plan) -> Sequence[Found]:
    """The best chunks of the source at `position`, best first."""
    held = [(number, term.idf) for term in vocabulary.terms for number in term.numbers.get(position, ())]
    if not held or scope.empty:
        return []
    parameters: list[Value] = []
    for number, weight in held:
        parameters += [weight / (WEIGHT_SCALE * vocabulary.mass), number]

    async def fetch(limit: int) -> Sequence[Found]:
        rows = await engine.query(_best_sql(scope, len(held), limit), parameters)
        return [(int(chunk or 0), int(concept or 0), float(score or 0)) for chunk, concept, score in rows]

    return await widened(fetch, plan.chunks, plan.concepts)


def _best_sql(scope: Scope, terms: int, limit: int) -> str:
    alias = scope.source.alias
    branch = f"SELECT chunk, weight * CAST(? AS DOUBLE) AS part FROM {alias}.posting WHERE term = ?"
    return (
        f"SELECT top.chunk, chunk.concept, top.score FROM (SELECT chunk, SUM(part) AS score "
        f"FROM ({' UNION ALL '.join([branch] * terms)}) AS parts WHERE {scope.wanted} "
        f"GROUP BY chunk ORDER BY score DESC, chunk LIMIT {limit}) AS top "
        f"JOIN {alias}.chunk AS chunk ON chunk.number = top.chunk ORDER BY top.score DESC, top.chunk"
    )


async def matches(
    engine: SqlEngine, scope: Scope, vocabulary: Vocabulary, position: int, chunks: Iterable[int]
) -> dict[int, dict[str, int]]:
    """Which terms each of these chunks holds, and how heavily: chunk -> term -> weight of 0 to 255."""
    names = {number: term.text for term in vocabulary.terms for number in term.numbers.get(position, ())}
    listed = _listed(sorted(chunks))
    if not names or not listed:
        return {}
    rows = await engine.query(
        f"SELECT term, chunk, weight FROM {scope.source.alias}.posting "
        f"WHERE term IN ({_listed([*names])}) AND chunk IN ({listed})"
    )
    held: dict[int, dict[str, int]] = {}
    for number, chunk, weight in rows:
        weights, name = held.setdefault(int(chunk or 0), {}), names[int(number or 0)]
        weights[name] = max(weights.get(name, 0), int(weight or 0))
    return held


def score(vocabulary: Vocabulary, weights: Mapping[str, int]) -> float:
    """The lexical score of one chunk, summed in the question's order, so that every host gets the same float."""
    parts = (term.idf * weights.get(term.text, 0) for term in vocabulary.terms)
    return sum(parts) / (WEIGHT_SCALE * vocabulary.mass) if vocabulary.mass else 0.0


def coverage(vocabulary: Vocabulary, weights: Mapping[str, int]) -> float:
    """The share of the question that the chunk holds at all, by the weight of its units, from 0 to 1."""
    total = sum(weight for _, weight in vocabulary.units)
    held = sum(weight for unit, weight in vocabulary.units if not weights.keys().isdisjoint(unit))
    return held / total if total else 0.0


def _listed(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))
