"""`okf plugin install` equips a vault, whole or not at all."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path

import pytest

from okf_edge import __version__
from tests.e2e.conftest import Run

FOLDER = ".obsidian/plugins/okf-edge"


def listing(**changed: str) -> bytes:
    parts = {"a.0": ("base", b"python"), "b.0": ("model:minilm-l6", b"minilm"), "c.0": ("model:e5-small-cjk", b"e5")}
    assets = []
    for file, (part, data) in parts.items():
        sha256 = changed.get(file) or hashlib.sha256(data).hexdigest()
        assets.append({"name": file, "part": part, "chunks": [{"file": file, "bytes": len(data), "sha256": sha256}]})
    return json.dumps({"format": 1, "version": __version__, "assets": assets}).encode()


def release(path: Path, listed: bytes, pinned: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {"a.0": b"python", "b.0": b"minilm", "c.0": b"e5", "manifest.json": listed}.items():
            archive.writestr(f"assets/{name}", data)
        archive.writestr("obsidian/main.js", f"const pinned = '{hashlib.sha256(pinned).hexdigest()}';")
        archive.writestr("obsidian/styles.css", ".okf-edge {}")
        archive.writestr("obsidian/manifest.json", json.dumps({"id": "okf-edge", "version": __version__}))
    return path


@pytest.fixture
def assets(tmp_path: Path) -> Path:
    return release(tmp_path / "okf-edge-webview.zip", listing(), listing())


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    return vault


def names(vault: Path) -> set[str]:
    return {path.relative_to(vault / FOLDER).as_posix() for path in (vault / FOLDER).rglob("*") if path.is_file()}


def test_a_vault_is_equipped_and_a_second_run_writes_nothing(okf: Run, assets: Path, vault: Path) -> None:
    done = okf("plugin", "install", "--vault", vault, "--assets", assets, "--json")
    assert done.code == 0
    assert (done.json["files"], done.json["written"], done.json["removed"]) == (7, 7, 0)
    assert done.json["models"] == ["e5-small-cjk", "minilm-l6"]
    engine = {f"engine/{name}" for name in ("a.0", "b.0", "c.0", "manifest.json")}
    assert names(vault) == {"main.js", "styles.css", "manifest.json", *engine}
    again = okf("plugin", "install", "--vault", vault, "--assets", assets, "--json")
    assert again.json["written"] == 0


def test_only_the_wanted_model_stays_and_the_persons_settings_too(okf: Run, assets: Path, vault: Path) -> None:
    okf("plugin", "install", "--vault", vault, "--assets", assets)
    (vault / FOLDER / "data.json").write_text('{"byMeaning": false}')
    done = okf("plugin", "install", "--vault", vault, "--assets", assets, "--model", "minilm-l6")
    assert done.code == 0 and "models: minilm-l6" in done.out
    assert "engine/c.0" not in names(vault) and "data.json" in names(vault)


@pytest.mark.parametrize("fault", ["chunk", "pin"])
def test_damaged_files_are_refused_and_nothing_is_written(okf: Run, vault: Path, tmp_path: Path, fault: str) -> None:
    listed = listing(**({"b.0": "0" * 64} if fault == "chunk" else {}))
    assets = release(tmp_path / "bad.zip", listed, listed if fault == "chunk" else b"another build")
    refused = okf("plugin", "install", "--vault", vault, "--assets", assets, "--json")
    assert refused.code == 1
    assert refused.error["code"] == "hash-mismatch"
    assert not (vault / FOLDER).exists()


def test_no_vault_no_assets_and_no_such_model_are_told(okf: Run, assets: Path, vault: Path, tmp_path: Path) -> None:
    commands = {
        "no-vault": ("--vault", tmp_path / "nowhere", "--assets", assets),
        "no-assets": ("--vault", vault, "--assets", tmp_path / "absent.zip"),
        "unknown-model": ("--vault", vault, "--assets", assets, "--model", "gpt"),
    }
    for code, arguments in commands.items():
        refused = okf("plugin", "install", *arguments, "--json")
        assert (refused.code, refused.error["code"]) == (2, code)
    (vault / ".obsidian").rmdir()
    refused = okf("plugin", "install", "--vault", vault, "--assets", assets, "--json")
    assert refused.error["code"] == "no-vault" and "Open the folder in Obsidian" in refused.error["hint"]
