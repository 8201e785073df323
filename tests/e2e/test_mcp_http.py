"""What reaches `okf mcp serve` in wrong form, without right or too often gets its error and nothing more."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.served import OKF, Served, environment_at, run_okf, serving

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
QUESTION = {"name": "query", "arguments": {"question": "when does the sluice open?"}}
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("notes") / "river"
    for path, text in {
        "concepts/weir.md": "---\ntype: Concept\ntitle: Weir\n---\n\nThe sluice opens at dawn.\n",
        "private/diary.md": "# Diary\n\nThe zanzibar plan.\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture(scope="module")
def served(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(folder, tmp_path_factory.mktemp("home")) as it:
        yield it


@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        (b"{", {}, 400, -32700),
        (b"\xff\xfe", {}, 400, -32700),
        (b"[" * 100_000, {}, 400, -32700),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', {}, 400, -32700),
        ([LIST], {}, 400, -32600),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, {}, 400, -32600),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, {}, 400, -32600),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, {}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": 5}, {}, 400, -32600),
        (7, {}, 400, -32600),
        ({**LIST, "params": []}, {}, 200, -32602),
        ({**LIST, "params": {"cursor": "x"}}, {}, 200, -32602),
        ({**LIST, "method": "nothing/here"}, {}, 200, -32601),
        ({**LIST, "method": "tools/call", "params": {"name": "nothing"}}, {}, 200, -32602),
        ({**LIST, "method": "tools/call", "params": {"name": ["query"]}}, {}, 200, -32602),
        ({**LIST, "method": "tools/call", "params": {"name": "query", "arguments": [1]}}, {}, 200, -32602),
        ({**LIST, "method": "resources/read", "params": {"uri": "okf://river/private/diary.md"}}, {}, 200, -32002),
        ({**LIST, "method": "prompts/get", "params": {"name": "../ask"}}, {}, 200, -32602),
        (LIST, {"mcp-protocol-version": "1999-01-01"}, 400, -32022),
        (LIST, {"mcp-protocol-version": "2026-07-28"}, 400, -32602),
        ({**LIST, "params": {"_meta": MODERN}}, {}, 400, -32020),
        ({**LIST, "params": {"_meta": MODERN}}, {"mcp-protocol-version": "2026-07-28"}, 400, -32020),
        ({**LIST, "params": {"_meta": {**MODERN, "io.modelcontextprotocol/protocolVersion": "2027-01-01"}}},
         {"mcp-protocol-version": "2027-01-01", "mcp-method": "tools/list"}, 400, -32022),
        ({**LIST, "method": "initialize", "params": {"_meta": MODERN}},
         {"mcp-protocol-version": "2026-07-28", "mcp-method": "initialize"}, 404, -32601),
        (LIST, {"authorization": "Bearer nonsense"}, 401, -32001),
        (LIST, {"authorization": "Basic eDp5"}, 401, -32001),
        (LIST, {"authorization": ""}, 401, -32001),
        (LIST, {"host": "evil.test"}, 403, -32600),
        (LIST, {"host": "127.0.0.1.evil.test"}, 403, -32600),
        (LIST, {"origin": "https://evil.test"}, 403, -32600),
        (LIST, {"origin": "null"}, 403, -32600),
        (LIST, {"origin": "http://localhost:1"}, 403, -32600),
        (LIST, {"content-type": "text/plain"}, 415, -32600),
        (LIST, {"accept": "text/html"}, 406, -32600),
        (b" " * 1_100_000, {}, 413, -32600),
    ],
)  # fmt: skip
def test_what_is_wrong_gets_its_error(
    served: Served, body: Any, headers: dict[str, str], status: int, code: int
) -> None:
    reply = served.post(body, headers)
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert "Traceback" not in reply.text
    assert "diary" not in reply.json()["error"]["message"] or "okf://" in reply.json()["error"]["message"]


@pytest.mark.parametrize("arguments", [
    {}, {"question": ""}, {"question": 5}, {"question": "x", "surprise": 1}, {"question": "x", "k": 0},
    {"question": "x", "k": "3"}, {"question": "x", "k": True}, {"question": "x", "max_tokens": 10**9},
    {"question": "x", "cursor": "AAAA"}, {"question": "x", "kb": "elsewhere"}, {"question": "x" * 30_000},
    {"question": "\x00"}, {"question": "x", "paths": ["a"] * 100},
])  # fmt: skip
def test_wrong_arguments_are_an_error_that_a_model_can_read(served: Served, arguments: dict[str, Any]) -> None:
    result = served.call("tools/call", {"name": "query", "arguments": arguments})["result"]
    if result["isError"]:
        assert result["structuredContent"]["error"]["code"] in ("bad-arguments", "bad-cursor", "no-base")
    else:
        assert arguments == {"question": "\x00"}


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
def test_only_posts_are_answered(served: Served, method: str) -> None:
    reply = httpx.request(method, served.url, headers=served.headers, timeout=10, trust_env=False)
    assert (reply.status_code, reply.headers["allow"]) == (405, "POST")


def test_a_notification_is_taken_without_an_answer(served: Served) -> None:
    reply = served.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (reply.status_code, reply.content) == (202, b"")


def test_a_client_that_accepts_events_alone_gets_one(served: Served) -> None:
    reply = served.post(LIST, {"accept": "text/event-stream"})
    assert reply.headers["content-type"] == "text/event-stream"
    assert json.loads(reply.text.split("data: ", 1)[1])["id"] == 1


def test_tools_that_write_do_not_exist_unless_allowed(served: Served) -> None:
    told = served.call("tools/list")["result"]["tools"]
    assert all(tool["annotations"]["readOnlyHint"] for tool in told)
    refused = served.call("tools/call", {"name": "capture", "arguments": {"content": "x"}})["result"]
    assert refused["structuredContent"]["error"]["code"] == "forbidden"


def test_a_token_sees_what_it_may_and_is_refused_once_revoked(folder: Path, tmp_path: Path) -> None:
    with serving(folder, tmp_path, grants=("--deny-path", "private")) as served:
        answer = served.call("tools/call", {"name": "query", "arguments": {"question": "zanzibar"}})["result"]
        assert answer["structuredContent"]["coverage"]["found"] == 1
        assert "diary" not in json.dumps(answer)
        run_okf(served.environment, "token", "revoke", "t0", "--json")
        deadline = time.monotonic() + 20
        while served.post(LIST).status_code == 200 and time.monotonic() < deadline:
            time.sleep(0.5)
        assert served.post(LIST).status_code == 401
        log = run_okf(served.environment, "audit", "tail", "-n", "500", "--json")["records"]
        assert {"done", "denied"} <= {record["outcome"] for record in log}
        assert "zanzibar" not in json.dumps(log)
        assert run_okf(served.environment, "audit", "verify", "--json")["problem"] == ""


def test_connections_that_break_off_harm_nobody(served: Served) -> None:
    host, port = served.url.split("/")[2].split(":")
    lines = [
        "POST /mcp HTTP/1.1",
        f"Host: {host}:{port}",
        f"Authorization: Bearer {served.token}",
        "Content-Length: 99",
    ]
    head = "\r\n".join([*lines, "", ""])
    for sent in (b"", b"POST", head.encode(), head.encode() + b'{"json', b"\x16\x03\x01\x00\xff\r\n\r\n"):
        with socket.create_connection((host, int(port)), timeout=10) as line:
            line.sendall(sent)
            line.shutdown(socket.SHUT_WR)
    assert served.post(LIST).status_code == 200


@pytest.mark.parametrize(
    ("head", "body", "answer"),
    [
        ("Content-Length: {whole}", "{list}", b"200 OK"),
        ("Transfer-Encoding: chunked", "{chunked}", b"200 OK"),
        ("Transfer-Encoding: chunked\r\nContent-Length: {whole}", "{chunked}", b"400 Bad Request"),
        ("Transfer-Encoding: chunked", "zz\r\n{list}\r\n0\r\n\r\n", b"400 Bad Request"),
        ("Transfer-Encoding: gzip, chunked", "{chunked}", b"400 Bad Request"),
        ("Content-Length: {whole}\r\nContent-Length: 3", "{list}", b"400 Bad Request"),
        ("Content-Length: " + "9" * 19, "{list}", b"413 Request Entity Too Large"),
        ("Content-Length: " + "9" * 5000, "{list}", b"400 Bad Request"),
        ("Content-Length: -1", "{list}", b"400 Bad Request"),
        ("Content-Length: {whole}\r\nAuthorization: Bearer x", "{list}", b"400 Bad Request"),
        ("Content-Length: {whole}\r\nX: a\0b", "{list}", b"400 Bad Request"),
        ("Content-Length: {whole}\r\nHost: evil.test", "{list}", b"400 Bad Request"),
        ("Content-Length: 99", "{list}", b""),
    ],
)
def test_a_request_that_hides_another_or_none_gets_its_error_and_a_half_closed_one_its_answer(
    served: Served, head: str, body: str, answer: bytes
) -> None:
    host, port = served.url.split("/")[2].split(":")
    listing = json.dumps(LIST)
    parts = {"list": listing, "whole": len(listing), "chunked": f"{len(listing):x}\r\n{listing}\r\n0\r\n\r\n"}
    lines = ["POST /mcp HTTP/1.1", f"Host: {host}:{port}", f"Authorization: Bearer {served.token}", head, "", body]
    with socket.create_connection((host, int(port)), timeout=10) as line:
        line.sendall("\r\n".join(lines).format(**parts).encode())
        line.shutdown(socket.SHUT_WR)
        told = b""
        with contextlib.suppress(ConnectionResetError):
            while part := line.recv(65536):
                told += part
    assert told.split(b"\r\n")[0].removeprefix(b"HTTP/1.1 ") == answer
    assert b"Traceback" not in told


@pytest.mark.parametrize(("clients", "each"), [(50, 2), pytest.param(50, 20, marks=pytest.mark.slow)])
async def test_many_clients_at_once_are_all_answered_and_none_waits_long(
    served: Served, clients: int, each: int
) -> None:
    times: list[float] = []
    limits = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)
    async with httpx.AsyncClient(headers=served.headers, limits=limits, timeout=120, trust_env=False) as http:

        async def calls() -> None:
            for number in range(each):
                message = {**LIST, "id": number, "method": "tools/call", "params": QUESTION}
                started = time.perf_counter()
                reply = await http.post(served.url, json=message)
                times.append(time.perf_counter() - started)
                assert reply.status_code == 200
                assert reply.json()["result"]["structuredContent"]["candidates"], reply.text

        await asyncio.gather(*(calls() for _ in range(clients)))
    times.sort()
    assert len(times) == clients * each
    assert times[int(len(times) * 0.99) - 1] <= 10 * times[len(times) // 2]


def test_without_a_token_nothing_starts(folder: Path, tmp_path: Path) -> None:
    command = [OKF, "mcp", "serve", "--port", "0", "--dir", str(folder)]
    ended = subprocess.run(
        command, env=environment_at(tmp_path), capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 2
    assert "token" in ended.stderr


@pytest.mark.parametrize(("mode", "content", "code"), [(0o644, "x" * 40, 3), (0o600, "short", 2), (0o600, "", 2)])
def test_a_token_file_that_others_can_read_or_guess_is_refused(
    folder: Path, tmp_path: Path, mode: int, content: str, code: int
) -> None:
    path = tmp_path / "token"
    path.write_text(content)
    path.chmod(mode)
    command = [OKF, "mcp", "serve", "--port", "0", "--dir", str(folder), "--token-file", str(path)]
    ended = subprocess.run(
        command, env=environment_at(tmp_path), capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == code


def test_a_killed_server_loses_no_committed_write_and_repeats_none(folder: Path, tmp_path: Path) -> None:
    call = {"name": "capture", "arguments": {"content": "A heron.", "title": "Heron", "idempotency_key": "one"}}
    options = ("--allow", "capture")
    with serving(folder, tmp_path, *options, grants=("--scope", "capture")) as served:
        first = served.call("tools/call", call)["result"]["structuredContent"]
        served.process.send_signal(signal.SIGKILL)
    with serving(folder, tmp_path, *options, grants=("--scope", "capture")) as again:
        token = Served(again.url, served.token, again.environment, again.process)
        assert token.call("tools/call", call)["result"]["structuredContent"] == first
    assert len([path for path in (folder / "inbox").iterdir() if "heron" in path.name]) == 1


async def test_a_server_that_is_killed_amid_writes_loses_none_that_it_confirmed_and_repeats_none(
    folder: Path, tmp_path: Path
) -> None:
    options, grants = ("--allow", "capture"), ("--scope", "capture")
    with serving(folder, tmp_path, *options, grants=grants) as served:
        confirmed = await captures(served, range(12), kill_after=4)
    assert confirmed
    with serving(folder, tmp_path, *options, grants=grants) as again:
        replayed = await captures(Served(again.url, served.token, again.environment, again.process), range(12))
    notes = [path.read_text() for path in (folder / "inbox").glob("*swallow*")]
    for number in range(12):
        copies = sum(f"Swallow {number}." in note for note in notes)
        assert copies <= 1
        if number in confirmed:
            assert copies == 1 and replayed[number] == confirmed[number]
        elif "path" in replayed[number]:
            assert copies == 1
        else:
            assert replayed[number]["error"]["code"] in ("outcome-unknown", "idempotency-in-flight")


async def captures(served: Served, numbers: Iterable[int], kill_after: int = 0) -> dict[int, Any]:
    """What became of writes that were sent at once; the server is killed when some were confirmed."""
    done: dict[int, Any] = {}

    async def one(http: httpx.AsyncClient, number: int) -> None:
        told = {"content": f"Swallow {number}.", "title": f"Swallow {number}", "idempotency_key": f"swallow-{number}"}
        message = {**LIST, "id": number, "method": "tools/call", "params": {"name": "capture", "arguments": told}}
        with contextlib.suppress(httpx.TransportError):
            reply = await http.post(served.url, json=message)
            done[number] = reply.json()["result"]["structuredContent"]
            if len(done) == kill_after:
                served.process.send_signal(signal.SIGKILL)

    async with httpx.AsyncClient(headers=served.headers, timeout=60, trust_env=False) as http:
        await asyncio.gather(*(one(http, number) for number in numbers))
    return done
