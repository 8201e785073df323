"""A whole feed in memory that can misbehave: the publisher, the network and the thief that tests of clients need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tuf.api.metadata import Metadata, Root, Snapshot, Targets, Timestamp

from okf_edge.errors import OkfError
from okf_edge.feed import publish
from okf_edge.feed.client import Feed, refresh, trust
from okf_edge.feed.holding import Holding, held_by
from okf_edge.feed.kept import Kept
from okf_edge.feed.keys import SslibVerifier, public_keys, signed
from okf_edge.feed.names import ROOT, SNAPSHOT, TARGETS, TIMESTAMP, TIMESTAMP_KEY, metadata_key
from okf_edge.feed.release import Release
from okf_edge.feed.trusted import Trusted
from okf_edge.feed.writer import Writer
from okf_edge.inmemory.blobs import MemoryBlobs
from okf_edge.inmemory.files import MemoryTree
from okf_edge.inmemory.system import DEFAULT_NOW
from okf_edge.ports import Signer

VERIFIER = SslibVerifier()
ARCHIVE = b"an archive"
KINDS: dict[str, type] = {ROOT: Root, SNAPSHOT: Snapshot, TIMESTAMP: Timestamp}


class KeySigner:
    """A key that any test can use, and a thief take."""

    def __init__(self, seed: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(sha256(seed).digest())
        self.public_key = self._key.public_key().public_bytes_raw()

    async def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)


class MemoryKeyring:
    """A `Keyring` in memory, whose keys repeat from run to run."""

    def __init__(self, name: str = "owner") -> None:
        self.name = name
        self.keys: dict[bytes, KeySigner] = {}

    async def create(self, *, offline: bool = False) -> Signer:
        signer = KeySigner(f"{self.name}{len(self.keys)}".encode())
        self.keys[signer.public_key] = signer
        return signer

    async def signers(self, public_keys: Sequence[bytes]) -> Sequence[Signer]:
        return [self.keys[key] for key in public_keys if key in self.keys]


def release(bundle_id: str = "ada.harbour", version: str = "1.0.0", archive: bytes = ARCHIVE, **more: Any) -> Release:
    return Release(bundle_id, version, "Harbour", len(archive), sha256(archive).hexdigest(), "0" * 64, **more)


class Simulator:
    """One feed with its owner, who is also the creator `ada`. What a test breaks, it breaks in `store.blobs`."""

    def __init__(self) -> None:
        self.store = MemoryBlobs()
        self.keyring = MemoryKeyring()
        self.now = DEFAULT_NOW
        self.devices = 0
        self.pin = ""

    @classmethod
    async def started(cls, keys: int = 1, threshold: int = 1) -> Simulator:
        simulator = cls()
        simulator.pin = await publish.create_feed(simulator.writer, keys, threshold, simulator.now)
        ada = await simulator.keyring.create()
        await publish.add_creator(simulator.writer, "ada", [ada.public_key], simulator.now)
        return simulator

    @property
    def writer(self) -> Writer:
        return Writer(self.store, self.keyring, VERIFIER)

    async def publish(self, version: str = "1.0.0", archive: bytes = ARCHIVE) -> publish.Change:
        return await publish.publish(self.writer, release(version=version, archive=archive), archive, self.now)

    async def device(self) -> Device:
        """A fresh reader who trusts the feed."""
        device = Device(self)
        await trust(device.feed, self.now)
        return device

    async def holding(self) -> Holding:
        return await held_by(self.store, VERIFIER)

    def saved(self) -> dict[str, bytes]:
        return dict(self.store.blobs)

    def restore(self, blobs: dict[str, bytes]) -> None:
        """Serve an older state, validly signed as it was."""
        self.store.blobs = dict(blobs)

    def pass_time(self, **time: float) -> None:
        self.now += timedelta(**time)

    async def forge(self, role: str, change: Callable[[Any], None], signers: Sequence[Signer], key: str = "") -> None:
        """Put changed metadata of a role where the newest lies, signed with keys of the forger's choice."""
        key = key or (TIMESTAMP_KEY if role == TIMESTAMP else self.newest(role))
        metadata: Metadata[Any] = Metadata.from_bytes(self.store.blobs[self.newest(role)])
        change(metadata.signed)
        self.store.blobs[key] = (await signed(metadata.signed, signers)).to_bytes()

    def newest(self, role: str) -> str:
        if role == TIMESTAMP:
            return TIMESTAMP_KEY
        names = (key for key in self.store.blobs if key.endswith(f".{role}.json"))
        return max(names, key=lambda key: int(key.split("/")[1].split(".")[0]))

    async def stolen(self, role: str) -> list[Signer]:
        """The private keys of a role, as a thief has them."""
        holding = await self.holding()
        delegator: Root | Targets = holding.root.signed
        if role not in (ROOT, TARGETS, SNAPSHOT, TIMESTAMP):
            assert holding.targets
            delegator = holding.targets.signed
        return [self.keyring.keys[key] for key in public_keys(delegator, role).values()]


class Device:
    """A reader's device, with what it keeps of the feed."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self.tree = MemoryTree()

    @property
    def feed(self) -> Feed:
        return Feed(self.simulator.store, Kept(self.tree, self.simulator.pin), VERIFIER)

    async def refresh(self, now: datetime | None = None) -> Trusted:
        return await refresh(self.feed, now or self.simulator.now)

    async def refusal(self, now: datetime | None = None) -> OkfError:
        """Why the feed is refused; everything that was believed before still is."""
        before = {path: data for path, data in self.tree.files.items() if "/metadata/" in path}
        try:
            trusted = await self.refresh(now)
        except OkfError as error:
            kept = {path: data for path, data in self.tree.files.items() if "/metadata/" in path}
            assert kept.keys() >= before.keys() or error.code in {"signature-invalid", "metadata-expired"}
            return error
        raise AssertionError(f"expected a refusal, found version {trusted.timestamp.version} believed")

    async def versions(self) -> list[str]:
        trusted = await self.refresh()
        return sorted(path.rpartition("-")[2].removesuffix(".okf.zip") for path in trusted.creators["ada"].targets)


__all__ = ["Device", "MemoryKeyring", "Simulator", "metadata_key", "release"]
