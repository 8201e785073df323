"""`okf watch`: looks at a folder again and again; what changed is indexed, reported on, and told in one line each."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

from okf_edge.app.asking import gather, scan_own
from okf_edge.app.lifecycle import look_at
from okf_edge.app.ports import Config, Ports
from okf_edge.retrieval.request import SearchRequest
from okf_edge.workspace.identity import identify
from okf_edge.workspace.watching import Event, Seen, events_between, seen_in, wait_after

Sleep = Callable[[float], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class _Look:
    """A folder at one moment: its notes, which pages are stale, and who cites what."""

    seen: Seen
    stale: frozenset[str]
    cited_by: dict[str, set[str]]


async def watch(ports: Ports, config: Config, sleep: Sleep) -> AsyncIterator[Event]:
    """Every change, as it is seen; ends only when it is closed or cancelled. The first event says that it watches.

    Raises: what indexing raises, e.g. UnavailableError for a full disk.
    """
    last = await _look(ports, config)
    yield Event("watching", "")
    wait = 0.0
    while True:
        started = ports.clock.monotonic()
        is_calm = seen_in(await scan_own(ports)) == last.seen
        if not is_calm:
            now = await _look(ports, config)
            for event in events_between(last.seen, now.seen, now.cited_by, now.stale - last.stale):
                yield event
            last = now
        wait = wait_after(ports.clock.monotonic() - started, wait, is_calm)
        await sleep(wait)


async def _look(ports: Ports, config: Config) -> _Look:
    """Bring the index and the kept facts up to date."""
    seen = seen_in(await scan_own(ports))
    survey, staleness = await look_at(ports)
    await _index(ports, config)
    cited_by: dict[str, set[str]] = {}
    for edge in survey.graph.citations():
        cited_by.setdefault(edge.end.path, set()).add(edge.source)
    return _Look(seen, frozenset(page.path for page in staleness.stale), cited_by)


async def _index(ports: Ports, config: Config) -> None:
    """As a question does before it is answered: a missing index is built, many changes are folded into a new one."""
    engine = ports.engine()
    try:
        name = (await identify(ports.tree, config.folder_name)).name
        await gather(ports, engine, SearchRequest("changes"), name)
    finally:
        await engine.close()
