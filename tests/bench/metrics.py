"""Measures of a ranking, and how sure they are."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

SAMPLES = 2_000


def ndcg(ranking: Sequence[str], grades: Mapping[str, int], cut: int = 10) -> float:
    """Normalised discounted cumulative gain, with linear gains."""
    gains = (grades.get(path, 0) / math.log2(place + 2) for place, path in enumerate(ranking[:cut]))
    best = sorted(grades.values(), reverse=True)[:cut]
    return sum(gains) / sum(grade / math.log2(place + 2) for place, grade in enumerate(best))


def recall(ranking: Sequence[str], grades: Mapping[str, int], cut: int = 10) -> float:
    """The share of the relevant notes that are among the first."""
    return len(set(ranking[:cut]) & set(grades)) / len(grades)


def reciprocal_rank(ranking: Sequence[str], grades: Mapping[str, int], cut: int = 10) -> float:
    """One over the place of the first relevant note; 0 beyond the cut."""
    return next((1 / place for place, path in enumerate(ranking[:cut], 1) if path in grades), 0.0)


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def interval(
    values: Sequence[float], seed: int = 1, of: Callable[[Sequence[float]], float] = mean
) -> tuple[float, float]:
    """The 95% bootstrap interval of the mean over questions, or of another figure of them."""
    chance = random.Random(seed)
    found = sorted(of(chance.choices(values, k=len(values))) for _ in range(SAMPLES))
    return found[int(SAMPLES * 0.025)], found[int(SAMPLES * 0.975)]


@dataclass(frozen=True, slots=True)
class Lead:
    """By how much one way of searching is ahead of another over the same questions: the mean, its 95% bootstrap
    interval, and the chance of as large a difference if both were alike (a paired permutation test)."""

    mean: float
    low: float
    high: float
    chance: float


def lead(ours: Sequence[float], others: Sequence[float], seed: int = 1) -> Lead:
    """What ours are ahead of the others, question by question."""
    differences = [a - b for a, b in zip(ours, others, strict=True)]
    telling, seen = [difference for difference in differences if difference], random.Random(seed)
    observed = abs(sum(telling))
    signs = (abs(sum(seen.choice((value, -value)) for value in telling)) for _ in range(SAMPLES))
    as_large = sum(total >= observed - 1e-12 for total in signs)
    return Lead(mean(differences), *interval(differences, seed), (as_large + 1) / (SAMPLES + 1))
