"""A call over HTTP that would take too long is stopped and says so, and holds up nobody else meanwhile."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.served import Served, run_okf, serving

SECONDS = 0.8
PROGRAM = f"""
from dataclasses import replace
from okf_edge import limits
limits.LIMITS = replace(limits.LIMITS, call_seconds={SECONDS})
from okf_edge_cli.main import run
run()
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root = tmp_path_factory.mktemp("large")
    (root / "notes/concepts").mkdir(parents=True)
    for number in range(2000):
        sections = "".join(
            f"## Gate {each}\n\nSluice {number * each} opens at dawn. [[{number}]]\n\n" * 4 for each in range(9)
        )
        (root / f"notes/concepts/{number}.md").write_text(f"# Weir {number}\n\n{sections}")
    with serving(root / "notes", root, program=(sys.executable, "-c", PROGRAM)) as it:
        yield it


@pytest.mark.parametrize(
    ("tool", "arguments"), [("query", {"question": "when does the sluice open?"}), ("map", {})], ids=["query", "map"]
)
async def test_a_call_that_takes_too_long_is_stopped_and_others_are_answered_meanwhile(
    served: Served, tool: str, arguments: dict[str, Any]
) -> None:
    waits: list[float] = []
    async with httpx.AsyncClient(headers=served.headers, timeout=60, trust_env=False) as http:

        async def asked(method: str, **params: Any) -> Any:
            started = time.monotonic()
            reply = await http.post(served.url, json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
            assert reply.status_code == 200
            return reply.json()["result"], time.monotonic() - started

        calls = [asyncio.create_task(asked("tools/call", name=tool, arguments=arguments)) for _ in range(3)]
        while not all(call.done() for call in calls):
            waits.append((await asked("tools/call", name="list_kbs", arguments={}))[1])
        answers = [await call for call in calls]
    for result, seconds in answers:
        assert result["structuredContent"]["error"]["code"] == "timed-out"
        assert seconds >= SECONDS
        assert len(waits) > 2 and min(waits) < seconds / 3
    log = run_okf(served.environment, "audit", "tail", "-n", "1000", "--json")["records"]
    stopped = [each for each in log if each["tool"] == tool]
    assert [(each["outcome"], each["code"]) for each in stopped] == [("failed", "timed-out")] * 3
    assert all(each["milliseconds"] < 5000 * SECONDS for each in stopped)
