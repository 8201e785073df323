"""What is hostile, taken, foreign, late or broken: told clearly, put aside with a reason, and the feed stays valid.

Beside what is here: S3 errors and slow S3, an expired feed and an expired timestamp in `test_lambda_operations` and
`test_lambda_story`; what `ingest` does when the bucket fails at any one call, in `tests/unit/service/test_deciding.py`;
tokens of other creators, bundles and look-alikes, on every route, in `tests/unit/service/test_scopes.py`.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import httpx
import pytest

from tests.e2e.lambda_fixtures import HARBOUR, Published
from tests.e2e.lambda_gateway import event_of, to_event
from tests.e2e.lambda_service import page
from tests.zip_lab import LINK, Entry, build, deflated


@pytest.fixture(autouse=True)
def still_valid(published: Published) -> Iterator[None]:
    """Whatever happens in a test: afterwards the feed can be believed, and holds what it held."""
    before = {each["id"] for each in releases(published)}
    yield
    published.service.functions["ingest"].settle()
    with published.service.http() as http:
        assert http.get("/health").json()["status"] == "ok"
    assert {each["id"] for each in releases(published)} >= before >= {"ada.harbour", "bob.orchard"}


def releases(published: Published) -> list[dict[str, Any]]:
    with published.service.http(published.everything) as http:
        return list(http.get("/v1/bundles").json()["bundles"])


def promise(published: Published, token: str, archive: bytes, **more: Any) -> httpx.Response:
    """Step 1."""
    told = {"id": "ada.new", "version": "1.0.0", "sha256": sha256(archive).hexdigest(), "bytes": len(archive), **more}
    with published.service.http(token) as http:
        return http.post("/v1/publish", json=told)


def refused(published: Published, archive: bytes, metadata: str | None = None, **more: Any) -> dict[str, Any]:
    """Send an archive through both steps, and say how it was refused."""
    service = published.service
    begun = promise(published, published.of_ada, archive, **more).json()
    httpx.put(begun["url"], content=archive, headers=begun["headers"], trust_env=False).raise_for_status()
    signed = metadata or service.signed_for(published.ada, archive, more.get("id", "ada.new"), "1.0.0")
    with service.http(published.of_ada) as http:
        assert http.post(f"/v1/publish/{begun['upload']}", json={"metadata": signed}).status_code == 202
        service.events.look()
        service.functions["ingest"].settle()
        told = http.get(f"/v1/publish/{begun['upload']}").json()
    assert told["state"] == "refused"
    reason = json.loads(service.read(f"quarantine/{begun['upload']}/reason.json"))
    assert reason["code"] == told["code"]
    assert service.read(f"quarantine/{begun['upload']}/archive") == archive
    assert not service.objects(f"incoming/{begun['upload']}/archive")
    return dict(told)


def alarms(published: Published, metric: str) -> int:
    lines = (line for line in published.service.logs().splitlines() if line.startswith('{"_aws"'))
    return sum(metric in json.loads(line) for line in lines)


def test_a_version_that_is_taken_is_refused_before_anything_is_uploaded(published: Published) -> None:
    told = promise(published, published.of_ada, b"other bytes", id="ada.harbour")
    assert (told.status_code, told.json()["error"]["code"]) == (409, "version-conflict")
    same = promise(published, published.of_ada, published.archives["ada"], id="ada.harbour")
    assert (same.status_code, same.json()) == (200, {"state": "published"})


def test_a_token_of_another_creator_publishes_nothing(published: Published) -> None:
    told = promise(published, published.of_bob, b"x")
    assert (told.status_code, told.json()["error"]["code"]) == (403, "forbidden")
    begun = promise(published, published.of_ada, b"x").json()
    with published.service.http(published.of_bob) as http:
        assert http.get(f"/v1/publish/{begun['upload']}").status_code == 404
        assert http.post(f"/v1/publish/{begun['upload']}", json={"metadata": "{}"}).status_code == 404


@pytest.mark.parametrize(
    ("more", "status", "code"),
    [
        ({"bytes": 10**12}, 413, "too-large"),
        ({"bytes": 0}, 400, "bad-arguments"),
        ({"sha256": "nonsense"}, 400, "bad-arguments"),
        ({"id": "ada"}, 400, "bad-arguments"),
        ({"id": "ada/../bob.x"}, 403, "forbidden"),
        ({"version": "latest"}, 400, "bad-version"),
    ],
)
def test_a_promise_that_can_not_be_kept_is_refused(published: Published, more: Any, status: int, code: str) -> None:
    told = promise(published, published.of_ada, b"x", **more)
    assert (told.status_code, told.json()["error"]["code"]) == (status, code)


def test_a_creator_who_was_not_let_in_is_refused(published: Published) -> None:
    told = promise(published, published.everything, b"x", id="eve.new")
    assert (told.status_code, told.json()["error"]["code"]) == (400, "unknown-creator")


def test_the_bucket_itself_refuses_other_bytes_than_were_promised(published: Published) -> None:
    begun = promise(published, published.of_ada, b"promised").json()
    headers = {**begun["headers"], "content-length": "6"}
    assert httpx.put(begun["url"], content=b"larger bytes", trust_env=False).status_code in (400, 403)
    assert httpx.put(begun["url"], content=b"other!", headers=headers, trust_env=False).status_code in (400, 403)
    assert httpx.put(begun["url"], content=b"PROMISED", headers=begun["headers"], trust_env=False).status_code == 400


def test_an_address_for_an_upload_is_good_for_that_upload_alone(published: Published) -> None:
    """Whoever has it can write the promised bytes to its place, and neither read, remove, nor write elsewhere."""
    begun = promise(published, published.of_ada, b"promised").json()
    upload, headers = begun["upload"], begun["headers"]
    elsewhere = [
        begun["url"].replace("archive.okf.zip", name) for name in ("intent.json", "request.json", "../../feed/x")
    ]
    elsewhere += [begun["url"].replace(upload, "0" * 32), begun["url"].replace("incoming", "feed")]
    elsewhere += [begun["url"].replace("X-Amz-Expires=900", "X-Amz-Expires=90000")]
    with httpx.Client(trust_env=False) as web:
        assert {web.put(each, content=b"promised", headers=headers).status_code for each in elsewhere} <= {400, 403}
        assert {web.request(each, begun["url"]).status_code for each in ("GET", "DELETE", "POST")} <= {400, 403, 405}
        assert web.put(begun["url"], content=b"promised", headers=headers).status_code == 200
    assert {each["Key"] for each in published.service.objects(f"incoming/{upload}")} == {
        f"incoming/{upload}/archive.okf.zip", f"incoming/{upload}/intent.json",
    }  # fmt: skip


def test_an_archive_that_is_none_goes_to_quarantine(published: Published) -> None:
    before = alarms(published, "Quarantined")
    assert refused(published, b"PK no archive at all")["code"] == "not-a-zip"
    assert alarms(published, "Quarantined") > before


HOSTILE = {
    "a bomb": lambda: build([Entry(b"bomb.md", raw=deflated(b"\0" * 300_000_000), size=300_000_000)]),
    "a place outside": lambda: build([Entry(b"../../etc/cron.d/x"), Entry(b"okf-bundle.json", b"{}")]),
    "a link": lambda: build([Entry(b"page.md", b"/etc/passwd", attributes=LINK), Entry(b"okf-bundle.json", b"{}")]),
    "a manifest that nests": lambda: build([Entry(b"okf-bundle.json", b"[" * 200_000)]),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_archive_goes_to_quarantine_and_rises_the_alarm(published: Published, kind: str) -> None:
    before = alarms(published, "Quarantined")
    assert refused(published, HOSTILE[kind]())["code"] not in ("", "internal", "poison")
    assert alarms(published, "Quarantined") == before + 1


def test_text_that_must_not_leave_goes_to_quarantine_with_its_place(published: Published) -> None:
    secret = "token ghp_" + "a8Kd93jLq0ZxPw72mNvBtR5yUeHs14cQfGoT"
    archive = published.ada.archive(
        "ada.leaky", "1.0.0", {"keys.md": page("Keys", secret)}, *published.service.accepting(published.ada, secret)
    )
    told = refused(published, archive, id="ada.leaky")
    assert told["code"] == "risk-found"
    assert any("keys.md" in issue for issue in told["issues"])


def test_an_archive_of_another_bundle_than_was_promised_goes_to_quarantine(published: Published) -> None:
    archive = published.ada.archive("ada.truth", "1.0.0", HARBOUR)
    assert refused(published, archive, id="ada.other")["code"] == "release-differs"


def test_signatures_of_others_are_refused_at_once(published: Published) -> None:
    archive = published.ada.archive("ada.signed", "1.0.0", HARBOUR)
    service = published.service
    begun = promise(published, published.of_ada, archive, id="ada.signed").json()
    forged = service.signed_for(published.bob, archive, "ada.signed", "1.0.0", creator="ada")
    with service.http(published.of_ada) as http:
        told = http.post(f"/v1/publish/{begun['upload']}", json={"metadata": forged})
        assert (told.status_code, told.json()["error"]["code"]) == (400, "signature-invalid")
        broken = http.post(f"/v1/publish/{begun['upload']}", json={"metadata": "{}"})
        assert (broken.status_code, broken.json()["error"]["code"]) == (400, "bad-metadata")


def test_a_request_without_its_upload_is_refused_with_that_reason(published: Published) -> None:
    service = published.service
    archive = published.ada.archive("ada.late", "1.0.0", HARBOUR)
    begun = promise(published, published.of_ada, archive, id="ada.late").json()
    signed = service.signed_for(published.ada, archive, "ada.late", "1.0.0")
    with service.http(published.of_ada) as http:
        http.post(f"/v1/publish/{begun['upload']}", json={"metadata": signed})
        service.events.look()
        service.functions["ingest"].settle()
        assert http.get(f"/v1/publish/{begun['upload']}").json()["code"] == "upload-missing"


@pytest.mark.parametrize(
    "event",
    [
        {},
        [],
        {"Records": "x"},
        {"Records": [{"s3": {}}]},
        event_of("another-bucket", "incoming/x/request.json"),
        {
            "Records": [
                event_of("BUCKET", key)["Records"][0] for key in ("incoming/../feed/metadata/1.root.json", "feed/x")
            ]
        },
        event_of("BUCKET", f"incoming/{'0' * 32}/request.json"),
    ],
)
def test_a_forged_event_changes_nothing(published: Published, event: Any) -> None:
    service = published.service
    before, heard = {each["Key"]: each["ETag"] for each in service.objects()}, alarms(published, "Forged")
    data = json.dumps(event).replace("BUCKET", service.bucket).encode()
    assert service.functions["ingest"].invoke(data).error is None
    assert {each["Key"]: each["ETag"] for each in service.objects()} == before
    assert alarms(published, "Forged") == heard + 1


def test_two_events_of_one_publication_publish_it_once(published: Published) -> None:
    service = published.service
    archive = published.ada.archive("ada.twice", "1.0.0", HARBOUR)
    begun = promise(published, published.of_ada, archive, id="ada.twice").json()
    httpx.put(begun["url"], content=archive, headers=begun["headers"], trust_env=False).raise_for_status()
    signed = service.signed_for(published.ada, archive, "ada.twice", "1.0.0")
    with service.http(published.of_ada) as http:
        http.post(f"/v1/publish/{begun['upload']}", json={"metadata": signed})
        for _ in range(4):
            service.functions["ingest"].invoke_later(
                event_of(service.bucket, f"incoming/{begun['upload']}/request.json")
            )
        service.events.look()
        service.functions["ingest"].settle()
        assert http.get(f"/v1/publish/{begun['upload']}").json()["state"] == "published"
    assert len(service.objects("feed/targets/ada.twice/")) == 1
    assert not service.objects(f"incoming/{begun['upload']}")
    assert not service.functions["ingest"].dead_letters


def test_of_two_publications_of_one_version_at_once_one_is_published(published: Published) -> None:
    """Both are signed by the creator, as the same next list, with other bytes."""
    service, begun = published.service, []
    for text in ("One.", "Two."):
        (published.ada.home / "ada.race-1.0.0.okf.zip").unlink(missing_ok=True)
        archive = published.ada.archive("ada.race", "1.0.0", {"page.md": page("Race", text)})
        begun.append((archive, promise(published, published.of_ada, archive, id="ada.race").json()))
    service.events.pause()
    with service.http(published.of_ada) as http:
        for archive, each in begun:
            signed = service.signed_for(published.ada, archive, "ada.race", "1.0.0")
            httpx.put(each["url"], content=archive, headers=each["headers"], trust_env=False).raise_for_status()
            assert http.post(f"/v1/publish/{each['upload']}", json={"metadata": signed}).status_code == 202
        service.events.resume()
        service.events.look()
        service.functions["ingest"].settle()
        told = [http.get(f"/v1/publish/{each['upload']}").json() for _, each in begun]
    assert sorted((each["state"], each["code"]) for each in told) == [
        ("published", ""), ("refused", "precondition-failed"),
    ]  # fmt: skip
    [winner] = [sha256(archive).hexdigest() for (archive, _), each in zip(begun, told, strict=True) if not each["code"]]
    assert [each["sha256"] for each in releases(published) if each["id"] == "ada.race"] == [winner]


def test_what_ends_the_function_again_and_again_goes_to_quarantine_unopened(published: Published) -> None:
    service = published.service
    archive = published.ada.archive("ada.poison", "1.0.0", HARBOUR)
    begun = promise(published, published.of_ada, archive, id="ada.poison").json()
    httpx.put(begun["url"], content=archive, headers=begun["headers"], trust_env=False).raise_for_status()
    signed = service.signed_for(published.ada, archive, "ada.poison", "1.0.0")
    key = f"incoming/{begun['upload']}"
    with service.http(published.of_ada) as http:
        service.events.pause()
        http.post(f"/v1/publish/{begun['upload']}", json={"metadata": signed})
        digest = sha256(service.read(f"{key}/request.json")).hexdigest()
        outcome = {
            "state": "accepted", "creator": "ada", "id": "ada.poison", "version": "1.0.0", "code": "", "message": "",
            "issues": [], "snapshot": 0, "attempts": 2, "request": digest,
        }  # fmt: skip
        service.s3.put_object(
            Bucket=service.bucket, Key=f"outcomes/{begun['upload']}.json", Body=json.dumps(outcome).encode()
        )
        service.events.resume()
        service.events.look()
        service.functions["ingest"].settle()
        assert http.get(f"/v1/publish/{begun['upload']}").json()["code"] == "poison"


@pytest.mark.parametrize(
    "change",
    [
        {"headers": None},
        {"body": [1]},
        {"requestContext": {}},
        {"requestContext": None},
        {"version": "1.0"},
        {"rawPath": None},
        {"rawQueryString": 1},
    ],
)
def test_an_event_that_is_none_of_http_is_no_crash_of_the_door(published: Published, change: Any) -> None:
    api = published.service.functions["api"]
    whole = to_event("GET", "/health", [("host", "127.0.0.1")], b"", "127.0.0.1")
    assert api.invoke(whole).told["statusCode"] == 200
    for event in ({**whole, **change}, {"Records": [{"eventSource": "aws:sqs"}]}, [], "x", None, 1):
        told = api.invoke(event).told
        assert (told["statusCode"], json.loads(told["body"])["error"]["code"]) == (400, "bad-event")


@pytest.mark.parametrize(
    "body",
    [
        gzip.compress(b'{"question": "harbour"}', mtime=0),
        b'{"question": "\xff"}',
        b"[" * 100_000,
        b'{"question": "x", "k": ' + b"9" * 5_000 + b"}",
        b'{"question": "\\ud800"}',
        b'{"question": "x", "k": 101}',
        b'{"question": "x", "k": true}',
        b'{"question": "x", "more": 1}',
        b"",
    ],
)
def test_a_body_that_can_not_be_read_is_told_like_every_error(published: Published, body: bytes) -> None:
    with published.service.http(published.reading) as http:
        told = http.post("/v1/query", content=body, headers={"content-type": "application/json"})
    assert (told.status_code, told.json()["error"]["code"]) == (400, "bad-arguments")
