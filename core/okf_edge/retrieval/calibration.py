"""Constants of ranking and refusal, one set a model: measured, never tuned to a corpus that they are judged on.

How they were found: `tests/bench/fit_gate.py` and `docs/decisions/`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gate:
    """Log-odds that a candidate answers: bias + lexical * l + coverage * c + cosine * cos.

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


@dataclass(frozen=True, slots=True)
class Calibration:
    """`weight` is that of meaning in the fusion."""

    weight: float
    gate: Gate


LEXICAL = Calibration(0.0, Gate(bias=-4.73, lexical=3.88, coverage=9.63))
UNKNOWN_MODEL_WEIGHT = 0.3
MODELS: dict[str, Calibration] = {
    "minilm-l6": Calibration(0.4, Gate(bias=-5.47, lexical=5.77, coverage=2.87, cosine=6.94)),
    "e5-small-cjk": Calibration(
        0.4,
        Gate(bias=-7.77, lexical=0.41, coverage=5.99, cosine=10.26, foreign_bias=-7.20, foreign_meaning=17.52),
    ),
}


def calibration_of(model_id: str) -> Calibration:
    """The constants of an embedder; without one, or for one that was never measured, the gate goes by words alone."""
    if not model_id:
        return LEXICAL
    return MODELS.get(model_id) or Calibration(UNKNOWN_MODEL_WEIGHT, LEXICAL.gate)
