"""The Python packages of the browser: wheels pinned by sha256, and the lock file by which Pyodide installs them.

Rules:
1. Each wheel is the one of `wheels.txt`, fetched by pip, which checks its hash.
2. PyYAML has no wheel for Pyodide: the pure modules of its wheel for Linux are taken, without the compiled part.
3. The lock file names every wheel with its sha256; Pyodide's own list is not used.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PINS = Path(__file__).with_name("wheels.txt")
PYODIDE = REPOSITORY / "wasm" / "node_modules" / "pyodide"
PLATFORMS = {"pyyaml": "manylinux2014_x86_64"}
PYTHON, PYODIDE_PLATFORM = "3.14", "pyemscripten_2026_0_wasm32"
EPOCH = (1980, 1, 1, 0, 0, 0)


def wheels(cache: Path, pins: Path = PINS) -> list[Path]:
    """Every pinned wheel, fetched into `cache` unless it is there."""
    cache.mkdir(parents=True, exist_ok=True)
    return [_pure_yaml(path) if project == "pyyaml" else path for project, path in _fetched(cache, pins)]


def own_wheel(folder: Path) -> Path:
    """The distribution itself, unchanged."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "315532800"}
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=REPOSITORY, env=environment, check=True, capture_output=True)
    return next(folder.glob("okf_edge-*.whl"))


def linked(paths: list[Path], target: Path) -> Path:
    """The folder with the compiled parts of these wheels, which Pyodide links while it runs."""
    target.mkdir()
    for path in paths:
        with zipfile.ZipFile(path) as wheel:
            for name in wheel.namelist():
                if name.endswith(".so"):
                    (target / Path(name).name).write_bytes(wheel.read(name))
    return target


def lock_file(paths: list[Path]) -> str:
    """The lock file of Pyodide that names these wheels."""
    info = json.loads((PYODIDE / "pyodide-lock.json").read_text())["info"]
    packages = {_project(path): _entry(path) for path in sorted(paths)}
    return json.dumps({"info": info, "packages": packages}, indent=1)


def _fetched(cache: Path, pins: Path) -> Iterator[tuple[str, Path]]:
    for pin in re.findall(r"^(\S+) --hash=sha256:([0-9a-f]{64})$", pins.read_text(), re.MULTILINE):
        requirement, sha256 = pin
        project = requirement.partition("==")[0]
        found = next((path for path in cache.glob("*.whl") if _sha256(path) == sha256), None)
        yield project, found or _download(requirement, sha256, cache)


def _download(requirement: str, sha256: str, cache: Path) -> Path:
    pins = cache / "pin.txt"
    pins.write_text(f"{requirement} --hash=sha256:{sha256}\n")
    platform = PLATFORMS.get(requirement.partition("==")[0], PYODIDE_PLATFORM)
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
    command += ["--no-input", "--only-binary=:all:", f"--python-version={PYTHON}", f"--platform={platform}"]
    command += ["--implementation=cp", "--abi=cp314", "--abi=none", "--dest", str(cache), "--requirement", str(pins)]
    subprocess.run(command, check=True, stderr=subprocess.PIPE)
    pins.unlink()
    return next(path for path in cache.glob("*.whl") if _sha256(path) == sha256)


def _pure_yaml(wheel: Path) -> Path:
    target = wheel.parent / "pure" / "pyyaml-6.0.4-py3-none-any.whl"
    target.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for name in sorted(source.namelist()):
            if not name.endswith((".so", "/", "RECORD")):
                made.writestr(zipfile.ZipInfo(name, EPOCH), source.read(name))
    return target


def _entry(path: Path) -> dict[str, object]:
    with zipfile.ZipFile(path) as wheel:
        tops = {name.partition("/")[0] for name in wheel.namelist() if not re.match(r"[^/]+\.dist-info/", name)}
    _, version, *_ = path.name.split("-")
    return {
        "name": _project(path),
        "version": version,
        "file_name": path.name,
        "install_dir": "site",
        "sha256": _sha256(path),
        "package_type": "package",
        "imports": sorted(name.removesuffix(".pyc") for name in tops),
        "depends": [],
    }


def _project(path: Path) -> str:
    return re.sub(r"[-_.]+", "-", path.name.split("-")[0]).lower()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
