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
from browser.webdriver import Browser
from okf_edge_native.plugin import equip

WASM = Path(__file__).parents[3] / "wasm"
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


def new_vault(
    folder: Path, built: Built, *, with_engine: bool = True, models: tuple[str, ...] = ("minilm-l6",)
) -> Path:
    """An empty vault with the plugin in it, as `okf plugin install` puts it there."""
    (folder / ".obsidian").mkdir(parents=True)
    equip(str(folder), str(built.folder), models)
    if not with_engine:
        shutil.rmtree(folder / ".obsidian/plugins/okf-edge/engine")
    return folder


@dataclass(slots=True)
class Phone:
    window: Browser
    server: VaultServer
    query: str
    taps: list[str] = field(default_factory=list)

    def start(self) -> None:
        """Open the app; also what the system does after it killed it."""
        self.window.open(f"{self.server.url}/?{self.query}")
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
    """The app with this vault. At the end nothing was left uncaught, and nothing asked for that is elsewhere.

    Args: refusals: how many times at least the policy has to refuse something; 0: never.
    """
    server = VaultServer(built.page, vault, policy)
    opened = Phone(window, server, query)
    try:
        window.resize(360, 740)
        opened.start()
        yield opened
        assert opened.value("hands.errors") == []
        violations = opened.value("hands.violations")
        assert len(violations) >= refusals if refusals else violations == []
    finally:
        window.open("about:blank")
        server.close()
