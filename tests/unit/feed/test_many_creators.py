"""A feed of many creators is read some at once, each on its own account, and only those that are asked for."""

from __future__ import annotations

import asyncio

import pytest

from feed_kit import ARCHIVE, Device, Simulator, release
from okf_edge.errors import UnavailableError
from okf_edge.feed import publish
from okf_edge.feed.client import Feed, refresh
from okf_edge.inmemory.blobs import MemoryBlobs
from okf_edge.limits import LIMITS
from okf_edge.ports import Blob

CREATORS = tuple(f"c{number:02}" for number in range(30))


class SlowBlobs(MemoryBlobs):
    """A store behind a network: whoever reads gives way to the others, and it counts who reads at once."""

    def __init__(self, blobs: dict[str, bytes]) -> None:
        super().__init__()
        self.blobs, self.at_once, self.most, self.fetched = blobs, 0, 0, 0
        self.fails = ""

    async def get(self, key: str, max_bytes: int) -> Blob:
        self.at_once += 1
        self.fetched += 1
        self.most = max(self.most, self.at_once)
        try:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            if self.fails and key.endswith(self.fails):
                raise UnavailableError("gone for lunch")
            return await super().get(key, max_bytes)
        finally:
            self.at_once -= 1


@pytest.fixture(scope="module")
def simulator() -> Simulator:
    async def made() -> Simulator:
        simulator = await Simulator.started()
        for creator in CREATORS:
            key = await simulator.keyring.create()
            await publish.add_creator(simulator.writer, creator, [key.public_key], simulator.now)
            one = release(f"{creator}.notes")
            await publish.publish(simulator.writer, one, ARCHIVE, simulator.now)
        return simulator

    return asyncio.run(made())


async def reader(simulator: Simulator) -> tuple[Device, SlowBlobs, Feed]:
    device, store = await simulator.device(), SlowBlobs(simulator.saved())
    return device, store, device.feed._replace(store=store)


async def test_creators_are_fetched_some_at_once_and_told_in_order(simulator: Simulator):
    _, store, feed = await reader(simulator)
    believed = await refresh(feed, simulator.now)
    assert list(believed.creators) == ["ada", *CREATORS]
    assert 1 < store.most <= LIMITS.feed_fetches_count


async def test_what_is_kept_is_not_fetched_again(simulator: Simulator):
    _, store, feed = await reader(simulator)
    await refresh(feed, simulator.now)
    store.fetched = 0
    await refresh(feed, simulator.now)
    assert store.fetched == 2  # the next root, which is not there, and the timestamp


async def test_a_creator_whose_list_is_wrong_or_gone_costs_that_one_only(simulator: Simulator):
    _, store, feed = await reader(simulator)
    del store.blobs[simulator.newest("c05")]
    longer, same = simulator.newest("c07"), simulator.newest("c08")
    store.blobs[longer] += b" "
    store.blobs[same] = store.blobs[same].replace(b"Harbour", b"Harvour")
    believed = await refresh(feed, simulator.now)
    assert {who: error.code for who, error in believed.refused.items()} == {
        "c05": "missing-metadata",
        "c07": "mix-and-match",
        "c08": "mix-and-match",
    }
    assert len(believed.creators) == len(CREATORS) + 1 - 3


async def test_a_store_that_fails_half_way_ends_the_walk_and_leaves_nobody_reading(simulator: Simulator):
    _, store, feed = await reader(simulator)
    store.fails = ".c09.json"
    with pytest.raises(UnavailableError):
        await refresh(feed, simulator.now)
    fetched = store.fetched
    for _ in range(50):
        await asyncio.sleep(0)
    assert (store.at_once, store.fetched) == (0, fetched)
    store.fails = ""
    assert len((await refresh(feed, simulator.now)).creators) == len(CREATORS) + 1


async def test_only_those_who_are_asked_for_are_fetched(simulator: Simulator):
    _, store, feed = await reader(simulator)
    believed = await refresh(feed, simulator.now, ["c03", "c11", "nobody", "c03"])
    assert list(believed.creators) == ["c03", "c11"]
    assert store.fetched <= 2 + 4  # what comes above them all
