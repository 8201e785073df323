"""S3 as a `BlobStore` over a real server; then what a publisher relies on, and stores that do not keep it."""

from __future__ import annotations

import asyncio
import io
from typing import Any
from uuid import uuid4

import pytest

from feed_kit import ARCHIVE, VERIFIER, MemoryKeyring, release
from okf_edge.contracts import BlobStoreContract, clauses
from okf_edge.contracts.blob_store import SEED
from okf_edge.errors import InputError, NotFoundError, OkfError, PreconditionError, StoreError, UnavailableError
from okf_edge.feed import publish
from okf_edge.feed.holding import held_by
from okf_edge.feed.writer import Writer, require_conditions
from okf_edge.inmemory.blobs import MemoryBlobs
from okf_edge.inmemory.system import DEFAULT_NOW
from okf_edge_native.s3 import S3Blobs
from seaweed import client_of


@pytest.fixture
def place(s3_endpoint: str) -> tuple[Any, str]:
    """A client, and a fresh address in the server's one bucket: each bucket would cost the server disk volumes."""
    return client_of(s3_endpoint), f"s3://ready/{uuid4().hex[:12]}"


async def test_a_whole_bucket_is_a_store_too(s3_endpoint: str) -> None:
    client = client_of(s3_endpoint)
    client.create_bucket(Bucket="whole")
    store = S3Blobs("s3://whole", client)
    for key, data in SEED.items():
        await store.put(key, data, if_version=None)
    await BlobStoreContract().a_listing_is_sorted_and_limited_to_its_prefix(store)


@pytest.mark.parametrize("clause", clauses(BlobStoreContract))
async def test_the_contract_is_kept(clause: str, place: tuple[Any, str]) -> None:
    client, address = place
    store = S3Blobs(address, client)
    for key, data in SEED.items():
        await store.put(key, data, if_version=None)
    await getattr(BlobStoreContract(), clause)(store)


async def test_of_sixteen_writers_of_a_new_name_one_wins(place: tuple[Any, str]) -> None:
    client, address = place
    store = S3Blobs(address, client)

    def put(number: int) -> bool:
        try:
            asyncio.run(store.put("metadata/2.root.json", b"%d" % number, if_version=None))
        except PreconditionError:
            return False
        return True

    won = await asyncio.gather(*(asyncio.to_thread(put, number) for number in range(16)))
    assert sum(won) == 1
    assert int((await store.get("metadata/2.root.json", 9)).data) == won.index(True)


async def test_two_publishers_of_one_feed_in_a_bucket_lose_nothing(place: tuple[Any, str]) -> None:
    client, address = place
    store, keyring = S3Blobs(address, client), MemoryKeyring()
    writer = Writer(store, keyring, VERIFIER)
    await publish.create_feed(writer, 1, 1, DEFAULT_NOW)
    for creator in ("ada", "bob"):
        await publish.add_creator(writer, creator, [(await keyring.create()).public_key], DEFAULT_NOW)

    def publish_all(creator: str) -> None:
        for number in range(3):
            each = release(f"{creator}.harbour", f"1.{number}.0")
            asyncio.run(publish.publish(writer, each, ARCHIVE, DEFAULT_NOW))

    await asyncio.gather(*(asyncio.to_thread(publish_all, creator) for creator in ("ada", "bob")))
    listed = [(each.id, each.version) for each in publish.released(await held_by(store, VERIFIER))]
    assert listed == [(f"{who}.harbour", f"1.{number}.0") for who in ("ada", "bob") for number in range(3)]


async def test_credentials_are_never_part_of_an_error(place: tuple[Any, str], s3_endpoint: str) -> None:
    import boto3

    wrong = boto3.client(
        "s3", endpoint_url=s3_endpoint, region_name="us-east-1", aws_access_key_id="AKIDWRONG",
        aws_secret_access_key="s3cr3t-value",
    )  # fmt: skip
    with pytest.raises(UnavailableError) as caught:
        await S3Blobs(place[1], wrong).get("a.json", 10)
    assert "s3cr3t" not in f"{caught.value!r} {caught.value.hint}"
    assert "AKIDWRONG" not in f"{caught.value!r} {caught.value.hint}"


async def test_a_bucket_that_is_not_there_is_not_an_empty_feed(place: tuple[Any, str]) -> None:
    with pytest.raises(NotFoundError) as caught:
        await held_by(S3Blobs("s3://no-such-bucket-here", place[0]), VERIFIER)
    assert caught.value.code == "no-bucket"


@pytest.mark.parametrize("address", ["s3://", "s3:///prefix", "https://bucket"])
def test_what_names_no_bucket_is_refused(address: str) -> None:
    with pytest.raises(InputError):
        S3Blobs(address)


class Answers:
    """A client that gives one answer after the other to writes, and remembers how often it was asked."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked = 0

    def put_object(self, **request: Any) -> dict[str, str]:
        from botocore.exceptions import ClientError

        self.asked += 1
        code = self.answers.pop(0)
        if code != "200":
            raise ClientError({"Error": {"Code": code, "Message": ""}}, "PutObject")
        return {"ETag": '"e"'}

    def get_object(self, **request: Any) -> dict[str, Any]:
        return {"ContentLength": 5, "ETag": '"e"', "Body": io.BytesIO(b"x" * 50)}


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        (["412"], PreconditionError),
        (["PreconditionFailed"], PreconditionError),
        (["404"], PreconditionError),
        (["ConditionalRequestConflict", "200"], None),
        (["ConditionalRequestConflict"] * 5, PreconditionError),
        (["503"], UnavailableError),
        (["AccessDenied"], UnavailableError),
    ],
)
async def test_each_answer_of_a_server_to_a_conditional_write(answers: list[str], outcome: type[OkfError] | None):
    pytest.importorskip("botocore")
    client = Answers(*answers)
    store = S3Blobs("s3://b", client)
    if outcome is None:
        assert await store.put("a", b"x", if_version='"v"') == '"e"'
    else:
        with pytest.raises(outcome):
            await store.put("a", b"x", if_version='"v"')
    assert client.asked == len(answers)


async def test_more_bytes_than_announced_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("botocore")
    with pytest.raises(StoreError) as caught:
        await S3Blobs("s3://b", Answers()).get("a", 10)
    assert caught.value.code == "too-large"


class CarelessBlobs(MemoryBlobs):
    """A store that ignores conditions, as some S3 servers do."""

    def __init__(self, ignores: str) -> None:
        super().__init__()
        self.ignores = ignores

    async def put(self, key: str, data: bytes, *, if_version: str | None) -> str:
        kind = "create" if if_version is None else "change"
        if kind != self.ignores:
            return await super().put(key, data, if_version=if_version)
        self.blobs[key] = data
        return (await self.head(key)).version


@pytest.mark.parametrize("ignores", ["create", "change"])
async def test_a_store_that_ignores_conditions_is_found_out(ignores: str) -> None:
    with pytest.raises(StoreError) as caught:
        await require_conditions(CarelessBlobs(ignores))
    assert caught.value.code == "store-unconditional"


async def test_a_store_that_keeps_conditions_passes_again_and_again() -> None:
    store = MemoryBlobs()
    for _ in range(12):
        await require_conditions(store)
