"""How well the gate knows what it does not know, on sets left out of its fit: `python -m tests.bench.gate_quality`.

Reads the cases that `tests.bench.fit_gate` kept. For each model and set, a gate is fitted on the other sets and judges
the one that was left out; the shipped gate is judged on the hard set's test half, which no fit has seen. Kinds of
question weigh alike, and answerable ones as much as all others together.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from tests.bench.fit_gate import FITS, Fit, auroc, best_confidence, gate_of
from tests.bench.gate_worlds import Case, Sight
from tests.bench.quality import BUILD
from tests.bench.rows import OUT

CASES = BUILD / "bench" / "gate-cases.json"
BINS = 10
REFUSED_AT_MOST = 0.05


@dataclass(frozen=True, slots=True)
class Held:
    """One set under a gate that never saw it, for one kind of unanswerable question.

    `wrong` is the share of these answered when 5% of the answerable ones are refused.
    """

    model: str
    set: str
    kind: str
    questions: int
    auroc: float
    wrong: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Confidences of one tenth: their mean, and the share of them that answered. `weight` is that of its questions."""

    model: str
    confidence: float
    answered: float
    weight: float


def held_out(fit: Fit, cases: Mapping[str, Sequence[Case]]) -> tuple[list[Held], list[Bin], float]:
    """Figures by set and kind, the reliability over all sets, and the expected calibration error."""
    rows: list[Held] = []
    judged: list[tuple[float, bool, float]] = []
    for name, own in cases.items():
        gate = gate_of({other: known for other, known in cases.items() if other != name}, fit.columns)
        confidences = [(case, best_confidence(case, gate)) for case in own]
        rows += _held(fit.model, name, confidences)
        judged += _weighed(confidences)
    return rows, _bins(fit.model, judged), _error(judged)


def _held(model: str, name: str, judged: Sequence[tuple[Case, float]]) -> list[Held]:
    kept = [confidence for case, confidence in judged if case.is_answerable]
    bound = float(np.quantile(kept, REFUSED_AT_MOST))
    rows = []
    for kind in sorted({case.kind for case, _ in judged if not case.is_answerable}):
        others = [confidence for case, confidence in judged if case.kind == kind]
        wrong = float(np.mean(np.array(others) >= bound))
        rows.append(Held(model, name, kind, len(others), auroc(kept, others), wrong))
    return rows


def _weighed(judged: Sequence[tuple[Case, float]]) -> list[tuple[float, bool, float]]:
    """Confidence, whether it is of an answerable question, and weight."""
    kinds = {case.kind for case, _ in judged}
    counts = {kind: sum(case.kind == kind for case, _ in judged) for kind in kinds}
    share = {kind: 0.5 if kind == "answerable" else 0.5 / (len(kinds) - 1) for kind in kinds}
    return [(value, case.is_answerable, share[case.kind] / counts[case.kind]) for case, value in judged]


def _bins(model: str, judged: Sequence[tuple[float, bool, float]]) -> list[Bin]:
    bins = []
    for place in range(BINS):
        within = [one for one in judged if place == min(int(one[0] * BINS), BINS - 1)]
        weight = sum(one[2] for one in within)
        if weight:
            confidence = sum(one[0] * one[2] for one in within) / weight
            bins.append(Bin(model, confidence, sum(one[1] * one[2] for one in within) / weight, weight))
    return bins


def _error(judged: Sequence[tuple[float, bool, float]]) -> float:
    bins = _bins("", judged)
    return sum(each.weight * abs(each.confidence - each.answered) for each in bins) / sum(each.weight for each in bins)


def read_cases() -> dict[str, dict[str, list[Case]]]:
    """The cases by model and set."""
    kept: dict[str, dict[str, list[Case]]] = {}
    for item in json.loads(CASES.read_text("utf-8")):
        seen = tuple(Sight(**sight) for sight in item["seen"])
        case = Case(item["world"], item["kind"], item["text"], seen, item.get("lang", ""))
        kept.setdefault(item["model"], {}).setdefault(item["set"], []).append(case)
    return kept


def main() -> int:
    known = read_cases()
    found: dict[str, list[object]] = {"held": [], "reliability": [], "errors": []}
    for fit in FITS:
        if fit.model not in known:
            continue
        rows, bins, error = held_out(fit, known[fit.model])
        for row in rows:
            print(f"{row.model or 'words':13} {row.set:12} {row.kind:10} AUROC {row.auroc:.3f} wrong {row.wrong:.3f}")
        print(f"{fit.model or 'words':13} calibration error {error:.3f}")
        found["held"] += [asdict(row) for row in rows]
        found["reliability"] += [asdict(each) for each in bins]
        found["errors"].append({"model": fit.model, "error": error})
    OUT.mkdir(exist_ok=True)
    (OUT / "gate.json").write_text(json.dumps(found, indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
