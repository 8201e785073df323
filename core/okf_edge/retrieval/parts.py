"""One question over parts that are searched apart, each with some of the indexes, and ranked as one corpus.

    each part: tally → (all tallies: vocabulary) → each part: contribute → (all contributions: merge)

Rules:
1. What makes a corpus is summed over all parts before anything is ranked: chunks and document frequencies, so that
   every word is as rare as in the whole; and the moments of cosines.
2. A part gives its own best by each means, which hold all of its share of the whole's. So parts rank like the whole.
   (Chunks that are no nearer than the mean of all are interchangeable: they are taken by their cosine here.)
3. Values are plain, so that they travel: a place names its source by number; `part_json` spells them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from okf_edge.limits import LIMITS
from okf_edge.ports import Clock, Models, SqlEngine
from okf_edge.retrieval import lexical
from okf_edge.retrieval.answer import Answer, Coverage
from okf_edge.retrieval.dense import Moments, Nearest, Standard, pool
from okf_edge.retrieval.explain import Trace
from okf_edge.retrieval.fuse import Hit, concepts_of, meaning_of, rank, with_presumed
from okf_edge.retrieval.graph import SEEDS, Edge, credits_of, edges_of
from okf_edge.retrieval.hits import hit_of
from okf_edge.retrieval.lexical import COMPOUNDS, PART, Entry, Vocabulary
from okf_edge.retrieval.meaning import Identity, Questions, identity_of
from okf_edge.retrieval.places import Place, places_of
from okf_edge.retrieval.plan import Plan, plan_of
from okf_edge.retrieval.pool import Found, Key, pooled
from okf_edge.retrieval.request import SearchRequest
from okf_edge.retrieval.scope import Scope, scope_of
from okf_edge.retrieval.search import Recall, answer_of, near_of, questions_for, require_means
from okf_edge.retrieval.source import Source

Words = Mapping[str, tuple[int, int]]
"""Number and document frequency, by word."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What one part knows of the question's terms, source by source. `compounds` are words that hold a part's term."""

    chunks: tuple[int, ...]
    held: tuple[Mapping[str, Entry], ...]
    compounds: tuple[Mapping[str, Words], ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """One chunk that a part gives: where it is, what it holds, and by which means it was found."""

    source: int
    place: Place
    weights: Mapping[str, int]
    lexical: float | None
    cosine: float | None
    is_near: bool


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one part gives to an answer. `moments` are by position of the source."""

    sources: tuple[Source, ...]
    placed: tuple[Placed, ...]
    moments: tuple[Moments, ...]
    edges: tuple[Edge, ...]
    coverage: Coverage
    notes: tuple[str, ...]


async def tally(engine: SqlEngine, sources: Sequence[Source], request: SearchRequest) -> Tally:
    """Step 1 of a part."""
    plan = plan_of(request)
    scopes = [await scope_of(engine, source, request.filters) for source in sources]
    held = [await lexical.lookup(engine, scope, plan.terms) for scope in scopes]
    absent = [term for term in plan.terms if PART.fullmatch(term) and not any(term in each for each in held)]
    compounds = [
        {part: _shortest(await lexical.words_with(engine, scope, part)) for part in absent} for scope in scopes
    ]
    return Tally(tuple(scope.chunks for scope in scopes), tuple(held), tuple(compounds))


def vocabularies(request: SearchRequest, tallies: Sequence[Tally]) -> list[Vocabulary]:
    """The question's terms weighed over all parts, for each part with the numbers of its own sources."""
    plan = plan_of(request)
    held = [dict(each) for part in tallies for each in part.held]
    compounds = [each for part in tallies for each in part.compounds]
    for term in plan.terms:
        if PART.fullmatch(term) and not any(term in each for each in held):
            for each, entry in zip(
                held, lexical.compounds_of([words.get(term, {}) for words in compounds]), strict=True
            ):
                each.update({term: entry} if entry else {})
    whole = lexical.weigh(plan, held, sum(sum(part.chunks) for part in tallies), LIMITS.question_terms_count)
    parts, start = [], 0
    for part in tallies:
        parts.append(_within(whole, start, start + len(part.held)))
        start += len(part.held)
    return parts


async def contribute(
    engine: SqlEngine, sources: Sequence[Source], models: Models, request: SearchRequest, vocabulary: Vocabulary,
    coverage: Coverage,
) -> Contribution:  # fmt: skip
    """Step 2 of a part."""
    plan = plan_of(request)
    scopes = [await scope_of(engine, source, request.filters) for source in sources]
    worded = [await lexical.best(engine, scope, vocabulary, at, plan) for at, scope in enumerate(scopes)]
    questions = await questions_for(engine, models, sources, request, plan)
    near = [await near_of(engine, scope, questions, found, plan) for scope, found in zip(scopes, worded, strict=True)]
    placed = await _placed(engine, scopes, vocabulary, worded, near, plan)
    paths = list(dict.fromkeys(each.place.path for each in placed))
    edges = [edge for scope in scopes for edge in await edges_of(engine, scope, paths)]
    moments = tuple(each.moments for each in near)
    return Contribution(tuple(sources), placed, moments, tuple(edges), coverage, questions.notes)


async def merge(
    request: SearchRequest, parts: Sequence[Contribution], vocabulary: Vocabulary, questions: Questions, clock: Clock,
    note: str = "",
) -> Answer:  # fmt: skip
    """The answer from what all parts gave.

    Args: vocabulary: that of any part; its terms' weights are those of the whole. note: what is missing, in words.
    """
    require_means(request, questions)
    plan, trace = plan_of(request), Trace(clock, request.explain)
    concepts = concepts_of(_hits(parts, vocabulary, questions, plan))
    edges = [edge for part in parts for edge in part.edges]
    credits = credits_of(concepts[:SEEDS], edges, {hit.place.path: hit for hit in concepts})
    ranked = rank(concepts, credits, clock.now())
    trace.step("merge", lambda: {"parts": len(parts), "concepts": len(concepts)})
    notes = tuple(dict.fromkeys(each for part in parts for each in part.notes))
    found = Recall(plan, (), vocabulary, replace(questions, notes=notes), tuple(concepts))
    return await answer_of(request, found, ranked, _summed([part.coverage for part in parts], note), trace)


def _hits(parts: Sequence[Contribution], vocabulary: Vocabulary, questions: Questions, plan: Plan) -> list[Hit]:
    standards = _standards(parts, questions)
    every: dict[Key, Placed] = {}
    for part in parts:
        every.update({(len(every) + at, each.place.chunk): each for at, each in enumerate(part.placed)})
    meanings = {
        key: meaning_of(each.cosine, standards[identity_of(each.place.source)])
        for key, each in every.items()
        if each.cosine is not None
    }
    by_words = {key: each.lexical for key, each in every.items() if each.lexical is not None}
    by_meaning = {key: meanings[key] for key, each in every.items() if each.is_near}
    places = {key: each.place for key, each in every.items()}
    kept = {key for found in (by_words, by_meaning) for key in pooled(found, places, plan)}
    hits = [
        hit_of(every[key].place, every[key].weights, every[key].cosine, meanings.get(key), vocabulary, plan)
        for key in sorted(kept)
    ]
    return with_presumed(hits, plan.scripts)


def _standards(parts: Sequence[Contribution], questions: Questions) -> dict[Identity, Standard]:
    known = [
        (identity_of(source), moments)
        for part in parts
        for source, moments in zip(part.sources, part.moments, strict=True)
    ]
    return {
        identity: pool(
            [moments for own, moments in known if own == identity], asked.spec.cosine_mean, asked.spec.cosine_sd
        )
        for identity, asked in questions.by_identity.items()
    }


async def _placed(
    engine: SqlEngine, scopes: Sequence[Scope], vocabulary: Vocabulary, worded: Sequence[Sequence[Found]],
    near: Sequence[Nearest], plan: Plan,
) -> tuple[Placed, ...]:  # fmt: skip
    """The best of the part's sources by each means, for each embedder apart."""
    by_words = {(at, chunk): score for at, part in enumerate(worded) for chunk, _, score in part}
    by_model: dict[Identity, dict[Key, float]] = {}
    for at, part in enumerate(near):
        of_model = by_model.setdefault(identity_of(scopes[at].source), {})
        of_model.update({(at, chunk): cosine for chunk, _, cosine in part.best})
    wanted: dict[int, set[int]] = {}
    for at, chunk in {*by_words, *(key for found in by_model.values() for key in found)}:
        wanted.setdefault(at, set()).add(chunk)
    places = {
        (at, chunk): place
        for at, chunks in wanted.items()
        for chunk, place in (await places_of(engine, scopes[at].source, chunks)).items()
    }
    nearest = {key for found in by_model.values() for key in pooled(found, places, plan)}
    kept = nearest | pooled(by_words, places, plan)
    placed = []
    for at, scope in enumerate(scopes):
        own = sorted(chunk for position, chunk in kept if position == at)
        weights = await lexical.matches(engine, scope, vocabulary, at, own)
        placed += [
            Placed(
                at, places[at, chunk], weights.get(chunk, {}), by_words.get((at, chunk)), near[at].cosines.get(chunk),
                (at, chunk) in nearest,
            )
            for chunk in own
        ]  # fmt: skip
    return tuple(placed)


def _shortest(words: Words) -> Words:
    kept = sorted(words, key=lambda word: (len(word), word))[:COMPOUNDS]
    return {word: words[word] for word in kept}


def _within(whole: Vocabulary, start: int, end: int) -> Vocabulary:
    """The vocabulary with the numbers of the sources from `start` to before `end`, counted from there."""
    terms = tuple(
        replace(term, numbers={at - start: numbers for at, numbers in term.numbers.items() if start <= at < end})
        for term in whole.terms
    )
    return replace(whole, terms=terms)


def _summed(parts: Sequence[Coverage], note: str) -> Coverage:
    notes = tuple(dict.fromkeys(filter(None, (note, *(part.note for part in parts)))))
    return Coverage(
        sum(part.read for part in parts),
        sum(part.found for part in parts),
        sum(part.problems for part in parts),
        "hybrid",
        "; ".join(notes),
    )
