"""The client of a service in this process: what it believes of answers, and each check that its operator runs."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from okf_edge.app.publishing import Publisher, Receipt, publish_archive
from okf_edge.errors import BundleError, FormatError, OkfError, PolicyError, TooLargeError, UnavailableError
from okf_edge.feed.holding import held_by
from okf_edge.feed.keys import SslibVerifier
from okf_edge.feed.publish import released
from okf_edge.limits import LIMITS
from okf_edge.retrieval.answer import Answer, Coverage, to_json
from okf_edge.retrieval.request import SearchRequest
from okf_edge_native import deploy_check
from okf_edge_native import service as client
from okf_edge_native.deploy_check import checked
from okf_edge_native.service import Service, ServiceBlobs
from okf_edge_native.system import SystemClock
from tests.bundle_kit import make_bundle
from tests.feed_kit import MemoryKeyring
from tests.service_stand_in import TOKEN, StandIn, made_feed, standing_in

CREATOR = "ada"
ANSWER = to_json(Answer("no-confident-match", "nothing", (), (), (), Coverage(1, 1, 0, "hybrid"), {}))


async def _token(url: str) -> str:
    return f"Bearer {TOKEN}"


async def _nothing(url: str) -> str:
    return ""


class Away:
    """A publisher who has one key, and reaches the service."""

    def __init__(self, service: StandIn, keyring: MemoryKeyring) -> None:
        self.service = service
        self.keyring = keyring
        self.client = Service(service.url, _token)

    async def publish(self, version: str, **accepted: str) -> Receipt:
        store = ServiceBlobs(self.client, accepted)
        to = Publisher(store, self.keyring, SslibVerifier(), SystemClock(), is_careful=True)
        return await publish_archive(to, await make_bundle(version), accepted=accepted)

    async def checks(self) -> dict[str, tuple[str, str]]:
        """By check: its worst state, and what to do."""
        order = ["ok", "note", "skipped", "wrong"]
        found = sorted(await checked(self.client), key=lambda each: order.index(each.state))
        return {each.check: (each.state, each.fix) for each in found}


@pytest.fixture
def away(home: Path, tmp_path: Path) -> Iterator[Away]:
    keyring = MemoryKeyring("ada")
    key = asyncio.run(keyring.create()).public_key
    root = made_feed(tmp_path / "shelf", {CREATOR: key})
    with standing_in(tmp_path / "shelf", root) as service:
        service.answer = ANSWER
        yield Away(service, keyring)


async def test_what_two_publishers_of_one_creator_sign_at_once_is_all_published(away: Away) -> None:
    """The one who comes second is refused by the name being taken, looks again and signs the next version."""
    first = await asyncio.gather(away.publish("1.0.0"), away.publish("1.1.0"), away.publish("1.2.0"))
    assert {receipt.release.version for receipt in first} == {"1.0.0", "1.1.0", "1.2.0"}
    holding = await held_by(ServiceBlobs(away.client), SslibVerifier())
    assert sorted(each.version for each in released(holding)) == ["1.0.0", "1.1.0", "1.2.0"]


OWNERS = ("metadata/2.root.json", "metadata/2.targets.json", "metadata/9.snapshot.json", "conditions.probe")


@pytest.mark.parametrize("key", [*OWNERS, "metadata/2.ada.json.", "metadata/../x"])
async def test_what_is_the_owners_is_done_in_the_bucket(away: Away, key: str) -> None:
    with pytest.raises(UnavailableError) as caught:
        await ServiceBlobs(away.client).put(key, b"{}", if_version=None)
    assert caught.value.code == "read-only" and "s3://" in caught.value.hint
    assert away.service.asked == []


async def test_a_refusal_has_the_services_code_and_all_its_issues(away: Away) -> None:
    away.service.outcome = {"state": "refused", "code": "risk-found", "message": "a risk", "issues": ["a", "b"]}
    with pytest.raises(BundleError) as caught:
        await away.publish("1.0.0")
    assert (caught.value.code, caught.value.issues) == ("risk-found", ("a", "b"))


async def test_a_service_that_never_decides_is_given_up_with_what_to_do(away: Away, monkeypatch) -> None:
    away.service.outcome = {"state": "accepted"}
    quick = dataclasses.replace(LIMITS, service_wait_seconds=0.05, service_pause_seconds=0.01)
    monkeypatch.setattr(client, "LIMITS", quick)
    with pytest.raises(UnavailableError, match="still waiting") as caught:
        await away.publish("1.0.0")
    assert "Run the same command again" in caught.value.hint


async def test_accepted_risks_travel_with_their_reasons_since_the_service_scans_again(away: Away) -> None:
    await away.publish("1.0.0", r1234="it is meant")
    assert away.service.bodies[0]["accepted"] == {"r1234": "it is meant"}


@pytest.mark.parametrize("told", [{}, {"upload": 1}, {"upload": "u", "url": "u"}, {"upload": "u", "headers": []}])
async def test_an_upload_that_leads_nowhere_is_an_error_of_the_answer(away: Away, told: Any) -> None:
    away.service.faults["POST /v1/publish"] = lambda: (201, told)
    with pytest.raises(OkfError):
        await away.publish("1.0.0")


@pytest.mark.parametrize("told", [{}, {"keys": 5}, {"keys": [{}]}, {"keys": [{"key": "k", "bytes": "x"}]}, []])
async def test_a_listing_that_is_none_is_an_error_of_the_answer(away: Away, told: Any) -> None:
    away.service.faults["GET /v1/feed/metadata"] = lambda: (200, told)
    with pytest.raises(FormatError):
        await away.publish("1.0.0")


@pytest.mark.parametrize("told", [{}, {"verdict": "ok"}, [], "text", {**ANSWER, "candidates": [{"path": 1}]}], ids=repr)
async def test_what_is_no_answer_is_never_shown_as_one(away: Away, told: Any) -> None:
    away.service.answer = told
    with pytest.raises(FormatError):
        await away.client.query(SearchRequest("tide"))


async def test_an_answer_without_an_end_is_cut_off(away: Away) -> None:
    away.service.faults["POST /v1/query"] = lambda: (200, b" " * (LIMITS.service_answer_bytes + 1))
    with pytest.raises(TooLargeError):
        await away.client.query(SearchRequest("tide"))


@pytest.mark.parametrize("status", [400, 403, 404, 409, 413, 422, 429, 500, 502, 503, 504])
async def test_a_status_without_a_reason_is_an_error_that_leads_to_the_operator(away: Away, status: int) -> None:
    away.service.faults["POST /v1/query"] = lambda: (status, b"<html>")
    with pytest.raises(OkfError, match=f"HTTP {status}") as caught:
        await away.client.query(SearchRequest("tide"))
    assert "deploy-check" in caught.value.hint


async def test_a_service_that_claims_an_unknown_kind_of_error_gets_one_of_ours(away: Away) -> None:
    told = {"error": {"kind": "SystemExit", "code": "c" * 9999, "message": "m" * 9999, "issues": ["i"] * 9999}}
    away.service.faults["POST /v1/query"] = lambda: (403, told)
    with pytest.raises(PolicyError) as caught:
        await away.client.query(SearchRequest("tide"))
    assert max(len(caught.value.message), len(caught.value.code), len(caught.value.issues)) <= 500


async def test_a_sound_service_passes_every_check(away: Away) -> None:
    await away.publish("1.0.0")
    found = await away.checks()
    assert {name: fix for name, (state, fix) in found.items() if state == "wrong"} == {}
    sure = {"reached", "clock", "strangers", "token", "publishing", "feed", "expiry", "download", "question", "agents"}
    assert {name for name, (state, _) in found.items() if state == "ok"} >= sure - {"publishing"}


async def test_nothing_is_changed_by_looking(away: Away) -> None:
    await away.publish("1.0.0")
    before = {path: path.read_bytes() for path in away.service.folder.rglob("*") if path.is_file()}
    await away.checks()
    assert {path: path.read_bytes() for path in away.service.folder.rglob("*") if path.is_file()} == before
    assert len(away.service.uploads) == 1


def _failing(*, message: str = "the timestamp is over") -> dict[str, Any]:
    return {"status": "failing", "version": "0.1.0", "root": "sha256:00", "problem": {"message": message}}


def _lexical() -> dict[str, Any]:
    return {**ANSWER, "coverage": {**ANSWER["coverage"], "mode": "lexical"}}


def _behind() -> dict[str, Any]:
    note = "ada.harbour 1.0.0 is published, and not indexed yet"
    return {**ANSWER, "coverage": {**ANSWER["coverage"], "note": note}}


Fault = Callable[[], tuple[int, Any]]
FAULTS: dict[str, tuple[str, str, Fault, str]] = {
    "one permission": ("reached", "GET /health", lambda: (403, {"Message": "Forbidden"}), "lambda:InvokeFunction"),
    "another name": ("reached", "GET /health", lambda: (403, {"error": {"code": "unknown-host"}}), "Domain"),
    "a wrong setting": ("reached", "GET /health", lambda: (502, b"Internal Server Error"), "log of `api`"),
    "no environment": ("reached", "GET /health", lambda: (429, {}), "ConcurrencyCap"),
    "another program": ("reached", "GET /health", lambda: (200, b"<html>"), "Check the URL"),
    "an expired feed": ("feed", "GET /health", lambda: (503, _failing()), "okf feed refresh"),
    "another root": ("feed", "GET /health", lambda: (200, {"status": "ok", "root": "sha256:00"}), "FeedRoot"),
    "an open door": ("strangers", "GET /v1/bundles", lambda: (200, {"bundles": []}), "sam delete"),
    "no models": ("question", "POST /v1/query", lambda: (200, _lexical()), "models"),
    "an old format": ("question", "POST /v1/query", lambda: (200, _behind()), "upgrade"),
    "an endless stream": ("agents", "GET /mcp", lambda: (200, {}), "defect"),
    "every origin": ("agents", "POST /mcp", lambda: (200, {"result": {}}), "Origins"),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_what_is_wrong_is_told_with_what_to_do(away: Away, fault: str) -> None:
    await away.publish("1.0.0")
    check, request, answer, fix = FAULTS[fault]
    away.service.faults[request] = answer
    state, told = (await away.checks())[check]
    assert state == "wrong"
    assert fix in told


async def test_metadata_that_nobody_signs_again_is_told_before_it_ends(away: Away, monkeypatch) -> None:
    await away.publish("1.0.0")
    monkeypatch.setattr(deploy_check, "SOON", timedelta(days=31))
    state, fix = (await away.checks())["expiry"]
    assert state == "wrong" and "clock" in fix


async def test_another_archive_in_the_bucket_is_found_out(away: Away) -> None:
    await away.publish("1.0.0")
    archive = next((away.service.folder / "targets").rglob("*.zip"))
    archive.write_bytes(archive.read_bytes()[:-1] + b"!")
    state, fix = (await away.checks())["download"]
    assert state == "wrong" and "restore" in fix


async def test_a_clock_that_is_off_is_told(away: Away, monkeypatch) -> None:
    monkeypatch.setattr(deploy_check, "SKEW", timedelta(seconds=-1))
    state, fix = (await away.checks())["clock"]
    assert state == "wrong" and "clock of this machine" in fix


async def test_without_a_token_it_says_what_could_not_be_looked_at(away: Away) -> None:
    away.client = Service(away.service.url, _nothing)
    found = await away.checks()
    assert found["token"][0] == found["feed"][0] == "skipped"
    assert "okf remote add" in found["token"][1]


async def test_an_address_where_nothing_listens_ends_the_checks() -> None:
    findings = await checked(Service("http://127.0.0.1:9", _nothing))
    assert [(each.check, each.state) for each in findings] == [("reached", "wrong")]
