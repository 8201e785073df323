"""Vectors that were computed once, by the sha256 of the text that was embedded. A cache: losing it costs time only.

Rules:
1. A shard is written whole and never changed, so a kill loses at most what was not yet flushed.
2. Shards of one model are numbered from 0. Each process creates its own next number; none waits for another.
3. A shard that is damaged, or of another model, counts as absent.
4. `compact` keeps what the finished index needs in shard 0 and removes the others.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256

from okf_edge.errors import AlreadyExistsError, NotFoundError, StoreError
from okf_edge.index.quantise import Quantised
from okf_edge.ports import EmbedderSpec, FileTree

FOLDER = ".okf/cache"
KEY_BYTES = 16
"""Of the text's sha256. Two of a billion texts then share a key with a chance of one in 10^20."""

_HEADER = struct.Struct("<8s32sIII")  # mark, model digest, dims, count, crc32 of what follows
_MARK = b"OKFVEC1\n"


def key_of(text: str) -> bytes:
    """What a text's vector is kept under."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()[:KEY_BYTES]


FLUSH_EVERY = 256
"""Vectors that a kill may lose: a quarter of a minute's work."""


@dataclass(frozen=True, slots=True)
class Shard:
    """Vectors of one file. `places` gives the place of each key."""

    dims: int
    places: Mapping[bytes, int]
    scales: bytes
    vectors: bytes

    def get(self, key: bytes) -> Quantised | None:
        at = self.places.get(key)
        if at is None:
            return None
        (scale,) = struct.unpack_from("<f", self.scales, at * 4)
        return Quantised(scale, self.vectors[at * self.dims : (at + 1) * self.dims])


class VectorCache:
    """The cache of one model in one tree. Shards are read when first asked for.

    What is not in it is looked up in the cache `behind` it, to which nothing is written.
    """

    def __init__(self, tree: FileTree, spec: EmbedderSpec, behind: VectorCache | None = None) -> None:
        self._behind = behind
        self._tree = tree
        self._digest = sha256(f"{spec.id} {spec.digest}".encode()).digest()
        self._dims = spec.dims
        self._prefix = f"{FOLDER}/vectors-{self._digest.hex()[:16]}"
        self._shards: list[Shard] | None = None
        self._numbers = 0
        self._fresh: dict[bytes, Quantised] = {}

    async def get(self, key: bytes) -> Quantised | None:
        """The vector of a text, by `key_of`; None when it is not at hand."""
        if key in self._fresh:
            return self._fresh[key]
        shards = await self._read()
        found = next((found for shard in reversed(shards) if (found := shard.get(key))), None)
        return await self._behind.get(key) if found is None and self._behind else found

    async def add(self, vectors: Mapping[bytes, Quantised]) -> None:
        """Keep these vectors; they are on disk after FLUSH_EVERY of them, or when asked."""
        self._fresh.update(vectors)
        if len(self._fresh) >= FLUSH_EVERY:
            await self.flush()

    async def flush(self) -> None:
        """Write what was added since as a shard of its own."""
        if not self._fresh:
            return
        shards = await self._read()
        data = packed(self._digest, self._dims, self._fresh)
        while not await self._created(data):
            self._numbers += 1
        self._numbers += 1
        shards += _shards(data, self._digest, self._dims)
        self._fresh = {}

    async def compact(self, keys: Iterable[bytes]) -> None:
        """Keep the vectors of `keys` alone, in one shard."""
        kept = {key: found for key in keys if (found := await self.get(key))}
        await self._tree.write(self._path(0), packed(self._digest, self._dims, kept))
        for number in range(self._numbers - 1, 0, -1):
            with suppress(NotFoundError):
                await self._tree.remove(self._path(number))
        self._shards, self._numbers, self._fresh = None, 0, {}

    async def _created(self, data: bytes) -> bool:
        try:
            await self._tree.create(self._path(self._numbers), data)
        except AlreadyExistsError:
            return False
        return True

    async def _read(self) -> list[Shard]:
        if self._shards is None:
            self._shards = []
            while (data := await self._data(self._numbers)) is not None:
                self._numbers += 1
                self._shards += _shards(data, self._digest, self._dims)
        return self._shards

    async def _data(self, number: int) -> bytes | None:
        """The bytes of a shard: none when it can't be read, None when there is no such shard."""
        try:
            return await self._tree.read(self._path(number))
        except StoreError:
            return b""
        except NotFoundError:
            return None

    def _path(self, number: int) -> str:
        return f"{self._prefix}.{number}.bin"


def packed(digest: bytes, dims: int, vectors: Mapping[bytes, Quantised]) -> bytes:
    """The bytes of a shard."""
    keys = sorted(vectors)
    scales = struct.pack(f"<{len(keys)}f", *(vectors[key].scale for key in keys))
    content = b"".join((*keys, scales, *(vectors[key].data for key in keys)))
    return _HEADER.pack(_MARK, digest, dims, len(keys), zlib.crc32(content)) + content


def _shards(data: bytes, digest: bytes, dims: int) -> Iterator[Shard]:
    """The shard, when it is whole and of this model; else none."""
    if len(data) < _HEADER.size:
        return
    mark, of_model, of_dims, count, checksum = _HEADER.unpack_from(data)
    content = data[_HEADER.size :]
    scales, vectors = count * KEY_BYTES, count * (KEY_BYTES + 4)
    is_ours = (mark, of_model, of_dims) == (_MARK, digest, dims) and len(content) == vectors + count * dims
    if is_ours and zlib.crc32(content) == checksum:
        places = {content[at : at + KEY_BYTES]: place for place, at in enumerate(range(0, scales, KEY_BYTES))}
        yield Shard(dims, places, content[scales:vectors], content[vectors:])
