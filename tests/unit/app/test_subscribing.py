"""A publisher who bumps, tampers, rolls back, expires and loses keys drives a whole reader: what it has is never worse.

Whatever is refused changes nothing of what is installed, and once the feed is whole again the reader goes on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from bundle_kit import PAGE, make_bundle
from feed_kit import KeySigner, Simulator, metadata_key
from okf_edge.app import Config, Okf
from okf_edge.app.publishing import release_from
from okf_edge.bundles.contents import open_zip
from okf_edge.bundles.install import InstallOptions, recover
from okf_edge.bundles.manifest import read_manifest
from okf_edge.bundles.registry import installed
from okf_edge.errors import FeedError, OkfError
from okf_edge.feed import drafts, publish
from okf_edge.feed.release import Release
from okf_edge.inmemory.blobs import MemoryBlobs
from okf_edge.inmemory.files import MemoryTree
from okf_edge.inmemory.system import ManualClock
from tests.unit.app.conftest import World

OPTIONS = InstallOptions("")


class Reader:
    """A base that follows the simulator's feed, on a device of its own."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator, self.world, self.device = simulator, World(MemoryTree({"note.md": "mine"})), MemoryTree()
        self.others: dict[str, MemoryBlobs] = {}

    @property
    def okf(self) -> Okf:
        clock = ManualClock(self.simulator.now)
        ports = replace(
            self.world.ports,
            clock=clock,
            device=lambda: self.device,
            open_store=lambda address: self.others.get(address, self.simulator.store),
        )
        return Okf(ports, Config("notes"))

    async def state(self) -> tuple[dict[str, bytes], list[str]]:
        files = {path: data for path, data in self.world.tree.files.items() if path.startswith(("Library/", "note.md"))}
        return files, [each.version for each in await installed(self.world.tree)]

    async def update(self) -> list[str]:
        return [each.bundle.version for each in await self.okf.feeds.update((), OPTIONS)]

    async def refused(self) -> str:
        """The code of the refusal of an update, or the trouble that a check tells; nothing may change."""
        before = await self.state()
        try:
            done = await self.update()
        except OkfError as error:
            found = " ".join(error.issues) if error.code == "feed-trouble" else error.code
        else:
            assert not done, f"installed {done}"
            found = "".join(each.trouble for each in await self.okf.feeds.check_updates())
        assert await self.state() == before
        return found


async def released(archive: bytes, **changed: str) -> Release:
    manifest = read_manifest(await open_zip(archive).read("okf-bundle.json"))
    return replace(release_from(manifest, archive), **changed)


async def bump(simulator: Simulator, version: str, text: bytes = b"") -> Release:
    archive = await make_bundle(version, {"tides.md": PAGE + text})
    release = await released(archive)
    await publish.publish(simulator.writer, release, archive, simulator.now)
    return release


@pytest.fixture
async def reader() -> Reader:
    """One who has 1.0.0 of a feed that offers no more."""
    simulator = await Simulator.started()
    await bump(simulator, "1.0.0")
    reader = Reader(simulator)
    await reader.okf.feeds.trust("memory", name="main")
    (done,) = await reader.okf.feeds.install("ada.harbour", "main", OPTIONS)
    assert (done.bundle.signature, done.bundle.signer) == ("valid", "ada")
    return reader


async def test_a_bump_is_offered_installed_and_undone(reader):
    await bump(reader.simulator, "1.1.0", b"More.\n")
    assert [each.offered for each in await reader.okf.feeds.check_updates()] == ["1.1.0"]
    assert await reader.update() == ["1.1.0"]
    assert await reader.update() == []
    assert (await reader.okf.feeds.rollback("ada.harbour")).version == "1.0.0"


