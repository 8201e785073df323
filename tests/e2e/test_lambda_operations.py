"""What operators meet: outages, upgrades, revoked tokens, an inbox, a shared table."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import boto3
import httpx
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.e2e.lambda_fixtures import Published
from tests.e2e.lambda_gateway import FunctionUrl
from tests.e2e.lambda_runtime import Function
from tests.seaweed import KEY, SECRET, free_ports


@contextmanager
def door(published: Published, token: str = "", **environment: str) -> Iterator[httpx.Client]:
    """Another `api` of the same service, with other settings."""
    service = published.service
    api = service.functions["api"]
    function = Function(
        "okf-api-too", api.handler, {**service.environment, **environment}, service.folder / uuid4().hex, seconds=20
    )
    url = FunctionUrl(function)
    headers = {"authorization": f"Bearer {token}"} if token else {}
    try:
        yield httpx.Client(base_url=url.url, headers=headers, timeout=60, trust_env=False)
    finally:
        url.close()
        function.close()


def code_of(told: httpx.Response) -> tuple[int, str]:
    return told.status_code, told.json()["error"]["code"]


def test_a_bucket_that_does_not_answer_is_told_as_such(published: Published) -> None:
    [nobody] = free_ports(1)
    with door(published, published.reading, AWS_ENDPOINT_URL_S3=f"http://127.0.0.1:{nobody}") as http:
        health = http.get("/health")
        assert (health.status_code, health.json()["problem"]["code"]) == (503, "unavailable")
        assert code_of(http.get("/v1/bundles")) == (503, "unavailable")
        assert code_of(http.post("/v1/query", json={"question": "harbour"})) == (503, "unavailable")


def test_a_bucket_that_is_silent_is_told_as_such_before_the_functions_time_ends(published: Published) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=64) as silent:
        place = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with door(published, published.reading, AWS_ENDPOINT_URL_S3=place, OKF_STORE_SECONDS="1") as http:
            health = http.get("/health")
            assert (health.status_code, health.json()["problem"]["code"]) == (503, "unavailable")


def test_a_search_function_that_does_not_answer_is_told_as_such(published: Published) -> None:
    with door(published, published.reading, OKF_SEARCH_FUNCTION="okf-nowhere") as http:
        assert code_of(http.post("/v1/query", json={"question": "harbour"})) == (503, "unavailable")


def test_tokens_that_can_not_be_read_let_nobody_in(published: Published) -> None:
    with door(published, published.reading, OKF_TOKENS_PARAMETER="/okf/nothing") as http:
        assert code_of(http.get("/v1/bundles")) == (503, "unavailable")


def test_an_audit_key_that_is_missing_or_none_is_told_by_name(published: Published) -> None:
    for name in ("/okf/nothing", "/okf/tokens"):
        with door(published, published.reading, OKF_AUDIT_KEY_PARAMETER=name) as http:
            told = http.get("/health")
            assert told.status_code == 503
            assert name in told.json()["error"]["message"]
            assert "hash" not in told.text


def test_a_search_that_takes_too_long_is_ended_and_told(published: Published) -> None:
    search = published.service.functions["search"]
    seconds, search.seconds = search.seconds, 0.001
    try:
        with published.service.http(published.reading) as http:
            assert code_of(http.post("/v1/query", json={"question": "harbour"})) == (504, "too-slow")
    finally:
        search.seconds = seconds
    with published.service.http(published.reading) as http:
        assert http.post("/v1/query", json={"question": "harbour"}).status_code == 200


def test_a_token_that_is_revoked_stops_working(published: Published) -> None:
    token = published.service.token("leaver", "--scope", "read")
    time.sleep(1.2)
    with published.service.http(token) as http:
        assert http.get("/v1/bundles").status_code == 200
        published.service.owner.okf("token", "revoke", "leaver")
        published.service.put_tokens()
        time.sleep(1.2)
        assert http.get("/v1/bundles").status_code == 401


def test_a_deployment_that_holds_no_present_format_is_served_again_by_the_clock(published: Published) -> None:
    """As after an upgrade: what an older version unpacked lies elsewhere."""
    service = published.service
    held = [each["Key"] for each in service.objects("served/")]
    for key in held:
        service.s3.copy_object(
            Bucket=service.bucket, Key=key.replace("served/1-", "served/0-"), CopySource=f"{service.bucket}/{key}"
        )
        service.s3.delete_object(Bucket=service.bucket, Key=key)
    for name in ("api", "search", "clock"):
        service.functions[name].kill()
    with service.http(published.everything) as http:
        told = http.post("/v1/query", json={"question": "when does the harbour flood?"})
        assert told.status_code in (200, 404, 503)
        asked = service.functions["clock"].invoke({}).told["asked"]
        assert asked == len({each["id"] for each in http.get("/v1/bundles").json()["bundles"]}) >= 2
        service.functions["ingest"].settle()
        found = http.post("/v1/query", json={"question": "when does the harbour flood?"}).json()
        assert found["candidates"][0]["bundle"] == "ada.harbour"
    assert {key for key in held if key.endswith("contents.json")} <= {
        each["Key"] for each in service.objects("served/")
    }


def test_a_clock_without_its_keys_fails_loudly(published: Published) -> None:
    service = published.service
    clock = Function(
        "okf-clock-too", "okf_edge_lambda.clock.handler", {**service.environment, "OKF_KEYS_PARAMETER": "/okf/nothing"},
        service.folder / uuid4().hex,
    )  # fmt: skip
    try:
        told = clock.invoke({})
        assert told.error is not None
        assert "RefreshFailed" in (service.folder / clock._folder.name / "okf-clock-too-0/log").read_text()
    finally:
        clock.close()


async def test_notes_are_captured_where_there_is_an_inbox(published: Published) -> None:
    service = published.service
    inbox = f"{service.bucket}-inbox"
    service.s3.create_bucket(Bucket=inbox)
    token = service.token("writer", "--scope", "read", "--scope", "capture", "--only", "ada")
    with door(published, OKF_INBOX_BUCKET=inbox) as http:
        headers = {"authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60) as web,
            Client(streamable_http_client(f"{http.base_url}/mcp", http_client=web), mode="auto") as client,
        ):
            assert "capture" in {tool.name for tool in (await client.list_tools()).tools}
            told = {"idempotency_key": "once", "kb": "ada", "content": "A heron stood on the weir."}
            for _ in range(2):
                assert (await client.call_tool("capture", told)).is_error is False
    kept_objects = service.s3.list_objects_v2(Bucket=inbox)["Contents"]
    assert [each["Key"].startswith("ada/inbox/") for each in kept_objects] == [True]


def test_a_table_shares_rates_between_environments(published: Published, aws_endpoint: str) -> None:
    client: Any = boto3.client(
        "dynamodb", endpoint_url=aws_endpoint, aws_access_key_id=KEY, aws_secret_access_key=SECRET,
        region_name="us-east-1",
    )  # fmt: skip
    name = f"okf-{uuid4().hex[:8]}"
    client.create_table(
        TableName=name, BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
    )  # fmt: skip
    with door(published, published.reading, OKF_TABLE=name) as http:
        assert http.get("/v1/bundles").status_code == 200
        items: list[Mapping[str, Any]] = client.scan(TableName=name)["Items"]
        [item] = [each for each in items if each["id"]["S"].endswith("#reader")]
        minute = item["id"]["S"].split("#")[2]
        for later in range(3):  # whatever minute it is when it is asked
            client.put_item(
                TableName=name,
                Item={"id": {"S": f"rate#read#{int(minute) + later}#reader"}, "calls": {"N": "100000"}},
            )
        told = http.get("/v1/bundles")
        assert code_of(told) == (429, "throttled")
        assert 0 < int(told.headers["retry-after"]) <= 60


def test_a_public_feed_is_read_without_a_token_and_nothing_else_is(published: Published) -> None:
    with door(published, OKF_FEED_PUBLIC="true") as http:
        assert http.get("/v1/feed/metadata/timestamp.json").status_code == 200
        assert http.get("/v1/bundles").status_code == 401
        assert http.post("/v1/query", json={"question": "harbour"}).status_code == 401


def test_settings_that_are_wrong_are_all_told_at_the_first_call(published: Published) -> None:
    with door(published, OKF_BUCKET="", OKF_SHARD_BYTES="many") as http:
        told = http.get("/health")
        assert told.status_code == 502
        assert "OKF_BUCKET" in json.loads(told.text)["errorMessage"]
        assert "OKF_SHARD_BYTES" in told.text
