"""Whatever is wrong, the reader says so in plain words, half-installs nothing, and goes on."""

from __future__ import annotations

import io
import json
import shutil
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from browser.site import Site, site
from tests.browser.reader.conftest import Export, reading
from tests.browser.reader.reading import Reader
from tests.zip_lab import LINK, Entry, build

PAGES = {
    "tides.md": b"---\ntype: Note\ntitle: Tides\n---\n# Tides\n\nThe harbour floods at spring tide.\n",
    "locks.md": b"---\ntype: Note\ntitle: Locks\n---\n# Locks\n\nThe locks close before the flood.\n",
}
FULL_DISK = """
IDBObjectStore.prototype.put = function () { throw new DOMException("no space", "QuotaExceededError"); };
"""
DROP_OF_300_MB = """
const carried = new DataTransfer();
carried.items.add(new File([new ArrayBuffer(300e6)], "video.mp4"));
window.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, cancelable: true }));
"""
NO_NUMBERS = """
const numbers = Intl.NumberFormat.prototype;
window.numbers = Object.getOwnPropertyDescriptor(numbers, "format");
Object.defineProperty(numbers, "format", { configurable: true, get() { throw new Error("no numbers"); } });
"""
KEPT_PATHS = """
const database = await new Promise((resolve) => {
  const request = indexedDB.open("okf-edge");
  request.onsuccess = () => resolve(request.result);
});
const entries = await new Promise((resolve) => {
  const request = database.transaction("entries").objectStore("entries").getAll();
  request.onsuccess = () => resolve(request.result);
});
database.close();
return entries.filter((entry) => entry.kind === "file").map((entry) => entry.path);
"""


@pytest.fixture(scope="session")
def harbour(export: Export) -> bytes:
    return export("ada.harbour", pages=PAGES, title="Harbour")


def test_archives_that_are_no_bundles_are_refused_in_words_and_what_was_there_stays(
    chromium_reader: Reader, harbour: bytes, export: Export
) -> None:
    reader = chromium_reader
    reader.install(harbour)
    before = kept_paths(reader)
    for name, archive in bad_archives(harbour).items():
        reader.drop(archive, f"{name}.zip")
        told = reader.sees(".notice.bad")
        assert "Nothing was installed" in told, name
        assert "What to do" in told, name
        assert "Traceback" not in told and "undefined" not in told, told
        reader.go("#/settings")
        reader.sees("main", "Storage")
    reader.window.script(DROP_OF_300_MB)
    assert "video.mp4 has 300 MB; a bundle has at most" in reader.sees(".notice.bad")
    assert kept_paths(reader) == before

    newer = export("ada.harbour", "1.1.0", pages={**PAGES, "more.md": b"---\ntype: Note\n---\nMore.\n"})
    reader.window.script(FULL_DISK)
    reader.drop(newer)
    reader.sees(".sheet", "It replaces version 1.0.0")
    reader.press_button("Install")
    assert "no space left" in reader.sees(".notice.bad", "That did not work")
    reader.open("#/library")
    reader.sees(".bundle", "version 1.0.0")
    reader.ask("when does the harbour flood")
    reader.sees(".answer", "Tides")

    reader.window.script("location.href = 'site.json';")  # where nothing holds the database open
    reader.window.wait_for("location.pathname.endsWith('site.json')")
    reader.window.script("indexedDB.deleteDatabase('okf-edge').onsuccess = () => { window.isGone = true; };")
    reader.window.wait_for("window.isGone")
    reader.open()
    assert "Harbour" in reader.sees(".notice", "The browser removed what was installed here")


