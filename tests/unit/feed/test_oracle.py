"""python-tuf's own client accepts what we write, and our verifier is the same with and without `cryptography`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from tuf.api.exceptions import RepositoryError
from tuf.ngclient._internal.trusted_metadata_set import TrustedMetadataSet
from tuf.ngclient.config import EnvelopeType

from feed_kit import ARCHIVE, KeySigner, Simulator, release
from okf_edge.contracts import VerifierContract, clauses
from okf_edge.errors import FeedError
from okf_edge.feed import publish
from okf_edge.feed.keys import SslibVerifier
from okf_edge.feed.names import TIMESTAMP_KEY, metadata_key
from okf_edge.feed.release import release_of


async def simulator_of_today() -> Simulator:
    """Its owner lives in the present, as python-tuf reads the clock itself."""
    simulator = Simulator()
    simulator.now = datetime.now(UTC)
    simulator.pin = await publish.create_feed(simulator.writer, 2, 2, simulator.now)
    ada = await simulator.keyring.create()
    await publish.add_creator(simulator.writer, "ada", [ada.public_key], simulator.now)
    return simulator


def walked_by_tuf(blobs: dict[str, bytes]) -> TrustedMetadataSet:
    """The walk of python-tuf's updater over what lies in a store, without its files and network."""
    trusted = TrustedMetadataSet(blobs[metadata_key("root", 1)], EnvelopeType.METADATA)
    while data := blobs.get(metadata_key("root", trusted.root.version + 1)):
        trusted.update_root(data)
    trusted.update_timestamp(blobs[TIMESTAMP_KEY])
    trusted.update_snapshot(blobs[metadata_key("snapshot", trusted.timestamp.snapshot_meta.version)])
    trusted.update_targets(blobs[metadata_key("targets", trusted.snapshot.meta["targets.json"].version)])
    version = trusted.snapshot.meta["ada.json"].version
    trusted.update_delegated_targets(blobs[metadata_key("ada", version)], "ada", "targets")
    return trusted


async def test_python_tuf_believes_the_metadata_that_we_write() -> None:
    simulator = await simulator_of_today()
    await simulator.publish("1.0.0")
    await publish.yank(simulator.writer, "ada.harbour", "1.0.0", "wrong", simulator.now)
    await simulator.publish("1.1.0")
    for role in ("root", "targets", "snapshot", "timestamp", "ada"):
        keys = [(await simulator.keyring.create()).public_key for _ in range(2 if role in ("root", "targets") else 1)]
        await publish.rotate(simulator.writer, role, keys, simulator.now)
    trusted = walked_by_tuf(simulator.store.blobs)
    found = [release_of(target) for target in trusted["ada"].targets.values()]
    assert [(each.version, each.yanked) for each in found] == [("1.0.0", "wrong"), ("1.1.0", "")]
    path = release(version="1.1.0").path
    assert trusted.targets.delegations.roles["ada"].is_delegated_path(path)
    trusted["ada"].targets[path].verify_length_and_hashes(ARCHIVE)


@pytest.mark.parametrize("role", ["timestamp", "snapshot", "targets", "ada"])
async def test_python_tuf_refuses_what_we_refuse(role: str) -> None:
    simulator = await simulator_of_today()
    await simulator.publish()
    await simulator.forge(role, lambda signed: None, [KeySigner(b"nobody")])
    with pytest.raises(RepositoryError):
        walked_by_tuf(simulator.store.blobs)
    device = await simulator.device()
    if role == "ada":
        assert "ada" in (await device.refresh()).refused
    else:
        assert isinstance(await device.refusal(), FeedError)


@pytest.fixture(params=["cryptography", "pure Python"])
def verifier(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[SslibVerifier]:
    """Ours over both engines of securesystemslib; in Pyodide there is only the second."""
    if request.param == "pure Python":
        monkeypatch.setattr("securesystemslib.signer._key.CRYPTO_IMPORT_ERROR", "absent")
    yield SslibVerifier()


@pytest.mark.parametrize("clause", clauses(VerifierContract))
async def test_the_verifier_contract_is_kept(clause: str, verifier: SslibVerifier) -> None:
    await getattr(VerifierContract(), clause)(verifier)


async def test_what_our_signers_sign_is_verified_by_both_engines(verifier: SslibVerifier) -> None:
    signer = KeySigner(b"ada")
    signature = await signer.sign(b"message")
    assert verifier.verifies(signer.public_key, signature, b"message")
    assert not verifier.verifies(signer.public_key, signature, b"massage")


async def test_a_whole_walk_works_without_cryptography(verifier: SslibVerifier) -> None:
    simulator = await Simulator.started()
    await simulator.publish()
    assert await (await simulator.device()).versions() == ["1.0.0"]
