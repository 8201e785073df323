"""What a device keeps of a feed: metadata that it has verified, and until when it has seen time pass.

Rules:
1. It lies in the state folder of the device, never in a knowledge base that syncs: one folder a pinned root.
2. A feed is confirmed on a device when its pin was; what another device confirmed does not count here.
3. Kept metadata that can't be read or verified any more is as good as absent, except for the root.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from okf_edge.errors import NotFoundError
from okf_edge.limits import LIMITS
from okf_edge.ports import FileTree
from okf_edge.state import corrupt, read_state, write_state

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Kept:
    """The folder of one feed. `pin` is the sha256 of the root that trust starts from, in hex."""

    tree: FileTree
    pin: str

    async def load(self, role: str) -> bytes | None:
        """The kept metadata of a role, or None."""
        try:
            return await self.tree.read(self._path(role), LIMITS.feed_targets_bytes)
        except NotFoundError:
            return None

    async def save(self, role: str, data: bytes) -> None:
        await self.tree.write(self._path(role), data)

    async def forget(self, role: str) -> None:
        with suppress(NotFoundError):
            await self.tree.remove(self._path(role))

    async def last_seen(self) -> datetime | None:
        """When the feed was last checked here; None: it was never confirmed on this device. Raises StateFileError."""
        state = await read_state(self.tree, self._seen, FORMAT)
        if state is None:
            return None
        try:
            return datetime.fromisoformat(state["seen_at"])
        except (KeyError, TypeError, ValueError) as error:
            raise corrupt(self.tree.locate(self._seen), "has no instant in seen_at") from error

    async def see(self, now: datetime) -> None:
        await write_state(self.tree, self._seen, {"format": FORMAT, "seen_at": now.isoformat()})

    @property
    def _seen(self) -> str:
        return f"feeds/{self.pin}/seen.json"

    def _path(self, role: str) -> str:
        return f"feeds/{self.pin}/metadata/{role}.json"
