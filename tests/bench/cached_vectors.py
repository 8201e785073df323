"""Vectors that were computed once: an Embedder that remembers, by model digest, purpose and text."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from okf_edge.ports import Embedder, EmbedderSpec, Models, Purpose

_BATCH = 256


class CachedEmbedder:
    """Gives the inner embedder's vectors; a text is embedded once per model and purpose, ever."""

    def __init__(self, inner: Embedder, folder: Path) -> None:
        self._inner = inner
        folder.mkdir(parents=True, exist_ok=True)
        self._store = sqlite3.connect(folder / f"{inner.spec.id}-{inner.spec.digest[:16]}.sqlite", timeout=60)
        self._store.execute("CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")

    @property
    def spec(self) -> EmbedderSpec:
        return self._inner.spec

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> array[float]:
        keys = [sha256(f"{purpose}\0{text}".encode("utf-8", "surrogatepass")).digest() for text in texts]
        known = {key: value for key in keys if (value := self._stored(key))}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        for first in range(0, len(missing), _BATCH):
            known |= await self._computed(list(missing.items())[first : first + _BATCH], purpose)
        vectors = array("f")
        for key in keys:
            vectors.frombytes(known[key])
        return vectors

    def _stored(self, key: bytes) -> bytes | None:
        row = self._store.execute("SELECT value FROM vector WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    async def _computed(self, items: Sequence[tuple[bytes, str]], purpose: Purpose) -> dict[bytes, bytes]:
        dims = self.spec.dims
        flat = await self._inner.embed([text for _, text in items], purpose)
        rows = {key: flat[at * dims : (at + 1) * dims].tobytes() for at, (key, _) in enumerate(items)}
        with self._store:
            self._store.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?)", list(rows.items()))
        return rows


class CachedModels:
    """A shelf whose embedders remember."""

    def __init__(self, inner: Models, folder: Path) -> None:
        self._inner, self._folder = inner, folder
        self._embedders: dict[str, CachedEmbedder] = {}

    async def specs(self) -> Sequence[EmbedderSpec]:
        return await self._inner.specs()

    async def embedder(self, model_id: str) -> Embedder:
        if model_id not in self._embedders:
            self._embedders[model_id] = CachedEmbedder(await self._inner.embedder(model_id), self._folder)
        return self._embedders[model_id]
