"""What calls leave behind: claims and confirmations in the bucket, shared by all environments, and the audit log.

Rules:
1. An entry is changed on condition that nobody changed it since it was read, so a confirmation is spent once, whatever
   environment asked for it and however many spend it. What was removed is an empty object, until it expires.
2. The audit log is what each environment writes to its own log stream, a chain of its own: streams are only appended.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from typing import TypeVar

from okf_edge.errors import NotFoundError, PreconditionError
from okf_edge.policy.ledger import Entry
from okf_edge.ports import BlobStore
from okf_edge_lambda import layout
from okf_edge_lambda.telling import logger

T = TypeVar("T")

ATTEMPTS_COUNT = 20
_MOST_BYTES = 4 * 1024 * 1024


class BucketLedger:
    """A `Ledger` of one object a key."""

    def __init__(self, store: BlobStore) -> None:
        self._store = store

    async def change(self, key: str, decide: Callable[[Entry | None], tuple[Entry | None, T]]) -> T:
        place = layout.ledger_key(sha256(key.encode()).hexdigest())
        for _ in range(ATTEMPTS_COUNT):
            before, version = await self._read(place)
            entry, told = decide(before)
            if entry == before:
                return told
            try:
                await self._store.put(place, b"" if entry is None else json.dumps(entry).encode(), if_version=version)
            except PreconditionError:
                continue
            return told
        raise PreconditionError("expected to be first once, found somebody else each time", hint="Try again.")

    async def _read(self, place: str) -> tuple[Entry | None, str | None]:
        try:
            blob = await self._store.get(place, _MOST_BYTES)
        except NotFoundError:
            return None, None
        return (json.loads(blob.data) if blob.data else None), blob.version


class StreamAuditLog:
    """An `AuditLog` that goes to this environment's log stream."""

    def __init__(self) -> None:
        self._last = b""

    async def append(self, extend: Callable[[bytes], bytes]) -> None:
        self._last = extend(self._last)
        logger.info("audit", extra={"audit": json.loads(self._last)})

    async def lines(self) -> list[bytes]:
        return []

    async def head(self) -> bytes:
        return self._last
