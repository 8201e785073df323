"""A tool runs no longer than it may: who waits or works too long is stopped, and the record says so."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from okf_edge.errors import OkfError
from okf_edge.inmemory.calls import MemoryAuditLog, MemoryLedger
from okf_edge.inmemory.system import ManualClock, SeededEntropy
from okf_edge.policy import pipeline
from okf_edge.policy.call import Call, Kind, Result
from okf_edge.policy.caller import Caller, Scope
from okf_edge.policy.deadline import Timed
from okf_edge.policy.pipeline import Guards

OWNER = Caller("owner", frozenset({"read", "capture"}), is_local=True)


@dataclass
class Endless:
    """A tool that waits, or works, for ever."""

    clock: ManualClock
    kind: Kind
    works: bool
    scope: Scope = "read"
    name: str = "endless"
    whole_base: bool = False
    local_only: bool = False
    confirms: bool = False
    ran: int = 0

    def validated(self, arguments: Mapping[str, Any]) -> Any:
        return arguments

    async def run(self, caller: Caller, checked: Any) -> Result:
        self.ran += 1
        if not self.works:
            await asyncio.Event().wait()
        for number in range(1_000):
            Timed(self.clock).step("indexing", number)
            self.clock.advance(1)
        return Result({"steps": 1_000}, "done")


@pytest.fixture
def guards() -> Guards:
    return Guards(MemoryLedger(), MemoryAuditLog(), b"key", ManualClock(), SeededEntropy(), seconds=0.05)


async def stopped(guards: Guards, tool: Endless, **arguments: Any) -> OkfError:
    with pytest.raises(OkfError) as told:
        async with asyncio.timeout(5):
            await pipeline.run(guards, Call(OWNER, tool.name, arguments), tool, "", set())
    return told.value


@pytest.mark.parametrize("works", [False, True])
@pytest.mark.parametrize(("kind", "outcome"), [("read", "failed"), ("write", "unknown")])
async def test_a_tool_that_does_not_end_is_stopped_and_recorded(
    guards: Guards, kind: Kind, outcome: str, works: bool
) -> None:
    tool = Endless(guards.clock, kind, works)  # type: ignore[arg-type]
    assert (await stopped(guards, tool, idempotency_key="k")).code == "timed-out"
    told = json.loads((await guards.log.lines())[-1])
    assert (told["outcome"], told["code"]) == (outcome, "timed-out")
    assert (await stopped(guards, tool, idempotency_key="k")).code == "outcome-unknown"
    assert tool.ran == 1


async def test_without_a_limit_work_takes_as_long_as_it_takes(guards: Guards) -> None:
    tool = Endless(guards.clock, "read", works=True)  # type: ignore[arg-type]
    found = await pipeline.run(replace(guards, seconds=None), Call(OWNER, tool.name, {}), tool, "", set())
    assert found.content == {"steps": 1_000}


@pytest.mark.parametrize(("kind", "outcome"), [("read", "cancelled"), ("write", "unknown")])
async def test_a_call_that_its_caller_gives_up_is_no_defect(guards: Guards, kind: Kind, outcome: str) -> None:
    tool = Endless(guards.clock, kind, works=False)  # type: ignore[arg-type]
    running = asyncio.create_task(
        pipeline.run(replace(guards, seconds=60), Call(OWNER, tool.name, {}), tool, "", set())
    )
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert json.loads((await guards.log.lines())[-1])["outcome"] == outcome
