"""The contract of SqlEngine over DuckDB on a real disk and over SQLite in memory; then what only DuckDB promises."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from okf_edge.contracts import EngineAndTree, SqlEngineContract, clauses
from okf_edge.errors import StoreError
from okf_edge.inmemory import MemoryTree, SqliteSql
from okf_edge.ports import SqlEngine
from okf_edge_native.disk import DiskTree
from okf_edge_native.duckdb_engine import DuckdbSql


@pytest.fixture(params=["duckdb", "sqlite"])
async def given(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[EngineAndTree]:
    engine: SqlEngine = DuckdbSql() if request.param == "duckdb" else SqliteSql()
    yield EngineAndTree(engine, DiskTree(tmp_path) if request.param == "duckdb" else MemoryTree())
    await engine.close()


@pytest.mark.parametrize("clause", clauses(SqlEngineContract))
async def test_the_contract_is_kept(clause: str, given: EngineAndTree) -> None:
    await getattr(SqlEngineContract(), clause)(given)


async def _write(engine: DuckdbSql, tree: DiskTree, path: str) -> None:
    await engine.create("made", tree, path)
    await engine.query("CREATE TABLE made.row (number INTEGER)")
    await engine.load("made", "row", {"number": list(range(10))})
    await engine.detach("made")


READ = """
import asyncio, sys
from okf_edge_native.disk import DiskTree
from okf_edge_native.duckdb_engine import DuckdbSql

async def main():
    engine = DuckdbSql()
    await engine.attach("read", DiskTree(sys.argv[1]), "a.duckdb")
    print(await engine.query("SELECT count(*) FROM read.row"), flush=True)
    sys.stdin.readline()

asyncio.run(main())
"""


async def test_two_processes_attach_one_file_at_once(tmp_path: Path) -> None:
    engine, tree = DuckdbSql(), DiskTree(tmp_path)
    await _write(engine, tree, "a.duckdb")
    await engine.attach("read", tree, "a.duckdb")
    other = await asyncio.create_subprocess_exec(sys.executable, "-c", READ, str(tmp_path), stdin=PIPE, stdout=PIPE)
    assert other.stdout is not None
    assert await other.stdout.readline() == b"[(10,)]\n"
    assert await engine.query("SELECT count(*) FROM read.row") == [(10,)]
    await other.communicate(b"\n")
    assert other.returncode == 0


async def test_a_file_replaced_while_it_is_attached_answers_on_as_it_was(tmp_path: Path) -> None:
    engine, tree = DuckdbSql(), DiskTree(tmp_path)
    await _write(engine, tree, "a.duckdb")
    await engine.attach("read", tree, "a.duckdb")
    await tree.write("b.duckdb", b"another")
    await tree.replace("b.duckdb", "a.duckdb")
    assert await engine.query("SELECT count(*) FROM read.row") == [(10,)]


async def test_nothing_is_read_but_what_was_attached_by_name_of_a_table(tmp_path: Path) -> None:
    engine = DuckdbSql()
    secret = ["from python"]
    with pytest.raises(StoreError):
        await engine.query("SELECT * FROM secret")
    assert secret
