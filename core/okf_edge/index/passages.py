"""Vectors of passages, each text embedded once: from the cache, or from the model and then into the cache."""

from __future__ import annotations

from collections.abc import Sequence

from okf_edge.index.quantise import Quantised, quantised
from okf_edge.index.tables import Embedding
from okf_edge.index.vector_cache import VectorCache, key_of
from okf_edge.ports import Embedder


class PassageVectors:
    """Embeds passages for one build. `embedded` and `reused` count texts."""

    def __init__(self, embedder: Embedder, cache: VectorCache | None) -> None:
        self._embedder = embedder
        self._cache = cache
        self.spec = embedder.spec
        self.embedding = Embedding(embedder.spec.id, embedder.spec.digest, embedder.spec.dims)
        self._keys: list[bytes] = []
        self.embedded = 0
        self.reused = 0

    async def of(self, texts: Sequence[str]) -> list[Quantised]:
        """One vector a text, in order."""
        keys = [key_of(text) for text in texts]
        known = {key: found for key in keys if self._cache and (found := await self._cache.get(key))}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        known |= await self._embed(missing)
        self._keys += keys
        self.embedded += len(missing)
        self.reused += len(texts) - len(missing)
        return [known[key] for key in keys]

    async def keep(self) -> None:
        """Put into the cache what was computed and is not there yet."""
        if self._cache:
            await self._cache.flush()

    async def keep_only_used(self) -> None:
        """The same, and drop from the cache what this build did not ask for."""
        if self._cache:
            await self._cache.compact(self._keys)

    async def _embed(self, texts: dict[bytes, str]) -> dict[bytes, Quantised]:
        if not texts:
            return {}
        dims = self.spec.dims
        flat = await self._embedder.embed(list(texts.values()), "passage")
        made = {key: quantised(flat[at * dims : (at + 1) * dims]) for at, key in enumerate(texts)}
        if self._cache:
            await self._cache.add(made)
        return made
