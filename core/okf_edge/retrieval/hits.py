"""What lexical and dense search found, brought together: one hit for each chunk of the pool, with both scores."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from okf_edge.ports import SqlEngine
from okf_edge.retrieval import lexical
from okf_edge.retrieval.calibration import calibration_of
from okf_edge.retrieval.dense import Nearest, Standard, pool
from okf_edge.retrieval.fuse import Hit, meaning_of, with_presumed
from okf_edge.retrieval.lexical import Vocabulary
from okf_edge.retrieval.meaning import Identity, Questions, identity_of
from okf_edge.retrieval.places import Place, places_of
from okf_edge.retrieval.plan import Plan
from okf_edge.retrieval.pool import Found, Key, pooled
from okf_edge.retrieval.scope import Scope


async def hits_of(
    engine: SqlEngine,
    scopes: Sequence[Scope],
    vocabulary: Vocabulary,
    questions: Questions,
    worded: Sequence[Sequence[Found]],
    near: Sequence[Nearest],
    plan: Plan,
) -> list[Hit]:
    """The pool of candidates: the best by words and the best by meaning of all sources, each with both scores.

    Args:
        worded: for each source, its best chunks by words.
        near: for each source, its best chunks by meaning, and the cosines of those that are best by words.
    """
    standards = standards_of(scopes, near, questions)
    meanings = {
        (at, chunk): meaning_of(cosine, standards[identity_of(scopes[at].source)])
        for at, part in enumerate(near)
        for chunk, cosine in part.cosines.items()
    }
    by_words = {(at, chunk): score for at, part in enumerate(worded) for chunk, _, score in part}
    by_meaning = {(at, chunk): meanings[at, chunk] for at, part in enumerate(near) for chunk, _, _ in part.best}
    places = await _places(engine, scopes, {*by_words, *by_meaning})
    kept = {key for found in (by_words, by_meaning) for key in pooled(found, places, plan)}
    weights = await _weights(engine, scopes, vocabulary, kept)
    hits = [
        hit_of(places[key], weights.get(key, {}), near[key[0]].cosines.get(key[1]), meanings.get(key), vocabulary, plan)
        for key in sorted(kept)
    ]
    return with_presumed(hits, plan.scripts)


def standards_of(scopes: Sequence[Scope], near: Sequence[Nearest], questions: Questions) -> dict[Identity, Standard]:
    """For each embedder, what its cosines are measured against: pooled over all sources that were built with it."""
    return {
        identity: pool(
            [part.moments for scope, part in zip(scopes, near, strict=True) if identity_of(scope.source) == identity],
            question.spec.cosine_mean,
            question.spec.cosine_sd,
        )
        for identity, question in questions.by_identity.items()
    }


def hit_of(
    place: Place,
    weights: Mapping[str, int],
    cosine: float | None,
    meaning: float | None,
    vocabulary: Vocabulary,
    plan: Plan,
) -> Hit:
    model = place.source.embedder if cosine is not None else ""
    return Hit(
        place=place,
        weights=weights,
        lexical=lexical.score(vocabulary, weights),
        coverage=lexical.coverage(vocabulary, weights),
        cosine=cosine,
        meaning=meaning,
        model=model,
        weight=calibration_of(model).weight if plan.terms else 1.0,
    )


async def _places(engine: SqlEngine, scopes: Sequence[Scope], keys: Collection[Key]) -> dict[Key, Place]:
    return {
        (at, chunk): place
        for at, scope in enumerate(scopes)
        for chunk, place in (await places_of(engine, scope.source, _chunks(keys, at))).items()
    }


async def _weights(
    engine: SqlEngine, scopes: Sequence[Scope], vocabulary: Vocabulary, keys: Collection[Key]
) -> dict[Key, dict[str, int]]:
    return {
        (at, chunk): weights
        for at, scope in enumerate(scopes)
        for chunk, weights in (await lexical.matches(engine, scope, vocabulary, at, _chunks(keys, at))).items()
    }


def _chunks(keys: Iterable[Key], at: int) -> list[int]:
    return sorted(chunk for position, chunk in keys if position == at)
