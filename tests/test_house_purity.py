"""The core is pure: it imports with its declared packages only, and asks the world for nothing but through ports."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import pure_packages

CORE = pure_packages.REPOSITORY / "core/okf_edge"

IMPORT_ALL = """
import importlib, pkgutil, sys
sys.path += sys.argv[1:]
import okf_edge
names = [module.name for module in pkgutil.walk_packages(okf_edge.__path__, "okf_edge.")]
for name in names:
    importlib.import_module(name)
print(len(names))
"""

IMPURE_MODULES = {
    "_thread", "concurrent", "glob", "multiprocessing", "os", "pathlib", "random", "secrets", "shutil", "signal",
    "socket", "subprocess", "tempfile", "threading", "time", "uuid",
}  # fmt: skip
IMPURE_CALLS = {
    "open", "input", "print", "exec", "eval", "breakpoint", "io.open", "io.open_code", "sys.exit",
    "asyncio.run", "asyncio.to_thread", "asyncio.new_event_loop", "asyncio.create_subprocess_exec",
    "datetime.now", "datetime.utcnow", "datetime.today", "date.today",
    "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today", "datetime.date.today",
}  # fmt: skip


def run_pure(program: str, *directories: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in an interpreter that sees the standard library and the given directories."""
    command = [sys.executable, "-I", "-S", "-c", program, *map(str, directories)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("pure")
    pure_packages.link_into(directory)
    return directory


def test_every_module_of_the_core_imports_with_the_declared_packages_only(packages: Path) -> None:
    done = run_pure(IMPORT_ALL, packages, CORE.parent)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= len([*CORE.rglob("*.py")]) - len([*CORE.rglob("__init__.py")])


@pytest.mark.parametrize("name", ["duckdb", "numpy", "onnxruntime", "tokenizers", "httpx", "rich", "pytest"])
def test_a_core_that_imported_a_native_package_would_fail(name: str, packages: Path, tmp_path: Path) -> None:
    fake = tmp_path / "okf_edge"
    fake.mkdir()
    (fake / "__init__.py").touch()
    (fake / "impure.py").write_text(f"import {name}\n")
    done = run_pure(IMPORT_ALL, packages, tmp_path)
    assert f"No module named '{name}'" in done.stderr


def sources() -> list[Path]:
    return sorted(CORE.rglob("*.py"))


def impurities(source: str) -> Iterator[tuple[int, str]]:
    """Lines that ask the world directly, and what for."""
    tree = ast.parse(source)
    guarded = {id(node) for branch in ast.walk(tree) if _is_type_checking(branch) for node in ast.walk(branch)}
    for node in ast.walk(tree):
        if id(node) in guarded:
            continue
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            names = []
        yield from ((node.lineno, f"import {name}") for name in names if name.partition(".")[0] in IMPURE_MODULES)
        if isinstance(node, ast.Attribute | ast.Name) and (name := _dotted(node)) in IMPURE_CALLS:
            yield node.lineno, name


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and _dotted(node.test).endswith("TYPE_CHECKING")


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


def test_the_core_asks_for_files_time_and_chance_through_ports_only() -> None:
    found = [
        f"{path.relative_to(CORE.parent)}:{line}: {what}"
        for path in sources()
        for line, what in impurities(path.read_text())
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "data = open('a').read()",
        "import os",
        "import os.path",
        "from pathlib import Path",
        "from time import time",
        "from uuid import uuid4",
        "import datetime; now = datetime.datetime.now()",
        "from datetime import datetime; now = datetime.now()",
        "import asyncio; asyncio.run(main())",
        "import asyncio; work = asyncio.to_thread(f)",
        "def f():\n    import subprocess",
        "reader = open",
    ],
)
def test_what_asks_the_world_directly_is_recognised(line: str) -> None:
    assert [*impurities(line)]


def test_names_that_only_look_like_it_are_not() -> None:
    assert not [*impurities("await tree.open('a'); self.run(x); clock.now(); archive.open(name)")]