async def test_an_installation_reads_the_lists_of_those_whom_it_needs_and_of_no_others(reader):
    simulator = reader.simulator
    for creator, needs in (("bob", "cid.tides"), ("cid", ""), ("dot", "")):
        key = await simulator.keyring.create()
        await publish.add_creator(simulator.writer, creator, [key.public_key], simulator.now)
        archive = await make_bundle("1.0.0", {"tides.md": PAGE}, id=f"{creator}.tides")
        release = replace(await released(archive), dependencies=((needs, "*"),) if needs else ())
        await publish.publish(simulator.writer, release, archive, simulator.now)
    simulator.store.reads.clear()
    done = await reader.okf.feeds.install("bob.tides", "main", OPTIONS)
    assert [each.bundle.id for each in done] == ["cid.tides", "bob.tides"]
    lists = {key.split(".")[-2] for key in simulator.store.reads if key.startswith("metadata/")}
    assert {"bob", "cid"} <= lists
    assert "dot" not in lists
    with pytest.raises(OkfError, match=r"no\.tides") as refusal:
        await reader.okf.feeds.install("no.tides", "main", OPTIONS)
    assert "dot.tides" in refusal.value.hint


# --- attacks: each breaks a feed that offers 1.1.0 -------------------------------------------------------------------


async def tamper_with_the_archive(simulator: Simulator, saved: dict[str, bytes], release: Release) -> None:
    simulator.store.blobs[release.key] = simulator.store.blobs[release.key][:-1] + b"x"


async def serve_another_archive(simulator: Simulator, saved: dict[str, bytes], release: Release) -> None:
    simulator.store.blobs[release.key] = await make_bundle("1.1.0", {"evil.md": PAGE})


async def cut_the_archive(simulator: Simulator, saved: dict[str, bytes], release: Release) -> None:
    simulator.store.blobs[release.key] = simulator.store.blobs[release.key][:100]


async def make_the_archive_endless(simulator: Simulator, saved: dict[str, bytes], release: Release) -> None:
    simulator.store.blobs[release.key] += bytes(10_000_000)


async def tamper_with_metadata(simulator: Simulator, saved: dict[str, bytes], release: Release) -> None:
    key = simulator.newest("ada")
    simulator.store.blobs[key] = simulator.store.blobs[key].replace(b"1.1.0", b"6.6.6")


async def roll_back(simulator: Simulator, saved: dict[str, bytes], release: Release) -> None:
    simulator.restore(saved)


async def mix_states(simulator: Simulator, saved: dict[str, bytes], release: Release) -> None:
    newest = simulator.newest("snapshot")
    old = max((key for key in saved if key.endswith(".snapshot.json")), key=lambda key: int(key[9:].split(".")[0]))
    simulator.store.blobs[newest] = saved[old]


async def expire(simulator: Simulator, saved: dict[str, bytes], release: Release) -> None:
    simulator.pass_time(days=40)


async def send_without_end(simulator: Simulator, saved: dict[str, bytes], release: Release) -> None:
    simulator.store.blobs["metadata/timestamp.json"] = b"{" * 50_000_000


async def vanish(simulator: Simulator, saved: dict[str, bytes], release: Release) -> None:
    simulator.store.blobs.clear()


async def sign_with_an_unknown_key(simulator: Simulator, saved: dict[str, bytes], release: Release) -> None:
    def raise_version(timestamp) -> None:
        timestamp.version += 1

    await simulator.forge("timestamp", raise_version, [KeySigner(b"thief")])


async def strip_signatures(simulator: Simulator, saved: dict[str, bytes], release: Release) -> None:
    def raise_version(timestamp) -> None:
        timestamp.version += 1

    await simulator.forge("timestamp", raise_version, [])


