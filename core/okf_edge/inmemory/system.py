"""Time and chance that repeat."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256

DEFAULT_NOW = datetime(2026, 1, 1, tzinfo=UTC)


class ManualClock:
    """A `Clock` that stands still until it is told to advance."""

    def __init__(self, now: datetime = DEFAULT_NOW) -> None:
        self._now = now.astimezone(UTC)
        self._elapsed_s = 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._elapsed_s

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        self._elapsed_s += seconds


class SeededEntropy:
    """An `Entropy` whose tokens follow from a seed. For tests only: whoever knows the seed knows them all."""

    def __init__(self, seed: str = "") -> None:
        self._seed = seed
        self._drawn = 0

    def token(self, count: int) -> bytes:
        out = b""
        while len(out) < count:
            out += sha256(f"{self._seed}:{self._drawn}".encode()).digest()
            self._drawn += 1
        return out[:count]
