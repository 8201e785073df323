"""The engine starts by words, gives way, dies and comes back; and says plainly what is wrong with its files."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from browser.engines import CallFailed, NodeEngine, call, node_engine
from okf_edge.app import Okf
from okf_edge.app.ports import Config
from okf_edge.bundles.export import ExportOptions
from okf_edge_native.compose import ports_of

PAGES = {
    "pump.md": "---\ntype: Note\ntitle: Pump\n---\n\nThe pump stops at low water. See [the valve](valve.md).\n",
    "valve.md": "---\ntype: Note\ntitle: Valve\n---\n\nThe valve opens under pressure.\n",
}
IMPORTED = """
import importlib, pkgutil, okf_edge, okf_edge_wasm
failed = []
for package in (okf_edge, okf_edge_wasm):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.startswith("okf_edge.contracts"):
            try:
                importlib.import_module(module.name)
            except ImportError as error:
                failed.append(f"{module.name}: {error}")
"; ".join(failed)
"""


@pytest.fixture
def engine(node: str, engine_dist: Path) -> Iterator[NodeEngine]:
    with node_engine(node, engine_dist) as opened:
        yield opened


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of two pages with an index by words."""
    folder = tmp_path_factory.mktemp("bundle")
    for name, text in PAGES.items():
        (folder / name).write_text(text)
    okf = Okf(ports_of(str(folder), True), Config("bundle"))
    exported = asyncio.run(okf.export(ExportOptions(id="ada.pumps", version="1.0.0")))
    path = tmp_path_factory.mktemp("archive") / "pumps.okf.zip"
    path.write_bytes(exported.archive)
    return path


def _first(answer: dict[str, object]) -> str:
    candidates = answer["candidates"]
    assert isinstance(candidates, list)
    return str(candidates[0]["path"])


def test_a_bundle_is_previewed_installed_asked_read_and_removed(engine: NodeEngine, archive: Path) -> None:
    preview = call(engine, "preview", archive, name=archive.name)
    assert (preview["id"], preview["installed"], preview["risks"]) == ("ada.pumps", "", [])
    assert call(engine, "install", archive, name=archive.name)["outcome"] == "installed"
    assert call(engine, "install", archive, name=archive.name)["outcome"] == "unchanged"
    answer = call(engine, "query", question="when does the pump stop", means="words")
    assert (answer["verdict"], _first(answer)) == ("ok", "Library/ada.pumps/pump.md")
    assert call(engine, "read", concept=_first(answer))["title"] == "Pump"
    assert call(engine, "page", path=_first(answer))["links_to"][0]["title"] == "Valve"
    assert call(engine, "contents", id="ada.pumps")["pages"][1]["title"] == "Valve"
    assert [each["id"] for each in call(engine, "map")["bundles"]] == ["ada.pumps"]
    assert call(engine, "uninstall", id="ada.pumps")["bundle"]["version"] == "1.0.0"
    assert call(engine, "bundles") == {"bundles": []}


def test_words_are_answered_before_a_model_is_loaded(engine: NodeEngine, tmp_path: Path) -> None:
    for name, text in PAGES.items():
        (tmp_path / name).write_text(text)
        engine.put("base", name, tmp_path / name)
    call(engine, "query", question="pump", means="words")
    assert {state["ready"] for state in engine.states()} <= {None, "words"}
    assert call(engine, "query", question="pump")["coverage"]["mode"] == "hybrid"
    assert engine.states()[-1]["ready"] == "meaning"


def test_a_worker_that_dies_is_noticed_explained_and_started_again(engine: NodeEngine, archive: Path) -> None:
    engine.open(silenceMs=12_000)
    call(engine, "install", archive, name=archive.name)
    engine.kill()
    with pytest.raises(CallFailed) as caught:
        call(engine, "bundles")
    assert caught.value.code == "worker-crashed"
    assert caught.value.hint
    assert call(engine, "query", question="pump", means="words")["verdict"] == "ok"
    assert engine.crashes == 0


def test_an_engine_that_keeps_dying_starts_by_words(engine: NodeEngine, archive: Path) -> None:
    engine.open(crashes=2)
    call(engine, "install", archive, name=archive.name)
    answer = call(engine, "query", question="when does the pump stop")
    assert (answer["verdict"], answer["coverage"]["mode"]) == ("ok", "lexical")
    assert "words alone" in answer["coverage"]["note"]
    assert _first(answer) == "Library/ada.pumps/pump.md"
    assert engine.states()[-1]["safe"] is True
    assert engine.crashes == 2, "safe mode lasts until a person or an update ends it"


@pytest.mark.parametrize("fault", ["missing", "cut", "swapped"])
def test_damaged_files_of_the_engine_are_named(
    engine: NodeEngine, engine_dist: Path, tmp_path: Path, fault: str
) -> None:
    assets = tmp_path / "assets"
    shutil.copytree(engine_dist / "assets", assets, ignore=shutil.ignore_patterns("155978*", "199dbb*"))
    listed = json.loads((assets / "manifest.json").read_text())["assets"]
    chunk = assets / next(each["chunks"][0]["file"] for each in listed if each["name"] == "duckdb.wasm")
    if fault == "missing":
        chunk.unlink()
    else:
        data = chunk.read_bytes()
        chunk.write_bytes(data[:-1] if fault == "cut" else bytes([data[0] ^ 1]) + data[1:])
    engine.open(assets=assets)
    with pytest.raises(CallFailed) as caught:
        call(engine, "bundles")
    assert caught.value.code == ("asset-missing" if fault == "missing" else "asset-damaged")
    assert "duckdb.wasm" in caught.value.message
    assert caught.value.hint


def test_failures_of_the_core_reach_the_page_as_they_are(engine: NodeEngine, tmp_path: Path) -> None:
    junk = tmp_path / "junk.zip"
    junk.write_bytes(b"no archive")
    with pytest.raises(CallFailed) as caught:
        call(engine, "install", junk, name="junk.zip")
    assert caught.value.code and caught.value.message
    with pytest.raises(CallFailed, match="nothing-here"):
        call(engine, "read", concept="nothing-here")
    with pytest.raises(CallFailed, match="bad-question"):
        call(engine, "query", question="  ")


def test_every_module_of_the_core_is_found_in_what_is_shipped(engine: NodeEngine) -> None:
    """The wheels lack what no browser imports; nothing of ours may want it."""
    failed = engine.python(IMPORTED)
    assert failed == ""
