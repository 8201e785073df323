"""Stage 6, rate: a token bucket for each caller and class of tools, refilled all the time, kept in this process."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass

from okf_edge.errors import PolicyError
from okf_edge.limits import LIMITS
from okf_edge.policy.call import Kind


@dataclass(frozen=True, slots=True)
class Rate:
    """Calls that are refilled in a minute, and calls that may come at once."""

    per_minute: float
    burst: int


RATES: dict[Kind, Rate] = {"read": Rate(3000, 1000), "write": Rate(60, 20)}
"""Reads of a team that shares one token pass; a loop that never ends does not. Nobody writes one note a second."""


class Buckets:
    """How many calls each caller has left."""

    def __init__(self, rates: dict[Kind, Rate] | None = None) -> None:
        self._rates = rates or RATES
        self._left: OrderedDict[tuple[str, Kind], tuple[float, float]] = OrderedDict()

    def take(self, caller: str, kind: Kind, seconds: float) -> None:
        """Take one call at a moment of a monotonic clock. Raises PolicyError: none is left."""
        rate, key = self._rates[kind], (caller, kind)
        left, at = self._left.pop(key, (float(rate.burst), seconds))
        left = min(rate.burst, left + (seconds - at) * rate.per_minute / 60)
        self._left[key] = (left - 1 if left >= 1 else left, seconds)
        if len(self._left) > LIMITS.callers_count:
            self._left.popitem(last=False)
        if left < 1:
            wait = math.ceil((1 - left) * 60 / rate.per_minute)
            raise PolicyError(
                f"too many calls that {kind}: expected at most {rate.per_minute:g} a minute",
                code="throttled",
                hint=f"Try again in {wait} s.",
                details={"retry_after_seconds": wait},
            )
