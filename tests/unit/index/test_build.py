"""An index is a function of its pages: whole or not there, and equal for equal pages."""

from __future__ import annotations

import asyncio

import pytest

from okf_edge.errors import IndexFileError, NewerFormatError, NotFoundError, OkfError
from okf_edge.index.build import BuildOptions, build_index
from okf_edge.index.files import INDEX_PATH, open_index
from okf_edge.index.pages import Page
from okf_edge.index.schema import TABLES
from okf_edge.index.vector_cache import VectorCache
from okf_edge.inmemory import HashedEmbedder, MemoryTree, SqliteSql
from okf_edge.inmemory.embedding import HASHED_SPEC
from okf_edge.ports import SqlEngine

SLUICES = "---\ntype: note\ntitle: Sluices\ntags: [water]\naliases: [Gate]\n---\nSee [[b]] and [x](c/d.md#top).\n"
KEEPER = "---\nsources: ['[[Gate]]']\n---\n# Keeper\n\nThe keeper, ![[p.png]] and [web](https://example.org).\n"
PAGES = [
    Page("a.md", SLUICES.encode()),
    Page("b.md", KEEPER.encode()),
    Page("c/d.md", "## 泵房\n\n备用阀门在三号柜。[[nowhere]]\n".encode()),
]


async def _rows(engine: SqlEngine, tree: MemoryTree, alias: str) -> dict[str, list[tuple[object, ...]]]:
    await open_index(engine, alias, tree, INDEX_PATH)
    return {table: list(await engine.query(f"SELECT * FROM {alias}.{table}")) for table in TABLES}


async def test_the_tables_hold_what_the_pages_say() -> None:
    engine, tree = SqliteSql(), MemoryTree()
    report = await build_index(PAGES, engine, tree, INDEX_PATH, BuildOptions(HashedEmbedder(), files=("p.png",)))
    rows = await _rows(engine, tree, "made")
    assert (report.concepts, report.chunks, report.embedded) == (3, 3, 3)
    assert [row[:7] for row in rows["concept"]] == [
        (0, "a.md", "note", "Sluices", "", "water", "Gate"),
        (1, "b.md", "", "b", "", "", ""),
        (2, "c/d.md", "", "d", "", "", ""),
    ]
    assert rows["link"] == [
        ("a.md", "b.md", "b", "wikilink", "wiki", ""),
        ("a.md", "c/d.md", "c/d.md#top", "markdown", "markdown", "top"),
        ("b.md", "", "p.png", "embed", "wiki", ""),
        ("b.md", "a.md", "Gate", "source", "wiki", ""),
        ("c/d.md", "", "nowhere", "wikilink", "wiki", ""),
    ]
    assert [row[:4] for row in rows["chunk"]] == [(0, 0, 0, ""), (1, 1, 0, "Keeper"), (2, 2, 0, "泵房")]
    terms = [str(row[1]) for row in rows["term"]]
    assert terms == sorted(terms)
    assert [row[0] for row in rows["term"]] == list(range(len(terms)))
    assert [row[:2] for row in rows["posting"]] == sorted(row[:2] for row in rows["posting"])
    assert all(1 <= int(str(row[2])) <= 255 for row in rows["posting"])
    held = dict.fromkeys(range(len(terms)), 0)
    for row in rows["posting"]:
        held[int(str(row[0]))] += 1
    assert {row[0]: row[2] for row in rows["term"]} == held


async def test_equal_pages_give_equal_rows_with_vectors_from_the_model_or_the_cache() -> None:
    engine, embedder = SqliteSql(), HashedEmbedder()
    one, other = MemoryTree(), MemoryTree()
    await build_index(PAGES, engine, one, INDEX_PATH, BuildOptions(embedder, VectorCache(one, HASHED_SPEC)))
    again = await build_index(PAGES, engine, one, INDEX_PATH, BuildOptions(embedder, VectorCache(one, HASHED_SPEC)))
    await build_index(PAGES, engine, other, INDEX_PATH, BuildOptions(embedder))
    assert (again.embedded, again.reused) == (0, 3)
    assert await _rows(engine, one, "one") == await _rows(engine, other, "other")


