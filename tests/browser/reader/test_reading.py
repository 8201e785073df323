"""From an empty page to an answer, to the page it came from, and all of it again without a network."""

from __future__ import annotations

from browser.site import Site
from tests.browser.reader.reading import Reader

QUESTION = "how are bundles verified"


def test_a_bundle_is_opened_checked_installed_asked_read_and_kept_offline(
    reader: Reader, served: Site, handbook: bytes
) -> None:
    reader.sees(".hero", "Nothing is installed yet")
    assert reader.faults_for_hands_and_ears() == []

    reader.drop(handbook, "okf-edge.handbook-1.0.0.okf.zip")
    shown = reader.sees(".sheet", "Every file is what")
    assert "Unsigned" in shown and "version 1.0.0" in shown
    assert reader.faults_for_hands_and_ears() == []
    reader.press_button("Install")
    reader.sees(".done", "is installed")

    reader.ask(QUESTION)
    card = reader.sees(".answer", "verif")
    assert "claims: unverified" in card and "likely" in card
    assert any("verif" in mark.lower() for mark in reader.texts(".answer mark"))
    assert "by words" in reader.sees(".count", "answer")
    assert reader.faults_for_hands_and_ears() == []

    title = reader.texts(".answer .place")[0].split(" › ")[0]
    reader.window.script("document.querySelector('.answer .place').click();")
    assert title in reader.sees(".page-head", title)
    reader.window.wait_for("document.querySelector('.prose .found')")
    assert reader.value("document.querySelector('.prose .found').getBoundingClientRect().top < innerHeight")
    assert reader.faults_for_hands_and_ears() == []

    reader.go("#/page/Library/okf-edge.handbook/bundles/content-digest.md")
    reader.sees(".page-head", "content digest")
    linked_from = reader.texts(".around .places a")
    assert len(linked_from) > 2
    assert str(reader.value("document.querySelector('.graph').getAttribute('aria-label')")).startswith("Map of")
    first = reader.texts(".prose a.to-page")[0]
    reader.window.script("document.querySelector('.prose a.to-page').click();")
    reader.window.wait_for("!location.hash.includes('content-digest')")
    reader.window.script("history.back();")
    reader.sees(".page-head", "content digest")
    assert first in reader.texts(".prose a.to-page")

    reader.go("#/settings")
    reader.sees("main", "Searching by meaning")
    assert reader.faults_for_hands_and_ears() == []

    reader.kept_for_offline()
    served.stop()
    reader.open("#/library")
    reader.sees(".bundle", "Handbook")
    reader.ask("what does a refusal mean")
    reader.sees(".answer", "efus")
