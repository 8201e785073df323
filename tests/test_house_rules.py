"""The house keeps its rules: short modules, short functions, telling names, one version, nothing of this machine."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import okf_edge

REPOSITORY = Path(__file__).parents[1]
MODULE_LINES = 500
FUNCTION_LINES = 60
VAGUE_NAMES = {"util", "utils", "helper", "helpers", "manager", "managers", "misc", "common"}
GIVEN = "tests/cases/given/"  # reported faults, kept byte for byte
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|root)/[\w.]+")


def tracked(*suffixes: str) -> list[Path]:
    """Files of the project, also those not committed yet, but nothing that is ignored."""
    command = ["git", "-C", str(REPOSITORY), "ls-files", "-z", "-co", "--exclude-standard"]
    names = subprocess.run(command, capture_output=True, check=True).stdout.decode(errors="surrogateescape").split("\0")
    ours = sorted({name for name in names if name.endswith(suffixes) and not name.startswith(GIVEN)} - {""})
    return [REPOSITORY / name for name in ours if (REPOSITORY / name).is_file()]


def shown(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def sources() -> list[Path]:
    return tracked(".py")


def test_no_module_is_longer_than_allowed() -> None:
    lengths = {shown(path): len(path.read_text().splitlines()) for path in sources()}
    assert {name: length for name, length in lengths.items() if length > MODULE_LINES} == {}


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Each function with its lines, its docstring not counted."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            has_docstring = ast.get_docstring(node) is not None
            docstring = (first.end_lineno or 0) - first.lineno + 1 if has_docstring else 0
            yield f"{shown(path)}:{node.lineno} {node.name}", (node.end_lineno or 0) - node.lineno + 1 - docstring


def test_no_function_is_longer_than_allowed() -> None:
    lengths = dict(entry for path in sources() for entry in functions(path))
    assert {name: length for name, length in lengths.items() if length > FUNCTION_LINES} == {}


def test_no_module_has_a_vague_name() -> None:
    assert [shown(path) for path in sources() if VAGUE_NAMES & set(re.split(r"[_/.]", shown(path)))] == []


def test_every_module_says_what_it_is_for() -> None:
    product = [path for path in sources() if shown(path).startswith(("core/", "cli/"))]
    silent = [
        shown(path) for path in product if path.read_text() and not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert silent == []


def test_nothing_names_a_path_of_one_machine() -> None:
    texts = tracked(".py", ".md", ".toml", ".yml", ".yaml", ".json", ".ts", ".js", ".sh", "Makefile", "run")
    found = [shown(path) for path in texts if MACHINE_PATH.search(path.read_text(errors="replace"))]
    assert found == []


def test_nothing_is_left_to_be_done() -> None:
    mark = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")
    assert [shown(path) for path in sources() if mark.search(path.read_text())] == []


def test_one_version_stands_everywhere() -> None:
    changelog = (REPOSITORY / "CHANGELOG.md").read_text()
    newest = re.search(r"^## (?:\[)?(\d+\.\d+\.\d+)", changelog, re.MULTILINE)
    assert newest and newest[1] == okf_edge.__version__
    command = [Path(sys.executable).with_name("okf"), "--version"]
    assert okf_edge.__version__ in subprocess.run(command, capture_output=True, text=True, check=True).stdout
