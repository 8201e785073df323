"""The browsers start, run a page of this machine, and reach nothing else."""

from __future__ import annotations

from pathlib import Path

from browser.site import site
from browser.webdriver import Browser

FETCHED = "try { await fetch(arguments[0], { mode: 'no-cors' }); return true; } catch { return false; }"


def test_a_page_runs_and_no_other_host_is_reached(window: Browser, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<!doctype html><title>t</title><p id=p>here</p>")
    with site({"/": tmp_path}) as here:
        window.open(here.url)
        assert window.text() == "here"
        assert window.script("return arguments[0] + await Promise.resolve(1);", 41) == 42
        assert window.script(FETCHED, f"{here.url}/index.html") is True
        assert window.script(FETCHED, "http://192.0.2.1/") is False
        assert window.memory().anonymous > 5
        assert window.screenshot(tmp_path / "shot.png").stat().st_size > 1_000
