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
    "tests/cases": 100,
    "tests/contract": 170,
    "tests/unit": 10,
    "tests/unit/app": 120,
    "tests/unit/bundles": 600,
    "tests/unit/embedding": 28,
    "tests/unit/feed": 80,
    "tests/unit/index": 115,
    "tests/unit/okf": 480,
    "tests/unit/policy": 80,
    "tests/unit/retrieval": 190,
    "tests/unit/tools": 60,
    "tests/unit/workspace": 290,
}
"""How many tests of a folder pass at least: a suite that is skipped silently fails here."""

SUITES = ["tests/unit", "tests/contract", "tests/cases"]


@pytest.fixture(scope="session")
def suite_wheels() -> list[str]:
    sys.path.insert(0, str(WASM / "build"))
    import wheels  # type: ignore[import-not-found]

    cache = WASM / "dist" / "wheels"
    return [str(path) for path in [*wheels.wheels(cache), *wheels.wheels(cache, HERE / "wheels.txt")]]


@pytest.mark.parametrize("size", ["sample", pytest.param("whole", marks=pytest.mark.slow)])
def test_the_suites_of_the_core_pass_in_pyodide(
    size: str, suite_wheels: list[str], node: str, engine_dist: Path
) -> None:
    found = _run(node, suite_wheels, size)
    print(json.dumps({name: found[name] for name in ("seconds", "folders", "reasons", "slowest")}, indent=1))
    assert found["failures"] == {}, found["end"]
    passed = {folder: found["folders"].get(folder, {}).get("passed", 0) for folder in FLOORS}
    assert {folder: count for folder, count in passed.items() if count < FLOORS[folder]} == {}


def _run(node: str, wheels: list[str], size: str) -> dict[str, Any]:
    arguments = [json.dumps(wheels), json.dumps([*SUITES, "-m", "not slow"]), size]
    command = [node, str(HERE / "run.mjs"), str(REPOSITORY), *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=TIME_LIMIT_S)
    assert ended.returncode == 0, ended.stderr[-3_000:]
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return found
