"""Base and delta answer like a rebuild, and fold into what a rebuild gives: over random edits of a small vault."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator

import pytest

from okf_edge.index.build import BuildOptions, build_index
from okf_edge.index.files import INDEX_PATH, open_index
from okf_edge.index.fold import fold
from okf_edge.index.pages import Page
from okf_edge.index.refresh import Refreshed, refresh
from okf_edge.index.schema import TABLES, names_of
from okf_edge.inmemory import HashedEmbedder, MemoryTree, SqliteSql
from okf_edge.ports import FileStat, Row, SqlEngine

Vault = dict[str, tuple[str, int]]
"""Path -> text and time."""

WORDS = ("sluice", "keeper", "tide", "gate", "ÖFFNUNG", "泵房", "备用阀门", "snake_case", "v1.2", "Donaudampfschiff")
NAMES = [f"{folder}{name}.md" for folder in ("", "a/", "b/") for name in ("Home", "Lock", "Tide", "泵", "Old Mill")]


def _text(rng: random.Random) -> str:
    lines = [f"# {rng.choice(WORDS)}", " ".join(rng.choices(WORDS, k=rng.randint(0, 60)))]
    for _ in range(rng.randint(0, 3)):
        target = rng.choice(NAMES).removesuffix(".md").rpartition("/")[2]
        lines.append(
            rng.choice([f"[[{target}]]", f"[[{target}|x]]", f"[x]({target.replace(' ', '%20')}.md)", "[[Mill]]"])
        )
    if rng.random() < 0.3:
        lines = ["---", "type: note", f"aliases: [{rng.choice(['Mill', 'Weir'])}]", "---", *lines]
    return "\n\n".join(lines) if lines[0] != "---" else "\n".join(lines[:4]) + "\n" + "\n\n".join(lines[4:])


def _edit(rng: random.Random, vault: Vault, now: int) -> Vault:
    """Some pages edited, added, deleted, or only touched."""
    edited = dict(vault)
    for _ in range(rng.randint(1, 4)):
        path = rng.choice(NAMES)
        what = rng.random()
        if what < 0.3:
            edited.pop(path, None)
        elif what < 0.5 and path in edited:
            edited[path] = (edited[path][0], now)
        else:
            edited[path] = (_text(rng), now)
    return edited


def _pages(vault: Vault) -> list[Page]:
    return [Page(path, text.encode(), time, "user") for path, (text, time) in sorted(vault.items())]


def _present(vault: Vault) -> list[tuple[FileStat, str]]:
    return [(FileStat(path, len(text.encode()), time), "user") for path, (text, time) in sorted(vault.items())]


async def _built(engine: SqlEngine, alias: str, vault: Vault) -> MemoryTree:
    tree = MemoryTree()
    await build_index(_pages(vault), engine, tree, INDEX_PATH, BuildOptions(embedder=HashedEmbedder()))
    await open_index(engine, alias, tree, INDEX_PATH)
    return tree


async def _refreshed(engine: SqlEngine, tree: MemoryTree, vault: Vault) -> Refreshed:
    base = await open_index(engine, "base", tree, INDEX_PATH)

    async def read(path: str) -> bytes | None:
        return vault[path][0].encode()

    return await refresh(engine, base, _present(vault), read, BuildOptions(embedder=HashedEmbedder()))


async def _rows(engine: SqlEngine, alias: str) -> dict[str, list[Row]]:
    return {
        table: sorted(await engine.query(f"SELECT {', '.join(names_of(table))} FROM {alias}.{table}"))
        for table in TABLES
    }


async def _seen(engine: SqlEngine, parts: list[tuple[str, frozenset[int], frozenset[str]]]) -> dict[str, list[Row]]:
    """What a search sees of indexes as one corpus: everything by path and term, numbers left out."""
    found: dict[str, list[Row]] = {"posting": [], "vector": [], "link": [], "concept": []}
    for alias, masked, relinked in parts:
        gone = ",".join(map(str, masked)) or "-1"
        place = (
            f"JOIN {alias}.chunk AS c ON c.number = x.chunk JOIN {alias}.concept AS k ON k.number = c.concept "
            f"WHERE k.number NOT IN ({gone})"
        )
        found["posting"] += await engine.query(
            f"SELECT t.term, k.path, c.ordinal, c.heading, x.weight FROM {alias}.posting AS x "
            f"JOIN {alias}.term AS t ON t.number = x.term {place}"
        )
        found["vector"] += await engine.query(
            f"SELECT k.path, c.ordinal, x.scale, x.v FROM {alias}.vector AS x {place}"
        )
        found["concept"] += await engine.query(f"SELECT path, sha256 FROM {alias}.concept WHERE number NOT IN ({gone})")
        links = await engine.query(
            f"SELECT {', '.join(names_of('link'))} FROM {alias}.link WHERE source NOT IN "
            f"(SELECT path FROM {alias}.concept WHERE number IN ({gone}))"
        )
        found["link"] += [row for row in links if row[0] not in relinked]
    return {table: sorted(rows) for table, rows in found.items()}


@pytest.fixture
async def engine() -> AsyncIterator[SqlEngine]:
    engine = SqliteSql()
    yield engine
    await engine.close()


@pytest.mark.parametrize("seed", range(12))
async def test_base_and_delta_hold_what_a_rebuild_holds_and_fold_into_its_rows(seed: int, engine: SqlEngine) -> None:
    rng = random.Random(seed)
    before = {path: (_text(rng), 1) for path in rng.sample(NAMES, 9)}
    after = _edit(rng, before, now=2)
    tree = await _built(engine, "old", before)
    await _built(engine, "rebuilt", after)
    refreshed = await _refreshed(engine, tree, after)

    parts = [("base", refreshed.masked, refreshed.relinked)]
    if refreshed.delta:
        parts.append((refreshed.delta.alias, frozenset(), frozenset()))
    assert await _seen(engine, parts) == await _seen(engine, [("rebuilt", frozenset(), frozenset())])

    await fold(engine, refreshed, tree, INDEX_PATH)
    await open_index(engine, "folded", tree, INDEX_PATH)
    assert await _rows(engine, "folded") == await _rows(engine, "rebuilt")


async def test_an_unchanged_tree_needs_no_delta_and_reads_nothing(engine: SqlEngine) -> None:
    vault = {path: (path, 1) for path in NAMES}
    tree = await _built(engine, "old", vault)
    base = await open_index(engine, "base", tree, INDEX_PATH)

    async def read(path: str) -> bytes | None:
        raise AssertionError(f"read {path}")

    refreshed = await refresh(engine, base, _present(vault), read)
    assert (refreshed.delta, refreshed.masked, refreshed.changes.unchanged) == (None, frozenset(), len(vault))


async def test_other_times_alone_change_nothing_but_are_told(engine: SqlEngine) -> None:
    vault = {path: (path, 1) for path in NAMES}
    tree = await _built(engine, "old", vault)
    refreshed = await _refreshed(engine, tree, {path: (text, 5) for path, (text, _) in vault.items()})
    assert (refreshed.delta, refreshed.masked) == (None, frozenset())
    assert len(refreshed.changes.touched) == len(vault)
    assert refreshed.changes.is_worth_folding
    await fold(engine, refreshed, tree, INDEX_PATH)
    await open_index(engine, "folded", tree, INDEX_PATH)
    assert await engine.query("SELECT DISTINCT mtime_ns FROM folded.concept") == [(5,)]


async def test_another_content_of_the_same_size_is_seen_when_its_time_differs(engine: SqlEngine) -> None:
    tree = await _built(engine, "old", {"a.md": ("sluice", 1)})
    refreshed = await _refreshed(engine, tree, {"a.md": ("keeper", 2)})
    assert [page.path for page in refreshed.changes.pages] == ["a.md"]
    assert refreshed.masked == {0}


async def test_a_page_of_another_tier_is_indexed_again(engine: SqlEngine) -> None:
    tree = await _built(engine, "old", {"a.md": ("sluice", 1)})
    base = await open_index(engine, "base", tree, INDEX_PATH)

    async def read(path: str) -> bytes | None:
        return b"sluice"

    refreshed = await refresh(engine, base, [(FileStat("a.md", 6, 1), "agent")], read)
    assert await engine.query("SELECT path, tier FROM base_delta.concept") == [("a.md", "agent")]
    assert refreshed.masked == {0}


async def test_a_page_that_cannot_be_read_any_more_is_gone(engine: SqlEngine) -> None:
    tree = await _built(engine, "old", {"a.md": ("sluice", 1), "b.md": ("keeper", 1)})
    base = await open_index(engine, "base", tree, INDEX_PATH)

    async def read(path: str) -> bytes | None:
        return None

    present = [(FileStat("a.md", 6, 1), "user"), (FileStat("b.md", 6, 2), "user")]
    refreshed = await refresh(engine, base, present, read)
    assert (refreshed.masked, refreshed.changes.gone) == ({1}, ("b.md",))
