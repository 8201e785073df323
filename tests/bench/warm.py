"""What a question takes once everything is open: one process, one connection, one thread, the model loaded.

Processor time stands for the clock: they agree on an idle machine, and only it means something on a busy one.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Warm:
    """Processor time of each question, embedding included, in milliseconds; and how many chunks there were."""

    times_ms: tuple[float, ...]
    chunks: int

    @property
    def p50_ms(self) -> float:
        return statistics.median(self.times_ms)

    @property
    def p95_ms(self) -> float:
        return statistics.quantiles(self.times_ms, n=20)[-1]


def pages(work: Path, chunks: int) -> Path:
    """A folder of pages that make about so many chunks."""
    notes = work / f"warm-{chunks}"
    if not notes.exists():
        corpus.write_pages(notes, chunks // (CHUNKS_PER_PAGE * 2), sections=CHUNKS_PER_PAGE)
    return notes


def measure(work: Path, chunks: int, model_id: str) -> Warm:
    """Different questions by words and meaning, on an index with made-up vectors of the model's shape."""
    notes = pages(work, chunks)
    found = synthetic.build_index(notes, model_id)
    return Warm(asyncio.run(times_ms(notes)), found.chunks)


async def times_ms(notes: Path, lexical: bool = False) -> tuple[float, ...]:
    """Ask an indexed folder; the first question, which loads what is needed, does not count."""
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
        request = SearchRequest(question, dense=not lexical)
        answer = await search(request, [source], engine, models, clock, coverage)
        times.append((time.process_time() - start_s) * 1000)
        if answer.coverage.mode != ("lexical" if lexical else "hybrid"):
            raise RuntimeError(f"expected another answer than a {answer.coverage.mode} one: run `make models`")
    await engine.close()
    return tuple(times[1:])
