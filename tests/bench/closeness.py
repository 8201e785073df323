"""How close the product comes to what the machine can do: the scan of vectors, and checking an archive.

Each is a ratio of processor times of one thread, measured in turns; 1 would be the limit. That of embedding over the
bare runtime is in `embedding_cost`.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from okf_edge.index.files import open_index
from okf_edge.retrieval import dense
from okf_edge.retrieval.plan import plan_of
from okf_edge.retrieval.request import SearchRequest
from okf_edge.retrieval.scope import Scope
from okf_edge_native.disk import DiskTree
from okf_edge_native.duckdb_engine import DuckdbSql
from tests.bench import corpus, synthetic
from tests.bench.processes import okf, run
from tests.bench.product import source_of
from tests.bench.publication import large_archive
from tests.bench.rows import Row
from tests.bench.warm import INDEX

MODEL = "minilm-l6"
PAGES = 10_000
TIMES = 7
BYTES_READ = 1 << 28


def scanning(work: Path) -> Iterator[Row]:
    """The product's scan of all vectors of an index, over reading as many bytes of memory."""
    notes = corpus.write_pages(work / "scanned", PAGES)
    chunks = synthetic.build_index(notes, MODEL).chunks
    spent_s, dims = asyncio.run(_scan_s(notes))
    size = chunks * (dims + 8)  # a byte for each dimension, the scale and the number
    memory_s = size * _memory_s_per_byte()
    note = f"{chunks:,} vectors: {size / spent_s / 1e9:.2f} of {size / memory_s / 1e9:.1f} GB/s; made-up vectors"
    yield Row("scan of vectors in SQL over reading memory", spent_s / memory_s, "×", note=note)


async def _scan_s(notes: Path) -> tuple[float, int]:
    tree, engine = DiskTree(notes), DuckdbSql()
    source = source_of(await open_index(engine, "base", tree, INDEX), tree)
    plan, scope = plan_of(SearchRequest("words")), Scope(source, source.chunks)
    times = []
    for number in range(TIMES):
        vector = await synthetic.MadeUpEmbedder(synthetic.model_of(MODEL).spec).embed([str(number)], "query")
        start_s = time.process_time()
        await dense.nearest(engine, scope, vector, [], plan)
        times.append(time.process_time() - start_s)
    await engine.close()
    return statistics.median(times), source.dims


def _memory_s_per_byte() -> float:
    """Reading memory that no cache holds."""
    numbers = np.ones(BYTES_READ // 8, np.int64)
    return min(_cpu_s(numbers.max) for _ in range(TIMES)) / BYTES_READ


def _cpu_s(call: Callable[[], object]) -> float:
    start_s = time.process_time()
    call()
    return time.process_time() - start_s


def checking(work: Path) -> Iterator[Row]:
    """Verifying a large archive over testing it with `unzip` and hashing its content with `sha256sum`; and installing
    it over unpacking and hashing."""
    archive, start_s = large_archive(work / "checked"), _median_s(lambda _: okf("--version").cpu_s)
    size_mb = archive.stat().st_size / 1e6

    verified_s = _median_s(lambda _: okf("verify", archive).cpu_s) - start_s
    tested_s = _median_s(lambda _: run(["/usr/bin/env", "unzip", "-tqq", str(archive)]).cpu_s)
    hashed_s = _median_s(lambda _: run(["/usr/bin/env", "sha256sum", str(archive)]).cpu_s)
    note = f"{size_mb:.0f} MB: {verified_s:.2f} s, unzip {tested_s:.2f} s, sha256sum {hashed_s:.2f} s"
    yield Row("okf verify over unzip -t and sha256sum", verified_s / (tested_s + hashed_s), "×", note=note)

    bases = [work / f"checked-base{number}" for number in range(3)]
    installed_s = _median_s(lambda number: _install_s(archive, bases[number])) - start_s
    unpacked_s = _median_s(
        lambda number: run(["/usr/bin/env", "unzip", "-qq", str(archive), "-d", str(work / f"unzipped{number}")]).cpu_s
    )
    note = f"{size_mb:.0f} MB: {installed_s:.2f} s, unzip {unpacked_s:.2f} s, sha256sum {hashed_s:.2f} s"
    yield Row("okf install over unzip and sha256sum", installed_s / (unpacked_s + hashed_s), "×", note=note)


def _median_s(measured: Callable[[int], float]) -> float:
    return statistics.median(measured(number) for number in range(3))


def _install_s(archive: Path, base: Path) -> float:
    base.mkdir()
    okf("init", base)
    return okf("install", archive, "--dir", base).cpu_s
