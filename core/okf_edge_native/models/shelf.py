"""The models in the user's cache, one folder each: what is at hand, and whether it is what it should be.

Rules:
1. A model is at hand when its folder is there; its bytes are checked whenever it is loaded.
2. The folder of a model appears in one step, whole; several processes may put the same model at once.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from okf_edge.embedding.models import (
    MODELS,
    NETWORK_FILE,
    Model,
    ModelFile,
    check_file,
    damaged,
    model_of,
    tokenizer_of,
)
from okf_edge.errors import ModelError
from okf_edge.ports import Embedder, EmbedderSpec, Purpose

from ..atomic import STAGE, flush_tree
from ..failures import port_errors


class ModelShelf:
    """The `Models` port over a folder such as ~/.cache/okf/models."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        self.folder = folder
        self._threads = threads
        self._loaded: dict[str, Embedder] = {}

    async def specs(self) -> Sequence[EmbedderSpec]:
        return [model.spec for model in MODELS if self.has(model)]

    async def embedder(self, model_id: str) -> Embedder:
        model = model_of(model_id)
        if not self.has(model):
            raise self._absent(model)
        if model_id not in self._loaded:
            self._loaded[model_id] = LazyEmbedder(self, model, self._threads)
        return self._loaded[model_id]

    def has(self, model: Model) -> bool:
        """Whether a folder for this model is there; reading it may still show that it is damaged."""
        return (self.place(model) / NETWORK_FILE).is_file()

    def place(self, model: Model) -> Path:
        return self.folder / model.id

    def read(self, model: Model, file: ModelFile) -> bytes:
        """The checked bytes of a file. Raises ModelError."""
        path = self.place(model) / file.name
        try:
            with path.open("rb") as opened:
                data = opened.read(file.bytes + 1)
        except OSError as error:
            raise self._unreadable(model, file, error) from error
        check_file(model, file, data)
        return data

    def checked_path(self, model: Model, file: ModelFile) -> Path:
        """The path of a file whose digest was checked without holding it in memory. Raises ModelError."""
        path = self.place(model) / file.name
        try:
            size = path.stat().st_size
            with path.open("rb") as opened:
                digest = hashlib.file_digest(opened, "sha256").hexdigest() if size == file.bytes else ""
        except OSError as error:
            raise self._unreadable(model, file, error) from error
        if digest != file.sha256:
            raise damaged(model, file, size)
        return path

    def put(self, model: Model, files: Mapping[str, bytes]) -> None:
        """Keep a model, in place of whatever is there under its id.

        Raises: UnavailableError. AlreadyExistsError: another process put it at the same moment.
        """
        place = self.place(model)
        with port_errors(str(place)):
            self.folder.mkdir(parents=True, exist_ok=True)
            with TemporaryDirectory(dir=self.folder, prefix=STAGE) as stage:
                fresh = Path(stage, "new")
                fresh.mkdir()
                for name, data in files.items():
                    (fresh / name).write_bytes(data)
                flush_tree(str(fresh))
                with suppress(FileNotFoundError):
                    place.rename(Path(stage, "old"))
                fresh.rename(place)

    def _absent(self, model: Model) -> ModelError:
        return ModelError(
            f"model {model.id} is not at hand in {self.folder}",
            code="model-absent",
            hint=f"Run `okf model build {model.id}`; until then search works by words alone.",
        )

    def _unreadable(self, model: Model, file: ModelFile, error: OSError) -> ModelError:
        return ModelError(
            f"{file.name} of model {model.id} can't be read: {error.strerror}",
            code="model-damaged",
            hint=f"Run `okf model build {model.id}` to make it again.",
        )


class LazyEmbedder:
    """An `Embedder` that loads its model with the first text."""

    def __init__(self, shelf: ModelShelf, model: Model, threads: int) -> None:
        self._shelf, self._model, self._threads = shelf, model, threads
        self._ready: Embedder | None = None

    @property
    def spec(self) -> EmbedderSpec:
        return self._model.spec

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> array[float]:
        if not texts:
            return array("f")
        self._ready = self._ready or self._load()
        return await self._ready.embed(texts, purpose)

    def _load(self) -> Embedder:
        from .embedder import OnnxEmbedder  # onnxruntime costs .2 s to import

        network, *rest = self._model.files
        files = {file.name: self._shelf.read(self._model, file) for file in rest}
        path = self._shelf.checked_path(self._model, network)
        return OnnxEmbedder(self._model, tokenizer_of(self._model, files), str(path), self._threads)
