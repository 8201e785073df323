"""A blob store in a dict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

from okf_edge.errors import NotFoundError, PreconditionError, TooLargeError
from okf_edge.paths import require_relative
from okf_edge.ports import Blob, BlobStat


class MemoryBlobs:
    """A `BlobStore` in memory. A version is the sha256 of the bytes. `reads` is the log of keys that were fetched."""

    def __init__(self, blobs: Mapping[str, bytes] | None = None) -> None:
        self.blobs: dict[str, bytes] = dict(blobs or {})
        self.reads: list[str] = []

    async def get(self, key: str, max_bytes: int) -> Blob:
        data = self._require(key)
        self.reads.append(key)
        if len(data) > max_bytes:
            raise TooLargeError(f"expected at most {max_bytes} bytes in {key!r}, found {len(data)}")
        return Blob(data, _version(data))

    async def head(self, key: str) -> BlobStat:
        return self._stat(key, self._require(key))

    async def list(self, prefix: str) -> Sequence[BlobStat]:
        return [self._stat(key, self.blobs[key]) for key in sorted(self.blobs) if key.startswith(prefix)]

    async def put(self, key: str, data: bytes, *, if_version: str | None) -> str:
        current = self.blobs.get(require_relative(key))
        found = None if current is None else _version(current)
        if found != if_version:
            raise PreconditionError(f"expected version {if_version} of {key!r}, found {found}")
        self.blobs[key] = data
        return _version(data)

    def _require(self, key: str) -> bytes:
        if require_relative(key) not in self.blobs:
            raise NotFoundError(f"expected a blob {key!r}, found none")
        return self.blobs[key]

    def _stat(self, key: str, data: bytes) -> BlobStat:
        return BlobStat(key, len(data), _version(data))


def _version(data: bytes) -> str:
    return sha256(data).hexdigest()
