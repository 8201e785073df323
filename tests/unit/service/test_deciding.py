"""What `ingest` decides while its bucket fails, its process is killed, and events of one publication come together."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from hashlib import sha256
from typing import Any

import pytest

from bundle_kit import LineIndexer, make_bundle
from feed_kit import Simulator
from okf_edge.app.publishing import release_from
from okf_edge.bundles.contents import open_zip
from okf_edge.bundles.digest import MANIFEST
from okf_edge.bundles.manifest import read_manifest
from okf_edge.errors import ModelError, OkfError, UnavailableError
from okf_edge.feed import drafts
from okf_edge.feed.keys import signed
from okf_edge.inmemory.blobs import MemoryBlobs
from okf_edge.ports import Blob, BlobStat
from okf_edge_lambda import ingest, layout, outcomes, store
from okf_edge_lambda.outcomes import Intent, Outcome, Request
from okf_edge_lambda.settings import Settings

UPLOAD = "0" * 32


class Killed(BaseException):
    """The process ended here."""


class Failing(MemoryBlobs):
    """A bucket that fails at one call, before or after it did what was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.at = 0
        self.error: BaseException = UnavailableError("no answer")
        self.after = False

    def meet(self, is_after: bool) -> None:
        if not is_after:
            self.calls += 1
        if self.calls == self.at and is_after == self.after:
            raise self.error

    async def get(self, key: str, max_bytes: int) -> Blob:
        self.meet(False)
        found = await super().get(key, max_bytes)
        await asyncio.sleep(0)
        self.meet(True)
        return found

    async def head(self, key: str) -> BlobStat:
        self.meet(False)
        return await super().head(key)

    async def list(self, prefix: str) -> Sequence[BlobStat]:
        self.meet(False)
        return await super().list(prefix)

    async def put(self, key: str, data: bytes, *, if_version: str | None) -> str:
        self.meet(False)
        done = await super().put(key, data, if_version=if_version)
        await asyncio.sleep(0)
        self.meet(True)
        return done

    async def move(self, key: str, to: str) -> None:
        self.meet(False)
        if key in self.blobs:
            self.blobs[to] = self.blobs.pop(key)
        self.meet(True)

    async def remove(self, key: str) -> None:
        self.meet(False)
        self.blobs.pop(key, None)
        self.meet(True)

    async def put_anyway(self, key: str, data: bytes) -> None:
        self.meet(False)
        self.blobs[key] = data


class Below:
    """The feed within the bucket."""

    def __init__(self, bucket: Failing) -> None:
        self._bucket = bucket

    async def get(self, key: str, max_bytes: int) -> Blob:
        return await self._bucket.get(f"feed/{key}", max_bytes)

    async def head(self, key: str) -> BlobStat:
        return await self._bucket.head(f"feed/{key}")

    async def list(self, prefix: str) -> Sequence[BlobStat]:
        found = await self._bucket.list(f"feed/{prefix}")
        return [BlobStat(each.key.removeprefix("feed/"), each.bytes, each.version) for each in found]

    async def put(self, key: str, data: bytes, *, if_version: str | None) -> str:
        return await self._bucket.put(f"feed/{key}", data, if_version=if_version)


