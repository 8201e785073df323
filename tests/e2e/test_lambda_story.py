"""`make e2e-lambda`: the life of a service with everything that happens to it, ending with every byte accounted for.

Two creators publish, agents ask, readers install and update, a key is rotated, the feed expires and is refreshed, and
environments are killed meanwhile. The seed decides who does what when.
"""

from __future__ import annotations

import json
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from hashlib import sha256
from typing import Any

import pytest

from okf_edge.feed import drafts
from okf_edge.feed.keys import SslibVerifier, signed
from okf_edge.feed.publish import refresh_feed
from okf_edge.feed.writer import Writer
from okf_edge_native.s3 import S3Blobs
from okf_edge_native.system import SystemClock
from tests.e2e.lambda_service import Deployed, HeldKeys, Owner, deployed, page

WORDS = ("anchor", "barge", "canal", "dinghy", "estuary", "ferry", "gangway", "harbour", "islet", "jetty")
DERIVED = re.compile(r"(outcomes/[0-9a-f]{32}\.json|served/.+|ledger/.+|quarantine/.+|feed/conditions\.probe)")


@pytest.fixture
def service(tmp_path_factory: pytest.TempPathFactory, s3_endpoint: str, aws_endpoint: str) -> Iterator[Deployed]:
    folder = tmp_path_factory.mktemp("story")
    with deployed(folder, s3_endpoint, aws_endpoint, api=3, search=3, ingest=3) as made:
        made.events.twice = 0.2
        yield made


