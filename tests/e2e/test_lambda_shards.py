"""A question over more bundles than one environment holds is asked of several, and answered like by one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from tests.e2e.lambda_runtime import Function
from tests.e2e.lambda_service import Deployed, deployed, page

TEXTS = {
    "ada.harbour": "The harbour floods at spring tide; the lock keeper opens the sluice.",
    "ada.canal": "Barges wait for the lock keeper below the weir of the canal.",
    "bob.orchard": "The orchard floods in March, when the river tops the weir.",
    "bob.cellar": "Cider rests in the cellar below the barn.",
}
QUESTIONS = ("when does the harbour flood?", "what is below the weir?", "lock keeper", "who rests in the cellar")


@dataclass(frozen=True, slots=True)
class Sharded:
    """A service whose every bundle is a shard, and the same function `search` without shards."""

    service: Deployed
    token: str
    whole: Function


@pytest.fixture(scope="module")
def sharded(tmp_path_factory: pytest.TempPathFactory, s3_endpoint: str, aws_endpoint: str) -> Iterator[Sharded]:
    with deployed(tmp_path_factory.mktemp("shards"), s3_endpoint, aws_endpoint, search=5) as service:
        token = service.token("all", "--scope", "read", "--scope", "publish")
        people = {name: service.creator(name) for name in ("ada", "bob")}
        for bundle_id, text in TEXTS.items():
            person = people[bundle_id.partition(".")[0]]
            title = bundle_id.partition(".")[2].title()
            archive = person.archive(bundle_id, "1.0.0", {"page.md": page(title, text), "other.md": page("O", "Else.")})
            service.publish(person, archive, token)
        search = service.functions["search"]
        folder = service.folder / "whole"
        whole = Function("okf-whole", search.handler, dict(search.environment), folder)
        search.environment |= {"OKF_SHARD_BYTES": "1", "OKF_SHARD_SECONDS": "20"}
        search.kill()
        yield Sharded(service, token, whole)
        whole.close()


def ask(sharded: Sharded, question: str, **more: Any) -> httpx.Response:
    with sharded.service.http(sharded.token) as http:
        return http.post("/v1/query", json={"question": question, **more})


def message(sharded: Sharded, question: str) -> dict[str, Any]:
    """What `api` asks `search`."""
    with sharded.service.http(sharded.token) as http:
        listed = http.get("/v1/bundles").json()["bundles"]
    members = [
        {
            "name": name, "allow": None, "deny": [],
            "bundles": [
                {"id": each["id"], "version": each["version"], "archive": each["sha256"], "bytes": each["bytes"]}
                for each in listed if each["creator"] == name
            ],
        }
        for name in ("ada", "bob")
    ]  # fmt: skip
    filters: dict[str, list[str]] = {"types": [], "tags": [], "paths": []}
    request = {"question": question, "k": 8, "filters": filters, "lexical": True, "dense": True, "explain": False}
    return {"request": request, "members": members, "absent": {}}


def test_many_environments_answer_like_one(sharded: Sharded) -> None:
    for question in QUESTIONS:
        found = ask(sharded, question).json()
        expected = sharded.whole.invoke(message(sharded, question)).told
        for told in (found, expected):
            del told["timings"]
        assert found == expected
    assert len(sharded.service.functions["search"].environments) > 1


def test_a_shard_that_is_too_slow_is_left_out_and_the_answer_says_so(sharded: Sharded) -> None:
    search = sharded.service.functions["search"]
    search.environment["OKF_SHARD_SECONDS"] = "4"
    search.kill()
    ask(sharded, "warm up")
    search.slow = lambda event: 6.0 if b'"op"' in event and b"bob.orchard" in event else 0.0
    try:
        told = ask(sharded, "when does the harbour flood?").json()
    finally:
        search.slow = lambda event: 0.0
    assert told["candidates"][0]["bundle"] == "ada.harbour"
    assert "a partial answer: 1 of 4 shards did not answer in time" in told["coverage"]["note"]
    assert "bob.orchard" in told["coverage"]["note"]


def test_no_shard_at_all_is_an_error_and_no_refusal(sharded: Sharded) -> None:
    search = sharded.service.functions["search"]
    search.slow = lambda event: 6.0 if b'"op"' in event else 0.0
    try:
        told = ask(sharded, "when does the harbour flood?")
    finally:
        search.slow = lambda event: 0.0
    assert (told.status_code, told.json()["error"]["code"]) == (504, "too-slow")


def test_a_message_that_is_no_question_is_refused(sharded: Sharded) -> None:
    for event in ({}, {"op": "tally"}, {"request": {}, "members": [], "absent": {}}, json.loads("[]") or {"x": 1}):
        assert sharded.whole.invoke(event).told["error"]["code"] == "bad-message"
