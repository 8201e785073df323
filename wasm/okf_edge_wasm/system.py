"""Time, chance and progress of a worker."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime

from okf_edge_wasm.bridge import Page


class WorkerClock:
    """A `Clock` by the device's time."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


class WorkerEntropy:
    """An `Entropy` from the browser's cryptographic source, on which Pyodide's `os.urandom` stands."""

    def token(self, count: int) -> bytes:
        return os.urandom(count)


class PageProgress:
    """A `Progress` that is told to the page as that of one call. A cancelled task stops at its next await."""

    def __init__(self, page: Page, call: int) -> None:
        self._page = page
        self._call = call

    def step(self, label: str, done: int, total: int | None = None) -> None:
        self._page.tell({"type": "progress", "id": self._call, "label": label, "done": done, "total": total})

    def message(self, text: str) -> None:
        self._page.tell({"type": "note", "id": self._call, "text": text})
