"""A web server on this machine, for pages under test: static files of several folders, and nothing else."""

from __future__ import annotations

import mimetypes
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

TYPES = {".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm", ".json": "application/json"}
TYPES |= {".webmanifest": "application/manifest+json", ".html": "text/html; charset=utf-8"}


@dataclass(slots=True)
class Site:
    """`requests` are the paths that were asked for; `headers` go with every answer."""

    url: str
    stop: Callable[[], None]
    requests: list[str] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)


@contextmanager
def site(folders: Mapping[str, Path], headers: Mapping[str, str] | None = None) -> Iterator[Site]:
    """Serve each folder below its prefix, e.g. {"/": dist, "/assets/": assets}; the longest prefix wins."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(folders))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    stopped = threading.Event()

    def stop() -> None:
        if not stopped.is_set():
            stopped.set()
            server.shutdown()
            server.server_close()

    served = Site(f"http://127.0.0.1:{server.server_address[1]}", stop, headers=dict(headers or {}))
    server.site = served  # type: ignore[attr-defined]
    try:
        yield served
    finally:
        stop()


def _handler(folders: Mapping[str, Path]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else each small answer waits 40 ms for the next

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def log_message(self, format: str, *args: object) -> None:
            return

        def _answer(self, with_body: bool) -> None:
            path = unquote(urlsplit(self.path).path)
            told: Site = self.server.site  # type: ignore[attr-defined]
            told.requests.append(path)
            found = _file(folders, path)
            data = found.read_bytes() if found else b""
            self.send_response(200 if found else 404)
            self.send_header("content-type", _type(found) if found else "text/plain")
            self.send_header("content-length", str(len(data)))
            self.send_header("cache-control", "no-cache")
            if found:
                self.send_header("etag", f'"{found.stat().st_mtime_ns:x}-{len(data):x}"')
            for name, value in told.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if with_body:
                self.wfile.write(data)

    return Handler


def _file(folders: Mapping[str, Path], path: str) -> Path | None:
    for prefix in sorted(folders, key=len, reverse=True):
        if path.startswith(prefix):
            root = folders[prefix].resolve()
            target = (root / (path[len(prefix) :] or "index.html")).resolve()
            if target.is_dir():
                target /= "index.html"
            return target if target.is_relative_to(root) and target.is_file() else None
    return None


def _type(path: Path) -> str:
    return TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
