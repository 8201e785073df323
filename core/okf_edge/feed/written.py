"""A store that remembers what was written to it: for receipts, and for dry runs, which write nothing."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from okf_edge.errors import NotFoundError, PreconditionError, TooLargeError
from okf_edge.ports import Blob, BlobStat, BlobStore

_DRY = "dry:"


class WrittenBlobs:
    """A `BlobStore` over another. `written` are the keys in the order of their writes; `dry` keeps those in memory."""

    def __init__(self, store: BlobStore, *, dry: bool = False) -> None:
        self._store = store
        self._dry = dry
        self._kept: dict[str, bytes] = {}
        self.written: list[str] = []

    async def get(self, key: str, max_bytes: int) -> Blob:
        if key not in self._kept:
            return await self._store.get(key, max_bytes)
        data = self._kept[key]
        if len(data) > max_bytes:
            raise TooLargeError(f"expected at most {max_bytes} bytes in {key!r}, found {len(data)}")
        return Blob(data, _version(data))

    async def head(self, key: str) -> BlobStat:
        if key not in self._kept:
            return await self._store.head(key)
        return BlobStat(key, len(self._kept[key]), _version(self._kept[key]))

    async def list(self, prefix: str) -> Sequence[BlobStat]:
        found = {stat.key: stat for stat in await self._store.list(prefix)}
        found |= {key: await self.head(key) for key in self._kept if key.startswith(prefix)}
        return [found[key] for key in sorted(found)]

    async def put(self, key: str, data: bytes, *, if_version: str | None) -> str:
        if not self._dry:
            version = await self._store.put(key, data, if_version=if_version)
        else:
            version = await self._pretend(key, data, if_version)
        self.written.append(key)
        return version

    async def _pretend(self, key: str, data: bytes, if_version: str | None) -> str:
        try:
            found = (await self.head(key)).version
        except NotFoundError:
            found = None
        if found != if_version:
            raise PreconditionError(f"expected version {if_version} of {key!r}, found {found}")
        self._kept[key] = data
        return _version(data)


def _version(data: bytes) -> str:
    return _DRY + sha256(data).hexdigest()
