"""Every screen in every size and theme: axe-core finds nothing, nothing is wider than the screen, pictures are kept.

The pictures are in `bench-out/screens`, to be looked at by people.
"""

from __future__ import annotations

import pytest

from tests.browser.reader.conftest import REPOSITORY
from tests.browser.reader.reading import Reader

PICTURES = REPOSITORY / "bench-out" / "screens"
SIZES = {"phone": (360, 740), "tablet": (820, 1180), "desktop": (1440, 900)}
BASE = "Library/okf-edge.handbook"
SCREENS = {
    "library": ("#/", ".bundle", "pages"),
    "search": ("#/search?q=how%20are%20bundles%20verified", ".answer", "verif"),
    "refusal": ("#/search?q=price%20of%20saffron%20in%20Lisbon", ".refusal", "Nothing here"),
    "page": (f"#/page/{BASE}/asking/confidence.md", ".prose", "confidence"),
    "bundle": ("#/bundle/okf-edge.handbook", "main", "Pages"),
    "settings": ("#/settings", "main", "Storage"),
    "install": ("#/install", "main", "Look at it first"),
}
WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.mark.slow
def test_every_screen_is_sound_in_every_size_and_both_themes(chromium_reader: Reader, handbook: bytes) -> None:
    reader = chromium_reader
    reader.install(handbook)
    for is_dark in (False, True):
        reader.window.dark(is_dark)
        for size, (width, height) in SIZES.items():
            reader.window.resize(width, height)
            for name, (place, selector, words) in SCREENS.items():
                reader.go(place)
                reader.sees(selector, words)
                shown = f"{name}-{size}-{'dark' if is_dark else 'light'}"
                reader.window.screenshot(PICTURES / f"{shown}.png")
                assert not reader.value(WIDER), shown
                assert reader.faults_for_hands_and_ears() == [], shown


def test_hands_reach_every_answer_by_keyboard(chromium_reader: Reader, handbook: bytes) -> None:
    reader = chromium_reader
    reader.install(handbook)
    reader.go("#/")
    reader.window.script("document.activeElement?.blur();")
    reader.window.press("/")
    assert reader.value("document.activeElement.type") == "search"
    for letter in "refusal":
        reader.window.press(letter)
    reader.sees(".answer", "efus")
    reader.window.press(DOWN)
    reader.window.press(DOWN)
    focused = reader.value("document.activeElement.innerText")
    assert focused == reader.texts("main .place")[1]
    reader.window.press(ENTER)
    reader.sees(".page-head", focused.split(" › ")[0])
    reader.window.press(ESCAPE)
    reader.sees(".answer", "efus")
    assert reader.value("document.querySelector('input[type=search]').value") == "refusal"


DOWN, ENTER, ESCAPE = "\ue015", "\ue007", "\ue00c"


@pytest.mark.slow
def test_a_hidden_page_gives_its_memory_back_and_answers_again(chromium_reader: Reader, handbook: bytes) -> None:
    reader = chromium_reader
    reader.install(handbook)
    reader.ask("how are bundles verified")
    reader.sees(".answer", "verif")
    reader.window.script(
        "Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });"
        "document.dispatchEvent(new Event('visibilitychange'));"
    )
    reader.sees(".stage", "asleep")
    assert "verif" in reader.sees(".answer", "verif")
    reader.ask("what is a refusal")
    reader.sees(".answer", "efus")
