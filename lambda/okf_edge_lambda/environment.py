"""What lives as long as an execution environment: made at its first use, dropped when a snapshot of it is restored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import cache
from typing import Any, TypeVar

from okf_edge_lambda import clients, protected, store
from okf_edge_lambda.believed import Believed
from okf_edge_lambda.engine import KeptSql
from okf_edge_lambda.host import Library
from okf_edge_lambda.models import ServiceModels
from okf_edge_lambda.settings import settings
from okf_edge_lambda.shelf import Shelf
from okf_edge_native.system import SystemClock

T = TypeVar("T")


@cache
def loop() -> asyncio.AbstractEventLoop:
    """The one loop of the environment: an invocation finds what an earlier one left in it."""
    made = asyncio.new_event_loop()
    asyncio.set_event_loop(made)
    return made


def run(work: Coroutine[Any, Any, T]) -> T:
    return loop().run_until_complete(work)


@cache
def shelf() -> Shelf:
    return Shelf(f"{settings().cache}/files", settings().cache_bytes, lambda place: engine().release(place))


@cache
def engine() -> KeptSql:
    return KeptSql()


@cache
def library() -> Library:
    return Library(store.bucket())


@cache
def models() -> ServiceModels:
    return ServiceModels(settings().models, shelf(), f"{settings().cache}/models")


@cache
def believed() -> Believed:
    return Believed(store.feed(), settings().feed_root, SystemClock(), settings().believe_seconds)


def forget() -> None:
    """Drop connections, credentials and what was read with them; loaded code and models stay."""
    clients.forget()
    store.forget()
    protected.forget()
    for each in (library, believed, engine):
        each.cache_clear()


def keep_snapshots_clean(also: Callable[[], None] = lambda: None) -> None:
    """Where SnapStart restores environments, each restored one begins with connections of its own."""
    try:
        from snapshot_restore_py import register_after_restore
    except ImportError:
        return  # not on Lambda
    register_after_restore(forget)
    register_after_restore(also)
