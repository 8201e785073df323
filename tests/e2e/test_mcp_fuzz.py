"""Requests of every form get a specified answer: no defect, no hang, no word of what is hidden or of this machine.

The requests are made by the rules of the protocol, which are then broken: methods, arguments by each tool's own schema,
values of other types, odd texts, headers that lie, raw bytes. Each runs through the whole ASGI application.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from okf_edge.errors import StateFileError
from okf_edge.inmemory.system import SeededEntropy
from okf_edge.policy import audit
from okf_edge.policy.authenticate import Grant, new_token
from okf_edge.policy.caller import SCOPES
from okf_edge.policy.rules import PathRules
from okf_edge.tools.catalogue import TOOLS
from okf_edge_native.mcp import protocol
from okf_edge_native.mcp.http import Endpoint, Settings
from okf_edge_native.system import SystemClock
from tests.tool_kit import KEY, FolderHost, folder_of, service_of

HIDDEN = "zanzibar"
PAGES = {
    "KNOWLEDGE.md": "# Guide\n",
    "concepts/weir.md": "---\ntype: Concept\ntitle: Weir\n---\n\nThe sluice opens at dawn. [[eel]]\n",
    "concepts/eel.md": "# Eel\n\nEels pass in autumn.\n",
    f"secret/{HIDDEN}.md": f"---\naliases: [weir, eel]\n---\n\nThe {HIDDEN} sluice opens at dawn.\n",
}
STATUSES = {200, 202, 400, 401, 403, 404, 405, 406, 408, 413, 415, 503}
CODES = {
    protocol.PARSE_ERROR,
    protocol.INVALID_REQUEST,
    protocol.METHOD_NOT_FOUND,
    protocol.INVALID_PARAMS,
    protocol.HEADER_MISMATCH,
    protocol.MISSING_CAPABILITY,
    protocol.UNSUPPORTED_VERSION,
    protocol.RESOURCE_NOT_FOUND,
    -32001,
}
METHODS = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "notifications/initialized",
]
ODD = [
    "",
    "\x00",
    "\u202e",
    "\ud800",
    "../../etc/passwd",
    "..\\..\\x",
    "okf://river/../secret",
    "%2e%2e/%2f",
    "C:\\x",
    "a" * 3000,
    "okf://river/concepts/weir.md",
    "okf://river/secret/x.md",
    "weir",
    "river",
    "*",
    "\u200bweir",
    "/etc/passwd",
    "😀" * 50,
    "concepts/weir.md#x",
    "[[weir]]",
    "{}",
    "null",
    "-1",
    "1e400",
    "file:///etc/passwd",
    "http://127.0.0.1:1/",
    "\r\nX: y",
]
texts = st.one_of(st.sampled_from(ODD), st.text(max_size=40))
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=True), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=8,
)


SELDOM = st.sampled_from([False] * 7 + [True])


def argument(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """A value by the schema of an argument, or of another form."""
    if "enum" in schema:
        right: st.SearchStrategy[Any] = st.sampled_from(schema["enum"])
    elif schema.get("type") == "integer":
        right = st.integers(-1, 60_000)
    elif schema.get("type") == "array":
        right = st.lists(texts, max_size=4)
    else:
        right = texts
    return SELDOM.flatmap(lambda is_odd: values if is_odd else right)


def arguments(tool: Any) -> st.SearchStrategy[Any]:
    schema = tool.listed()["inputSchema"]
    known = {name: argument(each) for name, each in schema.get("properties", {}).items()}
    known |= {"kb": st.sampled_from(["", "river", "river", "*", "elsewhere"])} if "kb" in known else {}
    required = {name: known.pop(name) for name in schema.get("required", [])}
    right = st.fixed_dictionaries(required, optional=known)
    return SELDOM.flatmap(
        lambda is_odd: st.one_of(values, right.map(lambda some: {**some, "x": 1})) if is_odd else right
    )


meta = st.fixed_dictionaries(
    {},
    optional={
        protocol.VERSION_KEY: st.one_of(st.just("2026-07-28"), st.just("2026-07-28"), values),
        protocol.CAPABILITIES_KEY: st.one_of(st.just({}), st.just({"elicitation": {}}), values),
        "progressToken": values,
    },
)
envelope = st.one_of(
    st.just({}),
    st.just({"_meta": {protocol.VERSION_KEY: "2026-07-28", protocol.CAPABILITIES_KEY: {"elicitation": {}}}}),
    meta.map(lambda some: {"_meta": some}),
    values.map(lambda some: {"_meta": some}),
)
calls = st.sampled_from(TOOLS).flatmap(
    lambda tool: st.tuples(
        st.just("tools/call"),
        st.fixed_dictionaries(
            {"name": st.just(tool.name), "arguments": arguments(tool)},
            optional={"inputResponses": values, "requestState": values},
        ),
    )
)
others = st.tuples(
    st.one_of(st.sampled_from(METHODS), texts),
    st.one_of(
        st.fixed_dictionaries(
            {},
            optional={
                "name": st.one_of(texts, values),
                "uri": st.one_of(texts, values),
                "cursor": values,
                "arguments": values,
                "protocolVersion": values,
                "ref": values,
                "argument": st.fixed_dictionaries({"name": texts, "value": values}),
                "context": values,
            },
        ),
        values,
    ),
)


@st.composite
def messages(draw: Any) -> Any:
    method, params = draw(st.one_of(calls, calls, others))
    if isinstance(params, dict):
        params = {**params, **draw(envelope)}
    message = {
        "jsonrpc": "2.0",
        "id": draw(st.one_of(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), values)),
        "method": method,
        "params": params,
    }
    broken = draw(st.sampled_from(["", "", "", "", "", "", "", "", "id", "jsonrpc", "method", "params"]))
    message.pop(broken, None)
    return draw(st.sampled_from([message, message, message, message, [message], {**message, "jsonrpc": 2}]))


@dataclass(frozen=True)
class Sent:
    method: str
    path: str
    headers: list[tuple[bytes, bytes]]
    parts: list[bytes]


@st.composite
def requests(draw: Any, token: str) -> Sent:
    message = draw(messages())
    body = draw(st.binary(max_size=60)) if draw(SELDOM) else encoded(message)
    params = message.get("params") if isinstance(message, dict) else None
    version = protocol.envelope_version(params)
    headers = [(b"host", b"127.0.0.1"), (b"authorization", f"Bearer {token}".encode())]
    if version is not None or draw(SELDOM):
        told = {
            "mcp-protocol-version": version,
            "mcp-method": message.get("method") if isinstance(message, dict) else "",
        }
        told["mcp-name"] = (params.get("name") or params.get("uri")) if isinstance(params, dict) else ""
        headers += [(name.encode(), spelled(value)) for name, value in told.items()]
    headers += draw(st.lists(st.sampled_from(LIES), min_size=1, max_size=2)) if draw(SELDOM) else []
    method = draw(st.sampled_from(["GET", "DELETE", "OPTIONS", "HEAD"])) if draw(SELDOM) else "POST"
    path = draw(st.sampled_from(["/", "/mcp/", "/healthz", "/.well-known/x", "//mcp"])) if draw(SELDOM) else "/mcp"
    cut = draw(st.integers(0, len(body)))
    return Sent(method, path, headers, draw(st.sampled_from([[body], [body[:cut], body[cut:]]])))


LIES = [
    (b"host", b"evil.test"),
    (b"origin", b"https://evil.test"),
    (b"content-length", b"99999999999"),
    (b"accept", b"text/html"),
    (b"content-type", b"text/plain"),
    (b"authorization", b"Bearer x.y.z"),
    (b"mcp-name", b"=?base64?%%?="),
    (b"x", b"\xff\xfe"),
    (b"mcp-session-id", b"1"),
    (b"accept", b"text/event-stream"),
    (b"content-length", b"-1"),
    (b"mcp-method", b"\x80"),
]


def encoded(message: Any) -> bytes:
    return json.dumps(message).encode("utf-8", "surrogatepass")


def spelled(value: Any) -> bytes:
    return str(value).encode("utf-8", "replace")[:200].replace(b"\n", b"").replace(b"\r", b"")


class Served:
    """The endpoint of a base of which its caller may see a part, and the defects that it hid."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.service = service_of(FolderHost(folder, {"river": folder_of(folder / "river", PAGES)}))
        rules = PathRules(None, ("secret",))
        self.shown, token = new_token(
            Grant("fuzz", frozenset(SCOPES), None, rules), (), SeededEntropy(), SystemClock().now()
        )

        async def tokens() -> Any:
            return (token,)

        self.endpoint = Endpoint(self.service, tokens, Settings(scopes=frozenset(SCOPES)))
        self.loop = asyncio.new_event_loop()
        self.headers: dict[str, str] = {}

    def answer(self, sent: Sent) -> tuple[int, bytes]:
        return self.loop.run_until_complete(asyncio.wait_for(self._answer(sent), 20))

    async def _answer(self, sent: Sent) -> tuple[int, bytes]:
        events = [
            {"type": "http.request", "body": part, "more_body": number < len(sent.parts) - 1}
            for number, part in enumerate(sent.parts)
        ]
        told: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return events.pop(0) if events else {"type": "http.disconnect"}

        async def send(event: dict[str, Any]) -> None:
            told.append(event)

        scope = {"type": "http", "method": sent.method, "path": sent.path, "headers": sent.headers, "query_string": b""}
        await self.endpoint(scope, receive, send)
        assert [event["type"] for event in told] == ["http.response.start", "http.response.body"]
        for name, value in told[0]["headers"]:
            assert b"\n" not in name + value and b"\r" not in name + value
        self.headers = {name.decode(): value.decode() for name, value in told[0]["headers"]}
        return int(told[0]["status"]), told[1]["body"]


