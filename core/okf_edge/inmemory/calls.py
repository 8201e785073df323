"""What the pipeline remembers and records, in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from okf_edge.policy.ledger import Entry

T = TypeVar("T")


class MemoryLedger:
    """A `Ledger` in a dict: no `await` lies between reading and writing, so nobody comes in between."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}

    async def change(self, key: str, decide: Callable[[Entry | None], tuple[Entry | None, T]]) -> T:
        entry, told = decide(self.entries.get(key))
        if entry is None:
            self.entries.pop(key, None)
        else:
            self.entries[key] = entry
        return told


class MemoryAuditLog:
    """An `AuditLog` in a list."""

    def __init__(self) -> None:
        self.written: list[bytes] = []

    async def append(self, extend: Callable[[bytes], bytes]) -> None:
        self.written.append(extend(self.written[-1] if self.written else b""))

    async def lines(self) -> list[bytes]:
        return list(self.written)

    async def head(self) -> bytes:
        return self.written[-1] if self.written else b""
