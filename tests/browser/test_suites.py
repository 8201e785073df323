"""The core's own suites, unit, contract and cases, run inside Pyodide."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from browser.engines import node_engine

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
SUITES = (HERE / "suites_in_pyodide.py").read_text()
SAMPLED = ("tests/unit/index", "tests/unit/retrieval")
WHOLE = ("tests/unit", "tests/contract", "tests/cases")
SETUP = """
import importlib, pyodide_js, site
from pyodide.ffi import to_js
pyodide_js.mountNodeFS("/repo", {repository!r})
pyodide_js.mountNodeFS("/wheels", {wheels!r})
for name in {names!r}:
    wheel = to_js(open(f"/wheels/{{name}}", "rb").read())
    pyodide_js.unpackArchive(wheel, "whl", extractDir=site.getsitepackages()[0])
importlib.invalidate_caches()
"""


@pytest.fixture(scope="session")
def test_wheels(engine_dist: Path) -> list[Path]:
    sys.path.insert(0, str(REPOSITORY / "wasm" / "build"))
    import wheels  # type: ignore[import-not-found]

    found: list[Path] = wheels.wheels(engine_dist / "wheels", HERE / "wheels.txt")
    return found


@pytest.mark.parametrize("suites", [SAMPLED, pytest.param(WHOLE, marks=pytest.mark.slow)], ids=["sampled", "whole"])
def test_the_suites_of_the_core_pass_in_pyodide(
    suites: tuple[str, ...], test_wheels: list[Path], node: str, engine_dist: Path
) -> None:
    names = [path.name for path in test_wheels]
    setup = SETUP.format(repository=str(REPOSITORY), wheels=str(engine_dist / "wheels"), names=names)
    with node_engine(node, engine_dist) as engine:
        engine.python(setup)
        found = json.loads(engine.python(f"{SUITES}\nrun_suites('/repo', {[*suites, '-m', 'not slow']!r})"))
    print(f"{found['passed']} passed, {found['skipped']} skipped in {found['seconds']} s:", found["reasons"])
    assert found["failures"] == {}, found["end"]
    assert found["passed"] > 100
