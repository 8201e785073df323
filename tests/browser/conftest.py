"""What tests of the WebView share: the built engine, the browsers, and Node."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from browser.webdriver import Browser, browser
from okf_edge_native.models.shelf import ModelShelf

REPOSITORY = Path(__file__).parents[2]
WASM = REPOSITORY / "wasm"


@pytest.fixture(scope="session")
def engine_dist(models: ModelShelf) -> Path:
    """`wasm/dist`: the engine's files in `engine/`, and as chunks with their manifest in `assets/`, with the models."""
    sys.path.insert(0, str(WASM / "build"))
    import assets  # type: ignore[import-not-found]

    return Path(assets.build(models.folder)).parent


@pytest.fixture(scope="session")
def node() -> str:
    found = shutil.which("node")
    assert found, "expected node on the path: `make test` says what to install"
    return found


@pytest.fixture(params=["chromium", "webkit"])
def window(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """A browser with an empty profile, once as Chromium and once as WebKit."""
    with browser(request.param) as opened:
        yield opened
