"""A phone with a vault, the plugin in it, and a thumb."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from browser.plugin.vault_server import POLICY, VaultServer
from browser.webdriver import Browser, webkit_app
from okf_edge_native.plugin import equip

WASM = Path(__file__).parents[3] / "wasm"
IOS_APP = Path(__file__).with_name("ios_app.py")
VISIBLE = "(el) => el.offsetParent !== null || el.getClientRects().length > 0"


@dataclass(frozen=True, slots=True)
class Built:
    """A release as it is unpacked: `obsidian/` and `assets/`; and the host model's page in `host/`."""

    folder: Path

    @property
    def page(self) -> Path:
        return self.folder / "host"


def build(assets: Path, folder: Path) -> Built:
    """The plugin, pinned to these engine files, and the host model. Engine files are linked, not copied."""
    shutil.copytree(assets, folder / "assets", copy_function=_linked)
    script = (
        f"import {{ buildPlugin, buildHost }} from {json.dumps(str(WASM / 'build/plugin.mjs'))};"
        f"await buildPlugin({json.dumps(str(folder / 'obsidian'))}, {json.dumps(str(folder / 'assets'))});"
        f"await buildHost({json.dumps(str(folder / 'host'))});"
    )
    subprocess.run(["node", "--input-type=module", "-e", script], check=True, timeout=120)
    return Built(folder)


def _linked(source: str, target: str) -> None:
    shutil.copy2(source, target)


def new_vault(folder: Path, built: Built, *, with_engine: bool = True, with_model: bool = False) -> Path:
    """An empty vault with the plugin in it, as `okf plugin install --model minilm-l6` puts it there.

    Args: with_model: else its files have not been synced yet, and answers are found by words.
    """
    (folder / ".obsidian").mkdir(parents=True)
    equip(str(folder), str(built.folder), ("minilm-l6",))
    engine = folder / ".obsidian/plugins/okf-edge/engine"
    if not with_engine:
        shutil.rmtree(engine)
    elif not with_model:
        _remove_model(engine)
    return folder


def _remove_model(engine: Path) -> None:
    for asset in json.loads((engine / "manifest.json").read_text())["assets"]:
        for chunk in asset["chunks"] if asset["part"] == "model:minilm-l6" else ():
            (engine / chunk["file"]).unlink()


OWN_PLACES = ("Library", ".okf", ".okf-stage-", ".obsidian/app.json", ".obsidian/plugins/okf-edge/data.json")
"""All that the plugin may write: neither a note of the person, nor itself, nor its engine."""


def written_elsewhere(verbs: list[tuple[str, str]]) -> list[str]:
    """What was written outside of the plugin's own places."""
    changing = {"write", "mkdir", "rmdir", "remove", "rename", "copy"}
    return [path for verb, path in verbs if verb in changing and not path.lstrip("/").startswith(OWN_PLACES)]


@dataclass(slots=True)
class Phone:
    window: Browser
    server: VaultServer
    origin: str
    query: str
    taps: list[str] = field(default_factory=list)

    def start(self) -> None:
        """Open the app; also what the system does after it killed it."""
        self.window.open(f"{self.origin}/?{self.query}")
        self.window.wait_for("Boolean(window.hands)", 60)

    def tap(self, text: str, within: str = "body") -> None:
        """Tap the button, link or card that shows this text, as soon as it is there."""
        found = (
            f"[...document.querySelectorAll('{within} :is(button, summary, .notice-message, .menu-item)')]"
            f".find((el) => el.textContent.includes({json.dumps(text)}) && ({VISIBLE})(el))"
        )
        self.window.wait_for(f"Boolean({found})")
        self.window.script(f"{found}.click();")
        self.taps.append(text)

    def open_link(self, uri: str) -> None:
        """Tap a link to the app somewhere else, e.g. in a message of a colleague."""
        self.window.script("hands.openLink(arguments[0]);", uri)
        self.taps.append(uri)

    def ask(self, question: str) -> None:
        self.window.wait_for("Boolean(document.querySelector('.okf-edge-ask input[type=search]'))", 30)
        self.window.script(
            "const field = document.querySelector('.okf-edge-ask input[type=search]'); field.value = arguments[0];"
            "field.dispatchEvent(new Event('input'));",
            question,
        )

    def picture(self, name: str) -> None:
        """Record what is shown, where `OKF_PICTURES` names a folder: the pictures of the handbook are made so."""
        if folder := os.environ.get("OKF_PICTURES"):
            self.window.screenshot(Path(folder) / f"obsidian-{name}.png")

    def run(self, command: str) -> None:
        self.window.script("hands.run(arguments[0]);", f"okf-edge:{command}")

    def sees(self, text: str, seconds: float = 120) -> str:
        """All that is shown, once this text is."""
        self.window.wait_for(f"document.body.innerText.includes({json.dumps(text)})", seconds)
        return self.window.text()

    def value(self, expression: str) -> Any:
        return self.window.script(f"return {expression};")

    def kill_worker(self) -> None:
        """The system takes the worker's memory: it is gone without a word, and says so to nobody."""
        self.window.script("for (const worker of hands.workers) worker.dispatchEvent(new ErrorEvent('error'));")


@contextmanager
def phone(
    window: Browser, built: Built, vault: Path, *, query: str = "", policy: str = POLICY, refusals: int = 0
) -> Iterator[Phone]:
    """The app with this vault. At the end nothing was left uncaught, nothing asked for that is elsewhere, and nothing
    written but what is the plugin's own.

    Args: refusals: how many times at least the policy has to refuse something; 0: never.
    """
    server = VaultServer(built.page, vault, policy)
    try:
        with _used(Phone(window, server, server.url, query), refusals) as opened:
            yield opened
    finally:
        server.close()


@contextmanager
def iphone(built: Built, vault: Path) -> Iterator[Phone]:
    """The same under the origin that apps of iOS have: no service worker, no cache, no private files."""
    server = VaultServer(built.page, vault)
    try:
        with (
            webkit_app(IOS_APP, server.url) as window,
            _used(Phone(window, server, "capacitor://localhost", "")) as used,
        ):
            yield used
    finally:
        server.close()


@contextmanager
def _used(opened: Phone, refusals: int = 0) -> Iterator[Phone]:
    try:
        opened.window.resize(360, 740)
        opened.start()
        yield opened
        assert opened.value("hands.errors") == []
        assert written_elsewhere(opened.server.verbs) == []
        violations = opened.value("hands.violations")
        assert len(violations) >= refusals if refusals else violations == []
    finally:
        opened.window.open("about:blank")
