"""How well the gate knows what it does not know, on sets left out of its fit: `python -m tests.bench.gate_quality`.

Reads the cases that `tests.bench.fit_gate` kept. For each model and set, a gate is fitted on the other sets and judges
the one that was left out. What a fit chooses by loss, the share of words, is chosen anew among these others, so that
nothing of the set left out is in its gate. Kinds of question weigh alike, and answerable ones as much as all others
together.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from okf_edge.retrieval.scripts import shares_of
from tests.bench.fit_gate import FITS, Cases, Fit, best_confidence, gate_of
from tests.bench.gate_worlds import Case, Sight
from tests.bench.quality import BUILD
from tests.bench.rows import OUT

CASES = BUILD / "bench" / "gate-cases.json"
BINS = 10
REFUSED_AT_MOST = 0.05
SHARES = (0.0, 0.15, 0.3, 0.5, 0.7)
EVERY_SET, EVERY_LANGUAGE = "every set", "all"


@dataclass(frozen=True, slots=True)
class Held:
    """Some questions under gates that never saw their sets, for one kind of unanswerable question.

    `wrong` is the share of these answered when 5% of the answerable ones are refused.
    """

    model: str
    set: str
    lang: str
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


@dataclass(frozen=True, slots=True)
class Judged:
    """One question, and the confidence of a gate that never saw its set."""

    set: str
    case: Case
    confidence: float

    @property
    def lang(self) -> str:
        return "zh" if "Han" in shares_of(self.case.text) else "en"


def held_out(fit: Fit, cases: Cases) -> list[Judged]:
    """Every question, judged by a gate that was fitted without its set."""
    judged: list[Judged] = []
    for name, own in cases.items():
        others = _without(cases, name)
        gate = gate_of(others, fit.columns, best_share(fit, others))
        judged += [Judged(name, case, best_confidence(case, gate)) for case in own]
    return judged


def best_share(fit: Fit, cases: Cases) -> float:
    """The share of the gate of words alone that does best on each of these sets when it is left out of the others."""
    if "cosine" not in fit.columns:
        return 0.0

    def loss(share: float) -> float:
        gates = {name: gate_of(_without(cases, name), fit.columns, share) for name in cases}
        return float(np.mean([log_loss(own, gates[name]) for name, own in cases.items()]))

    return min(SHARES, key=loss)


def _without(cases: Cases, name: str) -> Cases:
    return {other: known for other, known in cases.items() if other != name}


def log_loss(cases: Sequence[Case], gate: Mapping[str, float]) -> float:
    """How far the best confidences are from the truth; kinds of question weigh as they do in the fit."""
    by_kind: dict[str, list[float]] = {}
    for case in cases:
        right = best_confidence(case, gate) if case.is_answerable else 1 - best_confidence(case, gate)
        by_kind.setdefault(case.kind, []).append(-float(np.log(max(right, 1e-12))))
    answerable = float(np.mean(by_kind.pop("answerable")))
    return 0.5 * answerable + 0.5 * float(np.mean([np.mean(losses) for losses in by_kind.values()]))


def rows_of(model: str, judged: Sequence[Judged]) -> Iterator[Held]:
    """By set, by language within a set that has both, and by language over all sets."""
    for name in dict.fromkeys(one.set for one in judged):
        own = [one for one in judged if one.set == name]
        yield from _rows(model, name, EVERY_LANGUAGE, own)
        yield from _by_language(model, name, own)
    yield from _by_language(model, EVERY_SET, judged)


def _by_language(model: str, name: str, judged: Sequence[Judged]) -> Iterator[Held]:
    languages = sorted({one.lang for one in judged if one.case.is_answerable})
    for lang in languages if len(languages) > 1 else ():
        yield from _rows(model, name, lang, [one for one in judged if one.lang == lang])


def _rows(model: str, name: str, lang: str, judged: Sequence[Judged]) -> Iterator[Held]:
    kept = [one.confidence for one in judged if one.case.is_answerable]
    bound = float(np.quantile(kept, REFUSED_AT_MOST))
    for kind in sorted({one.case.kind for one in judged if not one.case.is_answerable}):
        others = [one.confidence for one in judged if one.case.kind == kind]
        wrong = float(np.mean(np.array(others) >= bound))
        yield Held(model, name, lang, kind, len(others), auroc(kept, others), wrong)


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    high, low = np.array(positive)[:, None], np.array(negative)[None]
    return float((high > low).mean() + 0.5 * (high == low).mean())


Weighed = tuple[float, bool, float]
"""Confidence, whether it is of an answerable question, and weight."""


def reliability(model: str, judged: Sequence[Judged]) -> list[Bin]:
    """What confidences are worth, tenth by tenth; sets weigh alike."""
    names = dict.fromkeys(one.set for one in judged)
    return _bins(model, [each for name in names for each in _weighed([one for one in judged if one.set == name])])


def _weighed(judged: Sequence[Judged]) -> Iterator[Weighed]:
    counts = Counter(one.case.kind for one in judged)
    for one in judged:
        share = 0.5 if one.case.is_answerable else 0.5 / (len(counts) - 1)
        yield one.confidence, one.case.is_answerable, share / counts[one.case.kind]


def _bins(model: str, judged: Sequence[Weighed]) -> list[Bin]:
    bins = []
    for place in range(BINS):
        within = [one for one in judged if place == min(int(one[0] * BINS), BINS - 1)]
        weight = sum(one[2] for one in within)
        if weight:
            confidence = sum(one[0] * one[2] for one in within) / weight
            bins.append(Bin(model, confidence, sum(one[1] * one[2] for one in within) / weight, weight))
    return bins


def error(bins: Sequence[Bin]) -> float:
    """By how much the confidence is off on average: the expected calibration error."""
    return sum(each.weight * abs(each.confidence - each.answered) for each in bins) / sum(each.weight for each in bins)


def read_cases() -> dict[str, dict[str, list[Case]]]:
    """The cases by model and set."""
    kept: dict[str, dict[str, list[Case]]] = {}
    for item in json.loads(CASES.read_text("utf-8")):
        seen = tuple(Sight(**sight) for sight in item["seen"])
        case = Case(item["world"], item["kind"], item["text"], seen)
        kept.setdefault(item["model"], {}).setdefault(item["set"], []).append(case)
    return kept


def _line(row: Held) -> str:
    named = f"{row.model or 'words':13} {row.set:12} {row.lang:3} {row.kind:10} {row.questions:4}"
    return f"{named} AUROC {row.auroc:.3f} wrong {row.wrong:.3f}"


def main() -> int:
    known = read_cases()
    found: dict[str, list[object]] = {"held": [], "reliability": [], "errors": []}
    for fit in FITS:
        judged = held_out(fit, known[fit.model])
        rows, bins = list(rows_of(fit.model, judged)), reliability(fit.model, judged)
        print("\n".join(map(_line, rows)))
        print(f"{fit.model or 'words':13} calibration error {error(bins):.3f}", flush=True)
        found["held"] += [asdict(row) for row in rows]
        found["reliability"] += [asdict(each) for each in bins]
        found["errors"].append({"model": fit.model, "error": error(bins)})
    OUT.mkdir(exist_ok=True)
    (OUT / "gate.json").write_text(json.dumps(found, indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
