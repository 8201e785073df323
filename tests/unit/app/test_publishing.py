"""A publication of reviewed pages that fails at any write, of the base or of the feed, is finished by the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from feed_kit import VERIFIER, Simulator
from okf_edge.app import Config, Okf
from okf_edge.app.publishing import Publisher, Receipt, publish_archive, publish_exported
from okf_edge.app.reviewing import Verdicts, Wanted
from okf_edge.bundles.export import ExportOptions
from okf_edge.bundles.reviews import read_review
from okf_edge.bundles.risks import Finding
from okf_edge.errors import BundleError, InputError, OkfError, RiskError
from okf_edge.inmemory.blobs import MemoryBlobs
from okf_edge.inmemory.files import MemoryTree
from okf_edge.inmemory.system import ManualClock
from tests.unit.app.conftest import World

ID = "ada.weir"
NOTES = {
    "concepts/weir.md": "---\ntype: Concept\ntitle: Weir\n---\n\nAsk ada@weirworks.com about [[gate]].\n",
    "concepts/gate.md": "---\ntype: Concept\ntitle: Gate\n---\n\nOpens at dawn.\n",
}


class FailingTree(MemoryTree):
    """Fails at its n-th write."""

    def __init__(self, files: Mapping[str, bytes], at: int) -> None:
        super().__init__(files)
        self.at, self.count = at, 0

    async def write(self, path: str, data: bytes) -> None:
        self.count += 1
        if self.count == self.at:
            raise OkfError("expected room on the disk, found none")
        await super().write(path, data)


class FailingBlobs(MemoryBlobs):
    """Fails at its n-th write, before or after it."""

    def __init__(self, blobs: Mapping[str, bytes], at: int, *, lost: bool) -> None:
        super().__init__(blobs)
        self.at, self.lost, self.count = at, lost, 0

    async def put(self, key: str, data: bytes, *, if_version: str | None) -> str:
        self.count += 1
        if self.count != self.at:
            return await super().put(key, data, if_version=if_version)
        if self.lost:
            await super().put(key, data, if_version=if_version)
        raise OkfError("no answer")


async def reviewed(notes: Mapping[str, str] = NOTES) -> World:
    world = World(MemoryTree(notes))
    wanted = Wanted(("concepts/weir.md",), 1, ID)
    found = await world.okf.review(wanted)
    risks = {each.id: "known" for line in found.lines for each in line.findings}
    await world.okf.decide(wanted, Verdicts("ada", tuple(line.item.path for line in found.lines), (), risks))
    return world


def at_present(world: World, simulator: Simulator) -> Okf:
    return Okf(replace(world.ports, clock=ManualClock(simulator.now)), Config("notes"))


async def publish_pages(world: World, simulator: Simulator, version: str = "1.0.0", **to: object) -> Receipt:
    okf = at_present(world, simulator)
    exported = await okf.export_reviewed(ExportOptions(id=ID, version=version))
    publisher = Publisher(simulator.store, simulator.keyring, VERIFIER, ManualClock(simulator.now))
    return await publish_exported(
        publisher._replace(**to), exported, accepted={}, before=lambda: okf.record_release(exported)
    )


@pytest.mark.parametrize("kind", ["base", "feed", "feed-answer-lost"])
async def test_a_fault_at_any_write_is_finished_by_publishing_again(kind: str):
    world, simulator = await reviewed(), await Simulator.started()
    files, blobs = dict(world.tree.files), simulator.saved()
    at = 0
    while True:
        at += 1
        tree, store = MemoryTree(files), MemoryBlobs(blobs)
        if kind == "base":
            tree = failing = FailingTree(files, at)
        else:
            store = failing = FailingBlobs(blobs, at, lost=kind != "feed")
        world.tree, simulator.store = tree, store
        try:
            await publish_pages(world, simulator)
        except OkfError as error:
            assert error.message
        is_beyond = failing.count < at
        world.tree, simulator.store = MemoryTree(tree.files), MemoryBlobs(store.blobs)
        await (await simulator.device()).refresh()
        receipt = await publish_pages(world, simulator)
        assert receipt.change.outcome in ("done", "unchanged"), at
        trusted = await (await simulator.device()).refresh()
        assert list(trusted.creators["ada"].targets) == [receipt.release.path]
        assert [each.version for each in (await read_review(world.tree, ID)).releases] == ["1.0.0"]
        if is_beyond:
            break
    assert at > 1


async def test_a_version_keeps_its_day_when_its_publication_is_finished_later():
    world, simulator = await reviewed(), await Simulator.started()
    simulator.store = FailingBlobs(simulator.saved(), 4, lost=False)
    with pytest.raises(OkfError):
        await publish_pages(world, simulator)
    options = ExportOptions(id=ID, version="1.0.0")
    digest = (await at_present(world, simulator).export_reviewed(options)).manifest.content_digest
    simulator.store = MemoryBlobs(simulator.store.blobs)
    simulator.pass_time(days=3)
    later = replace(options, version="1.0.1")
    assert (await at_present(world, simulator).export_reviewed(later)).manifest.content_digest != digest
    assert (await publish_pages(world, simulator)).release.content_digest == digest


async def test_what_a_feed_refuses_is_not_remembered_as_a_release():
    world, simulator = await reviewed(), await Simulator.started()
    await publish_pages(world, simulator)
    world.tree.put("concepts/gate.md", NOTES["concepts/gate.md"].encode() + b"More.\n")
    found = await world.okf.review(Wanted(bundle_id=ID))
    await world.okf.decide(Wanted(bundle_id=ID), Verdicts("ada", tuple(line.item.path for line in found.lines)))
    before = await read_review(world.tree, ID)
    with pytest.raises(BundleError) as caught:
        await publish_pages(world, simulator)
    assert caught.value.code == "version-conflict"
    assert await read_review(world.tree, ID) == before
    simulator.keyring.keys.clear()
    with pytest.raises(InputError):
        await publish_pages(world, simulator, "1.1.0")
    assert await read_review(world.tree, ID) == before


# --- who can read it -------------------------------------------------------------------------------------------------


async def test_a_public_feed_gets_nothing_without_consent_to_it_and_to_each_risk():
    world, simulator = await reviewed(), await Simulator.started()
    asked: list[Sequence[Finding]] = []

    def agrees(risks: Sequence[Finding]) -> dict[str, str]:
        asked.append(risks)
        return {each.id: "on the web already" for each in risks}

    answers = {"nobody": None, "not to the risks": lambda risks: {}, "with empty reasons": lambda risks: dict.fromkeys(
        (each.id for each in risks), " ")}  # fmt: skip
    before = simulator.saved()
    for answer in answers.values():
        with pytest.raises(RiskError) as caught:
            await publish_pages(world, simulator, audience="public", **({"consent": answer} if answer else {}))
        assert (caught.value.code, len(caught.value.issues)) == ("public-target", 1)
    assert simulator.saved() == before
    receipt = await publish_pages(world, simulator, audience="public", consent=agrees)
    assert (receipt.audience, receipt.change.outcome) == ("public", "done")
    assert [each.kind for each in asked[0]]


async def test_an_archive_is_asked_about_like_any_other():
    world, simulator = await reviewed(), await Simulator.started()
    exported = await world.okf.export_reviewed(ExportOptions(id=ID, version="1.0.0"))
    to = Publisher(simulator.store, simulator.keyring, VERIFIER, ManualClock(simulator.now), audience="public")
    accepted = {each.id: "known" for each in exported.findings}
    with pytest.raises(RiskError):
        await publish_archive(to, exported.archive, accepted=accepted)
    done = await publish_archive(to._replace(consent=lambda risks: {}), exported.archive, accepted=accepted)
    assert done.change.outcome == "done"


@pytest.mark.parametrize("audience", ["private", "unknown"])
async def test_elsewhere_what_the_review_accepted_is_enough(audience: str):
    world, simulator = await reviewed(), await Simulator.started()
    assert (await publish_pages(world, simulator, audience=audience)).change.outcome == "done"


async def test_a_dry_run_asks_nobody_and_tells_what_would_be_asked():
    world, simulator = await reviewed(), await Simulator.started()
    exported = await world.okf.export_reviewed(ExportOptions(id=ID, version="1.0.0"))
    to = Publisher(simulator.store, simulator.keyring, VERIFIER, ManualClock(simulator.now), audience="public")
    before = simulator.saved()
    receipt = await publish_exported(to, exported, accepted={}, dry=True)
    assert [each.id for each in receipt.unsettled] == [each.id for each in exported.findings if each.severity != "info"]
    assert receipt.unsettled and receipt.dry
    assert simulator.saved() == before
