"""The wheel holds the product and nothing else, and its core imports with the declared pure packages alone."""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import okf_edge
from tests import pure_packages
from tests.test_house_purity import IMPORT_ALL
from tests.test_house_rules import REPOSITORY, shown, tracked

PACKAGES = (
    "core/okf_edge/",
    "core/okf_edge_native/",
    "cli/okf_edge_cli/",
    "lambda/okf_edge_lambda/",
    "wasm/okf_edge_wasm/",
)
SUFFIXES = {".py", ".json", ".md", ".typed"}
INFO = f"okf_edge-{okf_edge.__version__}.dist-info"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(directory)]
    subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True)
    return next(directory.glob("*.whl"))


def test_the_wheel_is_named_for_any_platform(wheel: Path) -> None:
    assert wheel.name == f"okf_edge-{okf_edge.__version__}-py3-none-any.whl"


def test_the_wheel_holds_our_packages_and_nothing_else(wheel: Path) -> None:
    found = set(zipfile.ZipFile(wheel).namelist())
    sources = {shown(path).partition("/")[2] for path in tracked("") if shown(path).startswith(PACKAGES)}
    info = {f"{INFO}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")}
    assert found == sources | info
    assert {Path(name).suffix for name in sources} <= SUFFIXES


def test_the_wheel_states_its_licence_and_the_pythons_it_runs_on(wheel: Path) -> None:
    metadata = Parser().parsestr(zipfile.ZipFile(wheel).read(f"{INFO}/METADATA").decode())
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == "<3.15,>=3.11"
    assert metadata["Version"] == okf_edge.__version__


def test_the_installed_core_imports_with_its_declared_packages_alone(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    site = next((tmp_path / "venv").rglob("site-packages"))
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", str(site)]
    subprocess.run([*install, str(wheel)], check=True)
    pure_packages.link_into(site)
    python = tmp_path / "venv/bin/python"
    done = subprocess.run([python, "-I", "-c", IMPORT_ALL], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    absent = subprocess.run([python, "-I", "-c", "import duckdb"], capture_output=True, text=True, timeout=60)
    assert "No module named 'duckdb'" in absent.stderr