class _StoppedEmbedder(HashedEmbedder):
    """Stops after some texts, as a kill does."""

    def __init__(self, texts: int) -> None:
        super().__init__()
        self._left = texts

    async def embed(self, texts, purpose):  # type: ignore[no-untyped-def]
        self._left -= len(texts)
        if self._left < 0:
            raise asyncio.CancelledError
        return await super().embed(texts, purpose)


async def test_a_stopped_build_leaves_the_old_index_and_resumes_without_embedding_twice() -> None:
    engine, tree = SqliteSql(), MemoryTree()
    pages = [Page(f"{number:03}.md", f"note number {number}".encode()) for number in range(200)]
    await build_index(PAGES, engine, tree, INDEX_PATH)
    old = tree.files[INDEX_PATH]
    stopped = _StoppedEmbedder(150)
    with pytest.raises(asyncio.CancelledError):
        await build_index(pages, engine, tree, INDEX_PATH, BuildOptions(stopped, VectorCache(tree, HASHED_SPEC)))
    assert tree.files[INDEX_PATH] == old
    assert not [path for path in tree.files if path.endswith(".duckdb") and path != INDEX_PATH]
    report = await build_index(
        pages, engine, tree, INDEX_PATH, BuildOptions(HashedEmbedder(), VectorCache(tree, HASHED_SPEC))
    )
    assert report.embedded + stopped.calls == 200
    assert (await open_index(engine, "made", tree, INDEX_PATH)).chunks == 200


async def test_pages_out_of_order_are_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="path order"):
        await build_index(reversed(PAGES), SqliteSql(), MemoryTree(), INDEX_PATH)


async def test_no_pages_make_an_index_of_nothing() -> None:
    engine, tree = SqliteSql(), MemoryTree()
    await build_index([], engine, tree, INDEX_PATH, BuildOptions(HashedEmbedder()))
    index = await open_index(engine, "made", tree, INDEX_PATH)
    assert (index.concepts, index.chunks, index.dims) == (0, 0, HASHED_SPEC.dims)


async def _with_meta(key: str, value: str) -> OkfError:
    engine, tree = SqliteSql(), MemoryTree()
    await build_index(PAGES, engine, tree, INDEX_PATH)
    await engine.create("changed")
    await open_index(engine, "made", tree, INDEX_PATH)
    await engine.create("copy", tree, "copy.duckdb")
    for table in TABLES:
        found = await engine.query(f"SELECT count(*) FROM made.sqlite_master WHERE name = '{table}'")
        if found != [(0,)]:
            await engine.query(f"CREATE TABLE copy.{table} AS SELECT * FROM made.{table}")
    await engine.query("UPDATE copy.meta SET value = ? WHERE key = ?", [value, key])
    await engine.detach("copy")
    with pytest.raises(OkfError) as caught:
        await open_index(engine, "again", tree, "copy.duckdb")
    return caught.value


async def test_an_index_of_a_later_version_says_so() -> None:
    assert isinstance(await _with_meta("schema", "99"), NewerFormatError)


@pytest.mark.parametrize(("key", "value"), [("schema", "0"), ("schema", "x"), ("dims", "-1"), ("chunks", "many")])
async def test_an_index_with_damaged_meta_is_unusable(key: str, value: str) -> None:
    assert isinstance(await _with_meta(key, value), IndexFileError)


async def test_an_index_of_another_text_pipeline_is_unusable_by_its_own_code() -> None:
    assert (await _with_meta("pipeline", "okf-text-0")).code == "index-other-pipeline"


async def test_an_absent_index_is_not_found_and_a_note_is_no_index() -> None:
    engine, tree = SqliteSql(), MemoryTree()
    with pytest.raises(NotFoundError):
        await open_index(engine, "made", tree, INDEX_PATH)
    await tree.write(INDEX_PATH, b"# a note\n" * 1000)
    with pytest.raises(IndexFileError):
        await open_index(engine, "made", tree, INDEX_PATH)
    await engine.create("other", tree, "other.duckdb")
    await engine.query("CREATE TABLE other.concept (number INTEGER)")
    await engine.detach("other")
    with pytest.raises(IndexFileError, match="without the tables"):
        await open_index(engine, "made", tree, "other.duckdb")
