"""Every screen in every size and theme: axe-core finds nothing, nothing is wider than the screen, pictures are kept.

The pictures are in `bench-out/screens`, to be looked at by people.
"""

from __future__ import annotations

import pytest

from browser.site import Site
from browser.webdriver import Engine
from tests.browser.reader.conftest import REPOSITORY, reading
from tests.browser.reader.reading import Reader

PICTURES = REPOSITORY / "bench-out" / "screens"
SIZES = {"phone": (360, 740), "tablet": (820, 1180), "desktop": (1440, 900)}
BASE = "Library/okf-edge.handbook"
SCREENS = {
    "library": ("#/", ".bundle"),
    "search": ("#/search?q=how%20are%20bundles%20verified", ".answer"),
    "refusal": ("#/search?q=price%20of%20saffron%20in%20Lisbon", ".refusal"),
    "page": (f"#/page/{BASE}/asking/confidence.md", ".prose table"),
    "bundle": ("#/bundle/okf-edge.handbook", "main summary"),
    "settings": ("#/settings", "main .facts"),
    "install": ("#/install", ".sheet"),
}
DRAWN = "await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));"
WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
TOO_SMALL = """
[...document.querySelectorAll('button, select, summary, input:not([type=file]), .places-nav a, .more')]
  .filter((each) => each.getClientRects().length && each.getBoundingClientRect().height < 43.5)
  .map((each) => `${each.tagName} ${each.className} ${each.innerText} ${each.getBoundingClientRect().height}`)
"""
"""What a thumb has to hit is 44 px high, but for links within a text."""


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("engine", ["chromium", "webkit"])
def test_every_screen_is_sound_in_every_size_and_both_themes(
    engine: Engine, language: str, served: Site, handbook: bytes
) -> None:
    """WebKit takes its theme when it starts: one language in each."""
    with reading(engine, served.url, dark=language == "zh") as reader:
        reader.open()
        reader.window.script("localStorage.setItem('okf-edge-language', arguments[0]);", language)
        reader.open()
        reader.drop(handbook)
        reader.sees(".sheet")
        reader.window.script("document.querySelector('button.main').click();")
        reader.sees(".done")
        for theme in ("light", "dark") if engine == "chromium" else ("dark" if language == "zh" else "light",):
            if engine == "chromium":
                reader.window.dark(theme == "dark")
            require_sound(reader, f"{engine}-{language}-{theme}")


def require_sound(reader: Reader, kind: str) -> None:
    for size, (width, height) in SIZES.items():
        reader.window.resize(width, height)
        for name, (place, selector) in SCREENS.items():
            reader.go(place)
            reader.sees(selector)
            shown = f"{name}-{size}-{kind}"
            reader.window.script(DRAWN)
            reader.window.screenshot(PICTURES / f"{shown}.png")
            assert not reader.value(WIDER), shown
            assert reader.value(TOO_SMALL) == [], shown
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
