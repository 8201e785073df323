"""Constants of ranking and refusal, one set a model: measured, never tuned to a corpus that they are judged on.

How they were found: `tests/bench/fit_gate.py` and `docs/decisions/`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gate:
    """Log-odds that a candidate answers: bias + lexical * l + coverage * c + cosine * cos.

    The `foreign` pair is used where question and content share no script: words can't tell there, only the cosine.
    """

    bias: float
    lexical: float
    coverage: float
    cosine: float = 0.0
    foreign_bias: float = -4.0
    foreign_cosine: float = 0.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """`weight` is that of meaning in the fusion."""

    weight: float
    gate: Gate


LEXICAL = Calibration(0.0, Gate(bias=-4.79, lexical=0.0, coverage=12.61))
UNKNOWN_MODEL_WEIGHT = 0.3
MODELS: dict[str, Calibration] = {
    "minilm-l6": Calibration(0.4, Gate(-7.25, 0.0, 6.8, 9.56, -7.25, 16.0)),
    "e5-small-cjk": Calibration(0.3, Gate(-51.91, 0.29, 13.69, 54.6, -59.43, 75.99)),
}


def calibration_of(model_id: str) -> Calibration:
    """The constants of an embedder; without one, or for one that was never measured, the gate goes by words alone."""
    if not model_id:
        return LEXICAL
    return MODELS.get(model_id) or Calibration(UNKNOWN_MODEL_WEIGHT, LEXICAL.gate)
