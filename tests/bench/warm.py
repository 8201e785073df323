"""What a question takes once everything is open: one process, one connection, one thread, the model loaded.

Processor time stands for the clock: they agree on an idle machine, and only it means something on a busy one.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from pathlib import Path

from okf_edge.index.files import open_index
from okf_edge.retrieval.answer import Coverage
from okf_edge.retrieval.request import SearchRequest
from okf_edge.retrieval.search import search
from okf_edge.retrieval.source import Source
from okf_edge_native import compose
from okf_edge_native.disk import DiskTree
from okf_edge_native.duckdb_engine import DuckdbSql
from okf_edge_native.system import SystemClock
from tests.bench import corpus, synthetic

CHUNKS_PER_PAGE = 10
QUESTIONS = 30
INDEX = ".okf/index.duckdb"


def median_ms(work: Path, chunks: int, model_id: str) -> tuple[float, int]:
    """The median of `QUESTIONS` different questions, embedding included; and how many chunks there were."""
    notes = work / f"warm-{chunks}"
    if not notes.exists():
        corpus.write_pages(notes, chunks // (CHUNKS_PER_PAGE * 2), sections=CHUNKS_PER_PAGE)
    found = synthetic.build_index(notes, model_id)
    return asyncio.run(_median_ms(notes, model_id)), found.chunks


async def _median_ms(notes: Path, model_id: str) -> float:
    tree, engine, models, clock = DiskTree(notes), DuckdbSql(), compose.models(), SystemClock()
    index = await open_index(engine, "base", tree, INDEX)
    source = Source(
        "base", tree, index.chunks, embedder=index.embedder, embedder_digest=index.embedder_digest, dims=index.dims,
        coarse=index.coarse,
    )  # fmt: skip
    coverage = Coverage(index.concepts, index.concepts, 0, "hybrid")
    times = []
    for question in corpus.questions(QUESTIONS + 1):
        start_s = time.process_time()
        answer = await search(SearchRequest(question), [source], engine, models, clock, coverage)
        times.append(time.process_time() - start_s)
        if answer.coverage.mode != "hybrid":
            raise RuntimeError(f"expected a hybrid answer, found a {answer.coverage.mode} one: run `make models`")
    await engine.close()
    return statistics.median(times[1:]) * 1000
