"""Hybrid questions to an engine that is warm, in the page and natively in turn, so that both meet the same load."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from browser.bench.given import Given, carried, native, questions
from browser.engines import PageEngine
from okf_edge.retrieval.request import SearchRequest
from tests.bench.rows import Row

CHUNKS = 10_000
COUNT, WARMING = 30, 6
BOUND_MS = {"chromium": 80.0, "webkit": 200.0}
MOST_TIMES_NATIVE = 4.0


def rows(given: Given) -> Iterator[Row]:
    base = given.base(CHUNKS)
    for engine in given.engines:
        with given.page(engine) as (_, page):
            carried(page, base)
            there, here = asyncio.run(_asked(page, base))
        there_ms, here_ms = statistics.median(there), statistics.median(here)
        yield Row(f"{engine}: warm hybrid question, 10,000 chunks, p50", there_ms, "ms", BOUND_MS[engine])
        yield Row(f"{engine}: the same natively beside it", here_ms, "ms")
        most = MOST_TIMES_NATIVE if engine == "chromium" else None
        yield Row(f"{engine}: over native", there_ms / here_ms, "×", most)


async def _asked(page: PageEngine, base: Path) -> tuple[list[float], list[float]]:
    okf = native(base)
    there, here = [], []
    for question in questions(COUNT):
        answer, ms = page.timed("query", {"question": question})
        assert answer["coverage"]["mode"] == "hybrid", answer["coverage"]
        there.append(ms)
        start = time.perf_counter()
        await okf.query(SearchRequest(question))
        here.append((time.perf_counter() - start) * 1000)
    return there[WARMING:], here[WARMING:]
