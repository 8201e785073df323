"""Texts to vectors by ONNX Runtime.

Rules:
1. One text a run, so that a text has one vector whatever it is embedded with (`graph`, rule 3).
2. Threads share texts among them; one run uses one thread. A query so costs no thread pool.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray

from okf_edge.embedding.models import INPUT, OUTPUT, Model, Tokenizer
from okf_edge.errors import ModelError
from okf_edge.ports import EmbedderSpec, Purpose


class OnnxEmbedder:
    """The `Embedder` port over a model file."""

    def __init__(self, model: Model, tokenizer: Tokenizer, path: str, threads: int = 1) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._session = _session(model, path)
        self._threads = threads

    @property
    def spec(self) -> EmbedderSpec:
        return self._model.spec

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> array[float]:
        vectors = array("f")
        if self._threads == 1 or len(texts) == 1:
            for text in texts:
                vectors.frombytes(self._vector(text, purpose).tobytes())
            return vectors
        with ThreadPoolExecutor(self._threads) as pool:
            for vector in pool.map(lambda text: self._vector(text, purpose), texts):
                vectors.frombytes(vector.tobytes())
        return vectors

    def _vector(self, text: str, purpose: Purpose) -> NDArray[np.float32]:
        ids = self._tokenizer.encode(self._model.prefixed(text, purpose))
        (vectors,) = self._session.run([OUTPUT], {INPUT: np.array([ids], np.int32)})
        vector: NDArray[np.float32] = vectors[0]
        return vector


def _session(model: Model, path: str) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = (
        onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    )  # folds casts: `graph`, rule 2
    options.enable_cpu_mem_arena = False  # one text needs little, and the arena keeps more
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime raises its own unrelated types
        raise ModelError(
            f"ONNX Runtime {onnxruntime.__version__} can't load model {model.id}: {error}",
            hint="Upgrade onnxruntime, then run `okf model build` again.",
        ) from error
