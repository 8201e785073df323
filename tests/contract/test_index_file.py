"""Index files as DuckDB writes them: equal to what the reference engine holds, whole after any kill, and small."""

from __future__ import annotations

import asyncio
import random
import signal
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from okf_edge.index import coarse
from okf_edge.index.build import BuildOptions, build_index
from okf_edge.index.files import INDEX_PATH, IndexFile, open_index
from okf_edge.index.fold import fold
from okf_edge.index.pages import Page
from okf_edge.index.refresh import refresh
from okf_edge.index.schema import TABLES
from okf_edge.index.vector_cache import VectorCache
from okf_edge.inmemory import HashedEmbedder, MemoryTree, SqliteSql
from okf_edge.inmemory.embedding import HASHED_SPEC
from okf_edge.ports import EmbedderSpec, FileStat, SqlEngine
from okf_edge_native.disk import DiskTree
from okf_edge_native.duckdb_engine import DuckdbSql

WORDS = ("sluice", "keeper", "tide", "gate", "Öffnung", "泵房", "备用阀门", "snake_case", "v1.2", "donaudampfschiff")


def _pages(count: int, words: int = 60) -> list[Page]:
    rng = random.Random(count)
    made = []
    for number in range(count):
        target = f"[[{rng.randrange(count):05}]]"
        text = f"# Note {number}\n\n{' '.join(rng.choices(WORDS, k=words))} {target} {rng.random()}\n"
        made.append(Page(f"{number:05}.md", text.encode(), mtime_ns=1, tier="user"))
    return made


async def _rows(engine: SqlEngine, alias: str) -> dict[str, list[tuple[object, ...]]]:
    found = {}
    for table in TABLES:
        rows = await engine.query(f"SELECT * FROM {alias}.{table}")
        found[table] = [tuple(_plain(value) for value in row) for row in rows]
    return found


def _plain(value: object) -> object:
    return [level - 256 if level > 127 else level for level in value] if isinstance(value, bytes) else (
        list(value) if isinstance(value, tuple) else value)  # fmt: skip


async def _present(pages: list[Page]) -> list[tuple[FileStat, str]]:
    return [(FileStat(page.path, len(page.data), page.mtime_ns), page.tier) for page in pages]


async def test_duckdb_and_sqlite_hold_equal_rows_in_equal_order(tmp_path: Path) -> None:
    native, reference = DuckdbSql(), SqliteSql()
    disk, memory = DiskTree(tmp_path), MemoryTree()
    for engine, tree in ((native, disk), (reference, memory)):
        await build_index(_pages(40), engine, tree, INDEX_PATH, BuildOptions(HashedEmbedder()))
        await open_index(engine, "made", tree, INDEX_PATH)
    assert await _rows(native, "made") == await _rows(reference, "made")


async def test_base_and_delta_fold_into_the_rows_of_a_rebuild(tmp_path: Path) -> None:
    engine, tree, embedder = DuckdbSql(), DiskTree(tmp_path), HashedEmbedder()
    before = _pages(40)
    after = [*before[2:10], Page("00010.md", b"# Other\n\n[[00003]] edited", 2, "user"), *before[11:], _pages(41)[40]]
    contents = {page.path: page.data for page in after}

    async def read(path: str) -> bytes | None:
        return contents[path]

    await build_index(before, engine, tree, INDEX_PATH, BuildOptions(embedder))
    base = await open_index(engine, "base", tree, INDEX_PATH)
    refreshed = await refresh(engine, base, await _present(after), read, BuildOptions(embedder))
    await fold(engine, refreshed, tree, "folded.duckdb")
    await build_index(after, engine, tree, "rebuilt.duckdb", BuildOptions(embedder))
    await open_index(engine, "folded", tree, "folded.duckdb")
    await open_index(engine, "rebuilt", tree, "rebuilt.duckdb")
    assert await _rows(engine, "folded") == await _rows(engine, "rebuilt")


