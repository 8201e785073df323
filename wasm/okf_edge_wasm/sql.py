"""The SqlEngine over DuckDB-Wasm: one database in the worker, to which files are handed as bytes.

Rules:
1. A file is read through its tree once, and stays attached while it is unchanged: the next question finds it there.
2. Names of attachments belong to the whole database. Who wants one that another engine holds waits for it.
3. Errors of DuckDB become errors of `okf_edge.errors`; what shows that the module itself is broken is passed on, and
   ends the worker.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from okf_edge.errors import OkfError, StoreError, UnavailableError
from okf_edge.index.schema import BLOCK_BYTES, SMALL_BLOCK_BYTES, STORAGE_VERSION
from okf_edge.index.sql import checked_alias, insert_statements, no_database, quoted, require_absent, with_literals
from okf_edge.ports import Column, Dialect, FileStat, FileTree, Row, Value

_TRAPS = ("RuntimeError", "CompileError", "LinkError")
"""Names of the errors that WebAssembly itself throws."""


@dataclass(frozen=True, slots=True)
class _Key:
    """What an attached file was when it was read."""

    tree: object
    stat: FileStat


@dataclass(slots=True)
class _Attached:
    """A name in use: the file behind it, by its name in the database, and whether an engine holds it now.

    `key` is None for what was created here.
    """

    file: str
    key: _Key | None
    held: bool = True


@dataclass(slots=True)
class Database:
    """What all engines of a worker share. `bridge` is the database of `runtime/worker/database.ts`."""

    bridge: Any
    attached: dict[str, _Attached] = field(default_factory=dict)
    released: asyncio.Event = field(default_factory=asyncio.Event)
    numbers: count[int] = field(default_factory=count)

    async def claim(self, alias: str) -> None:
        """Return when no other engine holds the name."""
        while (found := self.attached.get(alias)) and found.held:
            self.released.clear()
            await self.released.wait()

    def release(self, alias: str) -> None:
        self.attached[alias].held = False
        self.released.set()

    def drop(self, alias: str) -> None:
        """Detach what no engine holds, and let its file go."""
        gone = self.attached.pop(alias)
        self.run(f"DETACH {alias}")
        if gone.file:
            self.bridge.dropFile(gone.file)
        self.released.set()

    def drop_idle(self, key: _Key) -> None:
        """Let go of the same file under other names, and of other states of it."""
        for alias, each in list(self.attached.items()):
            if not each.held and each.key and (each.key.tree, each.key.stat.path) == (key.tree, key.stat.path):
                self.drop(alias)

    def fresh_name(self) -> str:
        return f"file{next(self.numbers)}.duckdb"

    def run(self, sql: str) -> list[Row]:
        try:
            columns = self.bridge.run(sql)
        except Exception as error:
            raise _translated(error) from error
        return list(zip(*map(_values, columns), strict=True))


class DuckdbWasmSql:
    """One engine over the worker's database."""

    dialect: Dialect = "duckdb"

    def __init__(self, database: Database) -> None:
        self._database = database
        self._held: list[str] = []
        self._created: dict[str, tuple[FileTree, str]] = {}

    async def attach(self, alias: str, tree: FileTree, path: str) -> None:
        database = self._database
        await database.claim(checked_alias(alias))
        key = _Key(_identity(tree), await tree.stat(path))
        known = database.attached.get(alias)
        if known and known.key == key:
            known.held = True
            self._held.append(alias)
            return
        data = await tree.read(path)
        await database.claim(alias)
        if alias in database.attached:
            database.drop(alias)
        database.drop_idle(key)
        self._attach(alias, path, data, key)

    def _attach(self, alias: str, path: str, data: bytes, key: _Key) -> None:
        database, name = self._database, self._database.fresh_name()
        database.bridge.addFile(name, _js(data))
        try:
            database.run(f"ATTACH {quoted(name)} AS {alias} (READ_ONLY)")
        except StoreError as error:
            database.bridge.dropFile(name)
            if error.code == "memory":
                raise
            raise no_database(path, error.message) from error
        self._hold(alias, _Attached(name, key))

    async def create(self, alias: str, tree: FileTree | None = None, path: str = "", small: bool = False) -> None:
        database = self._database
        await database.claim(checked_alias(alias))
        if tree is not None:
            await require_absent(tree, path)
            await database.claim(alias)
        if alias in database.attached:
            database.drop(alias)
        if tree is None:
            database.run(f"ATTACH ':memory:' AS {alias}")
            self._hold(alias, _Attached("", None))
            return
        name = database.fresh_name()
        block_bytes = SMALL_BLOCK_BYTES if small else BLOCK_BYTES
        database.run(
            f"ATTACH {quoted(name)} AS {alias} (STORAGE_VERSION '{STORAGE_VERSION}', BLOCK_SIZE {block_bytes})"
        )
        self._hold(alias, _Attached(name, None))
        self._created[alias] = (tree, path)

    async def load(self, alias: str, table: str, columns: Mapping[str, Column]) -> None:
        for statement, parameters in insert_statements(f"{checked_alias(alias)}.{table}", columns):
            self._database.run(with_literals(statement, parameters))

    async def query(self, sql: str, parameters: Sequence[Value] = ()) -> list[Row]:
        return self._database.run(with_literals(sql, parameters))

    async def detach(self, alias: str) -> None:
        database = self._database
        if checked_alias(alias) not in self._held:
            raise StoreError(f"expected an attached database, found no {alias}", code="sql-failed")
        target = self._created.pop(alias, None)
        if target:
            database.run(f"CHECKPOINT {alias}")
        self._held.remove(alias)
        attached = database.attached[alias]
        if attached.key is not None:
            database.release(alias)  # a finished file: the next question will want it again
            return
        database.run(f"DETACH {alias}")
        data = database.bridge.fileData(attached.file).to_bytes() if target else b""
        del database.attached[alias]
        if attached.file:
            database.bridge.dropFile(attached.file)
        database.released.set()
        if target:
            tree, path = target
            await tree.create(path, data)

    async def close(self) -> None:
        """Give every name back; what was created and not finished is lost, as it should be."""
        for alias in list(self._held):
            self._held.remove(alias)
            if self._database.attached[alias].key is not None:
                self._database.release(alias)
            else:
                self._database.drop(alias)
        self._created.clear()

    def _hold(self, alias: str, attached: _Attached) -> None:
        self._database.attached[alias] = attached
        self._held.append(alias)


def _identity(tree: FileTree) -> object:
    """Trees of one name are one folder, whoever made the object."""
    return getattr(tree, "name", None) or id(tree)


def _values(column: Any) -> Sequence[Value]:
    if column.kind == "numbers":
        values: list[Value] = column.data.to_py().tolist()
        return values
    return [_value(value) for value in json.loads(column.json)]


def _value(value: Any) -> Value:
    if not isinstance(value, dict):
        return value  # type: ignore[no-any-return]
    if "hex" in value:
        return bytes.fromhex(value["hex"])
    return float(value["float"]) if "float" in value else int(value["int"])


def _translated(error: Exception) -> Exception:
    """What DuckDB could not do, as one of our errors; the error itself when the module broke."""
    name = getattr(error, "name", "")
    if isinstance(error, OkfError) or not name or name in _TRAPS:
        return error
    message = str(getattr(error, "message", error)).split("\n", 1)[0]
    if "Out of Memory" in message:
        return UnavailableError(f"the database needs more memory than there is: {message}", code="memory")
    return StoreError(f"the database refused a statement: {message}", code="sql-failed")


def _js(data: bytes) -> Any:
    from pyodide.ffi import to_js  # type: ignore[import-not-found]

    return to_js(data)
