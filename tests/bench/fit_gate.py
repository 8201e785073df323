"""Fits the gate's coefficients: `python -m tests.bench.fit_gate`. Never on pulseboard, which judges them.

A relevant candidate of an answerable question counts as answering; every candidate of an unanswerable question counts
as not. What is not judged relevant to an answerable question is left out, since the sets judge few notes and others
answer too. The kinds of unanswerable questions weigh alike, together as much as the answerable ones, and so do worlds
and sets. Coefficients below zero are held at zero: more evidence never lowers a confidence. With a model, the gate is
for WORDS_SHARE the one that goes by words alone: the models were trained on questions like those of half of the sets,
so that cosines tell more there than they do elsewhere.

Prints the coefficients for `retrieval/calibration.py`, fitted on all sets, and keeps the cases; on sets left out of the
fit `tests.bench.gate_quality` judges.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from okf_edge_native import compose
from tests.bench.cached_vectors import CachedModels
from tests.bench.gate_worlds import HANDBOOK, HARD, Case, Sight, cases_of
from tests.bench.quality import BUILD

Array = NDArray[np.float64]
COLUMNS: dict[str, Callable[[Sight], float]] = {
    "bias": lambda sight: 1 - sight.foreign,
    "lexical": lambda sight: (1 - sight.foreign) * sight.lexical,
    "coverage": lambda sight: (1 - sight.foreign) * sight.coverage,
    "cosine": lambda sight: (1 - sight.foreign) * sight.cosine,
    "lacking": lambda sight: -float(sight.lacking),
    "unnamed": lambda sight: -sight.unnamed,
    "foreign_bias": lambda sight: sight.foreign,
    "foreign_meaning": lambda sight: sight.foreign * sight.meaning,
}
BIASES = ("bias", "foreign_bias")
WORDS, FOREIGN = ("bias", "lexical", "coverage", "lacking", "unnamed"), ("foreign_bias", "foreign_meaning")
WORDS_SHARE = 0.3
"""Of 0, .15, .3, .5 and .7 the best for sets that are left out of the fit."""


@dataclass(frozen=True, slots=True)
class Fit:
    """What is fitted together: sets, searched with one model (empty: by words alone), and the coefficients.

    `whole` names those of the sets that are asked as a whole too, beside the small worlds.
    """

    model: str
    sets: tuple[str, ...]
    whole: tuple[str, ...]
    columns: tuple[str, ...]


ENGLISH, CHINESE, ACROSS = ("xquad_en", "scifact", "cranfield"), ("xquad_zh", "cmrc_zh"), ("xquad_zh2en",)
FITS = (
    Fit("minilm-l6", (*ENGLISH, HANDBOOK, HARD), ENGLISH, (*WORDS, "cosine")),
    Fit(
        "e5-small-cjk",
        (*ENGLISH, *CHINESE, *ACROSS, HANDBOOK, HARD),
        ("xquad_en", *CHINESE, *ACROSS),
        (*WORDS, "cosine", *FOREIGN),
    ),
    Fit("", (*ENGLISH, *CHINESE, HANDBOOK, HARD), (*ENGLISH, *CHINESE), WORDS),
)

Cases = Mapping[str, Sequence[Case]]
"""By name of the set."""


def gate_of(cases: Cases, columns: Sequence[str], words_share: float = WORDS_SHARE) -> dict[str, float]:
    """The coefficients of a gate, for a share those of words alone where it knows more than words."""
    whole = fitted(cases, columns)
    if "cosine" not in columns:
        return whole
    words = fitted(cases, [name for name in columns if name != "cosine"])
    return {name: (1 - words_share) * whole[name] + words_share * words.get(name, 0.0) for name in columns}


def fitted(cases: Cases, columns: Sequence[str]) -> dict[str, float]:
    """The coefficient of each column, none but the biases below zero."""
    rows, labels, weights = _examples(cases, columns)
    free = list(range(len(columns)))
    while True:
        solved = _newton(rows[:, free], labels, weights, [columns[at] in BIASES for at in free])
        found = dict(zip((columns[at] for at in free), map(float, solved), strict=True))
        negative = [at for at in free if columns[at] not in BIASES and found[columns[at]] < 0]
        if not negative:
            return {name: found.get(name, 0.0) for name in columns}
        free = [at for at in free if at not in negative]


def _examples(cases: Cases, columns: Sequence[str]) -> tuple[Array, Array, Array]:
    rows, labels, weights = [], [], []
    for known in cases.values():
        counts = Counter((case.world, case.kind) for case in known)
        kinds = Counter(world for world, kind in counts if kind != "answerable")
        for case in known:
            shown = [sight for sight in case.seen if sight.answers or not case.is_answerable]
            share = (
                (1.0 if case.is_answerable else 1.0 / kinds[case.world]) / counts[case.world, case.kind] / len(kinds)
            )
            for sight in shown:
                rows.append([COLUMNS[name](sight) for name in columns])
                labels.append(float(case.is_answerable))
                weights.append(1000 * share / len(shown))
    return np.array(rows), np.array(labels), np.array(weights)


def _newton(rows: Array, labels: Array, weights: Array, are_biases: Sequence[bool], ridge: float = 0.01) -> Array:
    """Logistic regression with a little weight decay on all but the biases."""
    solved = np.zeros(rows.shape[1])
    penalty = ridge * np.diag([0.0 if is_bias else 1.0 for is_bias in are_biases])
    for _ in range(60):
        chance = 1 / (1 + np.exp(-np.clip(rows @ solved, -40, 40)))
        slope = rows.T @ (weights * (chance - labels)) + penalty @ solved
        bend = (rows * (weights * chance * (1 - chance))[:, None]).T @ rows + penalty + 1e-9 * np.eye(rows.shape[1])
        solved = solved - np.linalg.solve(bend, slope)
    return solved


def best_confidence(case: Case, gate: Mapping[str, float]) -> float:
    """The confidence of the best candidate, which carries the verdict."""
    odds = [sum(weight * COLUMNS[name](sight) for name, weight in gate.items()) for sight in case.seen]
    return float(1 / (1 + np.exp(-np.clip(max(odds, default=-40.0), -40, 40))))


async def _cases(fit: Fit, models: CachedModels) -> dict[str, list[Case]]:
    return {name: await cases_of(name, fit.model, models, whole=name in fit.whole) for name in fit.sets}


def main() -> int:
    models = CachedModels(compose.shelf(), BUILD / "bench-cache")
    kept = []
    for fit in FITS:
        cases = asyncio.run(_cases(fit, models))
        gate = gate_of(cases, fit.columns)
        print(f"{fit.model or 'words alone'}: {', '.join(f'{name}={weight:.2f}' for name, weight in gate.items())}")
        kept += [{"set": name, "model": fit.model, **asdict(case)} for name, known in cases.items() for case in known]
    (BUILD / "bench").mkdir(parents=True, exist_ok=True)
    (BUILD / "bench" / "gate-cases.json").write_text(json.dumps(kept), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
