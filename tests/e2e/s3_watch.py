"""A door to S3 that notes what each caller asks for in words of IAM, so that roles can be held to what is used."""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, unquote, urlsplit

_HOP = {"connection", "transfer-encoding", "keep-alive"}


class S3Watch:
    """Stands before an S3 server; signatures hold, since the name that the caller used is passed on."""

    def __init__(self, endpoint: str) -> None:
        self.used: set[tuple[str, str]] = set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(endpoint, self.used))
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def asked_for(method: str, target: str, headers: Mapping[str, str]) -> set[tuple[str, str]]:
    """The permissions that a request needs, each an action and the key, which is empty for the bucket."""
    parts = urlsplit(target)
    bucket, _, key = unquote(parts.path).strip("/").partition("/")
    if method == "GET" and not key and ("list-type" in parse_qs(parts.query) or not parts.query):
        return {("s3:ListBucket", "")}
    actions = {"GET": "s3:GetObject", "HEAD": "s3:GetObject", "PUT": "s3:PutObject", "DELETE": "s3:DeleteObject"}
    found = {(actions.get(method, f"unknown {method} {parts.query}"), key)}
    source = headers.get("x-amz-copy-source", "")
    return found | ({("s3:GetObject", unquote(source).strip("/").removeprefix(f"{bucket}/"))} if source else set())


def _handler(endpoint: str, used: set[tuple[str, str]]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None: ...

        def _passed_on(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items() if name.lower() not in _HOP}
            body = self.rfile.read(int(headers.get("content-length") or 0))
            if headers.get("expect"):
                headers.pop("expect")
            used.update(asked_for(self.command, self.path, headers))
            connection = http.client.HTTPConnection(urlsplit(endpoint).netloc, timeout=60)
            try:
                connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in headers.items():
                    connection.putheader(name, value)
                connection.endheaders(body or None)
                answer = connection.getresponse()
                self._tell(answer, answer.read())
            finally:
                connection.close()

        def _tell(self, answer: http.client.HTTPResponse, data: bytes) -> None:
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in _HOP | {"content-length", "server", "date"}:
                    self.send_header(name, value)
            length = answer.getheader("content-length") if self.command == "HEAD" else str(len(data))
            if answer.status != 204:
                self.send_header("Content-Length", length or "0")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _passed_on

    return Handler
