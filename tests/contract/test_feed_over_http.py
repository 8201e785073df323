"""A feed that a plain web server serves: read only, and judged like any other."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from feed_kit import VERIFIER, Simulator
from okf_edge.errors import FeedError, UnavailableError
from okf_edge.feed import publish
from okf_edge.feed.client import Feed, first_pin, refresh, trust
from okf_edge.feed.kept import Kept
from okf_edge.inmemory import MemoryTree
from okf_edge_native.http import HttpBlobs

CHECK_BYTES = 40_000
"""What a check without news may cost a reader."""


class Served(SimpleHTTPRequestHandler):
    sent: list[int]

    def log_message(self, *arguments: object) -> None: ...

    def copyfile(self, source, outputfile) -> None:
        data = source.read()
        self.sent.append(len(data))
        outputfile.write(data)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, list[int]]]:
    """The address of a folder, and the sizes of what was sent from it."""
    sent: list[int] = []
    handler = type("Handler", (Served,), {"sent": sent})
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", sent
    server.shutdown()
    server.server_close()


def lay_out(simulator: Simulator, folder: Path) -> None:
    for key, data in simulator.store.blobs.items():
        (folder / key).parent.mkdir(parents=True, exist_ok=True)
        (folder / key).write_bytes(data)


async def test_a_feed_on_a_web_server_is_followed_and_a_check_without_news_is_small(served, tmp_path):
    address, sent = served
    simulator = await Simulator.started()
    for number in range(100):
        await simulator.publish(f"1.{number}.0")
    lay_out(simulator, tmp_path)
    store = HttpBlobs(address)
    feed = Feed(store, Kept(MemoryTree(), await first_pin(store)), VERIFIER)
    await trust(feed, simulator.now)
    assert len((await refresh(feed, simulator.now)).creators["ada"].targets) == 100
    sent.clear()
    await refresh(feed, simulator.now)
    assert sum(sent) <= CHECK_BYTES


async def test_a_web_server_that_goes_back_to_an_older_state_is_refused(served, tmp_path):
    simulator = await Simulator.started()
    old = dict(simulator.store.blobs)
    await simulator.publish()
    lay_out(simulator, tmp_path)
    feed = Feed(HttpBlobs(served[0]), Kept(MemoryTree(), simulator.pin), VERIFIER)
    await trust(feed, simulator.now)
    await refresh(feed, simulator.now)
    simulator.restore(old)
    lay_out(simulator, tmp_path)
    with pytest.raises(FeedError) as caught:
        await refresh(feed, simulator.now)
    assert caught.value.code == "rollback"


async def test_nothing_is_published_through_a_web_server(served, tmp_path):
    simulator = await Simulator.started()
    lay_out(simulator, tmp_path)
    writer = simulator.writer._replace(store=HttpBlobs(served[0]))
    with pytest.raises(UnavailableError):
        await publish.refresh_feed(writer, simulator.now)
