"""Dependencies of a package: locked by hash for both architectures, downloaded once, installed for another machine."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from okf_edge_infra.contents import ARCHITECTURES, GLIBC_MINORS, PYTHON, ROOT, Package

CACHE = ROOT / ".build/lambda-wheels"
_NAME = re.compile(r"[A-Za-z0-9._-]+")


class UnreachableError(Exception):
    """The registry of packages gave no answer, or not all that is locked."""


def wanted(package: Package) -> list[str]:
    """The requirements of a package: the product's own and those of the extra `lambda`, without what it never uses."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    stated = [*project["dependencies"], *project["optional-dependencies"]["lambda"]]
    return [each.partition(";")[0].strip() for each in stated if _name(each) not in package.without]


def lock(package: Package) -> str:
    """The text of a lock: each distribution at one version, with the hashes of its files for either architecture."""
    hashes: dict[str, set[str]] = {}
    for architecture in ARCHITECTURES:
        for name, digest in _resolved(package, architecture):
            hashes.setdefault(name, set()).add(digest)
    head = f"# {package.name}, for Python {PYTHON}. Made by `make lambda-lock`.\n"
    return head + "".join(_locked(name, hashes[name]) for name in sorted(hashes))


def install(package: Package, architecture: str, tree: Path) -> None:
    """Install what is locked below a folder. Raises UnreachableError: it is not at hand and can't be fetched."""
    wheels = _downloaded(package, architecture)
    _pip(
        "install", "--no-index", "--find-links", wheels, "--target", tree, "--no-compile", "--no-deps",
        "--require-hashes", "-r", package.lock, *_target(architecture),
    )  # fmt: skip


def _downloaded(package: Package, architecture: str) -> Path:
    digest = sha256(package.lock.read_bytes()).hexdigest()[:16]
    folder = CACHE / f"{package.name}-{architecture}-{digest}"
    complete = folder / ".complete"
    if not complete.exists():
        _pip(
            "download", "--dest", folder, "--no-deps", "--require-hashes", "-r", package.lock, *_target(architecture)
        )  # fmt: skip
        complete.touch()
    return folder


def _resolved(package: Package, architecture: str) -> Iterator[tuple[str, str]]:
    report = json.loads(
        _pip("install", "--dry-run", "--ignore-installed", "--target", ROOT / ".build/never", "--quiet", "--report",
             "-", *_target(architecture), *wanted(package))
    )  # fmt: skip
    for each in report["install"]:
        about = each["metadata"]
        if _name(about["name"]) not in package.without:
            yield (
                f"{_name(about['name'])}=={about['version']}",
                each["download_info"]["archive_info"]["hashes"]["sha256"],
            )


def _locked(name: str, digests: Iterable[str]) -> str:
    return " \\\n".join([name, *(f"    --hash=sha256:{digest}" for digest in sorted(digests))]) + "\n"


def _target(architecture: str) -> list[str]:
    machine = ARCHITECTURES[architecture]
    tags = [f"manylinux_2_{minor}_{machine}" for minor in GLIBC_MINORS] + [f"manylinux2014_{machine}"]
    platforms = [word for tag in tags for word in ("--platform", tag)]
    return ["--only-binary=:all:", "--implementation", "cp", "--python-version", PYTHON, *platforms]


def _pip(*words: str | Path) -> str:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, words)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise UnreachableError(ended.stderr.strip()[-2000:])
    return ended.stdout


def _name(requirement: str) -> str:
    found = _NAME.match(requirement)
    return re.sub(r"[-_.]+", "-", found[0]).lower() if found else ""