def test_a_service_keeps_everything_through_kills_rotation_and_expiry(service: Deployed) -> None:
    live(service, seed=1, rounds=2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_many_lives_of_a_service(service: Deployed, seed: int) -> None:
    live(service, seed, rounds=5)


@pytest.mark.slow
def test_a_hundred_publications_and_questions_at_once_lose_and_double_nothing(service: Deployed) -> None:
    at_once(service, creators=20, versions=5, questions=100)


def test_publications_and_questions_at_once_lose_and_double_nothing(service: Deployed) -> None:
    at_once(service, creators=3, versions=2, questions=12)


def live(service: Deployed, seed: int, rounds: int) -> None:
    """One life."""
    chance = random.Random(seed)
    creators = {name: service.creator(name) for name in ("ada", "bob")}
    token = service.token("all", "--scope", "read", "--scope", "publish")
    expected: dict[tuple[str, str], bytes] = {}
    for person in creators.values():
        service.know(person, token)
    with killing(service, chance):
        for number in range(1, rounds + 1):
            for name, person in creators.items():
                version = f"1.{number}.0"
                text = {"page.md": page(f"Page {number}", f"The {WORDS[number]} of {name} holds {WORDS[-number]}s.")}
                archive = person.archive(f"{name}.notes", version, text)
                place = person.home / f"{name}.notes-{version}.okf.zip"
                again(partial(person.okf, "publish", place, "--to", service.url, "--json"))
                expected[f"{name}.notes", version] = archive
    found = again(lambda: ask(service, token, f"which {WORDS[rounds]} holds what?"))
    assert {each["version"] for each in found["candidates"] + found["near"]} == {f"1.{rounds}.0"}
    rotate_the_timestamp_key(service)
    expire_and_refresh(service, token)
    install_and_update(service, creators["ada"], token, rounds, expected)
    assert_accounted_for(service, expected)


def at_once(service: Deployed, creators: int, versions: int, questions: int) -> None:
    """Everybody publishes one version after the other, while others ask."""
    people = {f"c{number}": service.creator(f"c{number}") for number in range(creators)}
    token = service.token("all", "--scope", "read", "--scope", "publish")
    archives = {
        (name, f"1.0.{number}"): person.archive(
            f"{name}.notes", f"1.0.{number}", {"page.md": page("Page", f"Number {number} of {name}: {WORDS[number]}.")}
        )
        for name, person in people.items()
        for number in range(versions)
    }

    def publish_all(name: str) -> None:
        for number in range(versions):
            again(partial(service.publish, people[name], archives[name, f"1.0.{number}"], token))

    with ThreadPoolExecutor(creators + 8) as pool:
        publishing = [pool.submit(publish_all, name) for name in people]
        asking = [pool.submit(again, lambda: ask(service, token, "which number?", kb="*")) for _ in range(questions)]
        for each in (*publishing, *asking):
            each.result(600)
    assert_accounted_for(service, {(f"{name}.notes", version): data for (name, version), data in archives.items()})


class killing:
    """Ends environments now and then while the block runs."""

    def __init__(self, service: Deployed, chance: random.Random) -> None:
        self._service, self._chance = service, chance
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join(10)

    def _run(self) -> None:
        while not self._ended.wait(self._chance.uniform(2, 6)):
            self._service.functions[self._chance.choice(("api", "search", "ingest"))].kill()


def again(work: Callable[[], Any], seconds: float = 120) -> Any:
    """What a person does whose command failed since the service was killed: the same command again."""
    until = time.monotonic() + seconds
    while True:
        try:
            return work()
        except Exception:
            if time.monotonic() > until:
                raise
            time.sleep(0.3)


def ask(service: Deployed, token: str, question: str, **more: str) -> Any:
    with service.http(token) as http:
        told = http.post("/v1/query", json={"question": question, **more})
        if told.status_code == 404 and told.json()["error"]["code"] == "no-base":
            return {"candidates": [], "near": []}  # nobody has published anything yet
        assert told.status_code == 200, told.text
        return told.json()


def rotate_the_timestamp_key(service: Deployed) -> None:
    before = service.online_keys()
    service.owner.okf("feed", "rotate", service.store, "timestamp")
    assert service.online_keys() != before
    service.put_keys()
    time.sleep(1.1)
    assert again(lambda: service.functions["clock"].invoke({}).told)["outcome"] in ("done", "unchanged")
    with service.http() as http:
        assert http.get("/health").json()["status"] == "ok"


def expire_and_refresh(service: Deployed, token: str) -> None:
    """Serve a timestamp that ended: nothing of it is used, and the clock puts it right."""
    put_timestamp_that_ended(service)
    time.sleep(0.6)
    with service.http(token) as http:
        health = http.get("/health")
        assert (health.status_code, health.json()["problem"]["code"]) == (503, "metadata-expired")
        told = http.post("/v1/query", json={"question": "anchor"})
        assert (told.status_code, told.json()["error"]["code"]) == (503, "metadata-expired")
        assert service.functions["clock"].invoke({}).told["outcome"] == "done"
        time.sleep(0.6)
        assert http.get("/health").json()["status"] == "ok"
        assert http.post("/v1/query", json={"question": "anchor"}).status_code == 200


def put_timestamp_that_ended(service: Deployed) -> None:
    import asyncio

    async def job() -> None:
        store = S3Blobs(service.store, service.s3)
        keys = HeldKeys(*(service.owner.key(public) for public in service.online_keys()))
        await refresh_feed(Writer(store, keys, SslibVerifier()), SystemClock().now() - timedelta(days=31))
        now = json.loads(service.read("feed/metadata/timestamp.json"))["signed"]
        meta = now["meta"]["snapshot.json"]
        data = service.read(f"feed/metadata/{meta['version']}.snapshot.json")
        ended = SystemClock().now() - timedelta(days=31)
        content = drafts.timestamp_of(drafts.meta_of(meta["version"], data), now["version"] + 1, ended)
        signers = await keys.signers([bytes.fromhex(each) for each in service.online_keys()[-1:]])
        service.s3.put_object(
            Bucket=service.bucket,
            Key="feed/metadata/timestamp.json",
            Body=(await signed(content, signers)).to_bytes(),
        )

    asyncio.run(job())


def install_and_update(
    service: Deployed, ada: Owner, token: str, rounds: int, expected: dict[tuple[str, str], bytes]
) -> None:
    reader = service.person("reader")
    service.know(reader, token)
    (reader.home / "base").mkdir()
    reader.okf("init", "base")
    reader.okf("feed", "trust", f"{service.url}/v1/feed", "--root", service.root, "--name", "main", "--dir", "base")
    done = reader.okf("install", "ada.notes@1.1.0", "--feed", "main", "--dir", "base", "--json").json
    assert done["bundle"]["version"] == "1.1.0"
    archive = ada.archive("ada.notes", "2.0.0", {"page.md": page("Last", "The last zeppelin.")})
    assert ada.okf("publish", ada.home / "ada.notes-2.0.0.okf.zip", "--to", service.url).code == 0
    expected["ada.notes", "2.0.0"] = archive
    reader.okf("update", "--all", "--dir", "base")
    assert reader.okf("query", "zeppelin", "--dir", "base", "--json").json["candidates"][0]["version"] == "2.0.0"
    assert ask(service, token, "zeppelin")["candidates"][0]["version"] == "2.0.0"


def assert_accounted_for(service: Deployed, expected: dict[tuple[str, str], bytes]) -> None:
    """Every release is there once with its bytes; every object of the bucket is metadata, a release, or derived."""
    service.events.look()
    service.functions["ingest"].settle()
    assert not service.functions["ingest"].dead_letters
    token = service.token("auditor", "--scope", "read")
    time.sleep(1.1)
    with service.http(token) as http:
        listed = http.get("/v1/bundles").json()["bundles"]
    assert {(each["id"], each["version"]): each["sha256"] for each in listed} == {
        key: sha256(data).hexdigest() for key, data in expected.items()
    }
    assert len(listed) == len(expected)
    objects = {each["Key"]: each["Size"] for each in service.objects()}
    targets = {key: size for key, size in objects.items() if key.startswith("feed/targets/")}
    assert sorted(targets.values()) == sorted(len(data) for data in expected.values())
    for key in targets:
        assert key.rpartition("/")[2].startswith(sha256(service.read(key)).hexdigest())
    rest = [key for key in objects if key not in targets and not key.startswith("feed/metadata/")]
    unknown = [key for key in rest if not DERIVED.fullmatch(key)]
    assert all(key.startswith("incoming/") for key in unknown), unknown
    for upload in {key.split("/")[1] for key in unknown}:
        assert_abandoned(service, upload, objects)


def assert_abandoned(service: Deployed, upload: str, objects: dict[str, int]) -> None:
    """What is left of an upload was given up by its publisher: never requested, or overtaken and sent again."""
    if f"incoming/{upload}/request.json" in objects:
        outcome = json.loads(service.read(f"outcomes/{upload}.json"))
        assert (outcome["state"], outcome["code"]) == ("refused", "precondition-failed"), outcome
