"""Bundles of a site come from its signed feed: who signed is shown, updates are found, exchanged ones refused."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from browser.feed_site import FeedSite
from browser.site import Site as Served
from browser.site import site
from okf_edge_native.webview import Site, open_site
from tests.browser.reader.conftest import Export, reading
from tests.browser.reader.reading import Reader

PAGES = {"tides.md": b"---\ntype: Note\ntitle: Tides\n---\n# Tides\n\nThe harbour floods at spring tide.\n"}
MORE = PAGES | {"locks.md": b"---\ntype: Note\ntitle: Locks\n---\n# Locks\n\nThe locks close at dusk.\n"}


def without_engine(page: Path) -> Site:
    """The reader, with a list of engine files that names none."""
    assets = page.parent / "assets"
    assets.mkdir(exist_ok=True)
    (assets / "manifest.json").write_text("{}")
    return open_site(str(page.parent))


@pytest.fixture
def feed_site(reader_page: Path, tmp_path: Path) -> FeedSite:
    page = Path(shutil.copytree(reader_page, tmp_path / "built" / "reader"))
    return FeedSite(tmp_path / "site", tmp_path / "keys", without_engine(page))


@contextmanager
def opened(feed_site: FeedSite, engine_dist: Path) -> Iterator[tuple[Reader, Served]]:
    with (
        site({"/": feed_site.folder, "/engine/": engine_dist / "assets"}) as here,
        reading("chromium", here.url) as reader,
    ):
        reader.open()
        yield reader, here


def test_a_bundle_of_the_site_is_shown_as_signed_and_updated_when_the_site_has_a_newer_one(
    feed_site: FeedSite, engine_dist: Path, export: Export
) -> None:
    feed_site.write(export("ada.harbour", "1.0.0", pages=PAGES, title="Harbour"))
    with opened(feed_site, engine_dist) as (reader, _):
        reader.sees(".bundle", "Harbour")
        reader.press_button("Get")
        assert "Signed by ada" in reader.sees(".sheet", "Harbour")
        reader.press_button("Install")
        reader.sees(".done", "Signed by ada")
        feed_site.write(export("ada.harbour", "1.1.0", pages=MORE, title="Harbour"))
        reader.go("#/")
        reader.press_button("Check for updates")
        reader.press_button("Update to 1.1.0")
        reader.sees(".bundle", "version 1.1.0")
        reader.ask("when do the locks close")
        reader.sees(".answer", "Locks")
        reader.go("#/bundle/ada.harbour")
        reader.press_button("Go back to 1.0.0")
        reader.sees("main", "is version 1.0.0 again")


def test_an_archive_that_was_exchanged_on_the_site_is_refused_and_nothing_is_installed(
    feed_site: FeedSite, engine_dist: Path, export: Export
) -> None:
    feed_site.write(export("ada.harbour", "1.0.0", pages=PAGES, title="Harbour"))
    archive = next(feed_site.folder.rglob("feed/targets/**/*.zip"))
    archive.write_bytes(export("ada.harbour", "1.0.0", pages=MORE, title="Harbour")[: archive.stat().st_size])
    with opened(feed_site, engine_dist) as (reader, _):
        reader.press_button("Get")
        reader.press_button("Install")
        told = reader.sees(".notice.bad", "That did not work")
        assert "another archive" in told or "nothing was installed" in told.lower(), told
        reader.go("#/")
        reader.sees(".bundle", "Harbour")
        assert reader.count(".bundle .signed") == 0
