"""Publishing survives crashes and rivals: the feed is whole at every moment, and nothing is lost."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator

import pytest

from feed_kit import ARCHIVE, VERIFIER, Simulator, release
from okf_edge.errors import BundleError, OkfError, PreconditionError, UnavailableError
from okf_edge.feed import publish
from okf_edge.feed.holding import held_by
from okf_edge.inmemory.blobs import MemoryBlobs

Work = Callable[[Simulator], Awaitable[object]]


class FaultyBlobs(MemoryBlobs):
    """Fails at the n-th write: `lost` has written it and fails then, as when an answer does not arrive."""

    def __init__(self, blobs: dict[str, bytes], at: int, *, killed: bool, lost: bool) -> None:
        super().__init__(blobs)
        self.at, self.killed, self.lost = at, killed, lost
        self.writes = 0

    async def put(self, key: str, data: bytes, *, if_version: str | None) -> str:
        self.writes += 1
        if self.writes == self.at and self.lost:
            await super().put(key, data, if_version=if_version)
        if self.writes == self.at or (self.killed and self.writes > self.at):
            raise UnavailableError("no answer")
        return await super().put(key, data, if_version=if_version)


async def publish_next(simulator: Simulator) -> object:
    return await simulator.publish("1.1.0")


async def withdraw(simulator: Simulator) -> object:
    return await publish.yank(simulator.writer, "ada.harbour", "1.0.0", "wrong", simulator.now)


async def let_in(simulator: Simulator) -> object:
    if "bob" in (await simulator.holding()).creators:
        return await publish.refresh_feed(simulator.writer, simulator.now)
    bob = await simulator.keyring.create()
    return await publish.add_creator(simulator.writer, "bob", [bob.public_key], simulator.now)


def rotation_of(role: str) -> Work:
    async def rotate(simulator: Simulator) -> object:
        fresh = await simulator.keyring.create()
        return await publish.rotate(simulator.writer, role, [fresh.public_key], simulator.now)

    rotate.__name__ = f"rotate_{role}"
    return rotate


async def restart(simulator: Simulator) -> object:
    return await publish.refresh_feed(simulator.writer, simulator.now)


WORKS = [publish_next, withdraw, let_in, *map(rotation_of, ("root", "targets", "snapshot", "timestamp", "ada"))]


def sampled(works: list[Work]) -> Iterator[object]:
    """All works at all fault points are slow; two of them run always."""
    for work in works:
        marks = [] if work is publish_next or work.__name__ == "rotate_ada" else [pytest.mark.slow]
        yield pytest.param(work, id=work.__name__, marks=marks)


@pytest.mark.parametrize("lost", [False, True], ids=["not-written", "answer-lost"])
@pytest.mark.parametrize("killed", [False, True], ids=["fails-once", "killed"])
@pytest.mark.parametrize("work", [*sampled(WORKS)])
async def test_a_fault_at_any_write_leaves_a_feed_that_readers_can_use_and_a_retry_finishes(work, killed, lost):
    start = await Simulator.started()
    await start.publish("1.0.0")
    device = await start.device()
    await device.refresh()
    before, kept = start.saved(), dict(device.tree.files)
    at = 0
    while True:
        at += 1
        faulty = FaultyBlobs(before, at, killed=killed, lost=lost)
        start.store = faulty
        device.tree.files.clear()
        device.tree.files.update(kept)
        finished = await ended(work(start))
        if faulty.writes < at:
            break
        start.store = MemoryBlobs(faulty.blobs)
        recoverable = work.__name__ in {"rotate_snapshot", "rotate_timestamp"}
        if not recoverable:  # between the root and what its new key signs, readers wait for the owner
            assert "1.0.0" in await device.versions(), f"after a fault at write {at}"
        assert await ended(work(start)), f"retry after a fault at write {at}"
        versions = await device.versions()
        assert versions == (["1.0.0", "1.1.0"] if work is publish_next else ["1.0.0"])
    assert finished
    assert at > 1


async def ended(work: Awaitable[object]) -> bool:
    try:
        await work
    except OkfError:
        return False
    return True


async def test_making_a_feed_survives_a_fault_at_any_write():
    at = 0
    while True:
        at += 1
        simulator = Simulator()
        simulator.store = faulty = FaultyBlobs({}, at, killed=True, lost=False)
        await ended(publish.create_feed(simulator.writer, 1, 1, simulator.now))
        if faulty.writes < at:
            break
        simulator.store = MemoryBlobs(faulty.blobs)
        simulator.pin = await publish.create_feed(simulator.writer, 1, 1, simulator.now)
        await (await simulator.device()).refresh()
    assert at > 4


class StepwiseBlobs(MemoryBlobs):
    """Gives way to other publishers before each write, in an order that follows from a seed."""

    def __init__(self, blobs: dict[str, bytes], seed: int) -> None:
        super().__init__(blobs)
        self.chance = random.Random(seed)

    async def put(self, key: str, data: bytes, *, if_version: str | None) -> str:
        for _ in range(self.chance.randrange(4)):
            await asyncio.sleep(0)
        return await super().put(key, data, if_version=if_version)

    async def get(self, key: str, max_bytes: int):
        for _ in range(self.chance.randrange(2)):
            await asyncio.sleep(0)
        return await super().get(key, max_bytes)


@pytest.mark.parametrize(
    "seeds", [range(5), pytest.param(range(5, 200), marks=pytest.mark.slow)], ids=["sample", "whole"]
)
async def test_publishers_who_race_lose_nothing(seeds: range):
    start = await Simulator.started()
    bob = await start.keyring.create()
    await publish.add_creator(start.writer, "bob", [bob.public_key], start.now)
    before = start.saved()
    wanted = [("ada.harbour", "1.2.0"), ("ada.harbour", "1.2.1"), ("bob.tides", "0.1.0"), ("ada.locks", "1.0.0")]
    for seed in seeds:
        start.store = StepwiseBlobs(before, seed)
        works = (publish.publish(start.writer, release(*each), ARCHIVE, start.now) for each in wanted)
        changes = await asyncio.gather(*works)
        assert {change.outcome for change in changes} <= {"done", "unchanged"}
        trusted = await (await start.device()).refresh()
        listed = {path for targets in trusted.creators.values() for path in targets.targets}
        assert listed == {release(*each).path for each in wanted}, f"seed {seed}"


async def test_of_two_different_bytes_under_one_version_one_is_published_and_the_other_told():
    start = await Simulator.started()
    before = start.saved()
    for seed in range(20):
        start.store = StepwiseBlobs(before, seed)
        archives = (b"one", b"two")
        works = (publish.publish(start.writer, release(archive=each), each, start.now) for each in archives)
        found = await asyncio.gather(*works, return_exceptions=True)
        errors = [each for each in found if isinstance(each, BundleError)]
        assert [error.code for error in errors] == ["version-conflict"]
        trusted = await (await start.device()).refresh()
        (target,) = trusted.creators["ada"].targets.values()
        winner = archives[0 if found[1] in errors else 1]
        target.verify_length_and_hashes(winner)


async def test_a_publisher_who_never_is_first_is_told_and_has_lost_nothing():
    class Busy(MemoryBlobs):
        async def put(self, key: str, data: bytes, *, if_version: str | None) -> str:
            if key.endswith("timestamp.json"):
                raise PreconditionError("somebody else was first")
            return await super().put(key, data, if_version=if_version)

    start = await Simulator.started()
    start.store = Busy(start.store.blobs)
    with pytest.raises(PreconditionError):
        await start.publish()
    start.store = MemoryBlobs(start.store.blobs)
    await publish.refresh_feed(start.writer, start.now)
    assert await (await start.device()).versions() == ["1.0.0"]


async def test_a_creator_whose_key_was_replaced_elsewhere_takes_the_old_releases_along():
    start = await Simulator.started()
    await start.publish("1.0.0")
    theirs = type(start.keyring)("elsewhere")
    key = await theirs.create()
    await publish.rotate(start.writer, "ada", [key.public_key], start.now)
    device = await start.device()
    assert (await device.refresh()).refused["ada"].code == "signature-invalid"
    writer = start.writer._replace(keyring=theirs)
    change = await publish.publish(writer, release(version="1.1.0"), ARCHIVE, start.now)
    assert change.outcome == "waiting"
    await publish.refresh_feed(start.writer, start.now)
    assert await device.versions() == ["1.0.0", "1.1.0"]


async def test_after_a_theft_releases_are_signed_anew_as_they_were_when_they_were_good():
    start = await Simulator.started()
    await start.publish("1.0.0")
    good = (await start.holding()).creators["ada"].signed.version
    await start.publish("6.6.6")
    fresh = await start.keyring.create()
    await publish.rotate(start.writer, "ada", [fresh.public_key], start.now, known_good=good)
    assert await (await start.device()).versions() == ["1.0.0"]


async def test_metadata_that_went_missing_from_the_store_is_not_signed_away():
    start = await Simulator.started()
    await start.publish("1.0.0")
    await start.publish("1.1.0")
    del start.store.blobs[start.newest("ada")]
    with pytest.raises(BundleError) as caught:
        await publish.refresh_feed(start.writer, start.now)
    assert caught.value.code == "rollback"


async def test_a_feed_that_is_refreshed_in_time_never_expires():
    start = await Simulator.started()
    await start.publish()
    device = await start.device()
    for _ in range(30):
        start.pass_time(days=25)
        await publish.refresh_feed(start.writer, start.now)
        assert await device.versions() == ["1.0.0"]


async def test_refreshing_a_current_feed_writes_nothing():
    start = await Simulator.started()
    before = start.saved()
    assert (await publish.refresh_feed(start.writer, start.now)).outcome == "unchanged"
    assert start.saved() == before


async def test_a_threshold_of_offline_keys_must_be_at_hand():
    start = await Simulator.started(keys=2, threshold=2)
    gone = (await start.stolen("targets"))[0].public_key
    del start.keyring.keys[gone]
    with pytest.raises(OkfError) as caught:
        await let_in(start)
    assert caught.value.code == "key-absent"


async def test_the_listed_releases_are_those_in_the_store():
    start = await Simulator.started()
    await start.publish()
    held = await held_by(start.store, VERIFIER)
    assert [each.id for each in publish.released(held)] == ["ada.harbour"]
