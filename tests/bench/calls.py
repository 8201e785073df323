"""What a call of a tool costs beside its search: the pipeline in one process, and many clients over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

from okf_edge.policy.pipeline import Guards
from okf_edge.retrieval.request import SearchRequest
from okf_edge.tools.service import Service
from okf_edge_native.calls import FileAuditLog, FileLedger, audit_key
from okf_edge_native.mcp.host import NativeHost
from okf_edge_native.mcp.stdio import OWNER
from okf_edge_native.system import SystemClock, SystemEntropy
from tests.bench import corpus
from tests.bench.processes import OKF, okf
from tests.bench.rows import Row
from tests.served import serving

QUESTION = "How is an archive verified before it is installed?"
PAIRS = 200
CLIENTS, CALLS = 50, 20
LARGE_BYTES = 4096
"""More than Python keeps memory of its own for."""


def start_of_tools(work: Path) -> Iterator[Row]:
    """The whole of a server that is asked for its tools and let go."""
    (work / "started").mkdir()
    found = sorted(_started(work / "started") for _ in range(5))
    yield Row("okf mcp, started and asked for its tools", found[2], "s CPU", 0.6)


def pipeline(work: Path) -> Iterator[Row]:
    """A question through all stages, and the same question alone, in turns; the difference of their medians."""
    notes = corpus.write_pages(work / "called", 500, sections=2)
    okf("index", "build", "--dir", notes, "--json", environment={"OKF_HOME": str(work / "no-models")})
    alone, called = asyncio.run(_paired(notes, work / "state"))
    note = f"{called:.2f} and {alone:.2f} ms CPU of one thread"
    yield Row("pipeline of a tool call, over its search, p50", called - alone, "ms CPU", 1.0, note=note)


def many_clients(work: Path) -> Iterator[Row]:
    notes, home = work / "called", work / "served-home"
    home.mkdir(exist_ok=True)
    with serving(notes, home) as served:
        times = sorted(asyncio.run(_calls(served.url, served.headers)))
    p50, p99 = times[len(times) // 2], times[int(len(times) * 0.99) - 1]
    note = f"{p50 * 1000:.0f} and {p99 * 1000:.0f} ms, no error"
    yield Row(f"{CLIENTS} HTTP clients × {CALLS} calls, p99 over p50", p99 / p50, "×", 10.0, note=note)


def _started(notes: Path) -> float:
    before = os.times()
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}) + "\n"
    done = subprocess.run([OKF, "mcp", "--dir", notes], input=asked, capture_output=True, text=True, check=True)
    if "query" not in done.stdout:
        raise RuntimeError(f"expected a list of tools, found {done.stdout[:300]}")
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


async def _paired(notes: Path, state: Path) -> tuple[float, float]:
    """Medians in milliseconds: the search alone, and the whole call."""
    host, place = NativeHost(str(notes)), str(state)
    key = audit_key(place)
    guards = Guards(FileLedger(place), FileAuditLog(place, key), key, SystemClock(), SystemEntropy())
    service = Service(host, guards)
    base = (await host.bases())[-1]
    searcher = host.searcher([base], {}, OWNER)

    async def search() -> Any:
        return await searcher.search(SearchRequest(QUESTION, k=8, dense=False))

    async def call() -> Any:
        return await service.call(OWNER, "query", {"question": QUESTION, "kb": base.name, "means": "lexical"})

    for _ in range(5):
        await search(), await call()
    pairs = [(await _timed(search), await _timed(call)) for _ in range(PAIRS)]
    return statistics.median(one for one, _ in pairs), statistics.median(other for _, other in pairs)


async def _timed(work: Callable[[], Awaitable[Any]]) -> float:
    """Milliseconds of this thread, with the tidying of what was freed.

    The allocator puts what an engine freed in order when next it is asked for much, whoever asks (up to .5 ms after a
    search). Asked here, each pays for its own; else the call pays for the search before it as well.
    """
    started = time.thread_time()
    await work()
    bytearray(LARGE_BYTES)
    return (time.thread_time() - started) * 1000


async def _calls(url: str, headers: dict[str, str]) -> list[float]:
    times: list[float] = []
    limits = httpx.Limits(max_connections=CLIENTS, max_keepalive_connections=CLIENTS)
    asked = {"name": "query", "arguments": {"question": QUESTION, "means": "lexical"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
    async with httpx.AsyncClient(headers=headers, limits=limits, timeout=300, trust_env=False) as http:

        async def client() -> None:
            for _ in range(CALLS):
                started = time.perf_counter()
                reply = await http.post(url, json=message)
                times.append(time.perf_counter() - started)
                if reply.status_code != 200 or reply.json()["result"]["isError"]:
                    raise RuntimeError(f"expected an answer, found {reply.text[:300]}")

        await asyncio.gather(*(client() for _ in range(CLIENTS)))
    return times
