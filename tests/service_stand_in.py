"""A service as its contract describes it, over a folder, in one process: for clients, and for faults that no real one
has on demand.

Source: docs/decisions/0024-what-the-service-speaks.md.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from okf_edge.errors import NotFoundError, OkfError, PreconditionError
from okf_edge.feed.keys import SslibVerifier
from okf_edge.feed.names import metadata_key
from okf_edge.feed.publish import add_creator, create_feed, refresh_feed
from okf_edge.feed.writer import Writer
from okf_edge_native.blobs import DiskBlobs
from okf_edge_native.keyring import FileKeyring
from okf_edge_native.system import SystemClock

MOST = 64 * 1024 * 1024
TOKEN = "okf_stand-in_token-of-no-service-at-all"
Answer = tuple[int, Any]
_STATUS = ((NotFoundError, 404), (PreconditionError, 409))


@dataclass(slots=True)
class StandIn:
    """A feed in a folder, whose online keys are in this process's home. `faults` take a path's place of answering.

    `asked` are the requests: method, path and whether the token came with them.
    """

    folder: Path
    url: str = ""
    answer: dict[str, Any] = field(default_factory=dict)
    faults: dict[str, Callable[[], Answer]] = field(default_factory=dict)
    asked: list[tuple[str, str, bool]] = field(default_factory=list)
    uploads: dict[str, dict[str, Any]] = field(default_factory=dict)
    bodies: list[Any] = field(default_factory=list)
    outcome: dict[str, Any] = field(default_factory=dict)
    root: str = ""

    def store(self) -> DiskBlobs:
        return DiskBlobs(self.folder)


def made_key(home: Path) -> bytes:
    """The public half of a new key on a machine of its own."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("OKF_HOME", str(home))
        return asyncio.run(_keyring().create()).public_key


def made_feed(folder: Path, creators: Mapping[str, bytes]) -> str:
    """A feed whose owner's keys are in this process's home; the digest of its root."""

    async def made() -> str:
        writer, now = Writer(DiskBlobs(folder), _keyring(), SslibVerifier()), SystemClock().now()
        pin = await create_feed(writer, 1, 1, now)
        for creator, key in creators.items():
            await add_creator(writer, creator, [key], now)
        return f"sha256:{pin}"

    return asyncio.run(made())


def _keyring() -> FileKeyring:
    return FileKeyring(protect=lambda name: "", unlock=lambda name: "")


@contextmanager
def standing_in(folder: Path, root: str = "") -> Iterator[StandIn]:
    service = StandIn(folder, root=root)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(service))
    service.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()


def _handler(service: StandIn) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None: ...

        def _answered(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            path = unquote(self.path)
            has_token = self.headers.get("authorization") == f"Bearer {TOKEN}"
            service.asked.append((self.command, path, has_token))
            fault = service.faults.get(f"{self.command} {path}")
            try:
                status, told = fault() if fault else _routed(service, self.command, path, body, has_token, self.headers)
            except OkfError as error:
                status = (
                    404 if isinstance(error, NotFoundError) else 409 if isinstance(error, PreconditionError) else 400
                )
                told = {"error": {"code": error.code, "message": error.message, "hint": error.hint, "issues": []}}
            self._tell(status, told)

        def _tell(self, status: int, told: Any) -> None:
            data = told if isinstance(told, bytes) else json.dumps(told).encode()
            self.send_response(status)
            if status == 307:
                self.send_header("Location", told)
                data = b""
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = _answered

    return Handler


def _routed(service: StandIn, method: str, path: str, body: bytes, has_token: bool, headers: Any) -> Answer:
    if path == "/health":
        return 200, {"status": "ok", "version": "0.1.0", "root": service.root, "snapshot": 1, "problem": None}
    if path.startswith("/s3/"):  # a presigned URL stands for itself
        if headers.get("authorization"):
            return 400, b"<Error>two ways of authorization</Error>"
        return _bucket(service, method, path, body, headers)
    if not has_token:
        return 401, {"error": {"code": "unauthenticated", "message": "no valid token", "hint": "", "issues": []}}
    if path.startswith("/v1/feed/"):
        return _feed(service, path.removeprefix("/v1/feed/"))
    if path == "/mcp":
        if method == "GET":
            return 405, {}
        return (403, {}) if headers.get("origin") else (200, {"jsonrpc": "2.0", "id": 1, "result": {}})
    told = json.loads(body) if body else {}
    service.bodies.append(told)
    if path == "/v1/bundles":
        return 200, {"bundles": [{"id": "ada.harbour", "version": "1.0.0", "title": "Harbour"}]}
    if path == "/v1/query":
        return 200, service.answer
    if path == "/v1/publish":
        return _begun(service, told)
    if path == "/v1/releases":
        asyncio.run(_listed(service, told["creator"], told["metadata"].encode(), {}))
        return 202, {"state": "accepted", "upload": "of-no-archive"}
    return _publication(service, method, path.removeprefix("/v1/publish/"), told)


def _feed(service: StandIn, key: str) -> Answer:
    if key == "metadata":
        found = asyncio.run(service.store().list("metadata/"))
        return 200, {"keys": [{"key": each.key, "bytes": each.bytes, "version": each.version} for each in found]}
    if key.startswith("targets/"):
        asyncio.run(service.store().head(key))
        return 307, f"{service.url.replace('127.0.0.1', 'localhost')}/s3/{key}"
    return 200, asyncio.run(service.store().get(key, MOST)).data


def _bucket(service: StandIn, method: str, path: str, body: bytes, headers: Any) -> Answer:
    key = path.removeprefix("/s3/")
    if method == "GET":
        return 200, asyncio.run(service.store().get(key, MOST)).data
    if headers.get("x-amz-checksum-sha256") != "as-promised":
        return 403, b"<Error>other headers than were signed</Error>"
    service.uploads[key]["archive"] = body
    return 200, b""


def _begun(service: StandIn, told: dict[str, Any]) -> Answer:
    if not {"id", "version", "sha256", "bytes"} <= set(told):
        return 400, {"error": {"code": "bad-arguments", "message": "expected more", "hint": "", "issues": []}}
    upload = f"upload-{len(service.uploads)}"
    service.uploads[upload] = dict(told)
    headers = {"x-amz-checksum-sha256": "as-promised"}
    return 201, {"upload": upload, "url": f"{service.url}/s3/{upload}", "headers": headers, "expires_seconds": 900}


def _publication(service: StandIn, method: str, upload: str, told: dict[str, Any]) -> Answer:
    if method == "POST":
        asyncio.run(_published(service, service.uploads[upload], told["metadata"].encode()))
        return 202, {"state": "accepted", "upload": upload}
    return 200, service.outcome or {"state": "published"}


async def _published(service: StandIn, upload: dict[str, Any], metadata: bytes) -> None:
    name = f"{upload['id']}-{upload['version']}.okf.zip"
    key = f"targets/{upload['id']}/{upload['sha256']}.{name}"
    await _listed(service, upload["id"].partition(".")[0], metadata, {key: upload["archive"]})


async def _listed(service: StandIn, creator: str, metadata: bytes, archives: Mapping[str, bytes]) -> None:
    store, version = service.store(), json.loads(metadata)["signed"]["version"]
    for key, data in {metadata_key(creator, version): metadata, **archives}.items():
        await store.put(key, data, if_version=None)
    await refresh_feed(Writer(store, _keyring(), SslibVerifier()), SystemClock().now())
