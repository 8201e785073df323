"""An embedder without a model: a bag of hashed words and character trigrams.

Texts that share words get near vectors, in any script. Good for tests and docs; no match for a trained model.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from math import sqrt

from okf_edge.errors import ModelError
from okf_edge.ports import Embedder, EmbedderSpec, Purpose

HASHED_SPEC = EmbedderSpec(
    id="hashed",
    digest="0" * 64,
    dims=64,
    max_tokens=256,
    cosine_mean=0.15,
    cosine_sd=0.12,
    scripts=("Latin", "Han", "Kana"),
)
_WORD = re.compile(r"\w+")


class HashedEmbedder:
    """A deterministic `Embedder`. `calls` counts the texts that were embedded."""

    def __init__(self, spec: EmbedderSpec = HASHED_SPEC) -> None:
        self._spec = spec
        self.calls = 0

    @property
    def spec(self) -> EmbedderSpec:
        return self._spec

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> array[float]:
        self.calls += len(texts)
        out = array("f")
        for text in texts:
            out.extend(self._vector(text))
        return out

    def _vector(self, text: str) -> list[float]:
        values = [0.0] * self._spec.dims
        for feature in _features(text, self._spec.max_tokens):
            slot = int.from_bytes(blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest(), "big")
            values[(slot >> 1) % self._spec.dims] += 1.0 if slot & 1 else -1.0
        norm = sqrt(sum(value * value for value in values))
        return [value / norm for value in values] if norm else [1.0] + [0.0] * (self._spec.dims - 1)


class MemoryModels:
    """A `Models` shelf of given embedders."""

    def __init__(self, *embedders: Embedder) -> None:
        self._shelf: Mapping[str, Embedder] = {embedder.spec.id: embedder for embedder in embedders}

    async def specs(self) -> Sequence[EmbedderSpec]:
        return [embedder.spec for embedder in self._shelf.values()]

    async def embedder(self, model_id: str) -> Embedder:
        if model_id not in self._shelf:
            known = ", ".join(self._shelf) or "none"
            raise ModelError(f"expected a model at hand, found no {model_id!r}", hint=f"At hand: {known}.")
        return self._shelf[model_id]


def _features(text: str, max_tokens: int) -> list[str]:
    words = _WORD.findall(text.casefold())[:max_tokens]
    trigrams = [word[at : at + 3] for word in words for at in range(max(1, len(word) - 2))]
    return words + trigrams
