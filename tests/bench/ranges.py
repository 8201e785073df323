"""How a hybrid question's cost grows to a million chunks, and what coarse ranges miss: `python -m tests.bench.ranges`.

Pages and words are `corpus`'s; vectors are real ones with noise (`noisy`), questions are embedded by the real model.
Recall is that of the ten nearest chunks, against the product's own scan of all. A million chunks are the text of
100,000 ten times (`copies`). One thread, processor time; an index is built once and kept in `.build/ranges`.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from array import array
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from okf_edge.index.build import BuildOptions, build_index
from okf_edge.index.files import open_index
from okf_edge.index.pages import Page
from okf_edge.ports import SqlEngine
from okf_edge.retrieval import dense
from okf_edge.retrieval.plan import plan_of
from okf_edge.retrieval.request import SearchRequest
from okf_edge.retrieval.scope import Scope
from okf_edge.retrieval.source import Source
from okf_edge_native import compose
from okf_edge_native.disk import DiskTree
from okf_edge_native.duckdb_engine import DuckdbSql
from tests.bench import corpus, metrics, noisy, sets, warm
from tests.bench.cached_vectors import CachedModels
from tests.bench.copies import copied
from tests.bench.noisy import NoisyEmbedder, real_vectors
from tests.bench.product import source_of
from tests.bench.quality import BUILD
from tests.bench.rows import Rows, beside, keep, read
from tests.bench.scale import exponent

RECALL, EXPONENT, BOUND_CHUNKS, P50_MS = 0.97, 0.6, 100_000, 45.0
"""Bounds of the figures: of R@10, of how the median grows, and of the median at a size."""

MODEL = "minilm-l6"
SIZES = (10_000, 100_000, 1_000_000)
READ_AT_MOST = 100_000
"""A larger index has the text of so many chunks several times over."""

CHUNKS_OF_A_PAGE = 23.76
"""Of ten sections of `corpus`, on average."""

RECALLED = 60
"""Questions whose ten nearest chunks are compared with those of a scan of everything."""


@dataclass(frozen=True, slots=True)
class Size:
    """One index: the median question with its 95% bootstrap interval, R@10 of the ranges, and what it takes to find the
    nearest chunks in ranges and among all."""

    chunks: int
    index_mb: float
    p50_ms: float
    low_ms: float
    high_ms: float
    p95_ms: float
    nearest_ms: float
    scan_ms: float
    recall: float


def folder_of(chunks: int) -> Path:
    return BUILD / "ranges" / str(chunks)


async def build(chunks: int) -> Path:
    """The folder of so many chunks with its index, unless it is there."""
    folder = folder_of(chunks)
    if (folder / warm.INDEX).exists():
        return folder
    spec, real = await real_vectors(CachedModels(compose.shelf(), BUILD / "bench-cache"), MODEL)
    if chunks > READ_AT_MOST:
        await copied(await build(READ_AT_MOST), folder, warm.INDEX, chunks // READ_AT_MOST, real)
        return folder
    corpus.write_pages(folder, round(chunks / CHUNKS_OF_A_PAGE), sections=warm.CHUNKS_PER_PAGE)
    engine = DuckdbSql()
    paths = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.md"))
    pages = (Page(path, (folder / path).read_bytes(), 1, "user") for path in paths)
    await build_index(pages, engine, DiskTree(folder), warm.INDEX, BuildOptions(NoisyEmbedder(spec, real)))
    await engine.close()
    return folder


async def measure(chunks: int) -> Size:
    folder = await build(chunks)
    times = await warm.times_ms(folder)
    async with opened(folder) as (engine, source):
        recall, probe_ms, scan_ms = await _recall(engine, source)
    low, high = metrics.interval(times, of=statistics.median)
    index_mb, p95_ms = (folder / warm.INDEX).stat().st_size / 1e6, statistics.quantiles(times, n=20)[-1]
    return Size(source.chunks, index_mb, statistics.median(times), low, high, p95_ms, probe_ms, scan_ms, recall)


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[tuple[SqlEngine, Source]]:
    engine, tree = DuckdbSql(), DiskTree(folder)
    try:
        yield engine, source_of(await open_index(engine, "base", tree, warm.INDEX), tree)
    finally:
        await engine.close()


async def _recall(engine: SqlEngine, source: Source) -> tuple[float, float, float]:
    """R@10 of the ranges, and the median of what probing them and scanning everything takes, in milliseconds."""
    embedder = await CachedModels(compose.shelf(), BUILD / "bench-cache").embedder(MODEL)
    shares, probed_ms, scanned_ms = [], [], []
    for text in _questions():
        vector = await embedder.embed([text], "query")
        near, spent = await _nearest(engine, source, vector)
        truth, whole = await _nearest(engine, replace(source, coarse=False), vector)
        shares.append(len(near & truth) / len(truth))
        probed_ms.append(spent)
        scanned_ms.append(whole)
    return metrics.mean(shares), statistics.median(probed_ms), statistics.median(scanned_ms)


async def _nearest(engine: SqlEngine, source: Source, vector: array[float]) -> tuple[set[int], float]:
    start = time.process_time()
    found = await dense.nearest(engine, Scope(source, source.chunks), vector, [], plan_of(SearchRequest("words")))
    return {chunk for chunk, _, _ in found.best[:10]}, (time.process_time() - start) * 1000


def _questions() -> list[str]:
    """Of the sets whose vectors are in the index; ours where the sets are not there."""
    if sets.CORPORA.is_dir():
        asked = [question.text for name in noisy.SETS for question in sets.load(name).questions]
        return asked[:: len(asked) // RECALLED]
    return corpus.questions(RECALLED)


def shown(found: Sequence[Size]) -> Iterator[str]:
    yield "  chunks  index MB  question p50 ms [95%]   p95  nearest ms  scan of all ms  R@10"
    for each in found:
        yield (
            f"{each.chunks:8,} {each.index_mb:9.1f} {each.p50_ms:8.1f} [{each.low_ms:.1f}, {each.high_ms:.1f}] "
            f"{each.p95_ms:6.1f} {each.nearest_ms:11.1f} {each.scan_ms:15.1f} {each.recall:5.3f}"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", nargs="*", type=int, default=list(SIZES))
    parser.add_argument("--build", action="store_true", help="build the indexes only")
    given = parser.parse_args(arguments)
    if given.build:
        for chunks in given.chunks:
            print(asyncio.run(build(chunks)), flush=True)
        return 0
    found = [asyncio.run(measure(chunks)) for chunks in given.chunks]
    print("\n".join(shown(found)))
    kept = read("ranges") or {"rows": []}
    rows = sorted(beside(kept["rows"], list(map(asdict, found)), "chunks"), key=lambda row: row["chunks"])
    growth = exponent({row["chunks"]: row["p50_ms"] for row in rows}) if len(rows) > 1 else None
    print(f"grows as chunks^{growth:.2f}" if growth is not None else "")
    keep("ranges", {"model": MODEL, "rows": rows, "exponent": growth})
    broken = list(beyond(rows, growth))
    print("\n".join(broken) or "all bounds are kept")
    return int(bool(broken))


def beyond(rows: Rows, growth: float | None) -> Iterator[str]:
    """Which bounds are broken."""
    for row in rows:
        if row["recall"] < RECALL:
            yield f"R@10 at {row['chunks']:,} chunks: {row['recall']:.3f}, expected at least {RECALL}"
        if abs(row["chunks"] / BOUND_CHUNKS - 1) < 0.05 and row["p50_ms"] > P50_MS:
            yield f"p50 at {row['chunks']:,} chunks: {row['p50_ms']:.1f} ms, expected at most {P50_MS}"
    if growth is not None and growth > EXPONENT:
        yield f"grows as chunks^{growth:.2f}, expected at most {EXPONENT}"


if __name__ == "__main__":
    raise SystemExit(main())
