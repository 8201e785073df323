"""The installed `okf` as a process, with a home of its own and no network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from okf_edge.embedding.models import MODELS as KNOWN_MODELS
from tests.models_fixture import FOLDER as MODELS

OKF = str(Path(sys.executable).parent / "okf")


@dataclass(frozen=True, slots=True)
class Done:
    """A process that ended: its exit code and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        """The error of a `--json` command; asserts that stdout stayed empty and no stack trace was shown."""
        assert self.out == ""
        assert "Traceback" not in self.err
        return json.loads(self.err)


Run = Callable[..., Done]


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    """A bare environment: a home without models, proxies that lead nowhere, the test's PATH."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR", "SYSTEMROOT") if name in os.environ}
    return {**kept, "HOME": str(home), "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}


@pytest.fixture
def okf(environment: Mapping[str, str], tmp_path: Path) -> Run:
    """Runs `okf` with arguments. Never shows a stack trace, whatever happens."""

    def run(
        *arguments: str | Path, cwd: Path = tmp_path, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> Done:
        ended = subprocess.run(
            [OKF, *map(str, arguments)],
            cwd=cwd,
            env={**environment, **(env or {})},
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        assert "Traceback" not in ended.stderr, ended.stderr
        return Done(ended.returncode, ended.stdout, ended.stderr)

    return run


@pytest.fixture
def models_at_hand(tmp_path: Path) -> dict[str, str]:
    """An environment in which the models of this machine are at hand; skips where there are none."""
    if not all((MODELS / model.id).is_dir() for model in KNOWN_MODELS):
        pytest.skip("no models were built on this machine")
    (tmp_path / "home/cache").mkdir(parents=True)
    (tmp_path / "home/cache/models").symlink_to(MODELS)
    return {"OKF_HOME": str(tmp_path / "home")}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A small folder of markdown, English and Chinese."""
    folder = tmp_path / "notes"
    for path, text in NOTES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return folder


NOTES = {
    "orchard/pears.md": "# Russet pears\n\nThe russet pears ripen in the second week of October.\n\n## Storage\n\n"
    "Keep them at two degrees in a dark cellar, wrapped in paper.\n",
    "orchard/apples.md": "---\ntitle: Cider apples\ntags: [cider, orchard/apples]\n---\n\n"
    "Cider apples are pressed after the first frost.\n",
    "bees.md": "# Hives\n\nSix hives stand behind the barn. Varroa mites are counted every second Friday.\n",
    "灌溉.md": "# 灌溉计划\n\n果园每周二和周五早上六点灌溉,干旱时每天一次。\n",
}


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
