"""What the pipeline remembers of calls, behind a port: small values by key, each changed by one at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

Entry = dict[str, Any]
T = TypeVar("T")


class Ledger(Protocol):
    """Survives a restart where its host has somewhere to keep it."""

    async def change(self, key: str, decide: Callable[[Entry | None], tuple[Entry | None, T]]) -> T:
        """Replace the entry of a key by what `decide` makes of it (None: remove it), and hand on what it tells.

        Nobody else changes the key in between. When `decide` raises, nothing changes.
        """


class AuditLog(Protocol):
    """Lines that are only ever appended."""

    async def append(self, extend: Callable[[bytes], bytes]) -> None:
        """Append the line that `extend` makes of the last one (empty: there is none); nobody appends in between."""

    async def lines(self) -> list[bytes]: ...

    async def head(self) -> bytes:
        """The last line as it was noted beside the log; empty when nothing was."""
