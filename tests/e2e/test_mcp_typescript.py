"""The official TypeScript clients, old and new, hold a whole session with us, over both transports and in both eras."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.mcp_blocks import newcomer_at, shown_in_handbook
from tests.served import OKF, Served, environment_at, serving

NODE = Path(__file__).parents[1] / "node"
CLIENTS = [
    (1, "legacy"),
    (2, "2026-07-28"),
    pytest.param(2, "auto", marks=pytest.mark.slow),
    pytest.param(2, "legacy", marks=pytest.mark.slow),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("notes") / "river"
    (root / "concepts").mkdir(parents=True)
    (root / "KNOWLEDGE.md").write_text("# River\n\nRead the map first.\n")
    (root / "concepts/weir.md").write_text(
        "---\ntype: Concept\ntitle: Weir\n---\n\nThe sluice of the weir opens at dawn.\n"
    )
    return root


@pytest.fixture(scope="module")
def served(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    grants = ("--scope", "read", "--scope", "capture")
    with serving(folder, tmp_path_factory.mktemp("home"), "--allow", "capture", grants=grants) as it:
        yield it


def session(**asked: Any) -> dict[str, Any]:
    node = shutil.which("node")
    assert node and (NODE / "node_modules").is_dir(), "expected node and its packages: `make conformance` brings both"
    ended = subprocess.run(
        [node, str(NODE / "session.mjs"), json.dumps(asked)],
        cwd=NODE,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return dict(json.loads(ended.stdout))


def check(found: dict[str, Any]) -> None:
    assert {"query", "read", "map", "capture"} <= set(found["tools"])
    assert found["answer"]["structuredContent"]["candidates"][0]["path"] == "concepts/weir.md"
    assert "opens at dawn" in found["page"]["structuredContent"]["text"]
    assert found["wrong"]["isError"] and found["wrong"]["structuredContent"]["error"]["code"] == "no-concept"
    assert found["kept"]["structuredContent"]["path"].startswith("inbox/")
    assert found["uris"] == ["okf://river/map", "okf://river/KNOWLEDGE.md"]
    assert found["templates"] == 1
    assert "opens at dawn" in found["resource"]
    assert {"ask", "orient", "review"} <= set(found["prompts"])
    assert "Where are the eels?" in found["prompt"]
    assert found["completed"] == ["river"]
    assert found["absent"] in ("-32602", "-32002")


@pytest.mark.parametrize(("sdk", "mode"), CLIENTS)
def test_a_typescript_client_works_over_http(served: Served, sdk: int, mode: str) -> None:
    check(session(sdk=sdk, mode=mode, url=served.url, token=served.token))


@pytest.mark.parametrize(("sdk", "mode"), CLIENTS)
def test_a_typescript_client_works_over_stdio_and_asks_its_person(
    folder: Path, tmp_path: Path, sdk: int, mode: str
) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source/heron.md").write_text("---\ntype: Note\ntitle: Heron\n---\n\nThe heron nests here.\n")
    archive, environment, name = tmp_path / "birds.okf.zip", environment_at(tmp_path), f"acme.v{sdk}-{mode}"
    made = [OKF, "export", "source", "--id", name, "--version", "1.0.0", "--out", str(archive)]
    subprocess.run(made, cwd=tmp_path, env=environment, check=True, timeout=60, capture_output=True)
    arguments = ["mcp", "--dir", str(folder)]
    found = session(sdk=sdk, mode=mode, command=OKF, args=arguments, env=environment, archive=str(archive))
    check(found)
    assert found["questions"] == [f"Install a bundle?\nsource: {archive}"]
    assert found["installed"]["structuredContent"]["id"] == name


def test_a_newcomer_who_copies_the_block_of_the_handbook_is_connected(folder: Path, tmp_path: Path) -> None:
    copied = shown_in_handbook("toml")
    assert copied == shown_in_handbook("json")
    found = session(sdk=1, mode="legacy", **copied, env=newcomer_at(tmp_path, folder))
    check(found)
