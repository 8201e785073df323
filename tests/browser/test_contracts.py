"""The browser's adapters keep the contracts of their ports, on the stripped DuckDB: in Node, Chromium and WebKit."""

from __future__ import annotations

import json
from pathlib import Path

from browser.engines import Engine, node_engine, page_engine
from browser.webdriver import Browser

CONTRACTS = Path(__file__).with_name("port_contracts.py").read_text()
PREPARED = """
import okf_edge_bridge
from pyodide.ffi import to_js
from okf_edge_wasm.sql import _values
columns = okf_edge_bridge.database.runPrepared("SELECT ? || '!' , CAST(? AS INTEGER) + 1", to_js(["泵", 41]))
str([list(_values(column)) for column in columns])
"""


def _require_kept(engine: Engine, models: list[str]) -> None:
    found = json.loads(engine.python(f"{CONTRACTS}\nawait checked({{'models': {models!r}}})"))
    assert len(found) == 8 + len(models)
    assert {name: faults for name, faults in found.items() if faults} == {}
    assert engine.python(PREPARED) == "[['泵!'], [42]]"


def test_adapters_keep_their_contracts_in_node(node: str, engine_dist: Path) -> None:
    with node_engine(node, engine_dist) as engine:
        _require_kept(engine, ["minilm-l6"])


def test_adapters_keep_their_contracts_in_a_browser(window: Browser, engine_dist: Path) -> None:
    with page_engine(window, engine_dist) as engine:
        _require_kept(engine, ["minilm-l6"])