def bad_archives(bundle: bytes) -> Mapping[str, bytes]:
    return {
        "cut": bundle[:-40],
        "outside": build([Entry(b"index.md"), Entry(b"../../evil.md")]),
        "swapped": exchanged(bundle, {"tides.md": b"---\ntype: Note\n---\nThe harbour never floods.\n"}),
        "newer": exchanged(bundle, {"okf-bundle.json": json.dumps({"schema": 999, "id": "ada.harbour"}).encode()}),
        "text": b"this is no archive at all",
        "link": build([Entry(b"index.md"), Entry(b"docs", b"/etc", attributes=LINK)]),
        "twice": build([Entry(b"Note.md"), Entry(b"note.md")]),
        "note-of-300-mb": build([Entry(b"huge.md", b"a line\n", size=300_000_000)]),
        "many": build([Entry(b"%d.md" % number) for number in range(20_001)]),
    }


def exchanged(bundle: bytes, files: Mapping[str, bytes]) -> bytes:
    """The archive with the content of some files exchanged."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(bundle)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            new.writestr(info.filename, files.get(info.filename, old.read(info.filename)))
    return out.getvalue()


def test_a_page_that_is_killed_while_it_installs_has_the_bundle_or_not_never_half(
    chromium_reader: Reader, handbook: bytes
) -> None:
    reader = chromium_reader
    for delay_s in (0.1, 0.6):
        reader.drop(handbook)
        reader.sees(".sheet", "Every file is what")
        reader.press_button("Install")
        time.sleep(delay_s)
        reader.window.open("about:blank")
        reader.open("#/library")
        reader.window.wait_for("document.querySelector('.stage, .bundle, .hero')")
    reader.drop(handbook)
    reader.sees(".sheet", "Every file is what")
    reader.press_button("Install")
    reader.sees(".done", "is installed")
    reader.ask("how are bundles verified")
    reader.sees(".answer", "verif")
    paths = kept_paths(reader)
    assert not [path for path in paths if ".okf-stage" in path or "swap.json" in path]


def test_active_content_of_a_page_neither_runs_nor_loads(
    reader: Reader, served: Site, export: Export, tmp_path: Path
) -> None:
    (tmp_path / "away").mkdir()
    (tmp_path / "away/far.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"/>')
    with site({"/": tmp_path / "away"}, {"access-control-allow-origin": "*"}) as away:
        hostile = HOSTILE.replace("AWAY", away.url)
        reader.drop(export("eve.tricks", pages={"tricks.md": hostile.encode()}, title="Tricks", risky=True))
        reader.press_button("Install")
        if reader.sees(".done, .notice.bad").startswith("That did not work"):
            reader.press_button("Install in spite of this")
        reader.sees(".done", "is installed")
        reader.go("#/page/Library/eve.tricks/tricks.md")
        reader.sees(".prose", "end of tricks")
        time.sleep(0.5)
        assert reader.value("window.hit === undefined && document.title.includes('Tricks')")
        assert away.requests == []
        assert (
            reader.count(".prose :is(script, iframe, form, input, style, object, embed, link, meta, base, video)") == 0
        )
        assert reader.value(ONLY_SAFE_ADDRESSES) == []
        reader.press_button("Picture from 127.0.0.1")
        reader.window.wait_for("document.querySelector('.prose img[src^=blob]')?.naturalWidth > 0")
        assert away.requests == ["/far.svg"]
    assert not [path for path in served.requests if "leak" in path]


FORBIDDEN = "script, iframe, form, input, style, object, embed, link, meta, base, video, svg, math"
ONLY_SAFE_ADDRESSES = """
[...document.querySelectorAll('.prose *')].flatMap((each) => [...each.attributes]).filter(({ name, value }) =>
  /^(on.*|style|src|srcset)$/.test(name) || /^\\s*(javascript|data|vbscript):/i.test(value)
).map(({ name, value }) => `${name}=${value}`)
"""
HOSTILE = """---
type: Note
title: Tricks
---
# Tricks

