"""Columns of rows that wait to be loaded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from okf_edge.ports import Column, SqlEngine, Vectors

ROWS_AT_ONCE = 100_000
"""Rows of text to hold before they are loaded: about 10 MB."""


class Rows:
    """Rows of one table, kept by column and loaded together."""

    def __init__(self, table: str, *names: str) -> None:
        self.table = table
        self._columns: dict[str, list[Any]] = {name: [] for name in names}

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def add(self, *values: Any) -> None:
        for column, value in zip(self._columns.values(), values, strict=True):
            column.append(value)

    def extend(self, *columns: Iterable[Any]) -> None:
        """Add many rows by column."""
        for column, values in zip(self._columns.values(), columns, strict=True):
            column.extend(values)

    async def load(self, engine: SqlEngine, alias: str) -> None:
        """Append the rows to `alias`.table and forget them."""
        if len(self):
            await engine.load(alias, self.table, {name: _column(values) for name, values in self._columns.items()})
        for column in self._columns.values():
            column.clear()


def _column(values: list[Any]) -> Column:
    return Vectors(len(values[0]), b"".join(values)) if isinstance(values[0], bytes) else values
