"""Any split of a corpus into indexes ranks like the whole, on real DuckDB: bundles and deltas rest on that."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from okf_edge.index.build import BuildOptions
from okf_edge.index.files import describe
from okf_edge.index.refresh import refresh
from okf_edge.inmemory.embedding import HashedEmbedder
from okf_edge.inmemory.files import MemoryTree
from okf_edge.ports import FileStat
from okf_edge_native.duckdb_engine import DuckdbSql
from tests.unit.retrieval.corpus import Corpus, scores

WORDS = [
    "pump",
    "valve",
    "boiler",
    "pressure",
    "gauge",
    "leak",
    "water",
    "salt",
    "onion",
    "soup",
    "garden",
    "winter",
    "summer",
    "engine",
    "阀门",
    "静音泵",
    "设备清单",
]


def notes_of(seed: int, count: int, *, linked: bool) -> dict[str, str]:
    """Notes of words that are drawn unevenly, some long enough for several chunks, some out of date."""
    chance = random.Random(seed)
    notes = {}
    for number in range(count):
        text = " ".join(chance.choices(WORDS, weights=range(len(WORDS), 0, -1), k=chance.choice((5, 12, 40, 400))))
        head = "---\nstatus: deprecated\n---\n" if chance.random() < 0.1 else ""
        link = f"\n\n[[n{chance.randrange(count):03}]]\n" if linked and chance.random() < 0.5 else ""
        notes[f"n{number:03}.md"] = f"{head}{text}{link}"
    return notes


def questions_of(seed: int) -> list[str]:
    chance = random.Random(seed)
    return [" ".join(chance.sample(WORDS, chance.randint(1, 5))) for _ in range(4)]


@pytest.mark.parametrize("embedder", [None, HashedEmbedder()], ids=["words", "hybrid"])
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**16), parts=st.integers(2, 4), count=st.integers(10, 260))
async def test_the_parts_rank_like_the_whole(
    embedder: HashedEmbedder | None, seed: int, parts: int, count: int
) -> None:
    notes = notes_of(seed, count, linked=False)
    corpus = Corpus(DuckdbSql())
    whole = await corpus.add("whole", notes, embedder)
    chance = random.Random(seed)
    owner = {path: chance.randrange(parts) for path in notes}
    split = [
        await corpus.add(f"part{n}", {path: text for path, text in notes.items() if owner[path] == n}, embedder)
        for n in range(parts)
    ]
    for question in questions_of(seed):
        expected, found = await corpus.ask(question, [whole], k=20), await corpus.ask(question, split, k=20)
        assert (found.verdict, scores(found)) == (expected.verdict, scores(expected))
    await corpus.engine.close()


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**16), count=st.integers(30, 260))
async def test_a_base_with_a_delta_answers_like_a_rebuild(seed: int, count: int) -> None:
    before, after = notes_of(seed, count, linked=True), changed(notes_of(seed, count, linked=True), seed)
    corpus, embedder = Corpus(DuckdbSql()), HashedEmbedder()
    base = await corpus.add("base", before, embedder)
    rebuilt = await corpus.add("rebuilt", after, embedder)
    tree = MemoryTree(after)
    present = [(FileStat(path, len(text.encode()), 2, "file"), "user") for path, text in sorted(after.items())]
    known = await describe(corpus.engine, "base", "base")
    fresh = await refresh(corpus.engine, known, present, tree.read, BuildOptions(embedder=embedder))
    assert fresh.delta is not None
    sources = [
        replace(base, tree=tree, masked=fresh.masked, relinked=fresh.relinked),
        replace(base, tree=tree, alias=fresh.delta.alias, chunks=fresh.delta.chunks),
    ]
    for question in questions_of(seed):
        expected, found = await corpus.ask(question, [rebuilt], k=20), await corpus.ask(question, sources, k=20)
        assert (found.verdict, scores(found)) == (expected.verdict, scores(expected))
    await corpus.engine.close()


def changed(notes: dict[str, str], seed: int) -> dict[str, str]:
    """Some notes edited, some gone, one new."""
    chance = random.Random(seed)
    for path in chance.sample(sorted(notes), len(notes) // 5):
        notes[path] = " ".join(chance.choices(WORDS, k=30)) + " [[n001]]"
    for path in chance.sample(sorted(notes), len(notes) // 10):
        del notes[path]
    return {**notes, "zz-new.md": "a new boiler gauge, see [[n002]]"}
