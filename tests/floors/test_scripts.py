"""The command lines of the handbook run, page by page, in the world that the pages speak of."""

from __future__ import annotations

import shutil
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from models_fixture import FOLDER as MODELS_FOLDER
from okf_edge_cli.main import _guarded as okf
from tests.floors.handbook import ROOT, CommandLine, command_lines

BUNDLE = "okf-edge.handbook-1.0.0.okf.zip"
EXPORT = ("export", "bundles/handbook", "--id", "okf-edge.handbook", "--version", "1.0.0")
BEFORE = {
    "commands/okf-uninstall.md": [("install", BUNDLE, "--dir", "reader")],
    "zh/start/first-bundle.md": [("install", BUNDLE, "--dir", "reader")],
}
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


def needs_model(line: CommandLine) -> bool:
    return "--embedder" in line.words or "--dense" in line.words


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The handbook, exported by the product."""
    folder = tmp_path_factory.mktemp("exported")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OKF_HOME", str(folder / "home"))
        patch.chdir(folder)
        shutil.copytree(ROOT, folder / "bundles" / "handbook")
        assert okf([*EXPORT]) == 0
    return folder / BUNDLE


@pytest.fixture
def world(tmp_path: Path, bundle: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder of the handbook's examples: its own source tree, notes, a bundle, and a base to read in."""
    shutil.copytree(ROOT, tmp_path / "bundles" / "handbook")
    for name, text in (("backup", "Backups are kept for 30 days."), ("restore", "Ask before you restore.")):
        note = tmp_path / "notes" / "policies" / f"{name}.md"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(NOTE.format(title=name.title(), text=text), encoding="utf-8")
    plain = tmp_path / "checkout" / "finance"
    shutil.copytree(tmp_path / "notes" / "policies", plain)
    with zipfile.ZipFile(tmp_path / "finance.zip", "w") as archive:
        for path in sorted(plain.iterdir()):
            archive.write(path, path.name)
    shutil.copy(bundle, tmp_path)
    (tmp_path / "reader").mkdir()
    monkeypatch.chdir(tmp_path)
    assert okf(["init", "reader"]) == 0
    return tmp_path


@pytest.mark.parametrize("page", sorted(SCRIPTS))
def test_the_command_lines_of_a_page_run_in_their_order(
    page: str, world: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [line for line in SCRIPTS[page] if not needs_network(line)]
    if any(map(needs_model, lines)):
        if not (MODELS_FOLDER / "e5-small-cjk").is_dir():
            pytest.skip("no model in the tests' cache")
        _put_models_at_hand(world, monkeypatch)
    for words in BEFORE.get(page, []):
        assert okf([*words]) == 0
    for line in lines:
        words = _in_this_world(line, world)
        assert okf(words) == 0, f"{line}: {capsys.readouterr().err}"


def _put_models_at_hand(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = world / "home"
    (home / "cache").mkdir(parents=True)
    (home / "cache" / "models").symlink_to(MODELS_FOLDER)
    monkeypatch.setenv("OKF_HOME", str(home))


def _in_this_world(line: CommandLine, world: Path) -> list[str]:
    """The line's arguments; without a folder of their own, questions go to the handbook or to the base."""
    words = [word.replace("sha256:DIGEST", _pin(world)) for word in line.words[1:]]
    if words[0] in {"query", "index", "read"} and "--dir" not in words:
        words += ["--dir", "reader" if any(word.startswith("Library/") for word in words) else "bundles/handbook"]
    if words[0] in {"list", "install"} and "--dir" not in words:
        words += ["--dir", "reader"]
    return words


def _pin(world: Path) -> str:
    return f"sha256:{sha256((world / BUNDLE).read_bytes()).hexdigest()}"
