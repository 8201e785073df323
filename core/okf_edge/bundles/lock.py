"""One writer at a time in a knowledge base, with a lock that a killed process can't leave behind for long.

A lock is a file `.okf/locks/bundles-<generation>`, created exclusively, that says until when it is held. Whoever finds
the newest generation released or expired creates the next one; creation is exclusive, so one of many wins. Nobody
ever removes or overwrites a lock that another may hold, which is how locks that are "stolen" by deletion go wrong.

The lock is held only while an installation is moved into place, never while one is downloaded, verified or indexed.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta

from okf_edge.errors import AlreadyExistsError, NotFoundError, OkfError, UnavailableError
from okf_edge.json_text import json_value
from okf_edge.ports import Clock, FileTree

HELD = timedelta(seconds=5)
"""A swap is a handful of renames: it takes milliseconds, and a second on a bad network drive."""

_POLL_SECONDS = 0.1
_POLLS_COUNT = 100
_LOCK_BYTES = 200
_WAY = frozenset({".okf", ".okf/locks"})
_PREFIX = ".okf/locks/bundles-"


class BusyError(UnavailableError):
    """Another process holds the lock."""

    default_code = "busy"


@asynccontextmanager
async def hold_lock(tree: FileTree, clock: Clock, *, wait: bool = True) -> AsyncIterator[None]:
    """Hold the lock of a knowledge base. Raises BusyError: another process holds it, and did so while we waited."""
    generation = await _acquire(tree, clock, _POLLS_COUNT if wait else 1)
    try:
        yield
    finally:
        await _release(tree, generation)


async def _acquire(tree: FileTree, clock: Clock, polls_count: int) -> int:
    for poll in range(polls_count):
        if poll:
            await asyncio.sleep(_POLL_SECONDS)
        newest = max(await _generations(tree), default=0)
        if (newest == 0 or await _is_free(tree, newest, clock.now())) and await _take(tree, newest + 1, clock.now()):
            return newest + 1
    raise BusyError(
        f"expected the bundles to be free, found another okf at work for {_POLL_SECONDS * polls_count:.1f} s",
        hint="Try again when it is done.",
    )


async def _take(tree: FileTree, generation: int, now: datetime) -> bool:
    """Create a generation, and hold it only if none came after the one that was found free."""
    content = _content(now + HELD)
    try:
        await tree.create(_path(generation), content)
    except AlreadyExistsError:
        return False
    except OkfError:
        await _take_back(tree, _path(generation), content)
        raise
    others = set(await _generations(tree)) - {generation}
    is_newest = all(other < generation for other in others)
    for each in others if is_newest else {generation}:
        with suppress(OkfError):  # one that stays is in nobody's way: the newest alone counts
            await tree.remove(_path(each))
    return is_newest


async def _release(tree: FileTree, generation: int) -> None:
    """Say that it is free, or on a full disk take it away. What can be neither expires by itself."""
    try:
        await tree.write(_path(generation), _content(None))
    except OkfError:
        with suppress(OkfError):
            await tree.remove(_path(generation))


async def _take_back(tree: FileTree, path: str, content: bytes) -> None:
    """Remove what stands there although its creation failed, as at its end on a full disk: nobody would release it."""
    with suppress(OkfError):
        if await tree.read(path, _LOCK_BYTES) == content:
            await tree.remove(path)


async def _is_free(tree: FileTree, generation: int, now: datetime) -> bool:
    try:
        until = json_value(await tree.read(_path(generation), _LOCK_BYTES))["until"]
        return until is None or datetime.fromisoformat(until) <= now
    except NotFoundError:
        return False  # its holder is gone and a newer one is there: look again
    except (ValueError, TypeError, KeyError):
        return True  # no lock of ours says this: nobody can hold it


async def _generations(tree: FileTree) -> list[int]:
    entries = await tree.list(enter=lambda directory: directory in _WAY)
    names = [entry.path.removeprefix(_PREFIX) for entry in entries if entry.path.startswith(_PREFIX)]
    return [int(name) for name in names if name.isdecimal()]


def _path(generation: int) -> str:
    return f"{_PREFIX}{generation}"


def _content(until: datetime | None) -> bytes:
    return json.dumps({"until": until and until.isoformat()}).encode()