async def steal_the_online_keys(simulator: Simulator, saved: dict[str, bytes], release: Release) -> None:
    """The thief signs snapshot and timestamp truly, and releases of ada with a key of their own."""
    thief = KeySigner(b"thief")
    keyring = simulator.keyring
    mine = dict(keyring.keys)
    online = [*(await simulator.stolen("snapshot")), *(await simulator.stolen("timestamp"))]
    version = int(simulator.newest("ada").split("/")[1].split(".")[0]) + 1

    def next_version(releases) -> None:
        releases.version = version

    await simulator.forge("ada", next_version, [thief], metadata_key("ada", version))
    data = simulator.store.blobs[metadata_key("ada", version)]

    def named(snapshot) -> None:
        snapshot.version += 1
        snapshot.meta["ada.json"] = drafts.meta_of(version, data)

    number = int(simulator.newest("snapshot").split("/")[1].split(".")[0]) + 1
    await simulator.forge("snapshot", named, online, metadata_key("snapshot", number))
    snapshot = simulator.store.blobs[metadata_key("snapshot", number)]

    def pointing(timestamp) -> None:
        timestamp.version += 1
        timestamp.snapshot_meta = drafts.meta_of(number, snapshot)

    await simulator.forge("timestamp", pointing, online)
    keyring.keys = mine


# the codes, or what is told of the one creator whose releases can't be trusted
ATTACKS: dict[Callable[..., Awaitable[None]], set[str]] = {
    tamper_with_the_archive: {"hash-mismatch"},
    serve_another_archive: {"hash-mismatch", "too-large"},
    cut_the_archive: {"hash-mismatch"},
    make_the_archive_endless: {"too-large"},
    tamper_with_metadata: {"expected ada metadata with"},
    roll_back: {"rollback"},
    mix_states: {"mix-and-match"},
    expire: {"metadata-expired"},
    send_without_end: {"too-large"},
    vanish: {"not-found"},
    sign_with_an_unknown_key: {"signature-invalid"},
    strip_signatures: {"signature-absent"},
    steal_the_online_keys: {"expected ada metadata signed by"},
}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda each: each.__name__)
async def test_an_attack_changes_nothing_and_the_reader_goes_on_when_it_is_over(reader, attack):
    simulator = reader.simulator
    saved = simulator.saved()
    release = await bump(simulator, "1.1.0", b"More.\n")
    whole = simulator.saved()
    if attack is roll_back:
        await reader.okf.feeds.check_updates()  # it has seen the newer state
    await attack(simulator, saved, release)
    found = await reader.refused()
    assert any(each in found for each in ATTACKS[attack]), found
    if attack is expire:
        await publish.refresh_feed(simulator.writer, simulator.now)
    elif attack is steal_the_online_keys:
        for role in ("snapshot", "timestamp"):
            fresh = await simulator.keyring.create()
            await publish.rotate(simulator.writer, role, [fresh.public_key], simulator.now)
        await bump(simulator, "1.2.0", b"Good again.\n")
    else:
        simulator.restore(whole)
    assert await reader.update() in (["1.1.0"], ["1.2.0"])


async def test_one_feed_that_is_gone_is_trouble_for_its_own_bundles_only(reader):
    other = await Simulator.started(keys=2)
    archive = await make_bundle("1.0.0", {"tides.md": PAGE}, id="ada.tides")
    await publish.publish(other.writer, await released(archive), archive, other.now)
    reader.others["other"] = other.store
    await reader.okf.feeds.trust("other", other.pin, "other")
    await reader.okf.feeds.install("ada.tides", "other", OPTIONS)
    await bump(reader.simulator, "1.1.0", b"More.\n")
    reader.others["other"] = MemoryBlobs()
    standings = {each.bundle.id: each for each in await reader.okf.feeds.check_updates()}
    assert standings["ada.harbour"].offered == "1.1.0"
    assert "feed other" in standings["ada.tides"].trouble
    with pytest.raises(FeedError, match=r"updated: ada\.harbour@1\.1\.0") as refusal:
        await reader.update()
    assert refusal.value.code == "feed-trouble"


async def test_a_release_that_names_another_bundle_is_refused(reader):
    simulator = reader.simulator
    archive = await make_bundle("9.0.0", {"x.md": PAGE}, id="eve.harbour")
    await publish.publish(simulator.writer, await released(archive, id="ada.harbour"), archive, simulator.now)
    assert await reader.refused() == "wrong-package"


