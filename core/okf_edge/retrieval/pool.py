"""From what each means found in each source to one pool of candidates, whatever the number of sources.

Each means contributes its best chunks over all sources: at least a number of chunks, and as many more as it takes to
reach a number of distinct concepts. So one long page can't crowd out the rest, and the parts of a corpus give the same
pool as the whole.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from okf_edge.embedding.models import SCORE_DECIMALS
from okf_edge.retrieval.places import Place
from okf_edge.retrieval.plan import Plan

Found = tuple[int, int, float]
"""Chunk, concept, score."""

Key = tuple[int, int]
"""Position of the source, chunk."""

_WIDER = 4


async def widened(fetch: Callable[[int], Awaitable[Sequence[Found]]], chunks: int, concepts: int) -> Sequence[Found]:
    """What `fetch(limit)` finds with a limit that is wide enough for `concepts` distinct concepts, if there are any."""
    limit = chunks
    while True:
        found = await fetch(limit)
        if len(found) < limit or len({concept for _, concept, _ in found}) >= concepts:
            return found
        limit *= _WIDER


def pooled(scores: Mapping[Key, float], places: Mapping[Key, Place], plan: Plan) -> set[Key]:
    """The best of all sources: as many chunks as planned, and those after them until enough paths are among them."""
    order = sorted(scores, key=lambda key: (-round(scores[key], SCORE_DECIMALS), places[key].path, places[key].ordinal))
    kept: set[Key] = set()
    paths: set[str] = set()
    for key in order:
        if len(kept) >= plan.chunks and len(paths) >= plan.concepts:
            break
        kept.add(key)
        paths.add(places[key].path)
    return kept
