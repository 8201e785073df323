"""Environments of other tools, each of its own under `.build/tools`, made when absent."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[2] / ".build" / "tools"
PYTHONS = ("python3.14", "python3.13", "python3.12", "python3.11")
"""Newest first: some tools ask for one that is newer than ours."""


@dataclass(frozen=True, slots=True)
class Environment:
    """What is installed for one tool, from PyPI or npm."""

    name: str
    packages: tuple[str, ...]
    is_npm: bool = False

    @property
    def programs(self) -> Path:
        return FOLDER / self.name / ("node_modules/.bin" if self.is_npm else "bin")

    def make(self) -> None:
        """Raises RuntimeError with the installer's last word."""
        folder = FOLDER / self.name
        if (folder / "installed").exists():
            return
        folder.mkdir(parents=True, exist_ok=True)
        _done(["npm", "install", "--silent", "--prefix", folder, *self.packages] if self.is_npm else self._with_pip())
        (folder / "installed").touch()

    def _with_pip(self) -> Sequence[str | Path]:
        python = next((found for name in PYTHONS if (found := _working(name))), sys.executable)
        subprocess.run([python, "-m", "venv", "--clear", FOLDER / self.name], check=True)
        return [self.programs / "python", "-m", "pip", "install", "-q", *self.packages]


def _done(command: Sequence[str | Path]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError((done.stderr.strip() or "the installer failed").splitlines()[-1])


def _working(name: str) -> str | None:
    """The interpreter's path, unless it is a placeholder that only says that it is absent."""
    found = shutil.which(name)
    works = found and not subprocess.run([found, "-c", "import venv"], capture_output=True, check=False).returncode
    return found if works else None
