"""Files of the bucket on this environment's own disk, found again by digest.

Rules:
1. Another process may have left, changed or broken what lies there: a file is hashed before its first use in this
   process, and again whenever its size or time is another than then.
2. What was not used for longest makes room; what the present invocation uses stays.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from hashlib import file_digest

from okf_edge.errors import TooLargeError
from okf_edge_lambda import store
from okf_edge_native.failures import port_errors

Mark = tuple[int, int, int]


async def _nobody(place: str) -> None:
    """Nobody has it open."""


class Shelf:
    """A folder of at most `budget` bytes of files by digest. `leave` is told before a file makes room, by its path."""

    def __init__(self, folder: str, budget: int, leave: Callable[[str], Awaitable[None]] = _nobody) -> None:
        self._folder = folder
        self._budget = budget
        self._leave = leave
        self._proved: dict[str, Mark] = {}
        self._turn = 0
        self._used: dict[str, int] = {}

    def begin(self) -> None:
        """A new invocation: what earlier ones used may go."""
        self._turn += 1

    async def bring(self, key: str, size: int, digest: str) -> str:
        """The path of a file that holds the object. Raises TooLargeError: it would not fit beside what is in use."""
        place = f"{self._folder}/{digest}"
        with port_errors(place):
            if not self._is_sound(place, digest):
                await self._make_room(size)
                fresh = f"{self._folder}/.{secrets.token_hex(8)}"
                await store.download(key, fresh, size, digest)
                os.replace(fresh, place)
                self._proved[digest] = _mark(place)
        self._used[digest] = self._turn
        return place

    def _is_sound(self, place: str, digest: str) -> bool:
        try:
            if self._proved.get(digest) == _mark(place):
                return True
            with open(place, "rb") as file:
                sound = file_digest(file, "sha256").hexdigest() == digest
        except FileNotFoundError:
            return False
        if sound:
            self._proved[digest] = _mark(place)
        else:
            os.unlink(place)
        return sound

    async def _make_room(self, size: int) -> None:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        kept = sorted(os.scandir(self._folder), key=lambda each: self._used.get(each.name, -1))
        left = self._budget - size - sum(each.stat().st_size for each in kept)
        for each in kept:
            if left >= 0 or self._used.get(each.name, -1) == self._turn:
                break
            left += each.stat().st_size
            await self._leave(each.path)
            with suppress(FileNotFoundError):
                os.unlink(each.path)
            self._proved.pop(each.name, None)
        if left < 0:
            raise TooLargeError(
                f"expected files that fit {self._budget:,} bytes of this environment's disk, found {-left:,} more",
                code="environment-full",
                hint="Give the function more ephemeral storage and OKF_CACHE_BYTES, or lower OKF_SHARD_BYTES.",
            )


def _mark(place: str) -> Mark:
    status = os.stat(place)
    return status.st_size, status.st_mtime_ns, status.st_ino
