"""The engine of one environment: every clause of the port, and what one question leaves for the next."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from okf_edge.contracts import EngineAndTree, SqlEngineContract, run
from okf_edge.errors import StoreError
from okf_edge.ports import SqlEngine
from okf_edge_lambda.engine import KeptSql
from okf_edge_native.disk import DiskTree
from okf_edge_native.duckdb_engine import DuckdbSql


async def write(tree: DiskTree, path: str, value: int) -> None:
    engine = DuckdbSql()
    await engine.create("made", tree, path)
    await engine.query(f"CREATE TABLE made.row AS SELECT {value} AS value")
    await engine.detach("made")
    await engine.close()


async def value_of(engine: SqlEngine, alias: str = "read") -> object:
    return (await engine.query(f"SELECT value FROM {alias}.row"))[0][0]


async def test_a_kept_engine_does_what_every_engine_must(tmp_path: Path) -> None:
    numbers = iter(range(1_000))

    async def given() -> EngineAndTree:
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        return EngineAndTree(KeptSql().lend(), DiskTree(str(folder)))

    faults = await run(SqlEngineContract(), given)
    assert not {clause: fault for clause, fault in faults.items() if fault}


async def test_what_was_attached_for_the_last_question_is_there_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, kept, attached = DiskTree(str(tmp_path)), KeptSql(), []
    await write(tree, "a.duckdb", 1)
    plain = DuckdbSql.attach

    async def counted(self: DuckdbSql, alias: str, tree: DiskTree, path: str) -> None:
        attached.append(path)
        await plain(self, alias, tree, path)

    monkeypatch.setattr(DuckdbSql, "attach", counted)
    for _ in range(3):
        engine = kept.lend()
        await engine.attach("read", tree, "a.duckdb")
        assert await value_of(engine) == 1
        await engine.close()
    assert attached == ["a.duckdb"]


async def test_a_file_that_was_replaced_is_never_answered_from(tmp_path: Path) -> None:
    tree, kept = DiskTree(str(tmp_path)), KeptSql()
    for value in range(4):
        await write(tree, "new.duckdb", value)
        (tmp_path / "new.duckdb").replace(tmp_path / "a.duckdb")
        engine = kept.lend()
        await engine.attach(f"read{value % 2}", tree, "a.duckdb")
        assert await value_of(engine, f"read{value % 2}") == value
        await engine.close()


async def test_a_question_sees_nothing_of_what_others_attached_or_made(tmp_path: Path) -> None:
    tree, kept = DiskTree(str(tmp_path)), KeptSql()
    for name in ("a", "b"):
        await write(tree, f"{name}.duckdb", 1)
    first = kept.lend()
    await first.attach("one", tree, "a.duckdb")
    await first.create("delta")
    await first.close()
    second = kept.lend()
    await second.attach("two", tree, "b.duckdb")
    with pytest.raises(StoreError):
        await second.query("SELECT * FROM delta.row")
    await second.close()
    third = kept.lend()
    with pytest.raises(StoreError):
        await value_of(third, "one")
    await third.close()


needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="tells no open files here")


@needs_proc
async def test_what_makes_room_on_the_disk_is_let_go_first_and_what_is_in_use_stays(tmp_path: Path) -> None:
    tree, kept = DiskTree(str(tmp_path)), KeptSql()
    await write(tree, "a.duckdb", 1)
    engine = kept.lend()
    await engine.attach("read", tree, "a.duckdb")
    await kept.release(tree.locate("a.duckdb"))
    assert await value_of(engine) == 1
    await engine.close()
    assert _open_files(tmp_path) == 1
    await kept.release(tree.locate("a.duckdb"))
    assert _open_files(tmp_path) == 0


@needs_proc
async def test_two_questions_at_once_and_one_after_a_fault_have_engines_of_their_own(tmp_path: Path) -> None:
    tree, kept = DiskTree(str(tmp_path)), KeptSql()
    await write(tree, "a.duckdb", 1)
    one, other = kept.lend(), kept.lend()
    assert one is not other
    await other.close()
    await one.attach("read", tree, "a.duckdb")
    with pytest.raises(StoreError):
        await one.query("SELECT nonsense FROM read.row")
    await one.close()
    assert _open_files(tmp_path) == 0
    again = kept.lend()
    await again.attach("read", tree, "a.duckdb")
    assert await value_of(again) == 1


def _open_files(folder: Path) -> int:
    links = [os.path.realpath(each.path) for each in os.scandir("/proc/self/fd")]
    return sum(each.startswith(f"{folder}/") for each in links)