KILLED = """
import asyncio, sys
from okf_edge.index.build import BuildOptions, build_index
from okf_edge.index.files import INDEX_PATH
from okf_edge.index.pages import Page
from okf_edge.index.vector_cache import VectorCache
from okf_edge.inmemory import HashedEmbedder
from okf_edge.inmemory.embedding import HASHED_SPEC
from okf_edge_native.disk import DiskTree
from okf_edge_native.duckdb_engine import DuckdbSql

class Told:
    def step(self, label, done, total=None):
        print(done, flush=True)
    def message(self, text):
        pass

async def main():
    tree = DiskTree(sys.argv[1])
    pages = [Page(f"{n:05}.md", f"note {n} of many".encode()) for n in range(3000)]
    options = BuildOptions(HashedEmbedder(), VectorCache(tree, HASHED_SPEC), progress=Told())
    await build_index(pages, DuckdbSql(), tree, INDEX_PATH, options)

asyncio.run(main())
"""


@pytest.mark.parametrize("killed_after", [1, 700, 2999])
async def test_a_killed_build_leaves_the_old_index_and_its_vectors_are_not_lost(
    killed_after: int, tmp_path: Path
) -> None:
    engine, tree = DuckdbSql(), DiskTree(tmp_path)
    await build_index(_pages(3), engine, tree, INDEX_PATH)
    old = await tree.read(INDEX_PATH)
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", KILLED, str(tmp_path), stdout=PIPE)
    assert process.stdout is not None
    while int(await process.stdout.readline()) < killed_after:
        pass
    process.send_signal(signal.SIGKILL)
    await process.communicate()
    assert await tree.read(INDEX_PATH) == old

    pages = [Page(f"{number:05}.md", f"note {number} of many".encode()) for number in range(3000)]
    options = BuildOptions(HashedEmbedder(), VectorCache(tree, HASHED_SPEC))
    report = await build_index(pages, engine, tree, INDEX_PATH, options)
    assert report.reused >= killed_after - 400
    assert (await open_index(engine, "made", tree, INDEX_PATH)).concepts == 3000


async def _celled(engine: SqlEngine, tree: DiskTree, pages: list[Page], alias: str) -> IndexFile:
    await build_index(pages, engine, tree, f"{alias}.duckdb", BuildOptions(HashedEmbedder()))
    return await open_index(engine, alias, tree, f"{alias}.duckdb")


async def test_cells_are_ranges_of_chunks_that_hold_each_chunk_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coarse, "CELLS_FROM", 300)
    engine, tree = DuckdbSql(), DiskTree(tmp_path)
    index = await _celled(engine, tree, _pages(400, words=8), "one")
    again = await _celled(engine, tree, _pages(400, words=8), "two")
    assert (index.coarse, again.coarse) == (True, True)
    assert await _sampled_and_celled(engine, "one") == list(range(400))
    assert await _rows(engine, "one") == await _rows(engine, "two")
    words = (
        "SELECT k.path, t.term, p.weight FROM {0}.posting p JOIN {0}.term t ON t.number = p.term "
        "JOIN {0}.chunk c ON c.number = p.chunk JOIN {0}.concept k ON k.number = c.concept ORDER BY ALL"
    )
    monkeypatch.setattr(coarse, "CELLS_FROM", 10**9)
    await _celled(engine, tree, _pages(400, words=8), "flat")
    assert await engine.query(words.format("one")) == await engine.query(words.format("flat"))


async def test_the_sample_is_spread_over_the_cells_and_vectors_lie_in_the_order_of_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coarse, "CELLS_FROM", 300)
    engine, tree = DuckdbSql(), DiskTree(tmp_path)
    await _celled(engine, tree, _pages(400, words=8), "one")
    assert await engine.query("SELECT count(*) FROM one.vector WHERE rowid <> chunk") == [(0,)]
    nearest = (
        "SELECT arg_max(c.cell, c.scale * array_inner_product(v.v::FLOAT[64], c.v::FLOAT[64])) FROM one.sample s "
        "JOIN one.vector v ON v.chunk = s.chunk CROSS JOIN one.coarse c GROUP BY s.chunk"
    )
    assert len(set(await engine.query(nearest))) > 5


