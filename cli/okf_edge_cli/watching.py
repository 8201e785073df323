"""`okf watch`."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress

from okf_edge.app import Okf
from okf_edge.workspace.watching import Event
from okf_edge_cli import screen, session
from okf_edge_cli.commands import DONE
from okf_edge_cli.screen import Line, bold, dim, good, line, wary


def watch(folder: str | None, seconds: int | None, as_json: bool) -> int:
    async def job(okf: Okf) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                async for event in okf.watch(asyncio.sleep):
                    _tell(event, as_json)

    session.run(job, folder, as_json)
    return DONE


def _tell(event: Event, as_json: bool) -> None:
    if as_json:
        value = {"event": event.kind, "path": event.path, "stale": list(event.stale)}
        sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
        sys.stdout.flush()
    else:
        screen.show([_line(event)])


def _line(event: Event) -> Line:
    if event.kind == "watching":
        return line(dim("watching; Ctrl-C ends it"))
    kinds = {"new": good, "changed": bold, "gone": wary}
    stale = f"  stale now: {', '.join(event.stale)}" if event.stale else ""
    return line(kinds[event.kind](f"{event.kind:<8}"), event.path, wary(stale))
