"""The public conformance suite of the protocol finds what it asks for, in both versions, but for what is explained."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NODE = HERE.parent / "node"
SUITE = NODE / "node_modules/@modelcontextprotocol/conformance/dist/index.js"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.conformance.fixture", "0"]
    root = str(HERE.parents[1])
    process = subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, text=True, env={**os.environ, "NO_COLOR": "1"}
    )
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
    finally:
        process.terminate()
        process.wait(20)


@pytest.mark.parametrize("version", ["2026-07-28", "2025-11-25"])
def test_the_public_suite_passes_but_for_what_is_explained(url: str, version: str) -> None:
    node = shutil.which("node")
    assert node and SUITE.exists(), "expected node and the suite: `make conformance` brings both"
    options = ["--requirements", version, "--expected-failures", str(HERE / f"expected-{version}.yaml")]
    ended = subprocess.run(
        [node, "--import", str(NODE / "node20.mjs"), str(SUITE), "server", "--url", url, *options],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    summary = ended.stdout.rpartition("=== SUMMARY ===")[2]
    print(summary)
    assert ended.returncode == 0, summary + ended.stderr
    assert "tools-call-simple-text: 2 passed, 0 failed" in summary
