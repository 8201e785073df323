"""The files of the web reader: where they lie, and a server of them for this machine alone.

They are made from a checkout (`make web`) or come as `okf-edge-webview-<version>.zip`, which both `--assets` take:

    reader/…                  the page
    obsidian/…                the plugin: main.js, manifest.json, styles.css
    assets/manifest.json, …   the engine and its models, in chunks

A site has the same under other names: the page at its root, the engine in `engine/`.
"""

from __future__ import annotations

import contextlib
import posixpath
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

from okf_edge import __version__
from okf_edge.errors import InputError, NotFoundError, UnavailableError

PAGE, ENGINE = "reader/", "assets/"
ENGINE_ON_SITE = "engine/"
START = "index.html"
CHECKOUT = Path(__file__).parents[2] / "wasm" / "dist"
LOOPBACK = "127.0.0.1"
DEFAULT_PORT = 8766

_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "json": "application/json",
    "webmanifest": "application/manifest+json",
    "svg": "image/svg+xml",
    "png": "image/png",
}
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-cache",
}


class Files(Protocol):
    def names(self) -> list[str]: ...

    def read(self, name: str) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class _Folder:
    root: Path

    def names(self) -> list[str]:
        return [path.relative_to(self.root).as_posix() for path in self.root.rglob("*") if path.is_file()]

    def read(self, name: str) -> bytes | None:
        path = self.root / name
        return path.read_bytes() if path.is_file() else None


@dataclass(frozen=True, slots=True)
class _Zip:
    archive: zipfile.ZipFile

    def names(self) -> list[str]:
        return [name for name in self.archive.namelist() if not name.endswith("/")]

    def read(self, name: str) -> bytes | None:
        try:
            return self.archive.read(name)
        except KeyError:
            return None
        except (zipfile.BadZipFile, OSError) as error:
            raise UnavailableError(
                f"{name} of the assets can't be read: {error}", hint="Fetch the archive of the assets again."
            ) from error


@dataclass(frozen=True, slots=True)
class Site:
    """The files of a site by the path at which they are served."""

    files: Files

    def paths(self) -> Iterator[str]:
        for name in sorted(self.files.names()):
            if name.startswith(PAGE):
                yield name.removeprefix(PAGE)
            elif name.startswith(ENGINE):
                yield ENGINE_ON_SITE + name.removeprefix(ENGINE)

    def read(self, path: str) -> bytes | None:
        """None when there is no such file."""
        is_plain = posixpath.normpath(path) == path and not path.startswith(("/", "../"))
        if not is_plain:
            return None
        if path.startswith(ENGINE_ON_SITE):
            return self.files.read(ENGINE + path.removeprefix(ENGINE_ON_SITE))
        return self.files.read(PAGE + path)


def open_site(assets: str = "") -> Site:
    """The reader from an archive or folder, else from the checkout that this runs in.

    Raises: NotFoundError: there is none. InputError: it is none of ours, or not a whole one.
    """
    return Site(open_files(assets, "web reader", (PAGE + START, f"{ENGINE}manifest.json")))


def open_files(assets: str, part: str, needed: Sequence[str]) -> Files:
    """The files of an archive or folder, else of the checkout, with all that a part needs. Raises as `open_site`."""
    place = Path(assets) if assets else CHECKOUT
    if not place.exists():
        raise _absent(place, part, asked=bool(assets))
    files = _opened(place)
    missing = [name for name in needed if files.read(name) is None]
    if missing and not assets:
        raise _absent(place, part, asked=False)
    if missing:
        raise InputError(
            f"expected the {part} in {place}, found no {' and no '.join(missing)}",
            code="not-assets",
            hint=f"Take okf-edge-webview-{__version__}.zip, as it was published.",
        )
    return files


def _opened(place: Path) -> Files:
    if place.is_dir():
        return _Folder(place)
    try:
        return _Zip(zipfile.ZipFile(place))
    except (zipfile.BadZipFile, OSError) as error:
        raise InputError(
            f"expected the archive of the web reader, found {place}: {error}",
            code="not-assets",
            hint=f"Take okf-edge-webview-{__version__}.zip, as it was published.",
        ) from error


def _absent(place: Path, part: str, *, asked: bool) -> NotFoundError:
    found = f"found nothing at {place}" if asked else "found none with this installation"
    return NotFoundError(
        f"expected the {part}, {found}",
        code="no-assets",
        hint=f"From a checkout run `make web`; else pass --assets okf-edge-webview-{__version__}.zip.",
    )


class Server:
    """Serves a site on loopback, until it is closed. Raises UnavailableError: the port is taken."""

    def __init__(self, site: Site, port: int) -> None:
        handler = type("Handler", (_Handler,), {"site": site})
        try:
            self._server = ThreadingHTTPServer((LOOPBACK, port), handler)
        except (OSError, OverflowError) as error:
            raise UnavailableError(
                f"can't listen on {LOOPBACK}:{port}: {error}", code="port-taken", hint="Take another: --port."
            ) from error

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self._server.server_port}/"

    def run(self) -> None:
        """Serve until Ctrl-C."""
        with contextlib.closing(self), contextlib.suppress(KeyboardInterrupt):
            self._server.serve_forever()

    def close(self) -> None:
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    site: Site
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each small answer waits 40 ms for the next
    timeout = 30

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: what is read here is nobody's business."""

    def _answer(self, *, with_body: bool) -> None:
        path = unquote(urlsplit(self.path).path).lstrip("/") or START
        data = self.site.read(path)
        body = b"not found\n" if data is None else data
        self.send_response(HTTPStatus.NOT_FOUND if data is None else HTTPStatus.OK)
        kind = path.rpartition(".")[2] if data is not None else ""
        self.send_header("Content-Type", _TYPES.get(kind, "text/plain" if data is None else "application/octet-stream"))
        self.send_header("Content-Length", str(len(body)))
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            self.wfile.write(body)
