"""Every attack of TUF that a feed can serve, driven through the client by a simulator."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from tuf.api.metadata import MetaFile

from feed_kit import ARCHIVE, VERIFIER, Device, KeySigner, MemoryKeyring, Simulator, release
from okf_edge.errors import BundleError, OkfError, TooLargeError
from okf_edge.feed import publish
from okf_edge.feed.client import Feed, trust
from okf_edge.feed.kept import Kept
from okf_edge.feed.names import TIMESTAMP_KEY, metadata_key
from okf_edge.feed.release import releases_of, target_of
from okf_edge.feed.trusted import require_promised
from okf_edge.limits import LIMITS

ROLES = ("timestamp", "snapshot", "targets", "ada")


async def refusal_of(device: Device, role: str) -> OkfError:
    """Why metadata is refused; that of a creator costs only the creator."""
    if role != "ada":
        return await device.refusal()
    trusted = await device.refresh()
    assert "ada" not in trusted.creators
    return trusted.refused["ada"]


def forgive(simulator: Simulator, above: str) -> Any:
    """Let the metadata above a forged one name its new bytes: what a thief of that key would do."""

    def change(signed: Any) -> None:
        for name, meta in list(signed.meta.items()):
            data = simulator.store.blobs[metadata_key(name.removesuffix(".json"), meta.version)]
            signed.meta[name] = MetaFile(meta.version, len(data))

    def point(signed: Any) -> None:
        signed.snapshot_meta = MetaFile(signed.snapshot_meta.version)
        signed.version += 1

    return change if above == "snapshot" else point


async def test_a_reader_sees_what_was_published():
    simulator = await Simulator.started()
    device = await simulator.device()
    await simulator.publish("1.0.0")
    assert await device.versions() == ["1.0.0"]
    await simulator.publish("1.1.0")
    assert await device.versions() == ["1.0.0", "1.1.0"]


async def test_a_check_without_news_fetches_the_timestamp_and_looks_for_a_root():
    simulator = await Simulator.started()
    device = await simulator.device()
    await simulator.publish()
    await device.refresh()
    simulator.store.reads.clear()
    await device.refresh()
    assert simulator.store.reads == [TIMESTAMP_KEY]


@pytest.mark.parametrize("role", ROLES)
async def test_arbitrary_metadata_signed_by_an_unknown_key_is_refused(role: str):
    simulator = await Simulator.started()
    await simulator.publish()
    device = await simulator.device()
    await simulator.forge(role, lambda signed: None, [KeySigner(b"nobody")])
    await let_through(simulator, role)
    assert (await refusal_of(device, role)).code == "signature-invalid"


@pytest.mark.parametrize("role", ROLES)
async def test_metadata_without_a_signature_is_absent_not_invalid(role: str):
    simulator = await Simulator.started()
    await simulator.publish()
    device = await simulator.device()
    await simulator.forge(role, lambda signed: None, [])
    await let_through(simulator, role)
    assert (await refusal_of(device, role)).code == "signature-absent"


async def let_through(simulator: Simulator, role: str) -> None:
    """Sign everything above a forged role anew, with the real keys, so that the forged one itself is judged."""
    if role in ("targets", "ada"):
        await simulator.forge("snapshot", forgive(simulator, "snapshot"), await simulator.stolen("snapshot"))
    if role in ("targets", "ada", "snapshot"):
        await simulator.forge("timestamp", forgive(simulator, "timestamp"), await simulator.stolen("timestamp"))


@pytest.mark.parametrize("only_timestamp", [False, True])
async def test_an_older_validly_signed_state_is_refused(only_timestamp: bool):
    simulator = await Simulator.started()
    await simulator.publish("1.0.0")
    old = simulator.saved()
    await simulator.publish("1.1.0")
    device = await simulator.device()
    assert await device.versions() == ["1.0.0", "1.1.0"]
    if only_timestamp:
        simulator.store.blobs[TIMESTAMP_KEY] = old[TIMESTAMP_KEY]
    else:
        simulator.restore(old)
    assert (await device.refusal()).code == "rollback"


@pytest.mark.parametrize("name", ["targets.json", "ada.json"])
@pytest.mark.parametrize("gone", [False, True], ids=["older", "gone"])
async def test_a_snapshot_that_takes_a_role_back_is_refused(name: str, gone: bool):
    simulator = await Simulator.started()
    await simulator.publish("1.0.0")
    await simulator.publish("1.1.0")
    device = await simulator.device()
    await device.refresh()

    def take_back(signed: Any) -> None:
        signed.version += 1
        if gone:
            del signed.meta[name]
        else:
            signed.meta[name] = MetaFile(1)

    holding = await simulator.holding()
    assert holding.snapshot
    key = metadata_key("snapshot", holding.snapshot.version + 1)
    await simulator.forge("snapshot", take_back, await simulator.stolen("snapshot"), key)
    await simulator.forge("timestamp", lambda signed: point_at(signed, 1), await simulator.stolen("timestamp"))
    assert (await device.refusal()).code == "rollback"


def point_at(signed: Any, further: int) -> None:
    signed.version += further
    signed.snapshot_meta = MetaFile(signed.snapshot_meta.version + further)


async def test_a_timestamp_that_names_an_older_snapshot_is_refused():
    simulator = await Simulator.started()
    await simulator.publish()
    device = await simulator.device()
    await device.refresh()

    def change(signed: Any) -> None:
        signed.version += 1
        signed.snapshot_meta = MetaFile(1)

    await simulator.forge("timestamp", change, await simulator.stolen("timestamp"))
    assert (await device.refusal()).code == "rollback"


async def test_a_frozen_feed_is_refused_once_it_has_expired_and_the_last_good_state_is_kept():
    simulator = await Simulator.started()
    await simulator.publish()
    device = await simulator.device()
    await device.refresh()
    simulator.pass_time(days=31)
    kept = dict(device.tree.files)
    assert (await device.refusal()).code == "metadata-expired"
    assert device.tree.files == kept
    await publish.refresh_feed(simulator.writer, simulator.now)
    assert await device.versions() == ["1.0.0"]


async def test_a_clock_that_was_set_back_does_not_revive_what_has_expired():
    simulator = await Simulator.started()
    device = await simulator.device()
    await device.refresh()
    old = simulator.saved()
    simulator.pass_time(days=60)
    await publish.refresh_feed(simulator.writer, simulator.now)
    await device.refresh()
    simulator.restore(old)
    assert (await device.refusal(simulator.now - timedelta(days=365))).code == "clock-behind"


async def test_a_clock_that_was_ahead_is_set_right_by_trusting_again():
    simulator = await Simulator.started()
    device = await simulator.device()
    await trust(device.feed, simulator.now + timedelta(days=4000))
    assert (await device.refusal()).code == "clock-behind"
    await trust(device.feed, simulator.now)
    await device.refresh()


@pytest.mark.parametrize("role", ["snapshot", "targets", "ada"])
async def test_parts_of_two_states_served_together_are_refused(role: str):
    simulator = await Simulator.started()
    await simulator.publish("1.0.0")
    old = simulator.store.blobs[simulator.newest(role)]
    if role == "targets":
        bob = await simulator.keyring.create()
        await publish.add_creator(simulator.writer, "bob", [bob.public_key], simulator.now)
    await simulator.publish("1.1.0")
    simulator.store.blobs[simulator.newest(role)] = old
    assert (await refusal_of(await simulator.device(), role)).code == "mix-and-match"


async def test_a_fast_forwarded_feed_recovers_only_when_its_keys_are_rotated():
    simulator = await Simulator.started()
    await simulator.publish("1.0.0")
    device = await simulator.device()
    await device.refresh()
    good = simulator.saved()
    far = 2**31 - 1

    def forward(signed: Any) -> None:
        signed.version = far
        if signed.type == "snapshot":
            signed.meta["ada.json"].version = far
        else:
            signed.snapshot_meta = MetaFile(far)

    await simulator.forge(
        "snapshot", forward, await simulator.stolen("snapshot"), metadata_key("snapshot", far)
    )  # fmt: skip
    await simulator.forge("timestamp", forward, await simulator.stolen("timestamp"))
    assert "ada" in (await device.refresh()).refused
    simulator.restore(good)
    assert (await device.refusal()).code == "rollback"
    for role in ("snapshot", "timestamp"):
        fresh = await simulator.keyring.create()
        await publish.rotate(simulator.writer, role, [fresh.public_key], simulator.now)
    await simulator.publish("1.1.0")
    assert await device.versions() == ["1.0.0", "1.1.0"]


async def test_either_rotated_online_key_makes_both_roles_start_anew():
    simulator = await Simulator.started()
    await simulator.publish("1.0.0")
    good = simulator.saved()

    def forward(signed: Any) -> None:
        signed.version = 1000
        signed.meta["targets.json"].version += 1000

    key = metadata_key("snapshot", 1000)
    await simulator.forge("snapshot", forward, await simulator.stolen("snapshot"), key)
    device = await simulator.device()
    await device.refresh()
    device.tree.put(f"feeds/{simulator.pin}/metadata/snapshot.json", simulator.store.blobs[key])
    simulator.restore(good)
    fresh = await simulator.keyring.create()
    await publish.rotate(simulator.writer, "timestamp", [fresh.public_key], simulator.now)
    assert await device.versions() == ["1.0.0"]


async def test_a_creator_who_signs_one_version_twice_is_taken_at_the_word_that_the_snapshot_names():
    simulator = await Simulator.started()
    await simulator.publish("1.0.0")

    def other(signed: Any) -> None:
        next(iter(signed.targets.values())).hashes["sha256"] = "f" * 64

    await simulator.forge("ada", other, await simulator.stolen("ada"))
    trusted = await (await simulator.device()).refresh()
    assert trusted.refused["ada"].code == "mix-and-match"


@pytest.mark.parametrize(
    ("key", "limit"),
    [
        (TIMESTAMP_KEY, LIMITS.feed_timestamp_bytes),
        (metadata_key("root", 2), LIMITS.feed_root_bytes),
    ],
)
async def test_endless_metadata_is_cut_off_at_its_limit(key: str, limit: int):
    simulator = await Simulator.started()
    device = await simulator.device()
    simulator.store.blobs[key] = b" " * (limit + 1)
    assert isinstance(await device.refusal(), TooLargeError)


@pytest.mark.parametrize("role", ["snapshot", "targets"])
async def test_metadata_longer_than_promised_is_not_read(role: str):
    simulator = await Simulator.started()
    device = await simulator.device()
    simulator.store.blobs[simulator.newest(role)] += b" "
    assert isinstance(await device.refusal(), TooLargeError)


def next_version(signed: Any) -> None:
    signed.version += 1


async def test_a_timestamp_that_has_expired_is_refused_however_fresh_its_snapshot_is():
    simulator = await Simulator.started()
    device = await simulator.device()

    def expire(signed: Any) -> None:
        signed.version += 1
        signed.expires = simulator.now - timedelta(seconds=1)

    await simulator.forge("timestamp", expire, await simulator.stolen("timestamp"))
    assert (await device.refusal()).code == "metadata-expired"


async def test_an_older_timestamp_is_refused_even_when_it_names_the_same_snapshot():
    simulator = await Simulator.started()
    device = await simulator.device()
    old = simulator.store.blobs[TIMESTAMP_KEY]
    await simulator.forge("timestamp", next_version, await simulator.stolen("timestamp"))
    await device.refresh()
    simulator.store.blobs[TIMESTAMP_KEY] = old
    assert (await device.refusal()).code == "rollback"


async def test_a_second_timestamp_of_one_version_changes_nothing():
    simulator = await Simulator.started()
    device = await simulator.device()
    await device.refresh()

    def repoint(signed: Any) -> None:
        signed.snapshot_meta = MetaFile(signed.snapshot_meta.version + 5)

    await simulator.forge("timestamp", repoint, await simulator.stolen("timestamp"))
    await device.refresh()


async def test_a_timestamp_that_names_an_older_snapshot_of_the_same_content_is_refused():
    simulator = await Simulator.started()
    device = await simulator.device()
    old = simulator.newest("snapshot")
    number = int(old.split("/")[1].split(".")[0])
    for further in (1, 2):
        await simulator.forge(
            "snapshot", next_version, await simulator.stolen("snapshot"), metadata_key("snapshot", number + further)
        )
    await simulator.forge("timestamp", lambda signed: point_at(signed, 2), await simulator.stolen("timestamp"))
    await device.refresh()
    await simulator.forge("timestamp", lambda signed: step_back(signed), await simulator.stolen("timestamp"))
    assert (await device.refusal()).code == "rollback"


def step_back(signed: Any) -> None:
    signed.version += 1
    signed.snapshot_meta = MetaFile(signed.snapshot_meta.version - 1)


def test_shorter_bytes_than_promised_are_not_those():
    with pytest.raises(BundleError) as caught:
        require_promised(MetaFile(1, length=3), b"12", "targets")
    assert caught.value.code == "mix-and-match"


async def test_a_revoked_key_signs_nothing_any_more():
    simulator = await Simulator.started()
    device = await simulator.device()
    await device.refresh()
    thief = await simulator.stolen("timestamp")
    fresh = await simulator.keyring.create()
    await publish.rotate(simulator.writer, "timestamp", [fresh.public_key], simulator.now)

    def forward(signed: Any) -> None:
        signed.version += 10

    await simulator.forge("timestamp", forward, thief)
    assert (await device.refusal()).code == "signature-invalid"


async def test_two_stolen_online_keys_publish_nothing_and_the_offline_root_recovers():
    simulator = await Simulator.started()
    await simulator.publish("1.0.0")
    device = await simulator.device()
    await device.refresh()
    thieves = [*await simulator.stolen("timestamp"), *await simulator.stolen("snapshot")]
    before = simulator.saved()
    await simulator.forge("ada", lambda signed: signed.targets.clear(), thieves)
    await let_through(simulator, "ada")
    assert (await refusal_of(await simulator.device(), "ada")).code == "signature-invalid"
    simulator.restore(before)
    for role in ("timestamp", "snapshot"):
        fresh = await simulator.keyring.create()
        await publish.rotate(simulator.writer, role, [fresh.public_key], simulator.now)
    assert await device.versions() == ["1.0.0"]


async def test_a_creator_can_not_sign_for_the_bundles_of_another():
    simulator = await Simulator.started()
    thief = await simulator.stolen("ada")

    def reach(signed: Any) -> None:
        other = release("bob.harbour")
        signed.targets[other.path] = target_of(other)

    await simulator.forge("ada", reach, thief)
    await let_through(simulator, "ada")
    trusted = await (await simulator.device()).refresh()
    assert list(releases_of("ada", trusted.creators["ada"])) == []


async def test_a_root_other_than_the_pinned_one_is_no_start():
    simulator, other = await Simulator.started(), await Simulator.started(keys=2)
    feed = Feed(other.store, Kept((await simulator.device()).tree, simulator.pin), VERIFIER)
    with pytest.raises(BundleError) as caught:
        await trust(feed, simulator.now)
    assert caught.value.code == "root-mismatch"


async def test_a_pin_that_no_device_confirmed_is_not_followed():
    simulator = await Simulator.started()
    device = Device(simulator)
    assert (await device.refusal()).code == "feed-unconfirmed"


async def test_a_snapshot_that_could_not_be_fetched_once_does_not_freeze_the_device():
    simulator = await Simulator.started()
    device = await simulator.device()
    await device.refresh()
    await simulator.publish("1.0.0")
    key = simulator.newest("snapshot")
    data = simulator.store.blobs.pop(key)
    assert (await device.refusal()).code == "not-found"
    simulator.store.blobs[key] = data
    assert await device.versions() == ["1.0.0"]


@pytest.mark.parametrize("role", ["timestamp", "snapshot", "targets", "ada"])
async def test_a_kept_file_that_was_damaged_is_fetched_again(role: str):
    simulator = await Simulator.started()
    await simulator.publish()
    device = await simulator.device()
    await device.refresh()
    device.tree.put(f"feeds/{simulator.pin}/metadata/{role}.json", b"{")
    assert await device.versions() == ["1.0.0"]


async def test_other_bytes_under_a_published_version_are_refused():
    simulator = await Simulator.started()
    await simulator.publish("1.2.0")
    before = simulator.saved()
    with pytest.raises(BundleError) as caught:
        await simulator.publish("1.2.0", archive=ARCHIVE + b"!")
    assert caught.value.code == "version-conflict"
    assert simulator.saved() == before


async def test_a_creator_with_a_key_on_another_machine_waits_for_the_owner():
    simulator = await Simulator.started()
    device = await simulator.device()
    theirs = MemoryKeyring("bob")
    bob = await theirs.create()
    await publish.add_creator(simulator.writer, "bob", [bob.public_key], simulator.now)
    writer = simulator.writer._replace(keyring=theirs)
    waiting = await publish.publish(writer, release("bob.tides"), ARCHIVE, simulator.now)
    assert waiting.outcome == "waiting"
    assert "bob" not in (await device.refresh()).creators
    await publish.refresh_feed(simulator.writer, simulator.now)
    assert list((await device.refresh()).creators["bob"].targets) == ["bob.tides/bob.tides-1.0.0.okf.zip"]
