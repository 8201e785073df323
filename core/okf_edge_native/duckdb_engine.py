"""The SqlEngine over DuckDB: index files natively.

Rules:
1. Nothing is fetched or loaded from outside: no extensions, no Python variables as tables, no file but those attached.
2. A file is attached READ_ONLY or created new; DuckDB's lock therefore never stops a second reader.
3. Errors of DuckDB become errors of `okf_edge.errors`.

The `duckdb` module is imported when the first engine is opened, since it costs a tenth of a second.
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

from okf_edge.errors import OkfError, StoreError, UnavailableError
from okf_edge.index.schema import BLOCK_BYTES, SMALL_BLOCK_BYTES, STORAGE_VERSION
from okf_edge.index.sql import checked_alias, insert_statements, no_database, quoted, require_absent, with_literals
from okf_edge.paths import is_unicode
from okf_edge.ports import Column, Dialect, FileTree, Row, Value

if TYPE_CHECKING:
    import duckdb

MEMORY_LIMIT = "480MB"  # with it a first index stays below 1 GB in all; what needs more spills to disk


class DuckdbSql:
    """An in-memory DuckDB to which index files are attached. `threads` is 1 so that hosts agree and cost is known."""

    dialect: Dialect = "duckdb"

    def __init__(self, threads: int = 1) -> None:
        import duckdb

        self._errors = duckdb
        self._files: set[str] = set()
        self._connection = duckdb.connect(
            ":memory:",
            config={
                "threads": threads,
                "memory_limit": MEMORY_LIMIT,
                "temp_directory": _spill_folder(),
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "allow_community_extensions": "false",
                "python_enable_replacements": "false",
            },
        )

    async def attach(self, alias: str, tree: FileTree, path: str) -> None:
        await tree.stat(path)
        statement = f"ATTACH {_place(tree, path)} AS {checked_alias(alias)} (READ_ONLY)"
        try:
            self._connection.execute(statement)
        except self._errors.Error as error:
            _raise_unreadable(path, error)

    async def create(self, alias: str, tree: FileTree | None = None, path: str = "", small: bool = False) -> None:
        if tree is None:
            self._run(f"ATTACH ':memory:' AS {checked_alias(alias)}")
            return
        await require_absent(tree, path)
        block_bytes = SMALL_BLOCK_BYTES if small else BLOCK_BYTES
        self._run(
            f"ATTACH {_place(tree, path)} AS {checked_alias(alias)} "
            f"(STORAGE_VERSION '{STORAGE_VERSION}', BLOCK_SIZE {block_bytes})"
        )
        self._files.add(alias)

    async def load(self, alias: str, table: str, columns: Mapping[str, Column]) -> None:
        for statement, parameters in insert_statements(f"{checked_alias(alias)}.{table}", columns):
            self._run(statement, parameters)

    async def query(self, sql: str, parameters: Sequence[Value] = ()) -> list[Row]:
        return self._run(with_literals(sql, parameters)).fetchall()

    async def detach(self, alias: str) -> None:
        if checked_alias(alias) in self._files:
            self._run(f"CHECKPOINT {alias}")
            self._files.discard(alias)
        self._run(f"DETACH {alias}")

    async def close(self) -> None:
        self._connection.close()

    def _run(self, sql: str, parameters: Sequence[Value] = ()) -> duckdb.DuckDBPyConnection:
        try:
            return self._connection.execute(sql, list(parameters))
        except self._errors.Error as error:
            raise self._translated(error) from error
        except RuntimeError as error:
            if "interrupted" in str(error).lower():  # how DuckDB tells of Ctrl-C while it works
                raise KeyboardInterrupt from error
            raise

    def _translated(self, error: Exception) -> OkfError:
        """What the engine could not do, as one of our errors."""
        message = _first_line(error)
        if isinstance(error, self._errors.OutOfMemoryException):
            return UnavailableError(f"the database needs more than {MEMORY_LIMIT} of memory: {message}", code="memory")
        if isinstance(error, self._errors.IOException):
            return UnavailableError(
                f"a database file could not be read or written: {message}",
                hint="check free space and permissions of the folder that holds the index",
            )
        return StoreError(f"the database refused a statement: {message}", code="sql-failed")


def _place(tree: FileTree, path: str) -> str:
    """The address of a file, in SQL. Raises UnavailableError: it is not Unicode, and DuckDB opens no other."""
    place = tree.locate(path)
    if not is_unicode(place):
        raise UnavailableError(
            f"the database can't open {place!r}: the path is not Unicode",
            code="name-not-text",
            hint="Give the folder a name in Unicode.",
        )
    return quoted(place)


def _spill_folder() -> str:
    """Where sorts beyond the memory limit go: made by DuckDB when it has to, private, and removed on close."""
    return f"{tempfile.gettempdir()}/okf-edge-{secrets.token_hex(8)}"


def _raise_unreadable(path: str, error: Exception) -> NoReturn:
    message = _first_line(error)
    if "permission" in message.lower() or "set lock" in message:
        raise UnavailableError(
            f"{path} could not be opened: {message}", hint="check that it may be read and that nothing is writing it"
        ) from error
    raise no_database(path, message) from error


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0]
