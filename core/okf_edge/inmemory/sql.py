"""The SqlEngine over the standard library's sqlite3: the reference adapter, and what a safe mode can run on.

Files are held in memory: an attached file is read whole, a created one is written when it is detached. So it works over
any FileTree, in Pyodide too. Vectors are kept as blobs; there is no arithmetic over them, hence lexical search only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from okf_edge.errors import StoreError
from okf_edge.index.sql import checked_alias, common_length, no_database, require_absent
from okf_edge.ports import Column, Dialect, FileTree, Row, Value, Vectors

_READING = {sqlite3.SQLITE_READ, sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}


class SqliteSql:
    """An in-memory SQLite to which files of a FileTree are attached."""

    dialect: Dialect = "sqlite"

    def __init__(self) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._created: dict[str, tuple[FileTree, str]] = {}
        self._attached: set[str] = set()
        self._connection.set_authorizer(self._authorise)

    async def attach(self, alias: str, tree: FileTree, path: str) -> None:
        data = await tree.read(path)
        self._run(f"ATTACH ':memory:' AS {checked_alias(alias)}")
        try:
            if not data:  # which sqlite3 takes for a lack of memory
                raise sqlite3.DatabaseError("it is empty")
            self._connection.deserialize(data, name=alias)
            self._connection.execute(f"SELECT count(*) FROM {alias}.sqlite_master").fetchall()
        except (sqlite3.Error, OverflowError) as error:
            self._run(f"DETACH {alias}")
            raise no_database(path, str(error)) from error
        self._attached.add(alias)

    async def create(self, alias: str, tree: FileTree | None = None, path: str = "", small: bool = False) -> None:
        if tree is not None:
            await require_absent(tree, path)
        self._run(f"ATTACH ':memory:' AS {checked_alias(alias)}")
        if tree is not None:
            self._run(f"PRAGMA {alias}.user_version = 1")  # an empty database could not be serialised
            self._created[alias] = (tree, path)

    async def load(self, alias: str, table: str, columns: Mapping[str, Column]) -> None:
        common_length(columns)
        marks = ", ".join("?" * len(columns))
        statement = f"INSERT INTO {checked_alias(alias)}.{table} ({', '.join(columns)}) VALUES ({marks})"
        self._append(statement, zip(*(_values(column) for column in columns.values()), strict=True))

    async def query(self, sql: str, parameters: Sequence[Value] = ()) -> list[Row]:
        return self._run(sql, parameters)

    async def detach(self, alias: str) -> None:
        if checked_alias(alias) in self._created:
            tree, path = self._created.pop(alias)
            await tree.create(path, self._connection.serialize(name=alias))
        self._run(f"DETACH {alias}")
        self._attached.discard(alias)

    async def close(self) -> None:
        self._connection.close()

    def _authorise(self, action: int, _first: object, _second: object, database: str | None, _trigger: object) -> int:
        """Refuse to write to what is attached: SQLite has no read-only schema of its own."""
        return sqlite3.SQLITE_DENY if database in self._attached and action not in _READING else sqlite3.SQLITE_OK

    def _run(self, sql: str, parameters: Sequence[Value] = ()) -> list[Row]:
        try:
            return self._connection.execute(sql, tuple(parameters)).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"the database refused a statement: {error}", code="sql-failed") from error

    def _append(self, sql: str, rows: Iterable[tuple[Value, ...]]) -> None:
        self._run("BEGIN")
        try:
            self._connection.executemany(sql, rows)
        except sqlite3.Error as error:
            self._run("ROLLBACK")
            raise StoreError(f"the database refused rows: {error}", code="sql-failed") from error
        self._run("COMMIT")


def _values(column: Column) -> Iterable[Value]:
    if isinstance(column, Vectors):
        return (column.data[at : at + column.dims] for at in range(0, len(column.data), column.dims))
    return column
