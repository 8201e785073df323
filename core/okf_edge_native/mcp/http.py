"""The protocol over HTTP, stateless: every POST to `/mcp` is one message with its answer. A plain ASGI application.

The order of the checks: host and origin, path and method, token, media types, size and time of the body, form, version.
What comes before the token tells nothing about what is served; what is wrong with a token is only in the audit log.

Rules:
1. A browser's page reaches us only from an origin that was allowed (`pages`), or from our own address.
2. There are no sessions and no streams of events: GET and DELETE are answered with 405.
3. A client is answered in JSON unless it accepts events alone.
"""

from __future__ import annotations

import asyncio
import json
import sys
from base64 import b64decode
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from okf_edge.errors import OkfError, PolicyError, TooLargeError
from okf_edge.limits import LIMITS
from okf_edge.policy import pipeline
from okf_edge.policy.authenticate import Token, authenticate, is_jwt
from okf_edge.policy.caller import SCOPES, Caller
from okf_edge.policy.parse import parse
from okf_edge.tools.service import Service
from okf_edge_native.mcp import pages, protocol
from okf_edge_native.mcp.protocol import Fault, Protocol, failure

Scope = dict[str, Any]
Event = dict[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
Tokens = Callable[[], Awaitable[Sequence[Token]]]
Issued = Callable[[str], Awaitable[Caller]]

PATH = "/mcp"
METADATA = "/.well-known/oauth-protected-resource"
HEALTH = "/healthz"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})

_STATUS = {
    protocol.PARSE_ERROR: 400,
    protocol.INVALID_REQUEST: 400,
    protocol.INVALID_PARAMS: 400,
    protocol.HEADER_MISMATCH: 400,
    protocol.MISSING_CAPABILITY: 400,
    protocol.UNSUPPORTED_VERSION: 400,
    protocol.METHOD_NOT_FOUND: 404,
}
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_ROUTING = ("mcp-protocol-version", "mcp-method", "mcp-name", "authorization", "host", "origin", "content-type")


@dataclass(frozen=True, slots=True)
class Settings:
    """Whom the server answers. `scopes` are those that any token can use here; `hosts` the names that it goes by,
    without ports; `issuer` that of the tokens, told in the protected-resource metadata when there is one."""

    scopes: frozenset[str] = frozenset({"read"})
    hosts: frozenset[str] = LOOPBACK
    origins: frozenset[str] = frozenset()
    resource: str = ""
    issuer: str = ""


