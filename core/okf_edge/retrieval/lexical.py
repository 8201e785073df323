"""Step 2, lexical: the chunks that hold the question's words, by BM25F, over all sources as one corpus.

The index holds each posting's saturated weight (0 to 255) without idf. N and df are summed over the sources here, so
that the parts rank like the whole. Scores are shares of the question's idf mass: 1 would be a chunk that holds every
term, each as saturated as can be.

Source: BM25 with the always-positive idf ln(1 + (N - df + 0.5) / (df + 0.5)).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from okf_edge.limits import LIMITS
from okf_edge.ports import SqlEngine, Value
from okf_edge.retrieval.plan import Plan
from okf_edge.retrieval.pool import Found, widened
from okf_edge.retrieval.scope import Scope

WEIGHT_SCALE = 255.0


@dataclass(frozen=True, slots=True)
class Term:
    """One term of the question in the whole corpus. `numbers` gives its number by position of the source."""

    text: str
    df: int
    idf: float
    numbers: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The question's terms. `mass` sums all their idf, of unknown terms too; `dropped` are those beyond the limit."""

    terms: tuple[Term, ...]
    mass: float
    dropped: tuple[str, ...] = ()


def idf(df: int, chunks: int) -> float:
    return math.log(1 + (chunks - df + 0.5) / (df + 0.5))


def weigh(terms: Sequence[str], found: Sequence[Mapping[str, tuple[int, int]]], chunks: int, limit: int) -> Vocabulary:
    """Weigh the question's terms over all sources.

    Args:
        terms: distinct, in the question's order.
        found: for each source, (number, document frequency) of the terms that it holds.
        chunks: chunks of all sources.
        limit: terms to keep, the rarest first; unknown ones are kept last, for they find nothing.
    """
    weighed = [_term(text, found, chunks) for text in terms]
    telling = {term.text for term in sorted(weighed, key=lambda term: (not term.numbers, -term.idf))[:limit]}
    kept = tuple(term for term in weighed if term.text in telling)
    dropped = tuple(term.text for term in weighed if term.text not in telling)
    return Vocabulary(kept, sum(term.idf for term in kept), dropped)


def _term(text: str, found: Sequence[Mapping[str, tuple[int, int]]], chunks: int) -> Term:
    held = {position: entry[text] for position, entry in enumerate(found) if text in entry}
    df = sum(frequency for _, frequency in held.values())
    return Term(text, df, idf(df, chunks), {position: number for position, (number, _) in held.items()})


async def lookup(engine: SqlEngine, scope: Scope, terms: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Number and document frequency of each term that the source holds, masked chunks not counted."""
    if not terms:
        return {}
    alias = scope.source.alias
    marks = ",".join("?" * len(terms))
    rows = await engine.query(f"SELECT term, number, df FROM {alias}.term WHERE term IN ({marks})", tuple(terms))
    found = {str(term): (int(number or 0), int(df or 0)) for term, number, df in rows}
    if scope.source.masked and found:
        found = _less(found, await _masked_frequencies(engine, scope, [number for number, _ in found.values()]))
    return found


async def _masked_frequencies(engine: SqlEngine, scope: Scope, numbers: Sequence[int]) -> dict[int, int]:
    rows = await engine.query(
        f"SELECT term, COUNT(*) FROM {scope.source.alias}.posting "
        f"WHERE term IN ({_listed(numbers)}) AND NOT ({scope.present}) GROUP BY term"
    )
    return {int(term or 0): int(count or 0) for term, count in rows}


def _less(found: Mapping[str, tuple[int, int]], gone: Mapping[int, int]) -> dict[str, tuple[int, int]]:
    left = {term: (number, df - gone.get(number, 0)) for term, (number, df) in found.items()}
    return {term: entry for term, entry in left.items() if entry[1] > 0}


async def vocabulary_of(engine: SqlEngine, scopes: Sequence[Scope], terms: Sequence[str]) -> Vocabulary:
    """The question's terms, weighed over all sources."""
    found = [await lookup(engine, scope, terms) for scope in scopes]
    return weigh(terms, found, sum(scope.chunks for scope in scopes), LIMITS.question_terms_count)


async def best(engine: SqlEngine, scope: Scope, vocabulary: Vocabulary, position: int, plan: Plan) -> Sequence[Found]:
    """The best chunks of the source at `position`, best first."""
    held = [(term.numbers[position], term.idf) for term in vocabulary.terms if position in term.numbers]
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
    names = {term.numbers[position]: term.text for term in vocabulary.terms if position in term.numbers}
    listed = _listed(sorted(chunks))
    if not names or not listed:
        return {}
    branch = f"SELECT term, chunk, weight FROM {scope.source.alias}.posting WHERE chunk IN ({listed}) AND term ="
    rows = await engine.query(" UNION ALL ".join(f"{branch} {number}" for number in names))
    held: dict[int, dict[str, int]] = {}
    for number, chunk, weight in rows:
        held.setdefault(int(chunk or 0), {})[names[int(number or 0)]] = int(weight or 0)
    return held


def score(vocabulary: Vocabulary, weights: Mapping[str, int]) -> float:
    """The lexical score of one chunk, summed in the question's order, so that every host gets the same float."""
    parts = (term.idf * weights.get(term.text, 0) for term in vocabulary.terms)
    return sum(parts) / (WEIGHT_SCALE * vocabulary.mass) if vocabulary.mass else 0.0


def coverage(vocabulary: Vocabulary, weights: Mapping[str, int]) -> float:
    """The share of the question's idf mass whose terms the chunk holds at all, from 0 to 1."""
    held = sum(term.idf for term in vocabulary.terms if term.text in weights)
    return held / vocabulary.mass if vocabulary.mass else 0.0


def _listed(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))
