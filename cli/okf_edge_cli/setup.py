"""`okf init` and `okf sync`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from okf_edge.app import Okf
from okf_edge.app.lifecycle import Synced
from okf_edge.workspace.agents import AGENTS, Agent, agent_named
from okf_edge.workspace.reports import setup_json
from okf_edge.workspace.setup import Setup
from okf_edge_cli import session
from okf_edge_cli.commands import DONE
from okf_edge_cli.screen import Line, bold, dim, good, line, wary


def init(folder: str, name: str | None, agent: str, as_json: bool) -> int:
    chosen = agent_named(agent) if agent else None
    asks = not as_json and name is None and chosen is None and sys.stdin.isatty() and sys.stdout.isatty()

    async def job(okf: Okf) -> Setup:
        if asks and not await okf.is_base():
            return await okf.init(*_asked())
        return await okf.init(name, chosen)

    done = session.run(job, folder, as_json)
    session.print_result(setup_json(done), _lines(done), as_json)
    return DONE


def sync(folder: str | None, as_json: bool) -> int:
    done = session.run(lambda okf: okf.sync(), folder, as_json)
    value = {
        "written": list(done.written),
        "left": list(done.left),
        "recorded": done.recorded,
        "notes": list(done.notes),
    }
    session.print_result(value, _sync_lines(done), as_json)
    return DONE


def _asked() -> tuple[str | None, Agent]:
    """Name and agent, from whoever sits at the terminal; an empty answer takes what is offered."""
    name = session.asked("What is this knowledge base called? [the folder's name] ")
    agent = session.asked(f"Which agent works with it? {' | '.join(AGENTS)} [none] ")
    return name or None, agent_named(agent or "none")


def _lines(done: Setup) -> Iterator[Line]:
    word = "is now a knowledge base" if done.created else "is a knowledge base already; nothing to do"
    yield line(bold(done.name), f" {word}", dim(" (laid out by Knowlery)" if done.adopted else ""))
    yield from (line("  ", good("created"), f"  {path}") for path in done.created)
    yield from (line("  ", dim("kept"), f"     {path}") for path in done.kept)
    yield from (line(wary("  note: "), note) for note in done.notes)


def _sync_lines(done: Synced) -> Iterator[Line]:
    yield line(good("synced") if done.written else good("up to date"))
    yield from (line("  ", good("written"), f"  {path}") for path in done.written)
    if done.recorded:
        yield line(dim(f"  {done.recorded} pages are recorded with what they were compiled from"))
    yield from (line("  ", dim("yours"), f"    {path}: left as it is") for path in done.left)
    yield from (line(wary("  note: "), note) for note in done.notes)
