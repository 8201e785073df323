"""`okf reader` serves the page to this machine, `okf bundle-site` makes a site that its readers can verify."""

from __future__ import annotations

import json
import subprocess
import urllib.error
import urllib.request
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from okf_edge import __version__
from tests.e2e.conftest import OKF, Run

PAGE = "---\ntype: Note\ntitle: Tides\n---\n# Tides\n\nThe harbour floods at spring tide.\n"


@pytest.fixture
def assets(tmp_path: Path) -> Path:
    """An archive laid out as the published one, with a page of a few bytes."""
    path = tmp_path / f"okf-edge-webview-{__version__}.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("reader/index.html", "<!doctype html><title>reader</title>")
        archive.writestr("reader/sw.js", "// kept")
        archive.writestr("reader/site.json", '{"bundles": []}')
        archive.writestr("assets/manifest.json", '{"format": 1, "version": "0", "assets": []}')
        archive.writestr("assets/a.0", b"\0asm")
        archive.writestr("obsidian/main.js", "// not part of the site")
    return path


@pytest.fixture
def bundle(okf: Run, tmp_path: Path) -> Path:
    source = tmp_path / "source"
    source.mkdir()
    (source / "tides.md").write_text(PAGE)
    out = tmp_path / "ada.harbour-1.0.0.okf.zip"
    okf("export", str(source), "--id", "ada.harbour", "--version", "1.0.0", "--title", "Harbour", "--out", str(out))
    return out


def test_the_reader_is_served_to_this_machine_only(environment: Mapping[str, str], assets: Path) -> None:
    server = subprocess.Popen(
        [OKF, "reader", "--port", "0", "--assets", str(assets)], stderr=subprocess.PIPE, text=True, env=environment
    )
    try:
        assert server.stderr is not None
        url = server.stderr.readline().split()[2]
        assert url.startswith("http://127.0.0.1:")
        assert _got(url).startswith("<!doctype html>")
        assert json.loads(_got(f"{url}engine/manifest.json"))["format"] == 1
        with urllib.request.urlopen(url) as response:
            assert response.headers["X-Content-Type-Options"] == "nosniff"
        for path in ("obsidian/main.js", "../okf", "engine/../obsidian/main.js", "%2e%2e/obsidian/main.js", "nothing"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                _got(url + path)
    finally:
        server.terminate()
        server.communicate(timeout=10)
    assert server.returncode == 0


def test_a_site_holds_the_reader_and_a_feed_that_others_can_follow(
    okf: Run, assets: Path, bundle: Path, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    done = okf("bundle-site", site, bundle, "--title", "By the sea", "--assets", assets, "--json")
    assert done.code == 0, done.err
    offers = json.loads((site / "site.json").read_text())
    assert (offers["title"], offers["feed"], offers["root"]) == ("By the sea", "feed/", done.json["root"][7:])
    assert [(each["id"], each["version"], each["title"]) for each in offers["bundles"]] == [
        ("ada.harbour", "1.0.0", "Harbour")
    ]
    assert (site / "index.html").is_file() and (site / "engine/a.0").is_file()
    assert not (site / "main.js").exists()
    base = tmp_path / "base"
    base.mkdir()
    trusted = okf("feed", "trust", site / "feed", "--root", done.json["root"], "--dir", base, "--json")
    assert trusted.code == 0, trusted.err
    installed = okf("install", "ada.harbour", "--feed", "--dir", base, "--json")
    assert installed.json["bundle"]["signature"] == "valid"


def test_a_site_is_renewed_in_place_and_its_root_stays(okf: Run, assets: Path, bundle: Path, tmp_path: Path) -> None:
    site, newer = tmp_path / "site", tmp_path / "newer.okf.zip"
    first = okf("bundle-site", site, bundle, "--assets", assets, "--json").json
    okf("export", tmp_path / "source", "--id", "ada.harbour", "--version", "1.1.0", "--out", newer)
    assert okf("bundle-site", site, bundle, "--assets", assets, "--json").json["root"] == first["root"]
    second = okf("bundle-site", site, newer, "--assets", assets, "--json").json
    assert (second["root"], second["bundles"][0]["version"]) == (first["root"], "1.1.0")
    assert okf("feed", "status", site / "feed", "--json").json["releases"] == 2


def test_a_site_says_until_when_its_feed_holds_and_brings_only_the_model_that_is_wanted(
    okf: Run, assets: Path, bundle: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(assets, "w") as archive:
        archive.writestr("reader/index.html", "<!doctype html><title>reader</title>")
        parts = {"p.0": "base", "e.0": "model:english", "c.0": "model:chinese"}
        listed = [{"name": file, "part": part, "chunks": [{"file": file}]} for file, part in parts.items()]
        archive.writestr("assets/manifest.json", json.dumps({"format": 1, "version": "0", "assets": listed}))
        for file in parts:
            archive.writestr(f"assets/{file}", b"of " + file.encode())
    site = tmp_path / "site"
    unknown = okf("bundle-site", site, bundle, "--assets", assets, "--model", "klingon", "--json")
    assert (unknown.code, unknown.error["code"]) == (2, "unknown-model")
    assert not site.exists()

    done = okf("bundle-site", site, bundle, "--assets", assets, "--model", "chinese")
    assert done.code == 0, done.err
    assert {path.name for path in (site / "engine").iterdir()} == {"manifest.json", "p.0", "c.0"}
    assert [each["part"] for each in json.loads((site / "engine/manifest.json").read_text())["assets"]] == [
        "base",
        "model:chinese",
    ]
    roles = okf("feed", "status", site / "feed", "--json").json["roles"]
    first_to_end = min(role["expires"] for role in roles)[:10]
    assert f"until {first_to_end}" in done.out and f"okf feed refresh {site}/feed" in done.out


def test_what_is_no_bundle_no_place_or_no_reader_is_refused_with_nothing_written(
    okf: Run, assets: Path, bundle: Path, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    cut = tmp_path / "cut.okf.zip"
    cut.write_bytes(bundle.read_bytes()[:-100])
    refused = okf("bundle-site", site, cut, "--assets", assets, "--json")
    assert refused.code == 1, refused.err
    assert not site.exists()

    (site / "mine").mkdir(parents=True)
    taken = okf("bundle-site", site, bundle, "--assets", assets, "--json")
    assert (taken.code, taken.error["code"]) == (2, "not-empty")
    assert [path.name for path in site.iterdir()] == ["mine"]

    for wrong in (bundle, tmp_path / "none.zip"):
        lacking = okf("reader", "--assets", wrong)
        assert lacking.code == 2
        assert "okf-edge-webview-" in lacking.err


def _got(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as response:
        return str(response.read().decode())
