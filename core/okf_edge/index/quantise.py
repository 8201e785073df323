"""Unit vectors as signed bytes with a scale per vector."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

LEVELS = 127


@dataclass(frozen=True, slots=True)
class Quantised:
    """A vector as signed bytes; times `scale`, a 32-bit float, it is the vector again, within half a level."""

    scale: float
    data: bytes


def quantised(vector: Sequence[float]) -> Quantised:
    """The nearest vector of signed bytes."""
    largest = max(map(abs, vector)) or 1.0
    factor = LEVELS / largest
    (scale,) = array("f", [largest / LEVELS])
    return Quantised(scale, array("b", [round(value * factor) for value in vector]).tobytes())
