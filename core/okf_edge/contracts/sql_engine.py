"""What every `SqlEngine` must do."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from okf_edge.contracts.checks import equal, raises, true
from okf_edge.errors import AlreadyExistsError, IndexFileError, NotFoundError, OkfError, StoreError
from okf_edge.ports import Column, FileTree, SqlEngine, Vectors

TABLE = "CREATE TABLE {alias}.row (number INTEGER, word VARCHAR, weight UTINYINT, scale FLOAT, v TINYINT[4])"
WORDS = ["泵", None, "", "a,b;'\"\\", "x\x01\x02\x1f\ny", "[1, NULL]"]


class EngineAndTree(NamedTuple):
    engine: SqlEngine
    tree: FileTree


async def _filled(engine: SqlEngine, tree: FileTree, path: str) -> None:
    """Write a file of one table with a row for each of WORDS."""
    await engine.create("made", tree, path)
    await engine.query(TABLE.format(alias="made"))
    count = len(WORDS)
    columns: dict[str, Column] = {
        "number": array("i", range(count)),
        "word": WORDS,
        "weight": array("B", range(250, 250 + count)),
        "scale": array("f", [0.5] * count),
        "v": Vectors(4, bytes([127, 129, 0, 255] * count)),
    }
    await engine.load("made", "row", columns)
    await engine.detach("made")


async def _summed(engine: SqlEngine, tree: FileTree, alias: str) -> None:
    await engine.attach(alias, tree, f"{alias}.duckdb")
    await engine.query(f"SELECT sum(number) FROM {alias}.row")


class SqlEngineContract:
    """Each clause starts with a fresh engine and an empty tree whose files the engine can address."""

    async def what_was_loaded_is_read_back_from_the_file(self, given: EngineAndTree) -> None:
        engine, tree = given
        await _filled(engine, tree, "a.duckdb")
        await engine.attach("read", tree, "a.duckdb")
        rows = await engine.query("SELECT number, word, weight, scale FROM read.row ORDER BY number")
        equal(rows, [(n, word, 250 + n, 0.5) for n, word in enumerate(WORDS)], "rows")

    async def a_created_file_stands_alone(self, given: EngineAndTree) -> None:
        engine, tree = given
        await _filled(engine, tree, "a.duckdb")
        equal([each.path for each in await tree.list()], ["a.duckdb"], "files after detach")

    async def creating_over_a_file_is_refused(self, given: EngineAndTree) -> None:
        engine, tree = given
        await tree.write("a.duckdb", b"mine")
        await raises(AlreadyExistsError, engine.create("made", tree, "a.duckdb"), "create over a file")
        equal(await tree.read("a.duckdb"), b"mine", "content")

    async def an_absent_file_is_not_found(self, given: EngineAndTree) -> None:
        engine, tree = given
        await raises(NotFoundError, engine.attach("read", tree, "none.duckdb"), "attach of nothing")

    async def a_file_of_another_kind_is_refused_and_can_be_replaced(self, given: EngineAndTree) -> None:
        engine, tree = given
        await tree.write("a.duckdb", b"# a note\n" * 4_000)
        await raises(IndexFileError, engine.attach("read", tree, "a.duckdb"), "attach of a note")
        await _filled(engine, tree, "b.duckdb")
        await tree.replace("b.duckdb", "a.duckdb")
        await engine.attach("read", tree, "a.duckdb")
        equal(await engine.query("SELECT count(*) FROM read.row"), [(len(WORDS),)], "count")

    async def a_file_that_was_cut_short_is_refused(self, given: EngineAndTree) -> None:
        engine, tree = given
        await _filled(engine, tree, "a.duckdb")
        whole = await tree.read("a.duckdb")
        for length in (0, 100, 4_096, min(12_288, len(whole) // 2), len(whole) // 2):
            alias = f"cut_at_{length}"
            await tree.write(f"{alias}.duckdb", whole[:length])
            await raises(OkfError, _summed(engine, tree, alias), f"a file of {len(whole)} bytes cut at {length}")

    async def an_attached_file_refuses_to_be_written(self, given: EngineAndTree) -> None:
        engine, tree = given
        await _filled(engine, tree, "a.duckdb")
        await engine.attach("read", tree, "a.duckdb")
        await raises(StoreError, engine.query("DELETE FROM read.row"), "delete from an attached file")
        equal(await engine.query("SELECT count(*) FROM read.row"), [(len(WORDS),)], "count")

    async def a_table_in_memory_lasts_until_it_is_detached(self, given: EngineAndTree) -> None:
        engine, tree = given
        await engine.create("delta")
        await engine.query("CREATE TABLE delta.row (number INTEGER)")
        await engine.load("delta", "row", {"number": [3, None, 1]})
        equal(await engine.query("SELECT number FROM delta.row WHERE number > ?", [1]), [(3,)], "rows")
        await engine.detach("delta")
        await raises(StoreError, engine.query("SELECT * FROM delta.row"), "query after detach")
        equal(list(await tree.list()), [], "files")

    async def several_files_answer_one_statement(self, given: EngineAndTree) -> None:
        engine, tree = given
        for alias in ("one", "two"):
            await _filled(engine, tree, f"{alias}.duckdb")
            await engine.attach(alias, tree, f"{alias}.duckdb")
        sql = "SELECT sum(n) FROM (SELECT count(*) AS n FROM one.row UNION ALL SELECT count(*) AS n FROM two.row)"
        equal(await engine.query(sql), [(2 * len(WORDS),)], "sum")

    async def columns_of_different_length_are_refused(self, given: EngineAndTree) -> None:
        engine = given.engine
        await engine.create("delta")
        await engine.query("CREATE TABLE delta.row (a INTEGER, b INTEGER)")
        try:
            await engine.load("delta", "row", {"a": [1, 2], "b": [1]})
        except ValueError:
            return
        true(False, "expected ValueError for columns of different length")

    async def a_list_of_fractions_keeps_them(self, given: EngineAndTree) -> None:
        engine, _ = given
        await engine.create("delta")
        await engine.query("CREATE TABLE delta.row (scale FLOAT)")
        await engine.load("delta", "row", {"scale": [0.25, None, 0.0078125]})
        equal(await engine.query("SELECT scale FROM delta.row"), [(0.25,), (None,), (0.0078125,)], "rows")

    async def no_rows_load_as_none(self, given: EngineAndTree) -> None:
        engine = given.engine
        await engine.create("delta")
        await engine.query("CREATE TABLE delta.row (a INTEGER, b VARCHAR)")
        await engine.load("delta", "row", {"a": [], "b": []})
        equal(await engine.query("SELECT count(*) FROM delta.row"), [(0,)], "count")

    async def many_rows_keep_their_order(self, given: EngineAndTree) -> None:
        engine = given.engine
        await engine.create("delta")
        await engine.query("CREATE TABLE delta.row (a INTEGER, b VARCHAR)")
        count = 120_000
        await engine.load("delta", "row", {"a": array("i", range(count)), "b": [str(n) for n in range(count)]})
        sql = "SELECT count(*), sum(CASE WHEN b = CAST(a AS VARCHAR) THEN 1 ELSE 0 END), min(a), max(a) FROM delta.row"
        equal(await engine.query(sql), [(count, count, 0, count - 1)], "count, pairs, least and greatest")

    async def parameters_come_back_as_they_are(self, given: EngineAndTree) -> None:
        texts = ["", "it's", "a ? b", "'; DROP TABLE x; --", "\\'", "会议\n\t\x00end", "$1 {x} %s"]
        numbers = [0, -1, 2**53, 0.1, -1e-300, 1 / 3, 123456789.12345678, None]
        for value in (*texts, *numbers, b"", b"\x00\xff'"):
            equal(await given.engine.query("SELECT ?", (value,)), [(value,)], "the value")
        equal(await given.engine.query("SELECT ?, ? WHERE ? = ?", ("?", 2, "'", "'")), [("?", 2)], "several values")

    async def a_wrong_statement_is_an_error_of_ours(self, given: EngineAndTree) -> None:
        engine = given.engine
        await raises(StoreError, engine.query("SELECT * FROM nowhere"), "query of no table")
        await raises(StoreError, engine.query("SELEC 1"), "query that does not parse")

    async def an_alias_that_needs_quoting_is_refused(self, given: EngineAndTree) -> None:
        engine = given.engine
        for alias in ("", "A", "a b", "a;--", "1a"):
            try:
                await engine.create(alias)
            except ValueError:
                continue
            true(False, f"expected ValueError for the alias {alias!r}")
