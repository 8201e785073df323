"""What a person does in the reader, and what they see."""

from __future__ import annotations

import base64
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from browser.webdriver import Browser

AXE = (Path(__file__).parents[3] / "wasm/node_modules/axe-core/axe.min.js").read_text("utf-8")
AXE_RUN = """
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const { violations } = await axe.run(document, { runOnly: rules });
const shown = ({ html }) => html.slice(0, 160);
const told = ({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map(shown).join(" | ")}`;
return violations.map(told);
"""
DROP = """
const bytes = Uint8Array.from(atob(arguments[0]), (letter) => letter.charCodeAt(0));
const carried = new DataTransfer();
carried.items.add(new File([bytes], arguments[1], { type: "application/zip" }));
window.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, cancelable: true }));
"""


class Reader:
    """The reader in one window."""

    def __init__(self, window: Browser, url: str) -> None:
        self.window = window
        self.url = url

    def open(self, place: str = "") -> None:
        self.window.open(f"{self.url}/{place}")
        self.window.wait_for("document.querySelector('main')")

    def go(self, place: str) -> None:
        """To a place within the page, as a link does."""
        self.window.script("location.hash = arguments[0];", place)

    def drop(self, archive: bytes, name: str = "bundle.okf.zip") -> None:
        """Drop a file on the page; a page that has just been drawn may not listen yet."""
        script = f"{DROP} return location.hash.startsWith('#/install');"
        encoded = base64.b64encode(archive).decode()
        for _ in range(50):
            if self.window.script(script, encoded, name):
                return
            time.sleep(0.1)
        raise AssertionError(f"the page took no file: {self.window.text()[:300]!r}")

    def ask(self, question: str) -> None:
        self.window.script(
            "const field = document.querySelector('input[type=search]'); field.value = arguments[0];"
            "field.dispatchEvent(new InputEvent('input', { bubbles: true }));",
            question,
        )

    def press_button(self, words: str) -> None:
        """The button or link whose words begin so."""
        self.window.wait_for(f"{_named(words)} !== undefined")
        self.window.script(f"{_named(words)}.click();")

    def install(self, archive: bytes, name: str = "bundle.okf.zip") -> None:
        self.drop(archive, name)
        self.sees(".sheet", "Every file is what")
        self.press_button("Install")
        self.sees(".done", "is installed")

    def kept_for_offline(self) -> None:
        """Wait until the page and all that it needs for answers by words are kept on the device."""
        self.window.wait_for("navigator.serviceWorker?.controller || !navigator.serviceWorker")
        self.window.wait_for("!document.querySelector('.stage')?.innerText.includes('Fetching')")

    def sees(self, selector: str, words: str = "") -> str:
        """The text of the first such element, once it is there with these words."""
        found = f"[...document.querySelectorAll({selector!r})].find((each) => each.innerText.includes({words!r}))"
        return str(self.window.wait_for(f"{found}?.innerText || ''"))

    def count(self, selector: str) -> int:
        return int(self.window.script("return document.querySelectorAll(arguments[0]).length;", selector))

    def texts(self, selector: str) -> Sequence[str]:
        script = "return [...document.querySelectorAll(arguments[0])].map((each) => each.innerText.trim());"
        return [str(text) for text in self.window.script(script, selector)]

    def value(self, expression: str) -> Any:
        return self.window.script(f"return ({expression});")

    def faults_for_hands_and_ears(self) -> list[str]:
        """What axe-core finds on the screen."""
        return list(self.window.script(f"{AXE}; {AXE_RUN}"))


def _named(words: str) -> str:
    all_of = "[...document.querySelectorAll('main button, main a')]"
    return f"{all_of}.find((each) => each.innerText.trim().startsWith({words!r}))"
