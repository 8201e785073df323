"""The command lines of the handbook run, page by page, in the world that they speak of; a few run in `tests/e2e`."""

from __future__ import annotations

import shutil
import tarfile
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from okf_edge_cli.main import _guarded as okf
from tests.floors.handbook import ROOT, CommandLine, command_lines
from tests.models_fixture import FOLDER as MODELS_FOLDER

BUNDLE = "okf-edge.handbook-1.0.0.okf.zip"
TARBALL = "finance-1.0.tar.gz"
EXPORT = ("export", "bundles/handbook", "--id", "okf-edge.handbook", "--version", "1.0.0")
PREPARED = [EXPORT, ("init", "reader"), ("index", "build", "--dir", "bundles/handbook")]
BEFORE = {
    "commands/okf-uninstall.md": [("install", BUNDLE, "--dir", "reader")],
    "zh/start/first-bundle.md": [("install", BUNDLE, "--dir", "reader")],
}
ELSEWHERE = {
    "watch",
    "mcp",
    "token",
    "audit",
    "feed",
    "publish",
    "yank",
    "search-feed",
    "check-updates",
    "update",
    "rollback",
    "review",
    "diff",
    "kb",
    "sync",
    "capture",
    "health",
    "stale",
    "map",
    "reader",
    "bundle-site",
    "plugin",
    "remote",
    "--version",
}
OPTIONS_ELSEWHERE = frozenset({"--feed", "--kb", "--remote", "--reviewed"})
SCRIPTS: dict[str, list[CommandLine]] = {}
for line in command_lines():
    if not line.mentioned:
        SCRIPTS.setdefault(line.page, []).append(line)

NOTE = """---
type: Policy
title: {title}
tags: [policy]
---

# Retention

{text}
"""


def needs_network(line: CommandLine) -> bool:
    return line.words[1:3] == ("model", "build") or any(word.startswith("https://") for word in line.words)


def needs_more_than_a_folder(line: CommandLine) -> bool:
    """What goes on until it is stopped, or needs a client, a feed, a person or a used base: `tests/e2e`."""
    return line.words[1] in ELSEWHERE or not OPTIONS_ELSEWHERE.isdisjoint(line.words)


def needs_model(line: CommandLine) -> bool:
    return "--embedder" in line.words or "--dense" in line.words


@pytest.fixture(scope="session")
def made_world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The handbook's source tree, indexed; its bundle, exported by the product; notes, a plain tree, a base."""
    world = tmp_path_factory.mktemp("world")
    shutil.copytree(ROOT, world / "bundles" / "handbook", ignore=shutil.ignore_patterns(".okf"))
    _write_notes(world)
    for folder in ("reader", "team"):
        (world / folder).mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OKF_HOME", str(world / "home"))
        patch.chdir(world)
        assert [okf([*words]) for words in PREPARED] == [0] * len(PREPARED)
    return world


@pytest.fixture
def world(tmp_path: Path, made_world: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the world as the current folder, with a home in it."""
    shutil.copytree(made_world, tmp_path, dirs_exist_ok=True)
    monkeypatch.setenv("OKF_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write_notes(world: Path) -> None:
    for name, text in (("backup", "Backups are kept for 30 days."), ("restore", "Ask before you restore.")):
        for folder in ("notes/policies", "checkout/finance"):
            note = world / folder / f"{name}.md"
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_text(NOTE.format(title=name.title(), text=text), encoding="utf-8")
    pages = sorted((world / "checkout" / "finance").iterdir())
    with zipfile.ZipFile(world / "finance.zip", "w") as archive, tarfile.open(world / TARBALL, "w:gz") as tarball:
        for path in pages:
            archive.write(path, path.name)
            tarball.add(path, path.name)


@pytest.mark.parametrize("page", sorted(SCRIPTS))
def test_the_command_lines_of_a_page_run_in_their_order(
    page: str, world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [line for line in SCRIPTS[page] if not (needs_network(line) or needs_more_than_a_folder(line))]
    folder = "bundles/handbook"
    if any(map(needs_model, lines)):
        folder = "notes"  # embedding all of the handbook would take long
        if not (MODELS_FOLDER / "e5-small-cjk").is_dir():
            pytest.skip("no model in the tests' cache")
        _put_models_at_hand(world)
    for words in BEFORE.get(page, []):
        assert okf([*words]) == 0
    for line in lines:
        words = _in_this_world(line, world, folder)
        assert okf(words) == 0, f"{line}: {capsys.readouterr().err}"


def _put_models_at_hand(world: Path) -> None:
    cache = world / "home" / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    (cache / "models").symlink_to(MODELS_FOLDER)


def _in_this_world(line: CommandLine, world: Path, folder: str) -> list[str]:
    """The line's arguments, with a folder where it names none: the given one, or the reader's where that is meant."""
    words = [word.replace("sha256:DIGEST", _pin(world)) for word in line.words[1:]]
    if "--dir" in words or words[0] not in {"query", "index", "read", "list", "install"}:
        return words
    if words[0] in {"list", "install"} or any(word.startswith("Library/") for word in words):
        return [*words, "--dir", "reader"]
    return [*words, "--dir", folder]


def _pin(world: Path) -> str:
    return f"sha256:{sha256((world / BUNDLE).read_bytes()).hexdigest()}"
