"""A release that its creator signed elsewhere enters the feed when it is the next one, and changes nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from feed_kit import ARCHIVE, VERIFIER, MemoryKeyring, Simulator, release
from okf_edge.errors import OkfError
from okf_edge.feed import drafts, publish
from okf_edge.feed.keys import signed
from okf_edge.feed.release import Release
from okf_edge.feed.writer import Writer


async def signed_for(
    simulator: Simulator, new: Release, change: Callable[[Any], None] = lambda targets: None, version: int = 0
) -> bytes:
    """The next releases of `ada` as she signs them on her own machine."""
    held = (await simulator.holding()).creators.get("ada")
    content = drafts.with_release(held.signed if held else drafts.no_targets(simulator.now), new, simulator.now)
    content.version = version or (await simulator.holding()).free("ada", above=content.version - 1)
    change(content)
    return (await signed(content, await simulator.stolen("ada"))).to_bytes()


def service_of(simulator: Simulator) -> Writer:
    """The feed as a service writes it: with the keys for snapshot and timestamp alone."""
    ring = MemoryKeyring()
    for role in ("snapshot", "timestamp"):
        for name in simulator.root.roles[role].keyids:
            key = bytes.fromhex(simulator.root.keys[name].keyval["public"])
            ring.keys[key] = simulator.keyring.keys[key]
    return Writer(simulator.store, ring, VERIFIER)


class Served(Simulator):
    root: Any

    @classmethod
    async def started(cls, keys: int = 1, threshold: int = 1) -> Served:
        simulator = await super().started(keys, threshold)
        assert isinstance(simulator, Served)
        simulator.root = (await simulator.holding()).root.signed
        return simulator

    async def admit(self, new: Release, metadata: bytes, archive: bytes = ARCHIVE) -> publish.Change:
        return await publish.admit(service_of(self), new, archive, metadata, self.now)

    async def refusal(self, new: Release, metadata: bytes) -> str:
        before = self.saved()
        with pytest.raises(OkfError) as raised:
            await self.admit(new, metadata)
        assert self.saved() == before
        return raised.value.code


async def test_a_release_signed_elsewhere_reaches_readers_without_the_creators_key() -> None:
    served = await Served.started()
    assert (await served.admit(release(), await signed_for(served, release()))).outcome == "done"
    assert await (await served.device()).versions() == ["1.0.0"]


async def test_admitting_the_same_again_changes_nothing() -> None:
    served = await Served.started()
    metadata = await signed_for(served, release())
    await served.admit(release(), metadata)
    before = served.saved()
    assert (await served.admit(release(), metadata)).outcome == "unchanged"
    assert served.saved() == before


async def test_what_is_in_force_already_lets_in_no_archive_that_it_does_not_name() -> None:
    simulator = await Served.started()
    first = release("ada.notes", "1.0.0")
    metadata = await signed_for(simulator, first)
    await simulator.admit(first, metadata)
    assert await simulator.refusal(release("ada.notes", "2.0.0"), metadata) == "release-differs"
    assert await simulator.refusal(release("ada.notes", "1.0.0", archive=b"another"), metadata) == "release-differs"


async def test_of_two_signed_for_one_version_one_is_told_to_sign_again() -> None:
    served = await Served.started()
    first, second = release(version="1.0.0"), release(version="1.1.0")
    sent = [(new, await signed_for(served, new)) for new in (first, second)]
    await served.admit(*sent[0])
    assert await served.refusal(*sent[1]) == "precondition-failed"
    await served.admit(second, await signed_for(served, second))
    assert await (await served.device()).versions() == ["1.0.0", "1.1.0"]


async def test_many_creators_at_once_lose_nothing() -> None:
    served = await Served.started()
    for name in ("bob", "cleo", "dora"):
        key = await served.keyring.create()
        await publish.add_creator(served.writer, name, [key.public_key], served.now)
    new = {name: release(f"{name}.harbour") for name in ("bob", "cleo", "dora")}
    sent = []
    for name, each in new.items():
        held = (await served.holding()).creators[name].signed
        content = drafts.with_release(held, each, served.now)
        sent.append((each, (await signed(content, await served.stolen(name))).to_bytes()))
    await asyncio.gather(*(served.admit(*each) for each in sent))
    trusted = await (await served.device()).refresh()
    assert {path.partition("/")[0] for each in trusted.creators.values() for path in each.targets} == {
        each.id for each in new.values()
    }


async def test_what_the_creator_did_not_sign_is_refused() -> None:
    served = await Served.started()
    metadata = await signed_for(served, release())
    assert await served.refusal(release(), metadata.replace(b"Harbour", b"Harbor!")) == "signature-invalid"
    assert await served.refusal(release(), b"{}") == "bad-metadata"
    assert await served.refusal(release("eve.harbour"), metadata) == "unknown-creator"


async def test_a_release_that_says_other_than_its_archive_is_refused() -> None:
    served = await Served.started()
    assert await served.refusal(release(version="2.0.0"), await signed_for(served, release())) == "release-differs"
    nothing = await signed_for(served, release(), lambda targets: targets.targets.clear())
    assert await served.refusal(release(), nothing) == "release-differs"


async def test_what_was_released_can_not_be_taken_back_or_changed() -> None:
    served = await Served.started()
    await served.admit(release(), await signed_for(served, release()))
    path, new = release().path, release(version="2.0.0")
    gone = await signed_for(served, new, lambda targets: targets.targets.pop(path))
    assert await served.refusal(new, gone) == "release-changed"

    def exchange(targets: Any) -> None:
        targets.targets[path].hashes["sha256"] = "0" * 64

    assert await served.refusal(new, await signed_for(served, new, exchange)) == "release-changed"


async def test_a_version_far_ahead_can_not_block_the_creator() -> None:
    served = await Served.started()
    metadata = await signed_for(served, release(), version=2**31)
    assert await served.refusal(release(), metadata) == "precondition-failed"
