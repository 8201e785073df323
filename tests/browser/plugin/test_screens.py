"""Every screen of the plugin, on a phone and a desktop, in both themes and languages: sound for hands, eyes and ears.

The pictures are in `bench-out/screens`, to be looked at by people.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from browser.plugin.phone import WASM, Built, Phone, new_vault, phone
from browser.plugin.test_plugin import ANSWER, QUESTION, install_natively
from browser.webdriver import Engine, browser

PICTURES = WASM.parent / "bench-out" / "screens"
AXE = (WASM / "node_modules/axe-core/axe.min.js").read_text()
PARTS = ".okf-edge, .modal-content:has(*)"
FAULTS = """
if (!document.querySelector(arguments[0])) return []; // the settings are drawn by the app
const rules = { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] };
const { violations } = await window.axe.run(arguments[0], rules);
return violations.map((each) => each.id + ": " + each.nodes.map((node) => node.html).join(" "));
"""
TOO_SMALL = f"""
return [...document.querySelectorAll(`:is({PARTS}) :is(button, summary, input:not([type=checkbox]))`)]
  .filter((each) => each.getClientRects().length && each.getBoundingClientRect().height < 43.5)
  .map((each) => each.outerHTML + each.getBoundingClientRect().height);
"""
WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
CLOSE = "document.querySelector('.modal-close-button, .modal-bg')?.click();"
KINDS = [
    ("chromium", "phone", "zh", "dark"),
    ("chromium", "desktop", "en", "light"),
    ("webkit", "phone", "en", "light"),
    ("webkit", "desktop", "zh", "dark"),
]
SIZES = {"phone": (360, 740), "desktop": (1200, 800)}


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "device", "language", "theme"), KINDS)
def test_every_screen_is_sound(
    engine: Engine, device: str, language: str, theme: str, built: Built, archive: Path, tmp_path: Path
) -> None:
    vault = new_vault(tmp_path / "vault", built)
    install_natively(vault, archive)
    (vault / "mine.md").write_text("# Mine\n\nMy mooring is at berth seven. See [[nowhere]].\n")
    query = f"language={language}&theme={theme}&mobile={'no' if device == 'desktop' else 'yes'}"
    with browser(engine) as window, phone(window, built, vault, query=query) as thumb:
        window.resize(*SIZES[device])
        window.script(AXE + "; window.axe = axe;")
        for name, show in SCREENS.items():
            show(thumb)
            require_sound(thumb, f"plugin-{name}-{device}-{engine}-{language}-{theme}")
            window.script(CLOSE)


def require_sound(thumb: Phone, shown: str) -> None:
    thumb.window.screenshot(PICTURES / f"{shown}.png")
    assert not thumb.value(WIDER), shown
    assert thumb.window.script(FAULTS, PARTS) == [], shown
    assert thumb.window.script(TOO_SMALL) == [], shown


def search(thumb: Phone) -> None:
    thumb.run("search")
    thumb.ask(QUESTION)
    thumb.sees(ANSWER)


def why(thumb: Phone) -> None:
    thumb.window.script("document.querySelector('.okf-edge-why summary').click();")
    thumb.window.wait_for("!document.querySelector('.okf-edge-status').textContent.includes('…')")
    assert thumb.value("document.querySelector('.okf-edge-why').open"), "better answers wait for who reads these"


def library(thumb: Phone) -> None:
    thumb.run("library")
    thumb.sees("ada.harbour")


def bundle(thumb: Phone) -> None:
    thumb.window.script("document.querySelector('.okf-edge-open').click();")
    thumb.window.wait_for("document.querySelectorAll('.modal-content button').length >= 3")


def upkeep(thumb: Phone) -> None:
    thumb.run("health")
    thumb.sees("100")


def where_from(thumb: Phone) -> None:
    thumb.run("install-link")
    thumb.window.wait_for("document.querySelector('.modal-content form')")


def failed(thumb: Phone) -> None:
    thumb.open_link("obsidian://okf-edge?install=ftp%3A%2F%2Fexample.org%2Fa.zip")
    thumb.window.wait_for("document.querySelector('.okf-edge-failure')")


def settings(thumb: Phone) -> None:
    thumb.window.script("hands.settings();")
    thumb.window.wait_for("document.querySelectorAll('.setting-item').length >= 5")


SCREENS: dict[str, Callable[[Phone], None]] = {
    each.__name__: each for each in (search, why, library, bundle, upkeep, where_from, failed, settings)
}
