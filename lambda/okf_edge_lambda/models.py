"""Models of the service: one may come with the code, the others are objects of the bucket, named by digest."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from okf_edge.embedding.models import Model, model_of
from okf_edge.errors import ModelError, OkfError
from okf_edge.ports import Embedder, EmbedderSpec
from okf_edge_lambda import layout
from okf_edge_lambda.shelf import Shelf
from okf_edge_native.models.shelf import ModelShelf

BUNDLED = "models"
"""The folder beside the code that holds the model that came with it."""


class ServiceModels:
    """A `Models` over the bucket. What is fetched is checked by its digest whenever it is loaded."""

    def __init__(self, ids: Sequence[str], shelf: Shelf, folder: str) -> None:
        self._models = {each: model_of(each) for each in ids}
        self._shelf = shelf
        self._fetched = ModelShelf(Path(folder))
        self._bundled = ModelShelf(Path(os.environ.get("LAMBDA_TASK_ROOT", "/var/task"), BUNDLED))

    async def specs(self) -> Sequence[EmbedderSpec]:
        return [model.spec for model in self._models.values()]

    async def embedder(self, model_id: str) -> Embedder:
        model = self._models.get(model_id)
        if model is None:
            raise ModelError(f"the service has no model {model_id}", code="model-absent", hint="See OKF_MODELS.")
        if self._bundled.has(model):
            return await self._bundled.embedder(model_id)
        if not self._fetched.has(model):
            await self._fetch(model)
        return await self._fetched.embedder(model_id)

    async def _fetch(self, model: Model) -> None:
        """The network last: its file says that the model is there."""
        place = self._fetched.place(model)
        place.mkdir(parents=True, exist_ok=True)
        for file in sorted(model.files, key=lambda each: each.name == "model.onnx"):
            try:
                found = await self._shelf.bring(layout.model_key(file.sha256), file.bytes, file.sha256)
            except OkfError as error:
                raise ModelError(
                    f"{file.name} of model {model.id} can't be fetched: {error.message}",
                    code="model-absent",
                    hint="Put the model's files into the bucket: see infra/README.md.",
                ) from error
            shutil.copyfile(found, f"{place}/{file.name}.part")
            os.replace(f"{place}/{file.name}.part", place / file.name)
