"""The contract of BlobStore over memory, a directory and a web server; then races and hostile servers."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest

from okf_edge.contracts import BlobReaderContract, BlobStoreContract, clauses
from okf_edge.contracts.blob_store import SEED
from okf_edge.errors import InputError, OkfError, TooLargeError, UnavailableError
from okf_edge.inmemory import MemoryBlobs
from okf_edge.limits import LIMITS
from okf_edge.ports import BlobStore
from okf_edge_native import http
from okf_edge_native.blobs import DiskBlobs


@pytest.fixture(params=["memory", "disk"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    store = MemoryBlobs() if request.param == "memory" else DiskBlobs(tmp_path)
    for key, data in SEED.items():
        await store.put(key, data, if_version=None)
    return store


@pytest.mark.parametrize("clause", clauses(BlobStoreContract))
async def test_the_contract_is_kept(clause: str, store: BlobStore) -> None:
    await getattr(BlobStoreContract(), clause)(store)


class Handler(BaseHTTPRequestHandler):
    """Serves `SEED`, and what a bad server may do below `/bad/`."""

    seen: list[tuple[str, str]]

    def do_GET(self) -> None:
        path = unquote(self.path)
        self.seen.append((path, self.headers.get("Authorization", "")))
        if path.startswith("/bad/"):
            getattr(self, f"_{path.removeprefix('/bad/')}")()
        elif (data := SEED.get(path.removeprefix("/feed/"))) is not None:
            self._answer(200, data)
        else:
            self._answer(404, b"")

    do_HEAD = do_GET

    def _answer(self, status: int, data: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("ETag", f'"{hash(data)}"')
        for name, value in ({"Content-Length": str(len(data))} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    def _endless(self) -> None:
        self.send_response(200)
        self.end_headers()
        for _ in range(100_000):
            try:
                self.wfile.write(b"x" * 10_000)
            except OSError:
                return

    def _packed(self) -> None:
        self._answer(200, b"x", Content_Encoding="gzip")

    def _broken(self) -> None:
        self._answer(500, b"")

    def _loop(self) -> None:
        self._answer(302, b"", Location="/bad/loop")

    def _moved(self) -> None:
        self._answer(302, b"", Location="/feed/a.json")

    def _slow(self) -> None:
        """A byte now and then: never silent for long, and never done."""
        self.send_response(200)
        self.end_headers()
        with suppress(OSError):
            for _ in range(100):
                self.wfile.write(b"x")
                time.sleep(0.05)

    def _elsewhere(self) -> None:
        port = self.server.server_address[1]
        self._answer(302, b"", Location=f"http://user:password@localhost:{port}/feed/a.json")

    def _scheme(self) -> None:
        self._answer(302, b"", Location="file:///etc/passwd")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    Handler.seen = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.parametrize("clause", clauses(BlobReaderContract))
async def test_a_web_server_keeps_the_readers_part(clause: str, server: str) -> None:
    await getattr(BlobReaderContract(), clause)(http.HttpBlobs(f"http://{server}/feed"))


async def test_a_web_server_is_neither_listed_nor_written(server: str) -> None:
    store = http.HttpBlobs(f"http://{server}/feed/")
    with pytest.raises(UnavailableError):
        await store.list("")
    with pytest.raises(UnavailableError):
        await store.put("a.json", b"x", if_version=None)


async def test_an_answer_without_end_is_cut_at_the_limit(server: str) -> None:
    with pytest.raises(TooLargeError):
        await http.fetch(f"http://{server}/bad/endless", 1_000_000)


async def test_an_answer_that_drips_is_given_up_after_a_while(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "LIMITS", replace(LIMITS, http_total_seconds=0.3))
    begun = time.monotonic()
    with pytest.raises(UnavailableError):
        await http.fetch(f"http://{server}/bad/slow", 1000)
    assert time.monotonic() - begun < 3, "it would have dripped for five seconds"


@pytest.mark.parametrize("path", ["packed", "broken", "loop"])
async def test_an_answer_that_is_no_plain_file_is_unavailable(server: str, path: str) -> None:
    with pytest.raises(UnavailableError):
        await http.fetch(f"http://{server}/bad/{path}", 1000)


async def test_a_redirect_is_followed(server: str) -> None:
    assert (await http.fetch(f"http://{server}/bad/moved", 1000)).data == SEED["a.json"]


async def test_credentials_go_to_their_own_host_only(server: str) -> None:
    blob = await http.fetch(f"http://me:secret@{server}/bad/elsewhere", 1000)
    assert blob.data == SEED["a.json"]
    assert [(path, bool(sent)) for path, sent in Handler.seen] == [("/bad/elsewhere", True), ("/feed/a.json", False)]


async def test_a_redirect_to_another_scheme_is_refused(server: str) -> None:
    with pytest.raises(InputError):
        await http.fetch(f"http://{server}/bad/scheme", 1000)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("https://1.1.1.1/x", "http://1.1.1.1/x"),
        ("http://1.1.1.1/x", "http://127.0.0.1/x"),
        ("https://1.1.1.1/x", "https://169.254.169.254/latest/meta-data"),
        ("https://1.1.1.1/x", "https://10.0.0.1/x"),
        ("https://1.1.1.1/x", "https://[::1]/x"),
        ("https://1.1.1.1/x", "https://[fe80::1]/x"),
        ("https://1.1.1.1/x", "https://[::ffff:127.0.0.1]/x"),
    ],
)
async def test_a_redirect_to_less_safety_or_into_the_private_network_is_refused(before: str, after: str) -> None:
    with pytest.raises(UnavailableError) as caught:
        await http._redirected(http.Request("GET", before), 302, after)
    assert caught.value.code == "redirect-refused"


@pytest.mark.parametrize("url", ["ftp://example.org/x", "file:///etc/passwd", "http:///x", "x.zip", ""])
async def test_only_web_addresses_are_fetched(url: str) -> None:
    with pytest.raises(InputError):
        await http.fetch(url, 1000)


async def test_a_server_that_does_not_answer_is_unavailable_and_its_password_is_not_shown() -> None:
    with pytest.raises(UnavailableError) as caught:
        await http.fetch("http://me:secret@127.0.0.1:9/x?token=secret", 1000)
    assert "secret" not in str(caught.value)


WRITER = """
import asyncio, sys
from okf_edge.errors import PreconditionError
from okf_edge_native.blobs import DiskBlobs

async def main():
    store, done = DiskBlobs(sys.argv[1]), 0
    while done < 20:
        blob = await store.get("count", 100)
        try:
            await store.put("count", str(int(blob.data) + 1).encode(), if_version=blob.version)
            done += 1
        except PreconditionError:
            pass

asyncio.run(main())
"""


async def test_concurrent_writers_lose_no_update(tmp_path: Path) -> None:
    store = DiskBlobs(tmp_path)
    await store.put("count", b"0", if_version=None)
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, tmp_path]) for _ in range(3)]
    assert [await asyncio.to_thread(writer.wait, 60) for writer in writers] == [0, 0, 0]
    assert (await store.get("count", 100)).data == b"60"


async def test_a_blob_that_is_a_link_is_not_served(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (tmp_path / "store").mkdir()
    (tmp_path / "store/leak").symlink_to("../secret")
    store = DiskBlobs(tmp_path / "store")
    with pytest.raises(OkfError):
        await store.get("leak", 100)
    assert await store.list("") == []