async def _sampled_and_celled(engine: SqlEngine, alias: str) -> list[int]:
    """The chunks of the sample, then those of each cell."""
    ranges = await engine.query(
        f"SELECT min(chunk), max(chunk), -1 AS cell FROM {alias}.sample "
        f"UNION ALL SELECT first_chunk, last_chunk, cell FROM {alias}.coarse ORDER BY cell"
    )
    return [number for first, last, _ in ranges for number in range(int(str(first)), int(str(last)) + 1)]


async def test_vectors_of_a_cell_are_nearer_to_each_other_than_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coarse, "CELLS_FROM", 300)
    engine, tree = DuckdbSql(), DiskTree(tmp_path)
    await _celled(engine, tree, _pages(400, words=3), "one")
    pairs = (
        "SELECT avg(a.scale * b.scale * array_inner_product(a.v::FLOAT[64], b.v::FLOAT[64])) "
        "FROM one.vector a JOIN one.vector b ON a.chunk < b.chunk "
        "JOIN one.coarse x ON a.chunk BETWEEN x.first_chunk AND x.last_chunk "
        "JOIN one.coarse y ON b.chunk BETWEEN y.first_chunk AND y.last_chunk WHERE x.cell {} y.cell"
    )
    [(within,)] = await engine.query(pairs.format("="))
    [(across,)] = await engine.query(pairs.format("<>"))
    assert float(str(within)) > float(str(across)) + 0.1


async def test_a_fold_keeps_the_cells_and_places_new_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coarse, "CELLS_FROM", 300)
    engine, tree = DuckdbSql(), DiskTree(tmp_path)
    before = _pages(400, words=8)
    base = await _celled(engine, tree, before, "base")
    after = [*before[5:], *_pages(410, words=8)[400:]]
    contents = {page.path: page.data for page in after}

    async def read(path: str) -> bytes | None:
        return contents[path]

    refreshed = await refresh(engine, base, await _present(after), read, BuildOptions(HashedEmbedder()))
    await fold(engine, refreshed, tree, "folded.duckdb")
    assert (await open_index(engine, "folded", tree, "folded.duckdb")).coarse
    assert await _sampled_and_celled(engine, "folded") == list(range(405))


async def test_an_index_of_a_hundred_chunks_takes_at_most_400_kilobytes(tmp_path: Path) -> None:
    spec = EmbedderSpec("wide", "1" * 64, 384, 256, 0.1, 0.1, ("Latin",))
    rng = random.Random(5)
    vocabulary = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 11))) for _ in range(4_000)]

    def prose(words: int) -> str:
        """Words of a vocabulary as unevenly used as that of any language."""
        return " ".join(
            vocabulary[min(int(rng.paretovariate(0.7)) * 3 + rng.randrange(3), 3_999)] for _ in range(words)
        )

    pages = [Page(f"notes/{number:03}.md", f"# {prose(4)}\n\n{prose(110)}\n".encode()) for number in range(100)]
    tree = DiskTree(tmp_path)
    report = await build_index(pages, DuckdbSql(), tree, INDEX_PATH, BuildOptions(HashedEmbedder(spec)))
    assert report.chunks == 100
    assert (await tree.stat(INDEX_PATH)).bytes <= 400_000


async def test_an_index_file_holds_no_trace_of_when_or_where_it_was_made(tmp_path: Path) -> None:
    engine = DuckdbSql()
    for name in ("here", "there/deep"):
        await build_index(_pages(20), engine, DiskTree(tmp_path / name), INDEX_PATH)
    data = await DiskTree(tmp_path / "here").read(INDEX_PATH)
    assert str(tmp_path).encode() not in data
