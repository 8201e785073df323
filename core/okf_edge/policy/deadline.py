"""Stage 8, run: no longer than a call may take, so that one that hangs or is endless does not hold up its caller.

What waits, or gives way to others, is stopped by the event loop. What works without doing so is stopped by `Timed`
between two of its steps; what it finished until then stays.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar

from okf_edge.errors import UnavailableError
from okf_edge.ports import Clock

_until: ContextVar[float] = ContextVar("until", default=math.inf)

TIMED_OUT = "timed-out"


@asynccontextmanager
async def within(seconds: float | None, clock: Clock) -> AsyncIterator[None]:
    """Stop what runs inside after so many seconds; None for never. Raises UnavailableError: it was stopped."""
    if seconds is None:
        yield
        return
    until = clock.monotonic() + seconds
    token = _until.set(until)
    timer = asyncio.timeout(seconds)
    try:
        async with timer:
            yield
    except (TimeoutError, asyncio.CancelledError) as error:
        if not timer.expired() and clock.monotonic() < until:
            raise
        raise UnavailableError(
            f"the call took longer than {seconds:g} s and was stopped",
            code=TIMED_OUT,
            hint="Ask for less; or have `okf index build` run first, which takes as long as it needs.",
        ) from error
    finally:
        _until.reset(token)


class Timed:
    """A `Progress` that tells nobody, and stops the work of a call whose time is up."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def step(self, label: str, done: int, total: int | None = None) -> None:
        until = _until.get()
        if until < math.inf and self._clock.monotonic() >= until:
            raise asyncio.CancelledError

    def message(self, text: str) -> None: ...
