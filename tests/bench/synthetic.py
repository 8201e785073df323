"""Indexes with made-up vectors of a real model's shape, for costs in which embedding has no part."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from okf_edge.app import Okf
from okf_edge.app.ports import Config, Ports
from okf_edge.embedding.models import model_of
from okf_edge.inmemory import MemoryModels
from okf_edge.ports import EmbedderSpec, Models, Purpose
from okf_edge_native import compose
from okf_edge_native.disk import DiskTree
from okf_edge_native.duckdb_engine import DuckdbSql
from okf_edge_native.progress import SilentProgress
from okf_edge_native.system import SystemClock, SystemEntropy


@dataclass(frozen=True, slots=True)
class Index:
    """A built index: its chunks, and its size on disk."""

    chunks: int
    bytes: int


class MadeUpEmbedder:
    """The `Embedder` port with a vector per text that follows from its hash, at no cost."""

    def __init__(self, spec: EmbedderSpec) -> None:
        self._spec = spec

    @property
    def spec(self) -> EmbedderSpec:
        return self._spec

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> array[float]:
        vectors = array("f")
        for text in texts:
            seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
            vector = self._vector(seed)
            vectors.frombytes((vector / np.linalg.norm(vector)).tobytes())
        return vectors

    def _vector(self, seed: int) -> NDArray[np.float32]:
        """Of any length; `seed` follows from the text."""
        return np.random.default_rng(seed).standard_normal(self._spec.dims, np.float32)


def build_index(folder: Path, model_id: str) -> Index:
    """Build the folder's index as `okf index build` does, but for the vectors."""
    okf = okf_with(folder, MemoryModels(MadeUpEmbedder(model_of(model_id).spec)))
    report = asyncio.run(okf.build_index(model_id)).report
    return Index(report.chunks, (folder / ".okf/index.duckdb").stat().st_size)


def okf_with(folder: Path, models: Models | None = None) -> Okf:
    """The use cases of a folder over the native ports, with other models if any are given."""
    ports = Ports(
        tree=DiskTree(folder),
        spare=compose.spare_place(str(folder)),
        engine=DuckdbSql,
        models=models or compose.models(),
        clock=SystemClock(),
        entropy=SystemEntropy(),
        progress=SilentProgress(),
    )
    return Okf(ports, Config(folder_name=folder.name))
