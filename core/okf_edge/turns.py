"""Long work that lets others go on in between: one process, on one event loop, may serve many callers.

It is also where long work can be stopped: by its caller who gives up, or when its time is up.
"""

from __future__ import annotations

import asyncio

PAGES = 4
"""Pages that are read or indexed in one turn: some milliseconds of work."""


async def give_way(done: int) -> None:
    """Let others go on, now and then. Args: done: how many pages were worked off."""
    if done % PAGES == 0:
        await asyncio.sleep(0)