@dataclass(frozen=True, slots=True)
class Refusal(Exception):
    """A request that is not answered by the protocol, and how HTTP says so."""

    status: int
    message: str
    code: int = protocol.INVALID_REQUEST
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Endpoint:
    """The ASGI application. `issued` names the caller of a token that somebody else issued (a JWT), where that is
    accepted; `speaks` answers the messages."""

    service: Service
    tokens: Tokens
    settings: Settings = field(default_factory=Settings)
    issued: Issued | None = None
    speaks: Callable[[Service], Protocol] = Protocol
    _working: int = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "http":
            await self._serve(_Request(scope, receive), send)

    async def _serve(self, request: _Request, send: Send) -> None:
        try:
            status, body, kind = await self._answer(request)
            headers = [("content-type", kind)] if body else []
        except Refusal as refusal:
            status, headers, body = _refused(refusal)
        except OkfError as error:  # tokens or the log can't be read or written: whoever runs the server must look
            print(f"okf mcp: {error.message}", file=sys.stderr, flush=True)
            status, headers, body = _refused(_AWAY)
        headers += pages.told(request.method, request.header("origin"), self.settings.origins)
        await _reply(send, status, headers, body)

    async def _answer(self, request: _Request) -> tuple[int, bytes, str]:
        _require_single_headers(request)
        self._require_known_host(request)
        if request.method in ("GET", "HEAD") and request.path == HEALTH:
            return 200, b'{"status":"ok"}', "application/json"
        if request.method == "GET" and request.path in (METADATA, METADATA + PATH) and self.settings.issuer:
            return 200, _json(self._metadata()), "application/json"
        if request.path != PATH:
            raise Refusal(404, f"nothing is served here; the endpoint is {PATH}")
        if pages.asks_first(request.method, request.header("origin"), self.settings.origins):
            return 200, b"", ""
        if request.method != "POST":
            raise Refusal(
                405, "only POST is answered: there are no sessions and no event streams", headers=(("allow", "POST"),)
            )
        caller = await self._caller(request)
        kind = _accepted(request)
        if self._working >= LIMITS.http_requests_count:
            raise Refusal(503, "too many requests at once", headers=(("retry-after", "1"),))
        self._working += 1
        try:
            return await self._message(request, caller, kind)
        finally:
            self._working -= 1

    def _require_known_host(self, request: _Request) -> None:
        """Refuse pages that reach us under another name, or from another origin (DNS rebinding)."""
        host = request.header("host")
        if without_port(host) not in self.settings.hosts:
            raise Refusal(403, "this server does not go by that name: see --allow-host")
        origin = request.header("origin")
        if origin and origin not in self.settings.origins and origin not in (f"http://{host}", f"https://{host}"):
            raise Refusal(403, "pages of this origin are not answered: see --allow-origin")

    async def _caller(self, request: _Request) -> Caller:
        scheme, _, shown = request.header("authorization").partition(" ")
        shown = shown.strip() if scheme.lower() == "bearer" else ""
        guards = self.service.guards
        try:
            if self.issued and is_jwt(shown):
                caller = await self.issued(shown)
            else:
                caller = authenticate(shown, await self.tokens(), guards.clock.now())
        except PolicyError as error:
            await pipeline.record_refusal(guards, "http", error, str(error.details.get("reason", "")))
            raise Refusal(
                401, error.message, -32001, headers=(("www-authenticate", self._challenge(request)),)
            ) from error
        return replace(caller, scopes=caller.scopes & self.settings.scopes)

    def _challenge(self, request: _Request) -> str:
        parts = ['Bearer realm="okf"']
        parts += ['error="invalid_token"'] if request.header("authorization") else []
        parts += [f'resource_metadata="{self.settings.resource}{METADATA}{PATH}"'] if self.settings.issuer else []
        return ", ".join(parts)

    def _metadata(self) -> dict[str, Any]:
        return {
            "resource": f"{self.settings.resource}{PATH}",
            "authorization_servers": [self.settings.issuer],
            "scopes_supported": [scope for scope in SCOPES if scope in self.settings.scopes],
            "bearer_methods_supported": ["header"],
        }

    async def _message(self, request: _Request, caller: Caller, kind: str) -> tuple[int, bytes, str]:
        message = _parsed(await request.body())
        fault = _fault_of_headers(request, message)
        if fault:
            return _STATUS[fault.code], _json(failure(_id_of(message), fault)), "application/json"
        reply = await _shielded(self.speaks(self.service), message, caller)
        if reply is None:
            return 202, b"", ""
        status = _STATUS.get(reply["error"]["code"], 200) if "error" in reply else 200
        if "error" in reply and not protocol.envelope_version(
            message.get("params") if isinstance(message, dict) else None
        ):
            status = status if reply["id"] is None else 200
        body = _json(reply)
        return (
            (status, body, kind)
            if kind == "application/json"
            else (status, b"event: message\ndata: " + body + b"\n\n", kind)
        )


_AWAY = Refusal(503, "this server can't answer at present", headers=(("retry-after", "5"),))


def _refused(refusal: Refusal) -> tuple[int, list[tuple[str, str]], bytes]:
    body = _json(failure(None, Fault(refusal.code, refusal.message)))
    return refusal.status, [("content-type", "application/json"), *refusal.headers], body


