"""A vault on disk behind HTTP: the other side of the host model's bridge (`wasm/host`), with what a phone adds to it.

Every verb of the adapter is one request. The server keeps the names of all other requests, so that a test sees any that
the plugin should not have made, and hands out `/request` as the system does for `requestUrl`.
"""

from __future__ import annotations

import json
import shutil
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' blob: 'wasm-unsafe-eval' 'unsafe-eval'",
        "worker-src 'self' blob:",
        "connect-src 'self' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
    )
)
"""As an app's: everything is local. What is evaluated are functions that Pyodide makes of its own, in the worker."""

TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}


class VaultServer:
    """Serves a page and a vault.

    `full` refuses writes. `before` is told of every access before it is done. `verbs` are the accesses so far, `asked`
    the addresses of others that were asked for, and what the page lacked.
    """

    def __init__(self, page: Path, vault: Path, policy: str = POLICY) -> None:
        self.page = page
        self.vault = vault
        self.policy = policy
        self.full = False
        self.asked: list[str] = []
        self.verbs: list[tuple[str, str]] = []
        self.before: Callable[[str, str], None] = lambda verb, path: None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def bridge(self, verb: str, path: str, query: dict[str, str], body: bytes) -> bytes:
        """What the adapter does. Raises OSError with the words of the system."""
        self.verbs.append((verb, path))
        self.before(verb, path)
        at = self.vault / path.strip("/")
        if self.full and verb in {"write", "mkdir", "copy"}:
            raise OSError("ENOSPC: no space left on device")
        answer = getattr(self, f"_{verb}")(at, query, body)
        return b"" if answer is None else answer if isinstance(answer, bytes) else json.dumps(answer).encode()

    def _entry(self, at: Path) -> dict[str, Any]:
        stat = at.stat()
        kind = "folder" if at.is_dir() else "file"
        path = str(at.relative_to(self.vault))
        return {"path": path, "kind": kind, "size": stat.st_size, "mtime": int(stat.st_mtime * 1000)}

    def _stat(self, at: Path, query: dict[str, str], body: bytes) -> Any:
        return self._entry(at) if at.exists() else b"null"

    def _list(self, at: Path, query: dict[str, str], body: bytes) -> Any:
        return [self._entry(each) for each in sorted(at.iterdir())]

    def _tree(self, at: Path, query: dict[str, str], body: bytes) -> Any:
        if not at.exists():
            return []
        below = [at] if at.is_file() else sorted(at.rglob("*"))
        visible = [each for each in below if not any(p.startswith(".") for p in each.relative_to(self.vault).parts)]
        return [self._entry(each) for each in visible]

    def _read(self, at: Path, query: dict[str, str], body: bytes) -> bytes:
        return at.read_bytes()

    def _write(self, at: Path, query: dict[str, str], body: bytes) -> None:
        at.write_bytes(body)

    def _mkdir(self, at: Path, query: dict[str, str], body: bytes) -> None:
        at.mkdir(parents=True, exist_ok=True)

    def _rmdir(self, at: Path, query: dict[str, str], body: bytes) -> None:
        shutil.rmtree(at) if query.get("recursive") == "true" else at.rmdir()

    def _remove(self, at: Path, query: dict[str, str], body: bytes) -> None:
        at.unlink()

    def _rename(self, at: Path, query: dict[str, str], body: bytes) -> None:
        to = self.vault / query["to"].strip("/")
        if to.exists():
            raise OSError("Destination file already exists!")
        at.rename(to)

    def _copy(self, at: Path, query: dict[str, str], body: bytes) -> None:
        shutil.copy2(at, self.vault / query["to"].strip("/"))


def _handler(server: VaultServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else each small answer waits 40 ms for the next

        def do_GET(self) -> None:
            path = urlsplit(self.path).path.lstrip("/") or "index.html"
            file = server.page / path
            if path == "favicon.ico":
                self.answer(204, b"")
            elif not file.is_file():
                server.asked.append(self.path)
                self.answer(404, b"")
            else:
                self.answer(
                    200, file.read_bytes(), {"content-type": TYPES.get(file.suffix, "application/octet-stream")}
                )

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
            if parts.path == "/request":
                self.forward(query)
                return
            try:
                verb = parts.path.removeprefix("/vault/")
                data = server.bridge(verb, query.pop("path"), query, body)
                self.answer(200, data, {"content-type": "application/octet-stream"})
            except OSError as error:
                self.answer(400, str(error).encode())

        def forward(self, query: dict[str, str]) -> None:
            server.asked.append(query["url"])
            try:
                request = urllib.request.Request(query["url"], method=query["method"])
                with urllib.request.urlopen(request, timeout=10) as reply:
                    status, data, headers = reply.status, reply.read(), dict(reply.headers)
            except urllib.error.HTTPError as error:
                status, data, headers = error.code, error.read(), dict(error.headers)
            except OSError:
                self.answer(502, b"")
                return
            self.answer(200, data, {"x-status": str(status), "x-headers": json.dumps(headers)})

        def answer(self, status: int, data: bytes, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            self.send_header("content-security-policy", server.policy)
            self.send_header("content-length", str(len(data)))
            self.send_header("cache-control", "no-store")
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet: tests look at `asked` and `verbs`."""

    return Handler
