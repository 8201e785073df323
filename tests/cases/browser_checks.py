"""Cases of the WebView: the plugin in a page with the restrictions of a profile, in Chromium and in WebKit."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from browser.plugin.phone import Built, Phone, build, new_vault, phone
from browser.plugin.vault_server import POLICY
from browser.webdriver import Browser, Engine, browser
from models_fixture import FOLDER as MODELS
from tests.cases.suite import Spec
from tests.cases.vault import Vault

NOTE = "# Mooring\n\nMy mooring is at berth seven.\n"
ENGINES: tuple[Engine, ...] = ("chromium", "webkit")


def browser_profile(vault: Vault, spec: Spec) -> None:
    profile = json.loads((vault.folder / spec["file"]).read_text())
    with TemporaryDirectory() as scratch:
        built = build(_engine_files(), Path(scratch) / "release")
        for engine in ENGINES:
            with browser(engine) as window:
                _works_single_threaded_and_offline(window, built, profile, Path(scratch) / engine / "open")
                _reads_without_a_worker(window, built, profile, Path(scratch) / engine / "closed")


def _works_single_threaded_and_offline(window: Browser, built: Built, profile: dict[str, Any], folder: Path) -> None:
    vault = new_vault(folder, built)
    (vault / "mooring.md").write_text(NOTE)
    with phone(window, built, vault) as thumb:
        assert profile["offline"] and profile["wasm_mime"] == "application/octet-stream"  # as the bridge gives bytes
        assert thumb.value("crossOriginIsolated") is profile["crossOriginIsolated"]
        assert thumb.value("typeof SharedArrayBuffer") == "undefined"
        _is_answered(thumb)
        _evict(thumb, vault)
        _is_answered(thumb)
        missing = _lose_one_engine_file(vault)
        thumb.start()
        _ask(thumb)
        assert missing in thumb.sees("is missing")
        assert thumb.value("document.querySelectorAll('.okf-edge-failure').length") == 1, "one message"
        assert thumb.server.asked == [], "nothing is fetched, neither before nor after a failure"


def _reads_without_a_worker(window: Browser, built: Built, profile: dict[str, Any], folder: Path) -> None:
    """Workers of blobs are refused: it says so, and the rest goes on. Only the app's loader is let in."""
    policy = (
        profile["csp"].replace("script-src 'self'", "script-src 'self' blob:") + "; style-src 'self' 'unsafe-inline'"
    )
    assert "worker-src 'self';" in policy and policy != POLICY
    vault = new_vault(folder, built)
    with phone(window, built, vault, policy=policy, refusals=1) as thumb:
        _ask(thumb)
        assert "Try again" in thumb.sees("could not be started")
        thumb.tap("Library")
        thumb.sees("No bundle is installed.")


def _ask(thumb: Phone) -> None:
    thumb.run("search")
    thumb.ask("where is my mooring?")


def _is_answered(thumb: Phone) -> None:
    _ask(thumb)
    thumb.sees("berth seven")


def _evict(thumb: Phone, vault: Path) -> None:
    """The system takes what the app keeps outside of the vault, and a sync takes the index."""
    thumb.window.script("for (const each of await indexedDB.databases()) indexedDB.deleteDatabase(each.name);")
    for path in (vault / ".okf").rglob("*"):
        if path.is_file():
            path.unlink()
    thumb.start()


def _lose_one_engine_file(vault: Path) -> str:
    engine = vault / ".obsidian/plugins/okf-edge/engine"
    assets = json.loads((engine / "manifest.json").read_text())["assets"]
    chunk = engine / next(each for each in assets if each["name"] == "worker.js")["chunks"][0]["file"]
    chunk.unlink()
    return chunk.name


def _engine_files() -> Path:
    sys.path.insert(0, str(Path(__file__).parents[2] / "wasm" / "build"))
    import assets  # type: ignore[import-not-found]

    return Path(assets.build(MODELS))


CHECKS = {"browser_profile": browser_profile}
