"""The plugin and a feed: followed once its root was compared, installed from, updated, gone back from, removed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from browser.feed_site import FeedSite
from browser.plugin.conftest import Export
from browser.plugin.phone import Built, Phone, new_vault, phone
from browser.plugin.test_plugin import ANSWER, QUESTION, SAMPLED, installed
from browser.site import Site, site
from browser.webdriver import Browser

MOON = "# Moon\n\nThe perigee makes the highest tide of a month.\n"


@pytest.fixture
def feed(tmp_path: Path) -> FeedSite:
    return FeedSite(tmp_path / "site", tmp_path / "keys")


@pytest.fixture
def published(feed: FeedSite) -> Iterator[Site]:
    with site({"/": feed.folder}) as here:
        yield here


def paste(thumb: Phone, address: str) -> None:
    form = "document.querySelector('.modal-content form')"
    thumb.window.wait_for(f"Boolean({form})")
    thumb.window.script(f"{form}.querySelector('input').value = arguments[0]; {form}.requestSubmit();", address)


@SAMPLED
def test_a_feed_is_followed_by_its_address_and_its_bundle_updated_taken_back_and_removed(
    window: Browser, built: Built, feed: FeedSite, published: Site, export: Export, tmp_path: Path
) -> None:
    root = feed.write(export("1.0.0").read_bytes()).root
    vault = new_vault(tmp_path / "vault", built)
    with phone(window, built, vault) as thumb:
        thumb.run("feeds")
        paste(thumb, f"{published.url}/feed/")
        assert root.removeprefix("sha256:") in thumb.sees("digest of the feed's root")
        assert not list(vault.glob(".okf/*")), "nothing is followed before a person agrees"
        thumb.tap("Follow this feed")
        assert "Signed by ada" in thumb.sees("Version 1.0.0")
        thumb.tap("Install", ".modal-content")
        thumb.sees("Installed: Harbour 1.0.0")
        thumb.tap("Ask it something")
        thumb.ask(QUESTION)
        thumb.sees(ANSWER)

        feed.write(export("1.1.0", **{"moon.md": MOON}).read_bytes())
        thumb.run("check-updates")
        thumb.sees("Update to 1.1.0")
        assert installed(vault) == {"ada.harbour": "1.0.0"}, "told, not done"
        thumb.run("update-all")
        thumb.sees("Updated: Harbour 1.1.0")
        assert installed(vault) == {"ada.harbour": "1.1.0"}
        thumb.ask("what makes the highest tide of a month?")
        thumb.tap("perigee makes")
        thumb.window.wait_for("hands.app.workspace.getActiveFile()?.path === 'Library/ada.harbour/moon.md'")
        thumb.run("trust")
        told = thumb.sees("claims: unverified")
        assert "Page of Harbour 1.1.0" in told and "Signed by ada" in told
        thumb.window.script("document.querySelector('.modal-close-button, .modal-bg')?.click();")

        thumb.run("library")
        thumb.tap("ada.harbour · Version")
        thumb.tap("Go back to 1.0.0")
        thumb.sees("Updated: Harbour 1.0.0")
        assert installed(vault) == {"ada.harbour": "1.0.0"}
        assert not (vault / "Library/ada.harbour/moon.md").exists()
        thumb.tap("ada.harbour · Version")
        thumb.tap("Remove", ".setting-item")
        thumb.sees("Its pages are deleted from the vault")
        thumb.tap("Remove", ".okf-edge-report")
        thumb.sees("Removed: Harbour")
        assert installed(vault) == {} and not (vault / "Library/ada.harbour").exists()
        assert all(address.startswith(f"{published.url}/feed/") for address in thumb.server.asked)


@SAMPLED
def test_a_feed_that_was_followed_on_another_device_is_confirmed_here_first(
    window: Browser, built: Built, feed: FeedSite, published: Site, export: Export, tmp_path: Path
) -> None:
    root = feed.write(export("1.0.0").read_bytes()).root
    vault = new_vault(tmp_path / "vault", built)
    follow_natively(vault, f"{published.url}/feed/", tmp_path / "laptop")
    with phone(window, built, vault) as thumb:
        thumb.run("feeds")
        thumb.sees("not confirmed on this device")
        thumb.tap("Confirm on this device")
        assert root.removeprefix("sha256:") in thumb.sees("digest of the feed's root")
        thumb.tap("Follow this feed")
        thumb.sees("Version 1.0.0")
        thumb.run("feeds")
        thumb.tap("What it offers")
        thumb.sees("Signed by ada")


def follow_natively(vault: Path, url: str, home: Path) -> None:
    import os
    import subprocess

    from browser.plugin.conftest import OKF

    home.mkdir()
    command = [OKF, "feed", "trust", url, "--dir", vault]
    done = subprocess.run(command, env={"PATH": os.environ["PATH"], "HOME": str(home)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@SAMPLED
def test_a_feed_whose_root_is_not_a_feeds_is_told_and_nothing_is_followed(
    window: Browser, built: Built, published: Site, tmp_path: Path
) -> None:
    vault = new_vault(tmp_path / "vault", built)
    with phone(window, built, vault) as thumb:
        thumb.open_link(f"obsidian://okf-edge?install={published.url}/nothing/")
        thumb.sees("Nothing was written")
        assert not list(vault.glob(".okf/*"))
