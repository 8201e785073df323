"""What a bench prints: rows of a measured value and its bound, as a table for people and as JSON for machines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

Rows = list[dict[str, Any]]
OUT = Path(__file__).parents[2] / "bench-out"


@dataclass(frozen=True, slots=True)
class Row:
    """One figure. `bound` is what it must not exceed, or not fall below when `at_least`; None is to compare only."""

    name: str
    value: float
    unit: str
    bound: float | None = None
    at_least: bool = False
    note: str = ""

    @property
    def passed(self) -> bool | None:
        if self.bound is None:
            return None
        return self.value >= self.bound if self.at_least else self.value <= self.bound


def table(rows: Sequence[Row]) -> str:
    """The rows in columns."""
    cells = [("what", "measured", "bound", "", "how"), *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(4)]
    return "\n".join(_line(line, widths) for line in cells)


def write(name: str, rows: Sequence[Row], partly: bool = False) -> Path:
    """Keep the rows as JSON in the bench's folder; where they are only some, beside the others that are there."""
    found = [asdict(row) | {"passed": row.passed} for row in rows]
    return keep(name, beside(read(name), found, "name") if partly else found)


def beside(before: Rows | None, found: Rows, *keys: str) -> Rows:
    """What was found, in place of earlier rows of the same keys, beside the others."""
    anew = {tuple(row[key] for key in keys) for row in found}
    return [row for row in before or () if tuple(row[key] for key in keys) not in anew] + found


def keep(name: str, data: Any) -> Path:
    """Write the JSON of one part of the bench."""
    OUT.mkdir(exist_ok=True)
    path = OUT / f"{name}.json"
    path.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    return path


def read(name: str) -> Any:
    """The JSON of one part of the bench; None when it was not measured."""
    path = OUT / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.is_file() else None


def _cells(row: Row) -> tuple[str, ...]:
    bound = "" if row.bound is None else f"{'≥' if row.at_least else '≤'} {row.bound:g} {row.unit}"
    verdict = {True: "pass", False: "FAIL", None: ""}[row.passed]
    return (
        row.name,
        f"{row.value:.3g} {row.unit}" if row.value < 1000 else f"{row.value:,.0f} {row.unit}",
        bound,
        verdict,
        row.note,
    )


def _line(cells: tuple[str, ...], widths: Sequence[int]) -> str:
    what, measured, bound, verdict, how = cells
    return f"{what:<{widths[0]}}  {measured:>{widths[1]}}  {bound:<{widths[2]}}  {verdict:<{widths[3]}}  {how}".rstrip()
