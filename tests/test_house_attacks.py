"""Every attack of `docs/attacks.md` is shown by tests that exist, and none that we were told of is left out."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
ROWS = [
    [cell.strip() for cell in line.strip("| \n").split(" | ")]
    for line in (TESTS.parent / "docs/attacks.md").read_text().splitlines()
    if "::" in line and line.startswith("|")
]


@cache
def functions(path: str) -> frozenset[str]:
    tree = ast.parse((TESTS / path).read_text())
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@pytest.mark.parametrize("row", ROWS, ids=[row[0].split(":")[0][:40] for row in ROWS])
def test_an_attack_is_shown_by_tests_that_exist(row: list[str]) -> None:
    _, _, shown_by = row
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", shown_by)
    assert named
    assert [f"{path}::{name}" for path, name in named if name not in functions(path)] == []


def test_the_table_has_a_row_for_each_attack_that_we_were_told_of(shared: Path) -> None:
    text = (shared / "reference/security.md").read_text()
    table = text[text.index("### 4a") :].split("\n\n")[0]
    assert len(ROWS) == len([line for line in table.splitlines() if line.startswith("| ")]) - 1