<script>window.hit = 1</script>
<img src="/leak-1.png" onerror="window.hit = 2">
<img src="x" srcset="/leak-2.png 2x">
<iframe src="/leak-3.html"></iframe>
<form action="/leak-4"><input autofocus onfocus="window.hit = 3"><button>go</button></form>
<style>body { background: url(/leak-5.png) }</style>
<p style="background: url(/leak-6.png)" onclick="window.hit = 4">styled</p>
<video src="/leak-7.mp4" poster="/leak-8.png"></video>
<svg onload="window.hit = 5"><script>window.hit = 6</script></svg>
<math><mtext><img src=x onerror="window.hit = 7"></mtext></math>
<a href="javascript:window.hit=8" id="app" name="location">named</a>
<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=/leak-9">

[run](javascript:window.hit=9) [run](data:text/html,<script>window.hit=10</script>) [[javascript:window.hit=11]]

![far](AWAY/far.svg) ![[AWAY/far2.svg]]

| a | b |
| - | - |
| <img src=x onerror=window.hit=12> | end of tricks |
"""


def test_a_damaged_or_missing_engine_file_is_told_and_not_used_and_the_right_one_mends_it(
    page_folder: Path, engine_dist: Path, tmp_path: Path, harbour: bytes
) -> None:
    engine = light_engine(engine_dist / "assets", tmp_path / "engine")
    manifest = json.loads((engine / "manifest.json").read_text())
    chunk = next(each for each in manifest["assets"] if each["name"] == "pyodide.asm.wasm")["chunks"][0]["file"]
    whole = (engine / chunk).read_bytes()
    with site({"/": page_folder, "/engine/": engine}) as here, reading("chromium", here.url) as reader:
        (engine / chunk).write_bytes(whole[:1000] + b"\0" + whole[1001:])
        reader.open()
        assert "damaged or was exchanged" in reader.sees(".notice.bad")
        assert reader.value("document.querySelector('.notice.bad').dataset.code") == "asset-damaged"
        (engine / chunk).unlink()
        reader.press_button("Try again")
        reader.sees(".notice.bad", "could not be fetched")
        assert reader.count(".opener") == 1
        (engine / chunk).write_bytes(whole)
        reader.press_button("Try again")
        reader.sees(".stage, .hero", "Nothing is installed yet")
        reader.install(harbour)
        assert here.requests.count(f"/engine/{chunk}") <= 6


def test_a_first_start_without_network_or_encryption_is_explained_and_so_is_a_screen_that_can_not_be_drawn(
    page_folder: Path,
) -> None:
    with site({"/": page_folder}) as here, reading("chromium", here.url) as reader:
        reader.open()
        reader.sees(".notice.bad", "could not be fetched")
        reader.window.offline(True)
        reader.press_button("Try again")
        assert "Open this page once with a network" in reader.sees(".notice.bad", "there is no network")
        reader.window.offline(False)

        insecure = "Object.defineProperty(window, 'isSecureContext', { get: () => false });"
        reader.window.devtools("Page.addScriptToEvaluateOnNewDocument", {"source": insecure})
        reader.open("?again")
        told = reader.sees(".notice.bad", "not encrypted")
        assert "https://" in told and reader.count(".opener") == 1

        for address in ("javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "https://"):
            reader.go(f"#/install?url={address}")
            assert "Follow" not in reader.sees("main", "There is nothing to look at"), address

        reader.window.script(NO_NUMBERS)
        reader.go("#/settings")
        assert "This is a fault of the reader" in reader.sees(".notice.bad", "no numbers")
        reader.window.script("Object.defineProperty(Intl.NumberFormat.prototype, 'format', window.numbers);")
        reader.press_button("Try again")
        reader.sees("main", "Storage")


def light_engine(assets: Path, folder: Path) -> Path:
    """The engine without models, as files that a test may damage."""
    manifest = json.loads((assets / "manifest.json").read_text())
    manifest["assets"] = [each for each in manifest["assets"] if not each["part"].startswith("model:")]
    folder.mkdir()
    for asset in manifest["assets"]:
        for chunk in asset["chunks"]:
            shutil.copy(assets / chunk["file"], folder / chunk["file"])
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def kept_paths(reader: Reader) -> list[str]:
    """All files in the page's folders."""
    return sorted(map(str, reader.window.script(KEPT_PATHS)))
