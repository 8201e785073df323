"""The core's own suites pass inside Pyodide: its Python and its packages are those of the browser."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent / "pyodide"
REPOSITORY = HERE.parents[2]
WASM = REPOSITORY / "wasm"
TIME_LIMIT_S = 500
FLOORS = {
    "tests/unit/app": 80,
    "tests/unit/bundles": 600,
    "tests/unit/embedding": 28,
    "tests/unit/index": 115,
    "tests/unit/okf": 450,
    "tests/unit/policy": 80,
    "tests/unit/retrieval": 120,
    "tests/unit/tools": 45,
    "tests/unit/workspace": 290,
}
"""How many tests of a folder pass at least: a suite that is skipped silently fails here."""

SLOW = {"tests/unit/retrieval"}


@pytest.fixture(scope="session")
def suite_wheels() -> list[str]:
    sys.path.insert(0, str(WASM / "build"))
    import wheels  # type: ignore[import-not-found]

    cache = WASM / "dist" / "wheels"
    return [str(path) for path in [*wheels.wheels(cache), *wheels.wheels(cache, HERE / "wheels.txt")]]


@pytest.mark.parametrize(
    "folder", [pytest.param(folder, marks=pytest.mark.slow if folder in SLOW else ()) for folder in FLOORS]
)
def test_a_suite_of_the_core_passes_in_pyodide(folder: str, suite_wheels: list[str], node: str) -> None:
    found = _run(node, suite_wheels, [folder, "-m", "not slow"])
    print(f"{folder}: {found['passed']} passed, {found['skipped']} skipped in {found['seconds']} s:", found["reasons"])
    assert found["failures"] == {}, found["end"]
    assert found["passed"] >= FLOORS[folder], found["end"]


def _run(node: str, wheels: list[str], arguments: list[str]) -> dict[str, Any]:
    command = [node, str(HERE / "run.mjs"), str(REPOSITORY), json.dumps(wheels), json.dumps(arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=TIME_LIMIT_S)
    assert ended.returncode == 0, ended.stderr[-3_000:]
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return found
