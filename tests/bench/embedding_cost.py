"""How much a first index adds to what ONNX Runtime itself takes for the same token batches."""

from __future__ import annotations

import asyncio
import shutil
import time
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from okf_edge.embedding.models import INPUT, OUTPUT
from okf_edge.inmemory import MemoryModels
from okf_edge.ports import Embedder, EmbedderSpec, Purpose
from okf_edge_native import compose
from tests.bench.synthetic import okf_with


class Recorder:
    """An embedder that passes on to a real one and keeps what ONNX Runtime was asked."""

    def __init__(self, real: Embedder) -> None:
        self._real = real
        self.texts: list[str] = []

    @property
    def spec(self) -> EmbedderSpec:
        return self._real.spec

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> array[float]:
        self.texts += texts
        return await self._real.embed(texts, purpose)


def over_raw_runtime(notes: Path, model_id: str) -> tuple[float, float]:
    """Processor time of embedding in a first index over that of the bare runtime; and chunks a second.

    Embedding is what a build with the model takes more than one without: tokenizing, running, quantising, storing.
    """
    return asyncio.run(_measured(notes, model_id))


async def _measured(notes: Path, model_id: str) -> tuple[float, float]:
    real = await compose.shelf().embedder(model_id)
    await real.embed(["the first text loads the model"], "passage")
    recorder = Recorder(real)
    without_s = await _build_s(notes, MemoryModels(), "")
    with_s = await _build_s(notes, MemoryModels(recorder), model_id)
    raw_s = _raw_s(real, recorder.texts)
    return (with_s - without_s) / raw_s, len(recorder.texts) / with_s


async def _build_s(notes: Path, models: MemoryModels, model_id: str) -> float:
    shutil.rmtree(notes / ".okf", ignore_errors=True)
    start_s = time.process_time()
    await okf_with(notes, models).build_index(model_id)
    return time.process_time() - start_s


def _raw_s(real: Any, texts: Sequence[str]) -> float:
    """Processor time of the product's own session on the same token batches, made beforehand."""
    ready = real._ready
    batches = [np.array([ready._tokenizer.encode(ready._model.prefixed(text, "passage"))], np.int32) for text in texts]
    start_s = time.process_time()
    for batch in batches:
        ready._session.run([OUTPUT], {INPUT: batch})
    return time.process_time() - start_s
