"""The reported faults as data: where they lie, what each expects, and which of them wait for a later issue.

`OKF_CASES` names another directory of the same layout: `cases/<id>/`, `expected/<id>.json`, and maybe `cases.tsv`.
"""

from __future__ import annotations

import json
import os
import runpy
import shutil
from collections.abc import Mapping
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GIVEN = Path(os.environ.get("OKF_CASES") or Path(__file__).with_name("given"))

WAITING_FOR: Mapping[str, str] = {}
"""By the beginning of an id, the first that fits. What is not listed, or has no words, runs here."""


class Spec(dict[str, Any]):
    """A check as its case states it, which knows what of it was looked at: a demand that nobody reads is not met."""

    def __init__(self, stated: Mapping[str, Any]) -> None:
        super().__init__(stated)
        self.read: set[object] = {"kind"}

    def __getitem__(self, key: str) -> Any:
        self.read.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self.read.add(key)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        self.read.add(key)
        return super().__contains__(key)

    @property
    def unread(self) -> set[str]:
        return set(self) - self.read


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must hold in one case."""

    case: str
    number: int
    spec: Spec

    @property
    def kind(self) -> str:
        return str(self.spec["kind"])

    @property
    def label(self) -> str:
        return f"{self.case}-{self.number}-{self.kind}"


def case_ids(given: Path = GIVEN) -> list[str]:
    """Every case that has an input, an expectation or a line in the table."""
    table = given / "cases.tsv"
    listed = [line.split("\t")[0] for line in table.read_text().splitlines()[1:]] if table.exists() else []
    inputs = [path.name for path in (given / "cases").iterdir()]
    return sorted({*listed, *inputs, *(path.stem for path in (given / "expected").glob("*.json"))})


def checks(given: Path = GIVEN) -> list[Check]:
    """The checks of all cases. A case without any is one check that fails."""
    return [check for case in case_ids(given) for check in _checks_of(given, case)]


def waits_for(case: str) -> str:
    """Which issue runs the case, in words; empty when it runs here."""
    return next((words for beginning, words in WAITING_FOR.items() if case.startswith(beginning)), "")


def unpack(case: str, work: Path, given: Path = GIVEN) -> Path:
    """A fresh copy of a case's input, completed by its `build.py` where it has one."""
    folder = work / case
    shutil.copytree(given / "cases" / case, folder, symlinks=True)
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | 0o600)
    if (folder / "build.py").exists():
        with chdir(folder):
            runpy.run_path("build.py")
    return folder


def _checks_of(given: Path, case: str) -> list[Check]:
    expected = given / "expected" / f"{case}.json"
    specs = json.loads(expected.read_text())["checks"] if expected.exists() else []
    return [Check(case, number, Spec(spec)) for number, spec in enumerate(specs or [{"kind": "nothing"}], 1)]
