"""The system's time and chance."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.perf_counter()


class SystemEntropy:
    def token(self, count: int) -> bytes:
        return os.urandom(count)
