"""The plugin in the app's stand-in, in both engines: from an empty vault to an answer, and through what goes wrong."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import sleep
from urllib.parse import quote

import pytest

from browser.plugin.phone import Built, Phone, iphone, new_vault, phone
from browser.site import Site
from browser.webdriver import Browser, browser
from okf_edge.bundles.lock import HELD
from okf_edge.bundles.registry import read_registry
from okf_edge_native.disk import DiskTree
from tests.zip_lab import Entry, build

SAMPLED = pytest.mark.parametrize("window", ["chromium", pytest.param("webkit", marks=pytest.mark.slow)], indirect=True)
"""Of two engines `make test` takes one; `make test-all` takes both."""

QUESTION = "when is the lock gate opened?"
ANSWER = "twenty minutes before high water"


def link_to(published: Site, name: str = "ada.harbour-1.0.0.okf.zip") -> str:
    return f"obsidian://okf-edge?install={quote(f'{published.url}/{name}', safe='')}"


def install(thumb: Phone, published: Site) -> None:
    thumb.open_link(link_to(published))
    thumb.tap("Install", ".modal-content")
    thumb.sees("Installed: Harbour 1.0.0")


def installed(vault: Path) -> dict[str, str]:
    """Id and version as the native side reads them."""
    registry = asyncio.run(read_registry(DiskTree(vault)))
    return {bundle.id: bundle.version for bundle in registry.bundles.values()}


def visible_names(vault: Path) -> list[str]:
    return sorted(path.name for path in vault.iterdir() if path.name not in {".obsidian", ".okf"})


@pytest.mark.parametrize("system", ["android", "ios"])
def test_from_an_empty_vault_to_an_answer_in_four_taps(
    system: str, built: Built, published: Site, tmp_path: Path
) -> None:
    """In Chromium under an origin of this host, as on Android; in WebKit under `capacitor://localhost`, as on iOS."""
    vault = new_vault(tmp_path / "vault", built, with_model=True)
    with phone_of(system, built, vault) as thumb:
        thumb.open_link(link_to(published))
        page = thumb.sees("Library/ada.harbour")
        assert "Unsigned" in page and "Version 1.0.0" in page and not (vault / "Library").exists()
        thumb.picture("look")
        thumb.tap("Install", ".modal-content")
        thumb.sees("Installed: Harbour 1.0.0")
        thumb.picture("installed")
        thumb.tap("Ask it something")
        thumb.ask(QUESTION)
        assert ANSWER in thumb.sees("found by words")
        thumb.picture("answers")
        thumb.tap(ANSWER)
        thumb.window.wait_for("Boolean(document.querySelector('.is-flashing'))")
        assert len(thumb.taps) == 4
        flashing = thumb.value("document.querySelector('.is-flashing').textContent")
        assert ANSWER in flashing, "opened where it was quoted"
        thumb.picture("page")
        assert thumb.server.asked == [f"{published.url}/ada.harbour-1.0.0.okf.zip"]
    assert installed(vault) == {"ada.harbour": "1.0.0"}
    assert visible_names(vault) == ["Library"]


@contextmanager
def phone_of(system: str, built: Built, vault: Path) -> Iterator[Phone]:
    if system == "ios":
        with iphone(built, vault) as thumb:
            assert thumb.value("location.origin") == "capacitor://localhost"
            yield thumb
    else:
        with browser("chromium") as window, phone(window, built, vault) as thumb:
            yield thumb


def test_without_the_engine_bundles_are_listed_checked_and_read(
    window: Browser, built: Built, published: Site, archive: Path, tmp_path: Path
) -> None:
    vault = new_vault(tmp_path / "vault", built, with_engine=False)
    install_natively(vault, archive)
    with phone(window, built, vault) as thumb:
        thumb.run("search")
        assert "okf plugin install --vault" in thumb.sees("The engine is not here yet")
        thumb.tap("Library")
        thumb.tap("Harbour")
        thumb.tap("Check the files")
        thumb.sees("as their publisher made them")
        (vault / "Library/ada.harbour/tides.md").write_text("# Tides\n\nThere are none.\n")
        thumb.tap("Check the files")
        thumb.sees("changed: tides.md")
        thumb.tap("Read it")
        thumb.window.wait_for("hands.app.workspace.getActiveFile()?.path === 'Library/ada.harbour/index.md'")
        shutil.copy(archive, vault / archive.name)  # from the share sheet
        thumb.window.script("await hands.app.vault.look(arguments[0]);", archive.name)
        thumb.tap("is a bundle. Tap to look at it.")
        thumb.sees("The engine is not here yet")
        thumb.window.script("document.querySelector('.modal-close-button, .modal-bg')?.click();")
        (vault / ".okf/bundles.json").write_text("{")
        thumb.run("library")
        thumb.sees(".okf/bundles.json is damaged")
        assert thumb.value("hands.workers.length") == 0
        assert thumb.server.asked == [], "nothing is fetched that nobody asked for"


def install_natively(vault: Path, archive: Path) -> None:
    from okf_edge.bundles.contents import open_zip
    from okf_edge.bundles.install import InstallOptions
    from okf_edge.bundles.install import install as put
    from okf_edge.inmemory import RecordedProgress
    from okf_edge_native.system import SystemClock

    async def job() -> None:
        options = InstallOptions(str(archive))
        tree = DiskTree(vault)
        await put(
            tree,
            open_zip(archive.read_bytes()),
            options,
            clock=SystemClock(),
            indexer=None,
            progress=RecordedProgress(),
        )

    asyncio.run(job())


def test_a_swapped_or_truncated_engine_file_is_refused_in_words(window: Browser, built: Built, tmp_path: Path) -> None:
    vault = new_vault(tmp_path / "vault", built)
    engine = vault / ".obsidian/plugins/okf-edge/engine"
    listing = json.loads((engine / "manifest.json").read_text())
    worker = next(each for each in listing["assets"] if each["name"] == "worker.js")
    chunk = engine / worker["chunks"][0]["file"]
    whole = chunk.read_bytes()
    with phone(window, built, vault) as thumb:
        chunk.write_bytes(whole[:-100])
        thumb.run("search")
        thumb.ask(QUESTION)
        assert chunk.name in thumb.sees("worker.js is damaged")
        chunk.unlink()
        thumb.tap("Try again")
        thumb.sees("is missing")
        chunk.write_bytes(whole)
        listing["assets"][0]["sha256"] = "0" * 64
        (engine / "manifest.json").write_text(json.dumps(listing))
        thumb.start()
        thumb.run("search")
        thumb.sees("not the one that this plugin was made with")
        assert thumb.value("hands.workers.length") == 0


@SAMPLED
def test_what_is_no_bundle_for_this_version_is_told_and_nothing_is_written(
    window: Browser, built: Built, archive: Path, published: Site, tmp_path: Path
) -> None:
    import zipfile

    newer = archive.parent / "newer.okf.zip"
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(newer, "w") as new:
        for info in old.infolist():
            data = old.read(info)
            if info.filename == "okf-bundle.json":
                data = json.dumps(json.loads(data) | {"schema": 99}).encode()
            new.writestr(info, data)
    vault = new_vault(tmp_path / "vault", built)
    with phone(window, built, vault) as thumb:
        thumb.open_link(link_to(published, newer.name))
        assert "schema 1 or less, found 99" in thumb.sees("Nothing was written")
        thumb.tap("Close")
        thumb.open_link(link_to(published, "absent.okf.zip"))
        assert "404" in thumb.sees("instead of a bundle")
        thumb.tap("Close")
        thumb.open_link("obsidian://okf-edge?install=http%3A%2F%2F127.0.0.1%3A9%2Fa.okf.zip")
        thumb.sees("No answer from 127.0.0.1:9. Are you online?")
        thumb.tap("Close")
        (archive.parent / "evil.okf.zip").write_bytes(build([Entry(b"index.md"), Entry(b"../../evil.md")]))
        thumb.open_link(link_to(published, "evil.okf.zip"))
        assert "../../evil.md" in thumb.sees("Nothing was written")
        thumb.tap("Close")
        thumb.open_link("obsidian://okf-edge?install=javascript%3Aalert(1)")
        thumb.sees("Expected a link that begins with https://")
    assert visible_names(vault) == []


@SAMPLED
@pytest.mark.parametrize("step", [".okf-stage-", ".okf/bundles.json"], ids=["before-the-swap", "before-it-counts"])
def test_an_app_that_is_killed_while_installing_leaves_all_or_nothing(
    window: Browser, built: Built, published: Site, tmp_path: Path, step: str
) -> None:
    vault = new_vault(tmp_path / "vault", built)
    with phone(window, built, vault) as thumb:
        live = vault / "Library/ada.harbour"
        reached, gone = Event(), Event()

        def hold(verb: str, path: str) -> None:
            if verb == "rename" and path.startswith(step) and not gone.is_set():
                reached.set()
                gone.wait(60)
                raise ConnectionAbortedError("the app is gone")

        thumb.server.before = hold
        thumb.open_link(link_to(published))
        thumb.tap("Install", ".modal-content")
        assert reached.wait(180)
        thumb.window.open("about:blank")  # the system ends the app here
        gone.set()
        sleep(HELD.total_seconds())  # until then the lock of the dead app is believed, and what it began is left alone
        thumb.start()
        assert installed(vault) == {}
        thumb.run("search")
        thumb.ask(QUESTION)
        page = thumb.sees("place" if step == ".okf/bundles.json" else "Nothing here answers")
        assert (ANSWER in page) == (installed(vault) == {"ada.harbour": "1.0.0"}) == live.exists()
        thumb.open_link(link_to(published))
        thumb.tap("Install", ".modal-content")
        thumb.sees("Harbour 1.0.0")
    assert installed(vault) == {"ada.harbour": "1.0.0"}


@pytest.mark.slow
def test_a_full_device_is_told_and_what_was_there_stays(
    window: Browser, built: Built, published: Site, tmp_path: Path
) -> None:
    vault = new_vault(tmp_path / "vault", built)
    with phone(window, built, vault) as thumb:
        thumb.open_link(link_to(published))
        thumb.sees("Library/ada.harbour")
        thumb.server.full = True
        thumb.tap("Install", ".modal-content")
        assert "Free some space" in thumb.sees("Nothing was written")
        thumb.server.full = False
        thumb.tap("Try again")
        thumb.sees("Installed: Harbour")


@SAMPLED
def test_a_worker_that_dies_twice_comes_back_in_safe_mode_and_answers(
    window: Browser, built: Built, archive: Path, tmp_path: Path
) -> None:
    vault = new_vault(tmp_path / "vault", built)
    install_natively(vault, archive)
    with phone(window, built, vault) as thumb:
        thumb.run("search")
        for _ in range(2):
            thumb.ask(QUESTION)
            thumb.window.wait_for("hands.workers.length && hands.plugin.engine.state.phase === 'starting'")
            thumb.kill_worker()
            thumb.sees("The search engine stopped")
            thumb.window.script("hands.workers.length = 0;")
        thumb.tap("Try again")
        assert ANSWER in thumb.sees("found by words")
        assert thumb.value("hands.plugin.engine.state.safe") is True
        thumb.ask("")
        thumb.sees("Safe mode")
        thumb.run("leave-safe")
        thumb.ask(QUESTION)
        thumb.window.wait_for("hands.plugin.engine.state.phase === 'ready' && !hands.plugin.engine.state.safe")
        thumb.window.script("hands.hide(true);")
        thumb.window.wait_for("hands.plugin.engine.state.phase === 'off'", 20)
        assert ANSWER in thumb.window.text()


@pytest.mark.slow
def test_a_hidden_app_gives_its_memory_back_and_comes_back_where_it_was(
    window: Browser, built: Built, archive: Path, tmp_path: Path
) -> None:
    vault = new_vault(tmp_path / "vault", built)
    install_natively(vault, archive)
    with phone(window, built, vault) as thumb:
        thumb.run("search")
        thumb.ask(QUESTION)
        thumb.sees("found by words")
        thumb.window.script("hands.hide(true);")
        thumb.window.wait_for("hands.plugin.engine.state.phase === 'off'", 20)
        assert ANSWER in thumb.window.text()
        thumb.window.script("hands.hide(false);")
        thumb.ask("when is a hull painted?")
        thumb.sees("every second spring")
        thumb.start()
        thumb.run("search")
        assert thumb.value("hands.app.workspace.getLeavesOfType('okf-edge-panel').length") == 1


@pytest.mark.slow
def test_a_note_of_300_mb_and_20000_files_leave_everything_usable(
    window: Browser, built: Built, archive: Path, tmp_path: Path
) -> None:
    vault = new_vault(tmp_path / "vault", built)
    install_natively(vault, archive)
    for folder in range(20):
        (vault / f"photos-{folder}").mkdir()
        for number in range(1_000):
            (vault / f"photos-{folder}/{number}.jpg").touch()
    (vault / "mine.md").write_text("# Mine\n\nMy mooring is at berth seven.\n")
    with (vault / "huge.md").open("wb") as huge:
        huge.truncate(300_000_000)
    with phone(window, built, vault) as thumb:
        assert thumb.value("hands.onloadMs") < 5_000
        listed = len(thumb.server.verbs)
        thumb.run("search")
        thumb.ask("where is my mooring?")
        thumb.sees("berth seven")
        verbs = thumb.server.verbs[listed:]
        assert ("read", "huge.md") not in verbs
        assert sum(verb in {"list", "stat"} for verb, path in verbs if "photos" in path) == 0


@SAMPLED
def test_unloading_leaves_nothing_behind(window: Browser, built: Built, tmp_path: Path) -> None:
    vault = new_vault(tmp_path / "vault", built, with_engine=False)
    with phone(window, built, vault) as thumb:
        thumb.run("search")
        thumb.window.script("hands.unload();")
        counts = (
            "[hands.app.commands.size, hands.app.protocols.size, hands.app.ribbon.size, hands.app.tabs.length,"
            " hands.app.workspace.listening, hands.app.vault.listening]"
        )
        assert thumb.value(counts) == [0, 0, 0, 0, 0, 0]
        assert thumb.value("hands.app.workspace.getLeavesOfType('okf-edge-panel').length") == 1, "leaves stay"


@SAMPLED
def test_the_library_is_kept_out_of_graph_search_and_switcher_when_asked(
    window: Browser, built: Built, tmp_path: Path
) -> None:
    vault = new_vault(tmp_path / "vault", built, with_engine=False)
    (vault / ".obsidian/app.json").write_text('{"userIgnoreFilters": ["private/"], "promptDelete": false}')
    with phone(window, built, vault) as thumb:
        thumb.window.script("hands.settings();")
        thumb.sees("Keep the library out")
        toggle = "document.querySelector('.setting-item input')"
        thumb.window.script(f"{toggle}.click();")
        thumb.window.wait_for(f"{toggle}.checked")
        config = wait_for_config(vault, "Library/")
        assert config == {"userIgnoreFilters": ["private/", "Library/"], "promptDelete": False}


def wait_for_config(vault: Path, text: str) -> dict[str, object]:
    import time

    for _ in range(100):
        if text in (vault / ".obsidian/app.json").read_text():
            break
        time.sleep(0.05)
    config: dict[str, object] = json.loads((vault / ".obsidian/app.json").read_text())
    return config


@pytest.mark.slow
def test_a_bundle_that_was_shared_into_the_vault_is_offered(
    window: Browser, built: Built, archive: Path, tmp_path: Path
) -> None:
    vault = new_vault(tmp_path / "vault", built)
    with phone(window, built, vault) as thumb:
        shutil.copy(archive, vault / archive.name)
        thumb.window.script("await hands.app.vault.look(arguments[0]);", archive.name)
        thumb.tap("is a bundle. Tap to look at it.")
        thumb.sees("Library/ada.harbour")
        assert not (vault / "Library").exists(), "nothing is installed by itself"


def test_every_file_passes_a_sync_of_5_mb_a_file(built: Built, tmp_path: Path) -> None:
    vault = new_vault(tmp_path / "vault", built)
    sizes = {path.name: path.stat().st_size for path in vault.rglob("*") if path.is_file()}
    assert max(sizes.values()) <= 5_000_000, sorted(sizes.items(), key=lambda item: -item[1])[:3]
