"""A deployment in the hands of its operator: the real `okf` at the real functions, restored, upgraded, and held to its
roles."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from okf_edge.feed.keys import SslibVerifier
from okf_edge.feed.publish import refresh_feed
from okf_edge.feed.writer import Writer
from okf_edge_infra.operate import online_keys
from okf_edge_lambda import layout
from okf_edge_native.s3 import S3Blobs
from okf_edge_native.system import SystemClock
from tests.e2e.lambda_fixtures import HARBOUR, aws_endpoint
from tests.e2e.lambda_runtime import Function
from tests.e2e.lambda_service import Deployed, HeldKeys, Owner
from tests.e2e.s3_watch import S3Watch
from tests.infra.test_template import ROLES

__all__ = ["aws_endpoint"]


class Watched(Deployed):
    """A deployment of which it is noted what each function asks S3 for."""

    def _function(self, name: str, most: int) -> Function:
        self.watches: dict[str, S3Watch] = {**getattr(self, "watches", {}), name: S3Watch(self.s3_endpoint)}
        whole, self.environment = self.environment, {**self.environment, "AWS_ENDPOINT_URL_S3": self.watches[name].url}
        try:
            return super()._function(name, most)
        finally:
            self.environment = whole

    def clock(self) -> Any:
        """Run `clock` until nothing is left to be done."""
        for _ in range(20):
            told = self.functions["clock"].invoke({}).told
            if told["asked"] == 0:
                return told
        raise AssertionError("the clock never came to an end")

    def question(self, reader: Owner) -> Any:
        return reader.okf("query", "--remote", "team", "when does the harbour flood", "--json", env=LOOPBACK).json


LOOPBACK = {"no_proxy": "127.0.0.1,localhost"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, s3_endpoint: str, aws_endpoint: str) -> Iterator[Watched]:
    service = Watched(tmp_path_factory.mktemp("operated"), s3_endpoint, aws_endpoint, {"api": 1, "search": 1})
    try:
        yield service
    finally:
        service.close()
        for watch in service.watches.values():
            watch.close()


@pytest.fixture(scope="module")
def ada(service: Watched) -> Owner:
    """A creator who keeps the service by its name, and published once, all with the real `okf`."""
    ada = service.creator("ada")
    (ada.home / "token").write_text(service.token("ada", "--scope", "read", "--scope", "publish", "--only", "ada"))
    ada.okf("remote", "add", service.url, "--name", "team", "--token-file", "token", env=LOOPBACK)
    for path, text in HARBOUR.items():
        (ada.home / "source").mkdir(exist_ok=True)
        (ada.home / "source" / path).write_text(text)
    done = publish(service, ada, "1.0.0")
    assert (done["outcome"], done["root"]) == ("done", service.root)
    return ada


def publish(service: Watched, ada: Owner, version: str) -> Any:
    return ada.okf(
        "publish", "source", "--to", service.url, "--id", "ada.harbour", "--version", version, "--json", env=LOOPBACK
    ).json


def test_the_real_client_publishes_installs_updates_and_asks(service: Watched, ada: Owner) -> None:
    assert publish(service, ada, "1.0.0")["outcome"] == "unchanged"
    (ada.home / "base").mkdir()
    ada.okf("init", "base")
    done = ada.okf("install", "ada.harbour", "--feed", service.url, "--dir", "base", "--json", env=LOOPBACK).json
    assert (done["bundle"]["version"], done["bundle"]["signer"]) == ("1.0.0", "ada")
    (ada.home / "source/new.md").write_text(HARBOUR["tides.md"].replace("Tides", "Ebb"))
    assert publish(service, ada, "1.1.0")["outcome"] == "done"
    updated = ada.okf("update", "--all", "--dir", "base", "--json", env=LOOPBACK).json["updated"]
    assert [each["bundle"]["version"] for each in updated] == ["1.1.0"]
    answer = service.question(ada)
    assert (answer["verdict"], answer["candidates"][0]["bundle"]) == ("ok", "ada.harbour")


def test_the_operators_checks_find_nothing_wrong(service: Watched, ada: Owner) -> None:
    service.put_models()
    told = ada.okf("remote", "deploy-check", "team", "--json", code=None, env=LOOPBACK).json
    assert [each for each in told["checks"] if each["state"] == "wrong" and each["check"] != "question"] == []
    assert {each["check"] for each in told["checks"]} >= {"strangers", "feed", "download", "agents"}


def test_the_keys_that_an_operator_hands_over_are_those_that_sign(service: Watched, ada: Owner) -> None:
    store = S3Blobs(service.store, service.s3)
    pems = asyncio.run(online_keys(store, service.owner.home / "okf/config/keys"))
    end = "-----END PRIVATE KEY-----\n"
    keys = HeldKeys(*(f"{part}{end}" for part in pems.split(end)[:-1]))
    assert len(keys._signers) == 2
    change = asyncio.run(refresh_feed(Writer(store, keys, SslibVerifier()), SystemClock().now()))
    assert change.outcome in ("done", "unchanged")


def test_a_deployment_that_holds_older_formats_is_served_again_without_its_publishers(
    service: Watched, ada: Owner
) -> None:
    """What an upgrade finds: everything under the prefix of another format, nothing under its own."""
    present = layout.served_key("0" * 64, "x").partition("/0")[0]
    for each in service.objects(f"{present}/"):
        older = each["Key"].replace(present, "served/0-older", 1)
        service.s3.copy_object(Bucket=service.bucket, Key=older, CopySource=f"{service.bucket}/{each['Key']}")
        service.s3.delete_object(Bucket=service.bucket, Key=each["Key"])
    restart(service)
    told = ada.okf("query", "--remote", "team", "when does the harbour flood", "--json", code=None, env=LOOPBACK)
    assert "published, and not indexed yet" in told.out + told.err
    checks = ada.okf("remote", "deploy-check", "team", "--json", code=1, env=LOOPBACK).json["checks"]
    assert "upgrade" in next(each["fix"] for each in checks if each["check"] == "question")
    service.clock()
    answer = service.question(ada)
    assert (answer["verdict"], answer["coverage"]["note"].count("not indexed")) == ("ok", 0)


@pytest.mark.slow
def test_a_bucket_that_was_lost_comes_back_from_a_copy_of_the_feed_alone(service: Watched, ada: Owner) -> None:
    copy = {each["Key"]: service.read(each["Key"]) for each in service.objects("feed/")}
    for each in service.objects():
        service.s3.delete_object(Bucket=service.bucket, Key=each["Key"])
    restart(service)
    lost = ada.okf("remote", "deploy-check", "team", "--json", code=1, env=LOOPBACK).json
    assert "okf feed status" in next(each["fix"] for each in lost["checks"] if each["check"] == "feed")
    for key, data in copy.items():
        service.s3.put_object(Bucket=service.bucket, Key=key, Body=data)
    service.clock()
    assert service.question(ada)["verdict"] == "ok"
    (ada.home / "source/again.md").write_text(HARBOUR["locks.md"].replace("Locks", "Gates"))
    assert publish(service, ada, "1.2.0")["outcome"] == "done"


@pytest.mark.slow
def test_metadata_that_went_missing_stops_writers_until_it_is_back(service: Watched, ada: Owner) -> None:
    key = max(
        (each["Key"] for each in service.objects("feed/metadata/") if each["Key"].endswith(".ada.json")),
        key=lambda name: int(name.rpartition("/")[2].partition(".")[0]),
    )
    data = service.read(key)
    before = service.read("feed/metadata/timestamp.json")
    service.s3.delete_object(Bucket=service.bucket, Key=key)
    restart(service)
    assert service.functions["clock"].invoke({}).error is not None
    assert service.read("feed/metadata/timestamp.json") == before
    service.s3.put_object(Bucket=service.bucket, Key=key, Body=data)
    restart(service)
    service.clock()


def test_a_creator_withdraws_a_version_and_goes_on_with_another_key(service: Watched, ada: Owner) -> None:
    before = service.question(ada)["candidates"][0]["version"]
    publish(service, ada, "1.3.0")
    words = ("yank", "ada.harbour", "1.3.0", "--reason", "a wrong table", "--from", service.url, "--json")
    assert ada.okf(*words, env=LOOPBACK).json["outcome"] == "done"
    answer = service.question(ada)
    assert (answer["verdict"], answer["candidates"][0]["version"]) == ("ok", before)
    key = ada.okf("feed", "key", "--json").json["public_key"]
    service.owner.okf("feed", "rotate", service.store, "ada", "--public-key", key)
    assert ada.okf("feed", "refresh", service.url, "--json", env=LOOPBACK).json["outcome"] == "done"
    with service.http((ada.home / "token").read_text()) as http:
        listed = http.get("/v1/bundles").json()["bundles"]
    assert {each["version"]: each["yanked"] for each in listed}["1.3.0"] == "a wrong table"


def test_no_function_asked_s3_for_more_than_its_role_allows(service: Watched, ada: Owner) -> None:
    """After all of the above, a question, and a publication that is put aside."""
    service.clock()
    assert service.question(ada)["verdict"] == "ok"
    archive = ada.home / "broken.zip"
    archive.write_bytes(b"no archive at all")
    metadata = service.signed_for(ada, archive.read_bytes(), "ada.broken", "1.0.0")
    assert quarantined(service, ada, archive, metadata)
    for name, watch in service.watches.items():
        allowed = {(action, place) for action, place in ROLES[name.capitalize()] if action.startswith("s3:")}
        assert watch.used, name
        beyond = {each for each in watch.used if not is_allowed(each, allowed)}
        assert beyond == set(), name
    written = {key.partition("/")[0] for action, key in service.watches["ingest"].used if action == "s3:PutObject"}
    assert written == {"feed", "served", "outcomes", "quarantine"}, "what is watched is what is written"


def quarantined(service: Watched, ada: Owner, archive: Path, metadata: str) -> bool:
    """Whether an archive that is none ends in quarantine."""
    import time
    from hashlib import sha256

    import httpx

    data = archive.read_bytes()
    with service.http((ada.home / "token").read_text()) as client:
        asked = {"id": "ada.broken", "version": "1.0.0", "sha256": sha256(data).hexdigest(), "bytes": len(data)}
        begun = client.post("/v1/publish", json=asked).json()
        httpx.put(begun["url"], content=data, headers=begun["headers"], trust_env=False).raise_for_status()
        client.post(f"/v1/publish/{begun['upload']}", json={"metadata": metadata}).raise_for_status()
        until = time.monotonic() + 60
        while client.get(f"/v1/publish/{begun['upload']}").json()["state"] != "refused":
            assert time.monotonic() < until
            time.sleep(0.2)
    return bool(service.objects("quarantine/"))


def is_allowed(used: tuple[str, str], allowed: set[tuple[str, str]]) -> bool:
    action, key = used
    return any(action == each and fnmatchcase(f"bucket/{key}".rstrip("/"), place) for each, place in allowed)


def restart(service: Watched) -> None:
    """New environments: nothing is in memory or on a disk."""
    for function in service.functions.values():
        function.kill()
