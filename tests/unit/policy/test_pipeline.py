"""Each stage does its work in its place, and every call is recorded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from okf_edge.errors import InputError, OkfError, PolicyError, UnavailableError
from okf_edge.inmemory.calls import MemoryAuditLog, MemoryLedger
from okf_edge.inmemory.system import ManualClock, SeededEntropy
from okf_edge.policy import audit, idempotency, pipeline
from okf_edge.policy.call import Call, Kind, Result
from okf_edge.policy.caller import Caller, Scope
from okf_edge.policy.pipeline import Guards
from okf_edge.policy.rate import Buckets, Rate
from okf_edge.policy.rules import PathRules

KEY = b"key"
OWNER = Caller("owner", frozenset({"read", "capture"}), is_local=True)


@dataclass
class Counting:
    """A tool that counts how often it ran."""

    name: str = "capture"
    kind: Kind = "write"
    scope: Scope = "capture"
    whole_base: bool = False
    local_only: bool = False
    confirms: bool = False
    fails: Exception | None = None
    ran: list[Any] = field(default_factory=list)

    def validated(self, arguments: Mapping[str, Any]) -> Any:
        if "bad" in arguments:
            raise InputError("bad", code="bad-arguments")
        return arguments

    async def run(self, caller: Caller, checked: Any) -> Result:
        self.ran.append(checked)
        if self.fails:
            raise self.fails
        return Result({"number": len(self.ran), "text": "x" * checked.get("size", 0)}, "done")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def guards(clock: ManualClock) -> Guards:
    return Guards(MemoryLedger(), MemoryAuditLog(), KEY, clock, SeededEntropy())


async def call(guards: Guards, tool: Counting | None, caller: Caller = OWNER, base: str = "notes", **arguments: Any):
    named = tool.name if tool else "nothing"
    return await pipeline.run(guards, Call(caller, named, arguments), tool, base, {"notes"})


async def refused(guards: Guards, tool: Counting | None, caller: Caller = OWNER, **arguments: Any) -> OkfError:
    with pytest.raises(OkfError) as told:
        await call(guards, tool, caller, **arguments)
    return told.value


async def test_a_key_runs_a_call_once_and_replays_its_result(guards: Guards) -> None:
    tool = Counting()
    first = await call(guards, tool, idempotency_key="k", content="a")
    again = await call(guards, tool, idempotency_key="k", content="a")
    assert (first.content, len(tool.ran)) == (again.content, 1)
    assert again.meta == {"replayed": True}


async def test_a_key_is_of_one_caller_and_one_call(guards: Guards) -> None:
    tool = Counting()
    await call(guards, tool, idempotency_key="k", content="a")
    assert (await refused(guards, tool, idempotency_key="k", content="b")).code == "idempotency-mismatch"
    await call(guards, tool, replace(OWNER, name="other"), idempotency_key="k", content="b")
    assert len(tool.ran) == 2


async def test_a_call_whose_end_nobody_knows_is_never_run_again(guards: Guards, clock: ManualClock) -> None:
    tool = Counting(fails=UnavailableError("the disk went away"))
    assert (await refused(guards, tool, idempotency_key="k")).code == "unavailable"
    tool.fails = None
    assert (await refused(guards, tool, idempotency_key="k")).code == "outcome-unknown"
    clock.advance(61)
    assert (await refused(guards, tool, idempotency_key="k")).code == "outcome-unknown"
    assert len(tool.ran) == 1


@pytest.mark.parametrize("seconds", [0, 61, -3600, -86_400 * 365])
async def test_a_call_whose_process_died_is_never_run_again_wherever_the_clock_was_set(
    guards: Guards, clock: ManualClock, seconds: float
) -> None:
    tool = Counting()
    asked = Call(OWNER, tool.name, {"idempotency_key": "k"})
    await idempotency.commit(guards.ledger, await idempotency.claim(guards.ledger, asked, clock.now()))
    later = replace(guards, clock=ManualClock(clock.now() + timedelta(seconds=seconds)))
    expected = "idempotency-in-flight" if seconds == 0 else "outcome-unknown"
    assert (await refused(later, tool, idempotency_key="k")).code == expected
    assert tool.ran == []


@pytest.mark.parametrize("seconds", [301, -60, -3600, -86_400 * 365])
async def test_a_confirmation_holds_no_longer_wherever_the_clock_was_set(
    guards: Guards, clock: ManualClock, seconds: float
) -> None:
    tool = Counting(confirms=True)
    code = (await refused(guards, tool)).details["confirm"]  # type: ignore[attr-defined]
    later = replace(guards, clock=ManualClock(clock.now() + timedelta(seconds=seconds)))
    assert (await refused(later, tool, confirm=code)).code == "confirmation-required"
    assert tool.ran == []


async def test_a_call_that_was_refused_as_asked_may_come_again(guards: Guards) -> None:
    tool = Counting(fails=InputError("no"))
    await refused(guards, tool, idempotency_key="k")
    tool.fails = None
    assert (await call(guards, tool, idempotency_key="k")).content["number"] == 2


async def test_a_claim_of_a_process_that_died_before_it_ran_is_taken_over(guards: Guards, clock: ManualClock) -> None:
    from okf_edge.policy.idempotency import claim

    tool = Counting()
    await claim(guards.ledger, Call(OWNER, tool.name, {"idempotency_key": "k"}), clock.now())
    assert (await refused(guards, tool, idempotency_key="k")).code == "idempotency-in-flight"
    clock.advance(61)
    assert (await call(guards, tool, idempotency_key="k")).content["number"] == 1


async def test_a_key_is_forgotten_after_a_day(guards: Guards, clock: ManualClock) -> None:
    tool = Counting()
    await call(guards, tool, idempotency_key="k")
    clock.advance(86_401)
    await call(guards, tool, idempotency_key="k", content="other")
    assert len(tool.ran) == 2


async def test_a_confirmation_is_spent_once_by_whom_and_for_what_it_was_given(
    guards: Guards, clock: ManualClock
) -> None:
    tool = Counting(confirms=True)
    code = (await refused(guards, tool, source="a")).details["confirm"]  # type: ignore[attr-defined]
    other = replace(OWNER, name="other")
    assert (await refused(guards, tool, source="b", confirm=code)).code == "confirmation-required"
    assert (await refused(guards, tool, other, source="a", confirm=code)).code == "confirmation-required"
    assert (await refused(guards, replace_name(tool), source="a", confirm=code)).code == "confirmation-required"
    assert (await call(guards, tool, source="a", confirm=code)).content["number"] == 1
    assert (await refused(guards, tool, source="a", confirm=code)).code == "confirmation-required"
    late = (await refused(guards, tool, source="a")).details["confirm"]  # type: ignore[attr-defined]
    clock.advance(301)
    assert (await refused(guards, tool, source="a", confirm=late)).code == "confirmation-required"


def replace_name(tool: Counting) -> Counting:
    return replace(tool, name="sync")


async def test_a_denied_or_throttled_call_spends_no_confirmation_and_leaves_no_claim(
    guards: Guards, clock: ManualClock
) -> None:
    guards = replace(guards, buckets=Buckets({"read": Rate(60, 1), "write": Rate(60, 1)}))
    tool = Counting(confirms=True)
    code = (await refused(guards, tool, source="a")).details["confirm"]  # type: ignore[attr-defined]
    nobody = replace(OWNER, scopes=frozenset())
    assert (await refused(guards, tool, nobody, source="a", confirm=code)).code == "forbidden"
    throttled = await refused(guards, tool, source="a", confirm=code, idempotency_key="k")
    assert throttled.code == "throttled"
    assert throttled.details == {"retry_after_seconds": 1}  # type: ignore[attr-defined]
    clock.advance(1)
    assert (await call(guards, tool, source="a", confirm=code, idempotency_key="k")).content["number"] == 1


@pytest.mark.parametrize(
    ("tool", "caller", "code"),
    [
        (Counting(), replace(OWNER, scopes=frozenset({"read"})), "forbidden"),
        (Counting(local_only=True), replace(OWNER, is_local=False), "forbidden"),
        (Counting(whole_base=True), replace(OWNER, rules=PathRules(deny=("a",))), "forbidden"),
        (None, OWNER, "no-tool"),
    ],
)
async def test_what_is_not_allowed_does_not_run(guards: Guards, tool, caller, code) -> None:
    assert (await refused(guards, tool, caller)).code == code
    assert not tool or tool.ran == []


async def test_the_read_only_switch_stops_all_writing(guards: Guards) -> None:
    assert (await refused(replace(guards, read_only=True), Counting())).code == "read-only"


async def test_a_foreign_base_is_refused_like_one_that_does_not_exist(guards: Guards) -> None:
    told = [await refused(guards, Counting(), base=base) for base in ("private", "nowhere")]
    assert {(each.code, each.message.replace("private", "nowhere"), each.hint) for each in told} == {
        ("no-base", "no knowledge base is called 'nowhere'", "There are: notes.")
    }


async def test_a_result_that_is_too_large_does_not_leave(guards: Guards) -> None:
    assert (await refused(guards, Counting(), size=2_000_000)).code == "overflow"


async def test_every_call_is_recorded_without_content(guards: Guards) -> None:
    await call(guards, Counting(), content="my secret thought")
    await refused(guards, Counting(), replace(OWNER, scopes=frozenset()), content="my secret thought")
    await refused(guards, Counting(), bad=1)
    await refused(guards, None)
    with pytest.raises(ZeroDivisionError):
        await call(guards, Counting(fails=ZeroDivisionError("my secret thought")))
    lines = await guards.log.lines()
    told = [json.loads(line) for line in lines]
    assert [(each["outcome"], each["code"]) for each in told] == [
        ("done", ""), ("denied", "forbidden"), ("failed", "bad-arguments"), ("failed", "no-tool"), ("defect", ""),
    ]  # fmt: skip
    assert b"secret" not in b"".join(lines)
    assert audit.verify(lines, lines[-1], KEY) == audit.Verified(5)


async def test_every_change_of_the_log_is_seen(guards: Guards) -> None:
    for number in range(4):
        await call(guards, Counting(), content=str(number))
    lines = await guards.log.lines()
    head = lines[-1]
    changed = [line.replace(b'"owner"', b'"other"') for line in lines]
    moved, added = [lines[1], lines[0], *lines[2:]], [*lines[:2], b"", *lines[2:]]
    for broken in (lines[1:], lines[:2] + lines[3:], lines[:-1], moved, [*lines[:3], changed[3]],
                   [*lines, lines[-1]], added, [], [b"[]", *lines[1:]]):  # fmt: skip
        assert audit.verify(broken, head, KEY).problem
    assert audit.verify(lines, head, b"another key").problem
    assert not audit.verify(lines, head, KEY).problem


async def test_callers_have_each_their_own_rate(guards: Guards) -> None:
    guards = replace(guards, buckets=Buckets({"read": Rate(60, 2), "write": Rate(60, 2)}))
    await call(guards, Counting())
    await call(guards, Counting())
    with pytest.raises(PolicyError, match="too many"):
        await call(guards, Counting())
    await call(guards, Counting(), replace(OWNER, name="other"))
    await call(guards, Counting(name="query", kind="read", scope="read"))


@pytest.mark.parametrize(
    "last", [b"garbage{", b"\xff\xfe", b"[]", b'{"n": "x"}', b'{"n": 3, "mac": null}', b"[" * 9000]
)
async def test_after_a_damaged_line_calls_go_on_and_the_log_shows_it(guards: Guards, last: bytes) -> None:
    await call(guards, Counting())
    await guards.log.append(lambda _: last)
    await call(guards, Counting())
    assert audit.verify(await guards.log.lines(), await guards.log.head(), KEY).lines == 1


async def test_a_flood_of_foreign_tokens_leaves_some_lines_and_does_not_fill_the_disk(
    guards: Guards, clock: ManualClock
) -> None:
    error = PolicyError("expected a valid bearer token", code="unauthenticated")
    for _ in range(500):
        await pipeline.record_refusal(guards, "http", error, "token-unknown")
    flooded = len(await guards.log.lines())
    assert 10 <= flooded <= 100
    clock.advance(60)
    await pipeline.record_refusal(guards, "http", error, "token-unknown")
    assert len(await guards.log.lines()) == flooded + 1
