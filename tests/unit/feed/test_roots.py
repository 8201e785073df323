"""Roots: who may replace one, and that they follow each other."""

from __future__ import annotations

import json
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from tuf.api.metadata import Role

from feed_kit import KeySigner, Simulator
from okf_edge.errors import BundleError
from okf_edge.feed.keys import key_of
from okf_edge.feed.names import metadata_key


async def test_one_of_two_needed_keys_used_twice_does_not_make_two():
    simulator = await Simulator.started(keys=2, threshold=2)
    device = await simulator.device()
    holding = await simulator.holding()
    thief = (await simulator.stolen("root"))[0]

    def take_over(signed: Any) -> None:
        signed.version += 1

    await simulator.forge("root", take_over, [thief, thief], metadata_key("root", holding.root.signed.version + 1))
    assert (await device.refusal()).code == "signature-invalid"


async def test_one_key_under_two_names_counts_once():
    simulator = await Simulator.started(keys=2, threshold=2)
    thief = (await simulator.stolen("root"))[0]

    def double(signed: Any) -> None:
        key = next(each for each in signed.keys.values() if each.keyval["public"] == thief.public_key.hex())
        twin = type(key)("twin", key.keytype, key.scheme, dict(key.keyval))
        signed.keys["twin"] = twin
        signed.roles["root"] = Role([key.keyid, "twin"], 2)

    await simulator.forge("root", double, [thief])
    metadata = json.loads(simulator.store.blobs[metadata_key("root", 1)])
    metadata["signatures"].append({**metadata["signatures"][0], "keyid": "twin"})
    simulator.store.blobs[metadata_key("root", 1)] = data = json.dumps(metadata).encode()
    simulator.pin = sha256(data).hexdigest()
    with pytest.raises(BundleError) as caught:
        await simulator.device()
    assert caught.value.code == "signature-invalid"


def next_version(signed: Any) -> None:
    signed.version += 1


async def forged_root(simulator: Simulator, change: Any, signers: list[Any]) -> None:
    await simulator.forge("root", change, signers, metadata_key("root", 2))


async def test_a_new_root_that_the_old_one_did_not_sign_is_refused():
    simulator = await Simulator.started()
    device = await simulator.device()
    thief = KeySigner(b"thief")

    def take_over(signed: Any) -> None:
        next_version(signed)
        for role in ("root", "targets", "snapshot", "timestamp"):
            signed.roles[role].keyids.clear()
            signed.add_key(key_of(thief.public_key), role)

    await forged_root(simulator, take_over, [thief])
    assert (await device.refusal()).code == "signature-invalid"


async def test_a_new_root_that_its_own_keys_did_not_sign_is_refused():
    simulator = await Simulator.started()
    device = await simulator.device()

    def hand_over(signed: Any) -> None:
        next_version(signed)
        signed.roles["root"].keyids.clear()
        signed.add_key(key_of(KeySigner(b"nobody").public_key), "root")

    await forged_root(simulator, hand_over, await simulator.stolen("root"))
    assert (await device.refusal()).code == "signature-invalid"


@pytest.mark.parametrize(("step", "code"), [(0, "rollback"), (2, "mix-and-match")])
async def test_roots_follow_each_other_without_a_gap(step: int, code: str):
    simulator = await Simulator.started()
    device = await simulator.device()

    def jump(signed: Any) -> None:
        signed.version += step

    await forged_root(simulator, jump, await simulator.stolen("root"))
    assert (await device.refusal()).code == code


async def test_a_root_that_has_expired_is_refused_however_fresh_the_rest_is():
    simulator = await Simulator.started()
    device = await simulator.device()

    def expire(signed: Any) -> None:
        signed.version += 1
        signed.expires = simulator.now - timedelta(days=1)

    await forged_root(simulator, expire, await simulator.stolen("root"))
    assert (await device.refusal()).code == "metadata-expired"
