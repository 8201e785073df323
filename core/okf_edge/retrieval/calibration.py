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


LEXICAL = Calibration(0.0, Gate(bias=-6.3, lexical=9.0, coverage=9.5))
UNKNOWN_MODEL_WEIGHT = 0.3
MODELS: dict[str, Calibration] = {
    "minilm-l6": Calibration(0.4, Gate(-8.6, 1.01, 7.76, 9.78, -5.0, 9.78)),
    "e5-small-cjk": Calibration(0.3, Gate(-34.9, 5.28, 12.7, 32.9, -28.0, 32.9)),
}


def calibration_of(model_id: str) -> Calibration:
    """The constants of an embedder; without one, or for one that was never measured, the gate goes by words alone."""
    if not model_id:
        return LEXICAL
    return MODELS.get(model_id) or Calibration(UNKNOWN_MODEL_WEIGHT, LEXICAL.gate)
