"""One command, run: compose the ports, await the use case, print what came out."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, NoReturn, TypeVar

from okf_edge.app import Okf
from okf_edge.retrieval.answer import Answer
from okf_edge.retrieval.request import SearchRequest
from okf_edge_cli import screen
from okf_edge_cli.screen import Line
from okf_edge_native import compose

Result = TypeVar("Result")


def run(job: Callable[[Okf], Awaitable[Result]], folder: str | None, as_json: bool) -> Result:
    """Await a use case of a folder; None is the nearest knowledge base at or above here, else here."""

    async def awaited() -> Result:
        return await job(compose.okf_of(folder, quiet=as_json))

    signal.signal(signal.SIGINT, _interrupt)
    return asyncio.run(awaited())


def run_alone(job: Callable[[], Awaitable[Result]]) -> Result:
    """Await what has to do with no folder."""

    async def awaited() -> Result:
        return await job()

    signal.signal(signal.SIGINT, _interrupt)
    return asyncio.run(awaited())


def run_all(request: SearchRequest, embedder: str, as_json: bool) -> Answer:
    """Ask every registered knowledge base at once."""

    async def awaited() -> Answer:
        from okf_edge.app.federation import ask_all

        members, absent = await compose.members(quiet=as_json)
        return await ask_all(members, absent, request, embedder)

    signal.signal(signal.SIGINT, _interrupt)
    return asyncio.run(awaited())


def _interrupt(signum: int, frame: object) -> NoReturn:
    """Stop at once: asyncio's own handler waits until a task yields, and an index build may not for minutes."""
    raise KeyboardInterrupt


def asked(question: str) -> str:
    """What whoever sits at the terminal answers; empty when they end the input."""
    try:
        return input(question).strip()
    except EOFError:
        return ""


def print_result(value: Any, lines: Iterable[Line], as_json: bool) -> None:
    """Print a result as one JSON object, or as lines for people."""
    if as_json:
        screen.show_json(value)
    else:
        screen.show(lines)