class Service:
    """A bucket with a feed and one publication of `ada` that waits to be decided."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self.bucket = Failing()

    @classmethod
    async def started(cls, monkeypatch: pytest.MonkeyPatch, archive: bytes | None = None) -> Service:
        made = cls(await Simulator.started())
        await made.send(archive if archive is not None else await make_bundle())
        made.bucket.blobs |= {f"feed/{key}": data for key, data in made.simulator.store.blobs.items()}
        monkeypatch.setattr(store, "bucket", lambda: made.bucket)
        monkeypatch.setattr(store, "feed", lambda: Below(made.bucket))
        for name in ("move", "remove", "put_anyway"):
            monkeypatch.setattr(store, name, getattr(made.bucket, name))
        monkeypatch.setattr(ingest, "OnlineKeyring", lambda: made.simulator.keyring)
        monkeypatch.setattr(ingest, "SystemClock", lambda: made)
        monkeypatch.setattr(ingest, "_indexer", LineIndexer)
        return made

    def now(self) -> Any:
        return self.simulator.now

    async def send(self, archive: bytes) -> None:
        digest = sha256(archive).hexdigest()
        release = None
        with suppress(OkfError):
            release = release_from(read_manifest(await open_zip(archive).read(MANIFEST)), archive)
        content = drafts.no_targets(self.now())
        if release:
            content = drafts.with_release(content, release, self.now())
        content.version = (await self.simulator.holding()).free("ada", above=content.version - 1)
        metadata = (await signed(content, await self.simulator.stolen("ada"))).to_bytes().decode()
        intent = Intent("ada.harbour", "1.0.0", digest, len(archive), "ada", "ada")
        self.bucket.blobs[layout.upload_key(UPLOAD)] = archive
        self.bucket.blobs[layout.intent_key(UPLOAD)] = json.dumps(asdict(intent)).encode()
        self.bucket.blobs[layout.request_key(UPLOAD)] = json.dumps(asdict(Request(intent, metadata))).encode()

    async def tried(self, times: int = 3) -> None:
        """As Lambda tries an event: again where it failed or was ended, a minute later."""
        for _ in range(times):
            with suppress(OkfError, Killed):
                await ingest.settle(UPLOAD)
                return
            self.simulator.pass_time(minutes=2)

    async def outcome(self) -> Outcome:
        found, _ = await outcomes.read_outcome(self.bucket, UPLOAD)
        assert found is not None
        return found

    async def versions(self) -> list[str]:
        """What a reader who verifies everything finds."""
        stored = {key.removeprefix("feed/"): data for key, data in self.bucket.blobs.items() if key.startswith("feed/")}
        self.simulator.store.blobs = stored
        return list(await (await self.simulator.device()).versions())

    def left(self, folder: str) -> list[str]:
        return [key for key in self.bucket.blobs if key.startswith(folder)]


async def calls_of(monkeypatch: pytest.MonkeyPatch, archive: bytes | None = None) -> int:
    service = await Service.started(monkeypatch, archive)
    await ingest.settle(UPLOAD)
    return service.bucket.calls


FAULTS = [
    pytest.param(UnavailableError("no answer"), False, id="refused"),
    pytest.param(UnavailableError("no answer"), True, id="done and not told"),
    pytest.param(Killed(), False, id="killed before"),
    pytest.param(Killed(), True, id="killed after"),
]


@pytest.mark.parametrize(("error", "after"), FAULTS)
async def test_a_bucket_that_fails_once_at_any_call_delays_a_publication_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, after: bool
) -> None:
    for at in range(1, await calls_of(monkeypatch) + 1):
        service = await Service.started(monkeypatch)
        service.bucket.at, service.bucket.error, service.bucket.after = at, error, after
        await service.tried()
        assert ((await service.outcome()).state, await service.versions()) == ("published", ["1.0.0"]), at
        assert not service.left("quarantine/"), at
        assert not service.left("incoming/"), at


@pytest.mark.parametrize(("error", "after"), FAULTS)
async def test_a_bucket_that_fails_once_at_any_call_lets_nothing_in_that_is_refused(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, after: bool
) -> None:
    for at in range(1, await calls_of(monkeypatch, b"no archive") + 1):
        service = await Service.started(monkeypatch, b"no archive")
        service.bucket.at, service.bucket.error, service.bucket.after = at, error, after
        await service.tried()
        assert ((await service.outcome()).code, await service.versions()) == ("not-a-zip", []), at
        assert service.bucket.blobs[layout.quarantine_key(UPLOAD, "archive")] == b"no archive", at
        assert layout.quarantine_key(UPLOAD, "reason.json") in service.bucket.blobs, at


async def test_a_bucket_that_fails_for_long_makes_no_poison_of_what_is_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    for at in range(4, await calls_of(monkeypatch) + 1):
        service = await Service.started(monkeypatch)
        for _ in range(6):
            service.bucket.calls, service.bucket.at = 0, at
            with suppress(OkfError):
                await ingest.settle(UPLOAD)
            service.simulator.pass_time(minutes=2)
        service.bucket.at = 0
        await service.tried(1)
        assert (await service.outcome()).state == "published", at


async def test_events_of_one_publication_that_come_together_never_undo_what_one_decided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for late in range(60):
        service = await Service.started(monkeypatch)

        async def one(turns: int) -> None:
            for _ in range(turns):
                await asyncio.sleep(0)
            with suppress(OkfError):
                await ingest.settle(UPLOAD)

        await asyncio.gather(one(0), one(late), one(late * 2))
        assert ((await service.outcome()).state, await service.versions()) == ("published", ["1.0.0"]), late
        assert not service.left("quarantine/"), late


@pytest.mark.parametrize("error", [ModelError("no model"), Killed()])
async def test_what_is_in_the_feed_is_published_also_when_it_can_not_be_unpacked(
    monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    service = await Service.started(monkeypatch)

    async def broken(*_: Any) -> None:
        raise error

    monkeypatch.setattr(ingest, "serve", broken)
    await service.tried()
    assert ((await service.outcome()).state, await service.versions()) == ("published", ["1.0.0"])
    assert not service.left("quarantine/")


async def test_what_ends_the_function_each_time_is_put_aside_by_the_last_of_lambdas_tries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    service = await Service.started(monkeypatch)

    async def ended(*_: Any, **__: Any) -> None:
        raise Killed

    monkeypatch.setattr(ingest, "admit_archive", ended)
    await service.tried(3)
    assert ((await service.outcome()).code, await service.versions()) == ("poison", [])
    assert layout.quarantine_key(UPLOAD, "archive") in service.bucket.blobs


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(ingest, "count", lambda *_: None)
    monkeypatch.setattr(ingest, "settings", lambda: Settings(bucket="okf-notes"))
    yield