class _Request:
    """One HTTP request, with its body read within limits of size and time."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.raw = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        self._receive = receive

    def header(self, name: str) -> str:
        return next((value for each, value in self.raw if each == name), "")

    async def body(self) -> bytes:
        """Raises Refusal: it is too large, too slow, or breaks off."""
        stated = self.header("content-length").lstrip("0")
        if stated.isdecimal() and (len(stated) > len(str(LIMITS.call_bytes)) or int(stated) > LIMITS.call_bytes):
            raise Refusal(413, f"a message has at most {LIMITS.call_bytes:,} bytes")
        try:
            async with asyncio.timeout(LIMITS.http_idle_seconds):
                return await self._whole()
        except TimeoutError as error:
            raise Refusal(408, f"the message did not arrive within {LIMITS.http_idle_seconds:g} s") from error

    async def _whole(self) -> bytes:
        parts, size = [], 0
        while True:
            event = await self._receive()
            if event["type"] == "http.disconnect":
                raise Refusal(400, "the connection was closed before the message was whole")
            parts.append(event.get("body", b""))
            size += len(parts[-1])
            if size > LIMITS.call_bytes:
                raise Refusal(413, f"a message has at most {LIMITS.call_bytes:,} bytes")
            if not event.get("more_body"):
                return b"".join(parts)


def _parsed(data: bytes) -> Any:
    try:
        return parse(data)
    except TooLargeError as error:
        raise Refusal(413, error.message) from error
    except OkfError as error:
        raise Refusal(400, error.message, protocol.PARSE_ERROR) from error


async def _shielded(answers: Protocol, message: Any, caller: Caller) -> dict[str, Any] | None:
    """The reply; a defect of ours becomes an error without a trace."""
    try:
        return await answers.answer(message, caller)
    except Exception as error:
        import traceback

        traceback.print_exception(error)
        return failure(_id_of(message), Fault(protocol.INTERNAL_ERROR, "internal error"))


def _accepted(request: _Request) -> str:
    """The media type to answer in, after that of the request was checked."""
    sent = request.header("content-type").partition(";")[0].strip().lower()
    if sent not in ("", "application/json"):
        raise Refusal(415, "expected content-type application/json")
    wanted = [part.partition(";")[0].strip().lower() for part in request.header("accept").split(",")]
    if any(part in ("", "*/*", "application/*", "application/json") for part in wanted):
        return "application/json"
    if "text/event-stream" in wanted:
        return "text/event-stream"
    raise Refusal(406, "answers are application/json: send Accept: application/json, text/event-stream")


def _fault_of_headers(request: _Request, message: Any) -> Fault | None:
    """What is wrong between headers and message, by the rules of the era that the request names."""
    params = message.get("params") if isinstance(message, dict) else None
    version, stated = protocol.envelope_version(params), request.header("mcp-protocol-version")
    if version is None:
        if stated and stated not in protocol.VERSIONS:
            return protocol.unsupported(stated)
        if stated in protocol.MODERN and isinstance(message, dict) and "id" in message:
            return Fault(protocol.INVALID_PARAMS, f"params._meta must have {protocol.VERSION_KEY}")
        return None
    if stated != version:
        return Fault(protocol.HEADER_MISMATCH, "the MCP-Protocol-Version header is not the version in the message")
    if "id" not in message:
        return None
    if request.header("mcp-method") != message.get("method"):
        return Fault(protocol.HEADER_MISMATCH, "the Mcp-Method header is not the method in the message")
    method = message.get("method")
    named = params.get(_NAMED.get(method, "")) if isinstance(params, dict) and isinstance(method, str) else None
    if isinstance(named, str) and _decoded(request.header("mcp-name")) != named:
        return Fault(protocol.HEADER_MISMATCH, "the Mcp-Name header is not the name in the message")
    return None


def _decoded(value: str) -> str | None:
    """A header value, which may be wrapped as `=?base64?…?=`; None when that is damaged."""
    if not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return b64decode(value[len("=?base64?") : -2], validate=True).decode()
    except ValueError:
        return None


def _require_single_headers(request: _Request) -> None:
    names = [name for name, _ in request.raw if name in _ROUTING]
    double = next((name for name in names if names.count(name) > 1), None)
    if double:
        raise Refusal(400, f"the header {double} came more than once", protocol.HEADER_MISMATCH)
    if request.header("transfer-encoding") and request.header("content-length"):
        raise Refusal(400, "the body's length was told in two ways, so a proxy may have read another request")


def without_port(host: str) -> str:
    """`localhost:8765` -> `localhost`; an IPv6 address keeps its brackets."""
    name, colon, port = host.lower().rpartition(":")
    return name if colon and port.isdigit() and not name.endswith(":") else host.lower()


def _id_of(message: Any) -> Any:
    found = message.get("id") if isinstance(message, Mapping) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


async def _reply(send: Send, status: int, headers: Sequence[tuple[str, str]], body: bytes) -> None:
    told = [
        *headers,
        ("content-length", str(len(body))),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
    ]
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in told]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


async def _live(receive: Receive, send: Send) -> None:
    while True:
        event = await receive()
        await send({"type": f"{event['type']}.complete"})
        if event["type"] == "lifespan.shutdown":
            return
