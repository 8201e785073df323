"""Vectors of passages, each text embedded once: from the cache, or from the model and then into the cache."""

from __future__ import annotations

from collections.abc import Sequence

from okf_edge.index.quantise import Quantised, quantised
from okf_edge.index.vector_cache import VectorCache, key_of
from okf_edge.ports import Embedder

FLUSH_EVERY = 512
"""Vectors that a kill may lose: half a minute's work of the slowest model."""


class PassageVectors:
    """Embeds passages for one build. `embedded` and `reused` count texts."""

    def __init__(self, embedder: Embedder, cache: VectorCache | None) -> None:
        self._embedder = embedder
        self._cache = cache
        self._unflushed = 0
        self.spec = embedder.spec
        self.keys: list[bytes] = []
        self.embedded = 0
        self.reused = 0

    async def of(self, texts: Sequence[str]) -> list[Quantised]:
        """One vector a text, in order."""
        keys = [key_of(text) for text in texts]
        known = {key: found for key in keys if self._cache and (found := await self._cache.get(key))}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        known |= await self._embed(missing)
        self.keys += keys
        self.embedded += len(missing)
        self.reused += len(texts) - len(missing)
        return [known[key] for key in keys]

    async def finish(self, is_whole: bool) -> None:
        """Keep what was computed; when the build was a whole index, keep nothing else."""
        if self._cache and is_whole:
            await self._cache.compact(self.keys)
        elif self._cache:
            await self._cache.flush()

    async def _embed(self, texts: dict[bytes, str]) -> dict[bytes, Quantised]:
        if not texts:
            return {}
        dims = self.spec.dims
        flat = await self._embedder.embed(list(texts.values()), "passage")
        made = {key: quantised(flat[at * dims : (at + 1) * dims]) for at, key in enumerate(texts)}
        if self._cache:
            await self._keep(self._cache, made)
        return made

    async def _keep(self, cache: VectorCache, made: dict[bytes, Quantised]) -> None:
        for key, vector in made.items():
            cache.add(key, vector)
        self._unflushed += len(made)
        if self._unflushed >= FLUSH_EVERY:
            await cache.flush()
            self._unflushed = 0
