"""`okf diff` between archives, folders and what is installed."""

from __future__ import annotations

import pytest

PAGE = "---\ntype: Note\ntitle: Tides\n---\n\n# High\n\nAt noon.\n"


@pytest.fixture
def versions(okf, tmp_path):
    for version, text in (("1.0.0", PAGE), ("1.1.0", PAGE.replace("noon", "one"))):
        (tmp_path / version).mkdir()
        (tmp_path / version / "tides.md").write_text(text)
        done = okf("export", tmp_path / version, "--id", "ada.sea", "--version", version, "--out", f"{version}.zip")
        assert done.code == 0, done.err
    (tmp_path / "base").mkdir()
    assert okf("init", "base").code == 0
    assert okf("install", "1.0.0.zip", "--dir", "base").code == 0


def test_every_form_of_the_two_versions_gives_the_same_changes(okf, versions):
    found = okf("diff", "1.0.0.zip", "1.1.0.zip", "--json").json
    assert (found["old"], found["new"]) == ("ada.sea@1.0.0", "ada.sea@1.1.0")
    assert [(each["path"], each["change"], each["sections"]) for each in found["changes"]] == [
        ("tides.md", "changed", ["High"])
    ]
    for old, new in (("ada.sea", "1.1.0.zip"), ("1.0.0", "1.1.0"), ("ada.sea", "1.1.0")):
        assert okf("diff", old, new, "--dir", "base", "--json").json["changes"] == found["changes"]


def test_a_version_in_a_feed_is_compared_with_what_is_installed(okf, versions):
    assert okf("feed", "init", "shelf").code == 0
    assert okf("feed", "add-creator", "shelf", "ada").code == 0
    for version in ("1.0.0", "1.1.0"):
        assert okf("publish", f"{version}.zip", "--to", "shelf").code == 0
    assert okf("yank", "ada.sea", "1.0.0", "--from", "shelf", "--reason", "old").code == 0
    assert okf("feed", "trust", "shelf", "--dir", "base").code == 0
    found = okf("diff", "1.0.0.zip", "1.1.0.zip", "--json").json
    for old, new in (("ada.sea", "ada.sea@1.1.0"), ("ada.sea@1.0.0", "ada.sea@^1"), ("ada.sea@1.0.0", "1.1.0.zip")):
        assert okf("diff", old, new, "--dir", "base", "--json").json == found
    done = okf("diff", "ada.sea", "ada.sea@3.0.0", "--dir", "base", "--json")
    assert (done.code, done.error["code"]) == (2, "no-release")


def test_a_bundle_that_is_nowhere_is_an_error(okf, versions):
    done = okf("diff", "ada.none", "1.1.0.zip", "--dir", "base", "--json")
    assert (done.code, done.error["code"]) == (2, "not-found")
