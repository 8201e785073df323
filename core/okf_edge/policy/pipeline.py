"""The pipeline: every call passes the same stages in the same order, and is recorded however it ends.

    parse → authenticate → authorise → validate → idempotency → rate → confirm → run → size → record

The transport parses and authenticates, since it answers for both in its own words. A call that is denied or throttled
spends no confirmation, and leaves no claim behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field, replace
from typing import TypeVar

from okf_edge.errors import InputError, OkfError, PolicyError
from okf_edge.limits import LIMITS
from okf_edge.okf.freshness import format_instant
from okf_edge.policy import audit, authorise, confirm, idempotency
from okf_edge.policy.audit import Record
from okf_edge.policy.call import Call, Guarded, Result
from okf_edge.policy.deadline import TIMED_OUT, within
from okf_edge.policy.ledger import AuditLog, Ledger
from okf_edge.policy.parse import canonical
from okf_edge.policy.rate import Buckets
from okf_edge.ports import Clock, Entropy

T = TypeVar("T")

Watch = Callable[[Record], None]

UNKNOWN = "unknown"
"""In a record, in place of a tool or a base that its caller made up: it could be anything, content too. As an outcome:
a call that writes was stopped on its way."""

NOBODY = ""
"""Who sent a request without a valid token."""


def _unwatched(record: Record) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Guards:
    """What the stages need: where they remember and record, the clock, and the switch that forbids all writing.

    `watch` is told each record too, for those who run the server. `seconds` is how long a tool may run, None for as
    long as it takes.
    """

    ledger: Ledger
    log: AuditLog
    log_key: bytes
    clock: Clock
    entropy: Entropy
    read_only: bool = False
    buckets: Buckets = field(default_factory=Buckets)
    watch: Watch = _unwatched
    seconds: float | None = None


@dataclass(slots=True)
class Course:
    """How far a call came, for its record. `is_writing`: whether it changed something, or was about to, so that
    nobody knows how it ended if it is stopped now."""

    outcome: str = "failed"
    code: str = ""
    bytes: int = 0
    is_writing: bool = False


async def run(guards: Guards, call: Call, tool: Guarded | None, base: str, known: Collection[str]) -> Result:
    """Run a call through all stages.

    Args: tool: None when there is none of that name. base: the base that it means, empty when it means none.
        known: the bases that the caller may use.
    Raises: OkfError: whatever stopped it; it was recorded.
    """

    async def stages(course: Course) -> Result:
        result = await _stages(guards, call, tool, base, known, course)
        require_size(course, len(canonical(result.content)))
        return result

    named = call if tool else replace(call, tool=UNKNOWN)
    return await observed(guards, named, base if base in known or not base else UNKNOWN, stages)


async def observed(guards: Guards, call: Call, base: str, work: Callable[[Course], Awaitable[T]]) -> T:
    """What `work` gives; however it ends, that is recorded."""
    started, course = guards.clock.monotonic(), Course("defect")
    try:
        result = await work(course)
        course.outcome = "done"
        return result
    except OkfError as error:
        is_stopped = course.is_writing and error.code == TIMED_OUT
        course.outcome = UNKNOWN if is_stopped else "denied" if isinstance(error, PolicyError) else "failed"
        course.code = error.code
        raise
    except asyncio.CancelledError:
        course.outcome = UNKNOWN if course.is_writing else "cancelled"
        raise
    finally:
        await _record(guards, call, base, course, guards.clock.monotonic() - started)


def require_size(course: Course, size: int) -> None:
    """Stage 9, size limit: what is too large does not leave, and is not cut in the middle either."""
    course.bytes = size
    if size > LIMITS.result_bytes:
        raise PolicyError(
            f"the result has {size:,} bytes, and {LIMITS.result_bytes:,} may leave",
            code="overflow",
            hint="Ask for less: a smaller k, or max_tokens.",
        )


async def _stages(
    guards: Guards, call: Call, tool: Guarded | None, base: str, known: Collection[str], course: Course
) -> Result:
    if tool is None:
        raise InputError(f"there is no tool {call.tool!r}", code="no-tool", hint="See the list of tools.")
    authorise.authorise(call, tool, read_only=guards.read_only)
    if base:
        authorise.require_base(call, base, known)
    checked = tool.validated(call.arguments)
    claimed = await idempotency.claim(guards.ledger, call, guards.clock.now())
    if claimed and claimed.replay:
        return claimed.replay
    try:
        guards.buckets.take(call.caller.name, tool.kind, guards.clock.monotonic())
        if tool.confirms:
            await confirm.confirm(guards.ledger, call, guards.entropy, guards.clock.now())
    except PolicyError:
        await idempotency.release(guards.ledger, claimed)
        raise
    await idempotency.commit(guards.ledger, claimed)
    course.is_writing = tool.kind == "write"
    try:
        async with within(guards.seconds, guards.clock):
            result = await tool.run(call.caller, checked)
    except InputError:
        await idempotency.release(guards.ledger, claimed)  # it was refused as asked, so nothing happened
        raise
    except BaseException:
        await idempotency.lose(guards.ledger, claimed)
        raise
    await idempotency.complete(guards.ledger, claimed, result)
    return result


async def record_refusal(guards: Guards, tool: str, error: OkfError, reason: str) -> None:
    """Record what came to no call, e.g. a foreign token; `reason` stays in the log.

    A flood of them leaves some lines a minute: anybody can send it, and would fill the disk.
    """
    try:
        guards.buckets.take(NOBODY, "write", guards.clock.monotonic())
    except PolicyError:
        return
    record = Record(format_instant(guards.clock.now()), NOBODY, tool, "", "", "denied", reason or error.code, 0.0, 0)
    await _keep(guards, record)


async def _record(guards: Guards, call: Call, base: str, course: Course, seconds: float) -> None:
    record = Record(
        at=format_instant(guards.clock.now()),
        caller=call.caller.name,
        tool=call.tool[:64],
        base=base[:64],
        arguments=audit.hidden(guards.log_key, call.fingerprint),
        outcome=course.outcome,
        code=course.code,
        milliseconds=round(seconds * 1000, 2),
        bytes=course.bytes,
    )
    await _keep(guards, record)


async def _keep(guards: Guards, record: Record) -> None:
    await guards.log.append(lambda last: audit.line_of(record, last, guards.log_key))
    guards.watch(record)
