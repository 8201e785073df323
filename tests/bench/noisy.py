"""Vectors for more chunks than were ever embedded: real ones, each with noise, labelled so wherever they are shown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from okf_edge.index import coarse
from okf_edge.index.pages import Page, read_page
from okf_edge.index.quantise import LEVELS, Quantised, quantised
from okf_edge.ports import Embedder, EmbedderSpec, Models
from tests.bench import sets
from tests.bench.hard.questions import BUNDLES
from tests.bench.synthetic import MadeUpEmbedder

Matrix = NDArray[np.float32]
Codes = NDArray[np.int8]
SETS = ("scifact", "cranfield", "xquad_en")
NOISE = 0.6
"""The noise's length beside a vector of length 1: copies of one text have a cosine of about .74 to each other, as near
texts of one subject have."""


class NoisyEmbedder(MadeUpEmbedder):
    """The `Embedder` port with a real vector for each text, and noise, both by the text's hash."""

    def __init__(self, spec: EmbedderSpec, real: Matrix) -> None:
        super().__init__(spec)
        self._real = real

    def _vector(self, seed: int) -> Matrix:
        noise = super()._vector(seed) * np.float32(NOISE / self._spec.dims**0.5)
        return self._real[seed % len(self._real)] + noise


async def real_vectors(models: Models, model_id: str) -> tuple[EmbedderSpec, Matrix]:
    """Vectors of the public sets' notes, or of our own bundles where they are not there."""
    embedder: Embedder = await models.embedder(model_id)
    flat = np.frombuffer((await embedder.embed(list(_texts()), "passage")).tobytes(), np.float32)
    return embedder.spec, flat.reshape(-1, embedder.spec.dims)


def _texts() -> Iterator[str]:
    """What the product embeds of them."""
    for path, data in _notes():
        yield from (chunk.embedding_text for chunk in read_page(Page(path, data, 1, "user")).chunks)


def _notes() -> Iterator[tuple[str, bytes]]:
    if sets.CORPORA.is_dir():
        yield from (note for name in SETS for note in sets.load(name).notes.items())
        return
    yield from ((str(path), path.read_bytes()) for folder in BUNDLES.values() for path in sorted(folder.rglob("*.md")))


def noisy_codes(real: Matrix, count: int, rows: int = 20_000) -> tuple[Codes, Matrix]:
    """So many vectors, quantised as an index keeps them: signed bytes, and the scale of each."""
    codes, scales = np.empty((count, real.shape[1]), np.int8), np.empty(count, np.float32)
    chance = np.random.default_rng(1)
    for first in range(0, count, rows):
        noise = chance.standard_normal((min(rows, count - first), real.shape[1]), np.float32)
        vectors = real[chance.integers(0, len(real), len(noise))] + noise * np.float32(NOISE / real.shape[1] ** 0.5)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        scales[first : first + rows] = np.abs(vectors).max(1) / LEVELS
        codes[first : first + rows] = np.rint(vectors / scales[first : first + rows, None])
    return codes, scales


def cells_of(codes: Codes) -> tuple[list[Quantised], NDArray[np.int64]]:
    """The centroids and each vector's cell, by the k-means of `index.coarse`, which takes a quarter of an hour for a
    million vectors in SQL."""
    count, cells = len(codes), math.isqrt(len(codes))
    starts = [at for at in range(count) if at * cells % count < cells]
    centroids = [quantised((codes[at] / np.linalg.norm(codes[at])).tolist()) for at in starts]
    trained = codes[:: max(1, count // (cells * coarse.TRAINED_PER_CELL))].astype(np.float32)
    for _ in range(coarse.ROUNDS):
        nearest = _nearest(trained, centroids)
        for cell in np.unique(nearest):
            total = trained[nearest == cell].sum(0, dtype=np.float64)
            centroids[cell] = quantised((total / (np.linalg.norm(total) or 1)).tolist())
    return centroids, _nearest(codes, centroids)


def _nearest(codes: NDArray[np.generic], centroids: Sequence[Quantised], rows: int = 20_000) -> NDArray[np.int64]:
    matrix = np.stack([np.frombuffer(one.data, np.int8).astype(np.float32) * one.scale for one in centroids]).T
    parts = (codes[at : at + rows].astype(np.float32) @ matrix for at in range(0, len(codes), rows))
    return np.concatenate([part.argmax(1) for part in parts])
