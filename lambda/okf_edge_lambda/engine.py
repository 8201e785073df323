"""The engine that one environment keeps between invocations: what is attached stays, with the blocks that it has read.

Rules:
1. A file is found again by its place, size, time and number: what was put there anew is attached anew. Its place is
   named by digest, and it was proved before (`shelf`).
2. After a question, what that question did not use is detached; so is what makes room on the disk, before it goes.
3. Whatever goes wrong inside ends the engine with the question, and the next one begins with a fresh one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from okf_edge.errors import NotFoundError
from okf_edge.ports import Column, Dialect, FileTree, Row, SqlEngine, Value
from okf_edge_native.duckdb_engine import DuckdbSql

Mark = tuple[str, int, int, int]


class KeptSql:
    """A `SqlEngine` whose `close` ends a question. One question uses it at a time: `lend`."""

    dialect: Dialect = "duckdb"

    def __init__(self) -> None:
        self._inner: DuckdbSql | None = None
        self._attached: dict[str, Mark] = {}
        self._used: set[str] = set()
        self._is_lent = self._is_broken = False

    def lend(self) -> SqlEngine:
        """It, or a fresh engine while another question has it."""
        if self._is_lent:
            return DuckdbSql()
        self._is_lent = True
        return self

    async def attach(self, alias: str, tree: FileTree, path: str) -> None:
        await tree.stat(path)
        mark = _mark(tree.locate(path))
        if self._attached.get(alias) != mark:
            for known in [each for each, held in self._attached.items() if each == alias or _is_replaced(held, mark)]:
                await self.detach(known)
            await self._engine.attach(alias, tree, path)
            self._attached[alias] = mark
        self._used.add(alias)

    async def create(self, alias: str, tree: FileTree | None = None, path: str = "", small: bool = False) -> None:
        await self._engine.create(alias, tree, path, small)
        self._attached[alias] = ("", 0, 0, 0)

    async def load(self, alias: str, table: str, columns: Mapping[str, Column]) -> None:
        await self._engine.load(alias, table, columns)

    async def query(self, sql: str, parameters: Sequence[Value] = ()) -> list[Row]:
        try:
            return await self._engine.query(sql, parameters)
        except BaseException:
            self._is_broken = True
            raise

    async def detach(self, alias: str) -> None:
        self._attached.pop(alias, None)
        self._used.discard(alias)
        await self._engine.detach(alias)

    async def close(self) -> None:
        try:
            if self._is_broken:
                await self._end()
            for alias in self._attached.keys() - self._used:
                await self.detach(alias)
        finally:
            self._used.clear()
            self._is_lent = self._is_broken = False

    async def release(self, place: str) -> None:
        """Let go of a file that is about to be removed, unless the present question has it."""
        for alias in [each for each, held in self._attached.items() if held[0] == place and each not in self._used]:
            await self.detach(alias)

    @property
    def _engine(self) -> DuckdbSql:
        if self._inner is None:
            self._inner = DuckdbSql()
        return self._inner

    async def _end(self) -> None:
        inner, self._inner = self._inner, None
        self._attached.clear()
        if inner is not None:
            await inner.close()


def _is_replaced(held: Mark, found: Mark) -> bool:
    return held[0] == found[0] and held != found


def _mark(place: str) -> Mark:
    try:
        status = os.stat(place)
    except FileNotFoundError as error:
        raise NotFoundError(f"expected a file at {place!r}, found none") from error
    return place, status.st_size, status.st_mtime_ns, status.st_ino
