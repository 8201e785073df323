"""What people and agents get from the service: real functions, a real bucket, real clients."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import httpx2
import jsonschema
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from okf_edge.retrieval.answer import from_json
from tests.e2e.lambda_fixtures import Published
from tests.e2e.lambda_service import page
from tests.test_house_rules import REPOSITORY

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
ANSWER = json.loads((REPOSITORY / "core/okf_edge/schemas/answer.schema.json").read_text())
MODES = ["auto", "2026-07-28", "legacy"]


def ask(published: Published, token: str, question: str, **more: Any) -> httpx.Response:
    with published.service.http(token) as http:
        return http.post("/v1/query", json={"question": question, **more})


def test_a_question_is_answered_from_what_any_creator_published(published: Published) -> None:
    told = ask(published, published.everything, "when does the lock keeper open the sluice?").json()
    jsonschema.validate(told, ANSWER)
    first = from_json(told).candidates[0]
    assert (first.kb, first.bundle, first.version) == ("ada", "ada.harbour", "1.0.0")
    assert "sluice at dawn" in first.text
    assert ask(published, published.everything, "russet apples").json()["candidates"][0]["kb"] == "bob"


def test_a_token_of_one_creator_sees_nothing_of_another(published: Published) -> None:
    told = ask(published, published.of_bob, "harbour floods at spring tide").json()
    assert told["verdict"] == "no-confident-match"
    assert {each["kb"] for each in told["near"]} <= {"bob"}
    refused = ask(published, published.of_bob, "harbour", kb="ada")
    absent = ask(published, published.of_bob, "harbour", kb="nobody")
    assert refused.status_code == absent.status_code
    assert refused.json()["error"]["message"] == absent.json()["error"]["message"].replace("nobody", "ada")
    with published.service.http(published.of_bob) as http:
        assert {each["id"] for each in http.get("/v1/bundles").json()["bundles"]} == {"bob.orchard"}
        assert http.get("/v1/bundles/ada.harbour/1.0.0").status_code == 404


def test_an_archive_is_downloaded_by_redirect_as_it_was_published(published: Published) -> None:
    with published.service.http(published.reading) as http:
        told = http.get("/v1/bundles/ada.harbour/latest")
        assert told.status_code == 307
        assert httpx.get(told.headers["location"], trust_env=False).content == published.archives["ada"]
        assert http.get("/v1/bundles/ada.harbour/9.9.9").json()["error"]["code"] == "no-release"


def test_the_contract_is_told_and_health_needs_no_token(published: Published) -> None:
    with published.service.http() as http:
        health = http.get("/health").json()
        assert (health["status"], health["root"]) == ("ok", published.service.root)
        assert {"/v1/query", "/v1/publish", "/v1/bundles", "/health"} <= set(http.get("/openapi.json").json()["paths"])
        shown = http.get("/docs").text
        assert "POST /v1/query" in shown and "question" in shown
        assert "http" not in shown.replace("HTTP", ""), "it loads nothing from elsewhere"


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/v1/bundles"), ("POST", "/v1/query"), ("GET", "/v1/feed/metadata/timestamp.json"), ("POST", "/mcp")],
)
def test_without_a_valid_token_nothing_is_told(published: Published, method: str, path: str) -> None:
    for token in ("", "okf_00000000_wrong"):
        with published.service.http(token) as http:
            told = http.request(method, path, json={"question": "harbour"})
            assert told.status_code == 401
            assert told.headers["www-authenticate"].startswith("Bearer")
            assert "ada" not in told.text


def test_a_reader_can_not_publish(published: Published) -> None:
    with published.service.http(published.reading) as http:
        told = http.post("/v1/publish", json={"id": "ada.x", "version": "1.0.0", "sha256": "0" * 64, "bytes": 1})
        assert (told.status_code, told.json()["error"]["code"]) == (403, "forbidden")


def test_foreign_hosts_and_origins_are_refused_on_every_route(published: Published) -> None:
    with published.service.http(published.reading) as http:
        for path in ("/health", "/v1/bundles", "/mcp"):
            assert http.get(path, headers={"host": "evil.example"}).json()["error"]["code"] == "unknown-host"
            told = http.get(path, headers={"origin": "https://evil.example"})
            assert (told.status_code, told.json()["error"]["code"]) == (403, "unknown-origin")


def test_mcp_answers_post_alone_so_that_no_stream_holds_an_environment(published: Published) -> None:
    with published.service.http(published.reading) as http:
        for method in ("GET", "DELETE", "PUT"):
            told = http.request(method, "/mcp", headers={"accept": "text/event-stream"})
            assert (told.status_code, told.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("mode", MODES)
async def test_the_official_mcp_client_holds_a_whole_session(published: Published, mode: str) -> None:
    headers = {"authorization": f"Bearer {published.reading}"}
    async with httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60) as http:
        client = Client(streamable_http_client(f"{published.service.url}/mcp", http_client=http), mode=mode)
        async with client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert {"query", "read", "map", "list_bundles", "search_feed"} <= tools
            assert not tools & {"capture", "sync", "install_bundle", "update_bundle", "init_kb"}
            kbs = await client.call_tool("list_kbs", {})
            assert [each["name"] for each in kbs.structured_content["kbs"]] == ["ada", "bob"]  # type: ignore[index]
            answer = await client.call_tool("query", {"question": "when does the sluice open?", "kb": "*"})
            assert answer.structured_content is not None
            path = answer.structured_content["candidates"][0]["path"]
            assert path == "Library/ada.harbour/locks.md"
            read = await client.call_tool("read", {"page": path, "kb": "ada"})
            assert read.structured_content is not None and "sluice at dawn" in read.structured_content["text"]
            listed = await client.call_tool("list_bundles", {"kb": "bob"})
            assert listed.structured_content is not None
            assert listed.structured_content["bundles"][0]["signature"] == "valid"
            found = await client.call_tool("search_feed", {"words": "orchard", "kb": "bob"})
            assert found.structured_content is not None
            assert [each["id"] for each in found.structured_content["bundles"]] == ["bob.orchard"]
            near = await client.call_tool("neighbours", {"page": path, "kb": "ada"})
            assert near.structured_content is not None and near.structured_content["path"] == path
            refused = await client.call_tool("capture", {"content": "x", "kb": "ada"})
            assert refused.is_error


def test_a_reader_installs_from_the_feed_updates_and_asks_offline(published: Published, tmp_path: Path) -> None:
    service = published.service
    reader, pages = service.person("reader-of-ada"), {"page.md": page("Quay", "The quay is painted white.")}
    service.publish(published.ada, published.ada.archive("ada.quay", "1.0.0", pages), published.of_ada)
    reader.okf("remote", "add", service.url, "--name", "svc", "--token-env", "T", env={"T": published.of_ada})
    (reader.home / "base").mkdir()
    reader.okf("init", "base")
    reader.okf("feed", "trust", f"{service.url}/v1/feed", "--root", service.root, "--name", "main", "--dir", "base")
    done = reader.okf("install", "ada.quay", "--feed", "main", "--dir", "base", "--json").json
    assert (done["bundle"]["signature"], done["bundle"]["signer"]) == ("valid", "ada")
    archive = published.ada.archive("ada.quay", "1.1.0", {"pears.md": page("Pears", "The pears ripen late.")})
    assert service.publish(published.ada, archive, published.of_ada).outcome == "done"
    assert reader.okf("check-updates", "--dir", "base", "--json").json["bundles"][0]["offered"] == "1.1.0"
    reader.okf("update", "--all", "--dir", "base")
    assert reader.okf("query", "pears", "--dir", "base", "--json").json["candidates"][0]["version"] == "1.1.0"
    assert ask(published, published.everything, "pears").json()["candidates"][0]["version"] == "1.1.0"


def test_large_answers_and_requests_are_refused_clearly_not_cut(published: Published) -> None:
    with published.service.http(published.reading) as http:
        assert http.post("/v1/query", content=b"x" * 7_000_000).status_code == 413
        assert http.post("/v1/query", json={"question": "x" * 30_000}).json()["error"]["code"] == "bad-arguments"
        assert http.post("/mcp", content=b"[" * 2_000_000).status_code == 413


def test_calls_are_recorded_without_their_content(published: Published) -> None:
    ask(published, published.reading, "a question that nobody else asks: zzyzx")
    lines = [json.loads(line) for line in published.service.logs().splitlines() if '"audit":' in line]
    assert any(line["audit"]["caller"] == "reader" and line["audit"]["tool"] == "query" for line in lines)
    assert "zzyzx" not in published.service.logs()
    assert published.reading not in published.service.logs()