@pytest.fixture
def served() -> Iterator[Served]:
    with tempfile.TemporaryDirectory() as folder:
        it = Served(Path(folder))
        yield it
        it.loop.close()


def check(served: Served, sent: Sent) -> None:
    status, body = served.answer(sent)
    assert status in STATUSES
    told = body.decode("utf-8")
    assert "Traceback" not in told and str(served.folder) not in told
    assert HIDDEN not in told or HIDDEN.encode() in b"".join(sent.parts)
    if not body or sent.path != "/mcp":
        return
    reply = json.loads(told.removeprefix("event: message\ndata: ") if told.startswith("event:") else told)
    assert reply["jsonrpc"] == "2.0" and ("result" in reply) != ("error" in reply)
    if "error" in reply:
        assert reply["error"]["code"] in CODES, reply
    elif "structuredContent" in reply["result"]:
        assert isinstance(reply["result"]["structuredContent"], dict) and reply["result"]["content"]


def test_when_tokens_can_not_be_read_nobody_is_answered_or_told_why(
    served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    async def damaged() -> Any:
        raise StateFileError("/home/somebody/tokens.json is not valid JSON")

    served.endpoint.tokens = damaged
    headers = [(b"host", b"127.0.0.1"), (b"authorization", f"Bearer {served.shown}".encode())]
    status, body = served.answer(
        Sent("POST", "/mcp", headers, [encoded({"jsonrpc": "2.0", "id": 1, "method": "ping"})])
    )
    assert (status, b"tokens" in body) == (503, False)
    assert "tokens.json is not valid JSON" in capsys.readouterr().err


def test_a_page_may_call_from_an_origin_that_was_allowed_and_from_no_other(served: Served) -> None:
    served.endpoint.settings = replace(served.endpoint.settings, origins=frozenset({"https://app.example.org"}))

    def asked(method: str, origin: str, token: str) -> tuple[int, str, str]:
        headers = {"host": "127.0.0.1", "origin": origin, "authorization": token}
        raw = [(name.encode(), value.encode()) for name, value in headers.items() if value]
        listing = [encoded({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})]
        status, _ = served.answer(Sent(method, "/mcp", raw, listing))
        told = served.headers
        return status, told.get("access-control-allow-origin", ""), told.get("access-control-allow-headers", "")

    app, token = "https://app.example.org", f"Bearer {served.shown}"
    status, origin, names = asked("OPTIONS", app, "")
    assert (status, origin) == (200, app) and {"authorization", "mcp-protocol-version"} <= set(names.split(", "))
    assert asked("POST", app, token) == (200, app, "")
    assert asked("POST", app, "Bearer x") == (401, app, "")
    for other in ("https://evil.test", "https://app.example.org.evil.test", "null"):
        assert asked("OPTIONS", other, "") == asked("POST", other, token) == (403, "", "")
    assert asked("OPTIONS", "", "") == (405, "", "")


def run(served: Served, monkeypatch: pytest.MonkeyPatch, examples: int) -> None:
    defects: list[BaseException] = []
    monkeypatch.setattr(traceback, "print_exception", lambda error, *more: defects.append(error))

    @settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
    )
    @given(requests(served.shown))
    def each(sent: Sent) -> None:
        check(served, sent)
        if defects:
            raise defects.pop()

    each()
    log = served.service.guards.log
    lines, head = served.loop.run_until_complete(log.lines()), served.loop.run_until_complete(log.head())
    assert audit.verify(lines, head, KEY).problem == ""
    assert len(lines) > examples // 8


def test_a_sample_of_all_requests_finds_nothing(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    run(served, monkeypatch, 300)


@pytest.mark.slow
def test_many_requests_find_nothing(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    run(served, monkeypatch, 6000)
