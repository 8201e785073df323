"""What environments of the service share: claims and confirmations, in a bucket or a table; each changed by one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import boto3
import pytest

from okf_edge.errors import PolicyError
from okf_edge.inmemory.system import ManualClock, SeededEntropy
from okf_edge.policy.call import Call
from okf_edge.policy.caller import Caller
from okf_edge.policy.confirm import confirm
from okf_edge.policy.ledger import Entry, Ledger
from okf_edge.policy.rate import RATES
from okf_edge_lambda.calls import BucketLedger
from okf_edge_lambda.table import TableBuckets, TableLedger
from okf_edge_native.s3 import S3Blobs
from tests.seaweed import KEY, SECRET, client_of

CALL = Call(Caller("ada", frozenset({"install"})), "update_bundle", {"bundle": "ada.harbour"})
NOW = ManualClock().now()


@pytest.fixture
def table(aws_endpoint: str) -> tuple[Any, str]:
    client = boto3.client(
        "dynamodb", endpoint_url=aws_endpoint, aws_access_key_id=KEY, aws_secret_access_key=SECRET,
        region_name="us-east-1",
    )  # fmt: skip
    name = f"okf-{uuid4().hex[:8]}"
    client.create_table(
        TableName=name, BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
    )  # fmt: skip
    return client, name


@pytest.fixture(params=["bucket", "table"])
def ledgers(request: pytest.FixtureRequest) -> Iterator[list[Ledger]]:
    """The same ledger as three environments see it."""
    if request.param == "table":
        client, name = request.getfixturevalue("table")
        yield [TableLedger(client, name) for _ in range(3)]
    else:
        address, endpoint = f"s3://ready/{uuid4().hex[:12]}", request.getfixturevalue("s3_endpoint")
        yield [BucketLedger(S3Blobs(address, client_of(endpoint))) for _ in range(3)]


async def test_a_confirmation_given_in_one_environment_is_spent_once_in_any_other(ledgers: list[Ledger]) -> None:
    with pytest.raises(PolicyError) as asked:
        await confirm(ledgers[0], CALL, SeededEntropy(), NOW)
    code = asked.value.details["confirm"]
    again = Call(CALL.caller, CALL.tool, {**CALL.arguments, "confirm": code})
    await confirm(ledgers[1], again, SeededEntropy("x"), NOW)
    with pytest.raises(PolicyError):
        await confirm(ledgers[2], again, SeededEntropy("y"), NOW)


async def test_of_many_who_spend_a_confirmation_at_once_one_succeeds(ledgers: list[Ledger]) -> None:
    with pytest.raises(PolicyError) as asked:
        await confirm(ledgers[0], CALL, SeededEntropy(), NOW)
    again = Call(CALL.caller, CALL.tool, {**CALL.arguments, "confirm": asked.value.details["confirm"]})

    def spend(number: int) -> bool:
        try:
            asyncio.run(confirm(ledgers[number % 3], again, SeededEntropy(str(number)), NOW))
        except PolicyError:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(spend, range(6))) == 1


async def test_a_claim_is_changed_by_one_at_a_time(ledgers: list[Ledger]) -> None:
    def count(kept: Entry | None) -> tuple[Entry, None]:
        return {"n": (kept or {"n": 0})["n"] + 1}, None

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda number: asyncio.run(ledgers[number % 3].change("k", count)), range(12)))
    assert await ledgers[0].change("k", lambda kept: (kept, kept)) == {"n": 12}
    await ledgers[1].change("k", lambda kept: (None, None))
    assert await ledgers[2].change("k", lambda kept: (kept, kept)) is None


def test_calls_are_counted_over_all_environments(table: tuple[Any, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("okf_edge_lambda.table.time.time", lambda: 1_800_000_000.0)
    buckets = [TableBuckets(*table) for _ in range(4)]
    most = int(RATES["write"].per_minute)
    for number in range(most):
        buckets[number % 4].take("ada", "write", float(number))
    with pytest.raises(PolicyError) as refused:
        buckets[0].take("ada", "write", 1000.0)
    assert refused.value.code == "throttled"
    buckets[0].take("bob", "write", 1000.0)