async def test_a_withdrawn_version_warns_and_is_not_offered(reader):
    simulator = reader.simulator
    await bump(simulator, "1.1.0", b"Wrong.\n")
    await publish.yank(simulator.writer, "ada.harbour", "1.1.0", "wrong numbers", simulator.now)
    await publish.yank(simulator.writer, "ada.harbour", "1.0.0", "old", simulator.now)
    (standing,) = await reader.okf.feeds.check_updates()
    assert (standing.offered, standing.yanked) == ("", "old")


async def test_a_stolen_creator_key_is_replaced_and_what_was_good_stays(reader):
    simulator = reader.simulator
    good = (await simulator.holding()).creators["ada"].signed.version
    await bump(simulator, "6.6.6", b"By the thief.\n")
    fresh = await simulator.keyring.create()
    await publish.rotate(simulator.writer, "ada", [fresh.public_key], simulator.now, known_good=good)
    assert await reader.update() == []
    await bump(simulator, "1.1.0", b"By ada.\n")
    assert await reader.update() == ["1.1.0"]


async def test_edits_of_the_person_block_an_update_of_the_whole(reader):
    await bump(reader.simulator, "1.1.0", b"More.\n")
    reader.world.tree.put("Library/ada.harbour/tides.md", b"mine")
    assert await reader.refused() == "local-edits"


# --- faults of the reader's disk, at every step of an update from a feed ---------------------------------------------


class Failing(MemoryTree):
    """Fails at its n-th change, and with `killed` at all that follow."""

    def __init__(self, files: dict[str, bytes], at: int, killed: bool) -> None:
        super().__init__(files)
        self.at, self.killed, self.count, self._inner = at, killed, 0, False

    def _step(self) -> None:
        if self._inner:
            return
        self.count += 1
        if self.count == self.at or (self.killed and self.count > self.at):
            raise OkfError("expected room on the disk, found none")

    async def _outer(self, work: Callable[[], Awaitable[Any]]) -> Any:
        self._step()
        before, self._inner = self._inner, True
        try:
            return await work()
        finally:
            self._inner = before

    async def write(self, path: str, data: bytes) -> None:
        await self._outer(lambda: MemoryTree.write(self, path, data))

    async def create(self, path: str, data: bytes) -> None:
        await self._outer(lambda: MemoryTree.create(self, path, data))

    async def rename(self, old: str, new: str) -> None:
        await self._outer(lambda: MemoryTree.rename(self, old, new))

    async def remove(self, path: str) -> None:
        await self._outer(lambda: MemoryTree.remove(self, path))

    async def stage(self) -> str:
        return await self._outer(lambda: MemoryTree.stage(self))


@pytest.mark.parametrize("killed", [False, True], ids=["fails-once", "killed"])
@pytest.mark.parametrize("place", ["base", "device"])
async def test_a_fault_at_any_step_of_an_update_from_a_feed_leaves_old_or_new(reader, place, killed):
    await bump(reader.simulator, "1.1.0", b"More.\n")
    files, device = dict(reader.world.tree.files), dict(reader.device.files)
    old = await reader.state()
    at = 0
    while True:
        at += 1
        trees = {"base": MemoryTree(files), "device": MemoryTree(device)}
        trees[place] = failing = Failing({"base": files, "device": device}[place], at, killed)
        reader.world.tree, reader.device = trees["base"], trees["device"]
        try:
            await reader.update()
        except OkfError as error:
            assert error.message
        is_beyond = failing.count < at
        reader.world.tree = MemoryTree(reader.world.tree.files)
        reader.device = MemoryTree(reader.device.files)
        reader.simulator.pass_time(minutes=2)
        await recover(reader.world.tree, ManualClock(reader.simulator.now))
        state = await reader.state()
        assert state[1] in (["1.0.0"], ["1.1.0"])
        assert state == old or state[1] == ["1.1.0"], at
        await reader.update()
        assert (await reader.state())[1] == ["1.1.0"], f"retry after a fault at step {at}"
        if is_beyond:
            break
    assert at > 3
