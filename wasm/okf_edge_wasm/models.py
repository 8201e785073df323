"""The models whose files the page holds, by ONNX Runtime Web and the core's own tokenizers.

Rules:
1. A model is loaded with the first text, checked against the digests that the core knows, and only one at a time.
2. A question uses one model: what would need a second is answered by words, and the answer says so. The next question
   may use the other, which then takes the place of the first.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from okf_edge.embedding.models import MODELS, NETWORK_FILE, Model, Tokenizer, check_file, model_of, tokenizer_of
from okf_edge.errors import ModelError
from okf_edge.ports import Embedder, EmbedderSpec, Purpose
from okf_edge_wasm.bridge import Page


class Slot:
    """The one place for a loaded model. `encoder` is that of the bridge."""

    def __init__(self, page: Page, encoder: Any, model_ids: Sequence[str]) -> None:
        self._page = page
        self._encoder = encoder
        self.at_hand = tuple(model for model in MODELS if model.id in model_ids)
        self._tokenizer: Tokenizer | None = None
        self._loaded = ""

    async def vector(self, model: Model, text: str, purpose: Purpose) -> bytes:
        """The vector of a text as 32-bit floats. Raises ModelError."""
        if self._loaded != model.id:
            await self._load(model)
        assert self._tokenizer is not None
        ids = array("i", self._tokenizer.encode(model.prefixed(text, purpose)))
        try:
            return bytes((await self._encoder.embed(_js(ids))).to_bytes())
        except _js_errors() as error:
            raise _broken(model, error) from error

    async def _load(self, model: Model) -> None:
        self._loaded, self._tokenizer = "", None
        rest = [file for file in model.files if file.name != NETWORK_FILE]
        files = {}
        for file in rest:
            files[file.name] = await self._page.bytes_of("asset", {"name": f"{model.id}/{file.name}"})
            check_file(model, file, files[file.name])
        tokenizer = tokenizer_of(model, files)
        try:
            await self._encoder.load(model.id)
        except _js_errors() as error:
            raise _broken(model, error) from error
        self._loaded, self._tokenizer = model.id, tokenizer


class PageModels:
    """The `Models` of one call."""

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        self._used = ""

    async def specs(self) -> Sequence[EmbedderSpec]:
        return [model.spec for model in self._slot.at_hand]

    async def embedder(self, model_id: str) -> Embedder:
        model = model_of(model_id)
        if model not in self._slot.at_hand:
            raise ModelError(
                f"model {model_id} is not on this device",
                code="model-absent",
                hint="Add it to the engine's files; until then search works by words alone.",
            )
        return _Embedder(self, model)

    async def vector(self, model: Model, text: str, purpose: Purpose) -> bytes:
        if self._used not in ("", model.id):
            raise ModelError(
                f"this device holds one model at a time: {self._used} was used, {model.id} was not",
                code="model-busy",
                hint="Ask within one bundle to use its model.",
            )
        self._used = model.id
        return await self._slot.vector(model, text, purpose)


class _Embedder:
    """The `Embedder` of one model for one call."""

    def __init__(self, models: PageModels, model: Model) -> None:
        self._models = models
        self._model = model

    @property
    def spec(self) -> EmbedderSpec:
        return self._model.spec

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> array[float]:
        vectors = array("f")
        for text in texts:
            vectors.frombytes(await self._models.vector(self._model, text, purpose))
        return vectors


def _broken(model: Model, error: Exception) -> ModelError:
    return ModelError(
        f"model {model.id} can't be used here: {error}",
        code="model-damaged",
        hint="Put the engine's files there again; until then search works by words alone.",
    )


def _js(ids: array[int]) -> Any:
    from pyodide.ffi import to_js  # type: ignore[import-not-found]

    return to_js(ids)


def _js_errors() -> type[Exception]:
    from pyodide.ffi import JsException

    return JsException  # type: ignore[no-any-return]
