"""Step 5, fuse: one score per concept from words and meaning, on absolute scales, as a convex combination.

    relevance = (1 - w) * lexical + w * meaning        meaning = clip((cosine - mean) / (8 * deviation), 0, 1)

Ranks alone would give a list of junk half the vote, e.g. the lexical one when question and content share no language;
here the lexical part vanishes when the question's words are not covered. A chunk without a vector is judged by its
words alone, on the same scale. A concept ranks by its best chunk, which is its evidence.

Rules:
1. A page in another script can't hold the question's words. It is presumed to hold a share of what the best page holds,
   and then judged by its meaning; else every page in the question's own language would go before the one that answers.
2. A concept that is deprecated or stale yields: its score is discounted, so that a current page as good goes first.
3. Scores are rounded to the tolerance within which hosts agree; then ties break by path.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from okf_edge.embedding.models import SCORE_DECIMALS
from okf_edge.retrieval.dense import Standard
from okf_edge.retrieval.places import Place
from okf_edge.retrieval.scripts import shares_of, unshared

DEVIATIONS = 8.0
PRESUMED_SHARE = 0.3
"""Of the best lexical score, what a page in another script is presumed to hold. On the development half of the hard set
.3 finds cross-language answers and costs few others; from .4 on paraphrases in the own language yield."""

DEPRECATED_FACTOR = 0.7
STALE_FACTOR = 0.85


@dataclass(frozen=True, slots=True)
class Hit:
    """One chunk and what speaks for it. `weights` are those of the question's terms that it holds.

    `lexical`, `coverage` and `meaning` are in [0, 1]; `cosine` and `meaning` are None, and `model` is empty, without a
    vector. `presumed` is the lexical score that it may have in its own script. `weight` is that of meaning.
    """

    place: Place
    weights: Mapping[str, int] = field(default_factory=dict)
    lexical: float = 0.0
    coverage: float = 0.0
    cosine: float | None = None
    meaning: float | None = None
    model: str = ""
    weight: float = 0.0
    presumed: float = 0.0

    @property
    def relevance(self) -> float:
        if self.meaning is None:
            return self.lexical
        return (1 - self.weight) * max(self.lexical, self.presumed) + self.weight * self.meaning


@dataclass(frozen=True, slots=True)
class Ranked:
    """One concept in the ranking, with its best chunk. `relevance` is before, `score` after credit and discounts."""

    hit: Hit
    score: float
    credit: float = 0.0
    credited_by: str = ""
    deprecated: bool = False
    stale: bool = False

    @property
    def relevance(self) -> float:
        return self.hit.relevance

    @property
    def path(self) -> str:
        return self.hit.place.path

    @property
    def yields(self) -> bool:
        return self.deprecated or self.stale


def meaning_of(cosine: float, standard: Standard) -> float:
    """A cosine on the scale of its corpus: 0 at the mean or below, 1 at eight deviations above."""
    return min(max((cosine - standard.mean) / (DEVIATIONS * standard.deviation), 0.0), 1.0)


def with_presumed(hits: Sequence[Hit], question: Mapping[str, float]) -> list[Hit]:
    """The hits, each with what it is presumed to hold.

    Args:
        question: the share of each script in the question. A page's scripts are told by its title and heading.
    """
    best = max((hit.lexical for hit in hits), default=0.0)
    return [replace(hit, presumed=PRESUMED_SHARE * best * _foreign(hit, question)) for hit in hits]


def _foreign(hit: Hit, question: Mapping[str, float]) -> float:
    return unshared(question, shares_of(f"{hit.place.title} {hit.place.heading}")) if hit.meaning is not None else 0.0


def concepts_of(hits: Iterable[Hit]) -> list[Hit]:
    """The best chunk of each concept, best first, ties by path."""
    best: dict[str, Hit] = {}
    for hit in sorted(hits, key=_order):
        best.setdefault(hit.place.path, hit)
    return list(best.values())


def rank(concepts: Iterable[Hit], credits: Mapping[str, tuple[float, str]], now: datetime) -> list[Ranked]:
    """The ranking of the concepts, best first.

    Args:
        concepts: one hit per concept.
        credits: by path, what neighbours lend and the path of the neighbour that lends most.
        now: against which staleness is judged.
    """
    ranked = [_ranked(hit, *credits.get(hit.place.path, (0.0, "")), now=now) for hit in concepts]
    return sorted(ranked, key=lambda item: (-item.score, item.path))


def _ranked(hit: Hit, credit: float, by: str, now: datetime) -> Ranked:
    deprecated, stale = hit.place.status == "deprecated", is_stale(hit.place.stale_after, now)
    factor = (DEPRECATED_FACTOR if deprecated else 1.0) * (STALE_FACTOR if stale else 1.0)
    return Ranked(hit, round((hit.relevance + credit) * factor, SCORE_DECIMALS), credit, by, deprecated, stale)


def is_stale(stale_after: str, now: datetime) -> bool:
    """Whether the instant, as the index keeps it (ISO 8601 with offset, or empty for never), has passed."""
    return bool(stale_after) and datetime.fromisoformat(stale_after) <= now


def _order(hit: Hit) -> tuple[float, str, int]:
    return (-round(hit.relevance, SCORE_DECIMALS), hit.place.path, hit.place.ordinal)
