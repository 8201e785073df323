"""The browser's adapters keep the contracts of their ports, on the stripped DuckDB: in Node, Chromium and WebKit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from browser.engines import Engine, node_engine, page_engine
from browser.site import site
from browser.webdriver import Browser
from okf_edge.contracts.blob_store import SEED
from okf_edge.embedding.models import MODELS

CONTRACTS = Path(__file__).with_name("port_contracts.py").read_text()
PORTS = 10
FOR_OTHER_PAGES = {"access-control-allow-origin": "*", "access-control-expose-headers": "etag"}


@pytest.fixture
def blobs_url(tmp_path: Path) -> Iterator[str]:
    """Where the seed of the contract for blobs lies, on another origin than the page."""
    for key, data in SEED.items():
        (tmp_path / key).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / key).write_bytes(data)
    with site({"/": tmp_path}, FOR_OTHER_PAGES) as served:
        yield served.url


def _require_kept(engine: Engine, blobs_url: str, models: list[str]) -> None:
    given = {"models": models, "url": blobs_url}
    found = json.loads(engine.python(f"{CONTRACTS}\nawait checked({given!r})"))
    assert len(found) == PORTS + len(models)
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_adapters_keep_their_contracts_in_node(node: str, engine_dist: Path, blobs_url: str) -> None:
    with node_engine(node, engine_dist) as engine:
        _require_kept(engine, blobs_url, [model.id for model in MODELS])


def test_adapters_keep_their_contracts_in_a_browser(window: Browser, engine_dist: Path, blobs_url: str) -> None:
    with page_engine(window, engine_dist) as engine:
        _require_kept(engine, blobs_url, ["minilm-l6"])
