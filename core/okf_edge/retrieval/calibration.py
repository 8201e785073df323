"""Constants of ranking and refusal, one set a model: measured, never tuned to a corpus that they are judged on.

How they were found: `tests/bench/fit_gate.py` and `docs/decisions/`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gate:
    """Log-odds that a candidate answers: bias + lexical * l + coverage * c + cosine * cos.

    Taken away are `lacking` where nothing of the kind that is asked for is there, and of `unnamed` the share of the
    question's numbers and identifiers that are not there.

    The `foreign` pair is used where question and content share no script: words can't tell there, only the meaning, by
    a model that knows both. It goes by the cosine's place among those of the corpus, since across languages all are
    lower. The defaults refuse: a model of one language can't tell either.
    """

    bias: float
    lexical: float
    coverage: float
    cosine: float = 0.0
    foreign_bias: float = -4.0
    foreign_meaning: float = 0.0
    lacking: float = 0.0
    unnamed: float = 0.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """`weight` is that of meaning in the fusion."""

    weight: float
    gate: Gate


LEXICAL = Calibration(0.0, Gate(bias=-4.11, lexical=2.10, coverage=8.55, lacking=3.00, unnamed=0.02))
UNKNOWN_MODEL_WEIGHT = 0.3
MODELS: dict[str, Calibration] = {
    "minilm-l6": Calibration(
        0.4, Gate(bias=-4.39, lexical=2.29, coverage=3.56, cosine=6.07, lacking=3.22, unnamed=1.08)
    ),
    "e5-small-cjk": Calibration(
        0.4,
        Gate(
            bias=-7.95,
            lexical=0.45,
            coverage=5.77,
            cosine=10.92,
            foreign_bias=-7.40,
            foreign_meaning=18.26,
            lacking=3.19,
            unnamed=0.60,
        ),
    ),
}


def calibration_of(model_id: str) -> Calibration:
    """The constants of an embedder; without one, or for one that was never measured, the gate goes by words alone."""
    if not model_id:
        return LEXICAL
    return MODELS.get(model_id) or Calibration(UNKNOWN_MODEL_WEIGHT, LEXICAL.gate)
