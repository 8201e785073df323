"""A web server as a read-only `BlobStore`, and single files by their URL: the page fetches.

The page's own rules for redirects and mixed content hold; what arrives is trusted no more than from any server.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any
from urllib.parse import quote, urlsplit

from okf_edge.errors import InputError, NotFoundError, TooLargeError, UnavailableError
from okf_edge.paths import require_relative
from okf_edge.ports import Blob, BlobStat
from okf_edge_wasm.bridge import Page

_ABSENT = frozenset({404, 410})


class PageBlobs:
    """What lies below a URL."""

    def __init__(self, page: Page, base_url: str) -> None:
        self._page = page
        self._base = require_web(base_url).rstrip("/") + "/"

    async def get(self, key: str, max_bytes: int) -> Blob:
        return await fetch(self._page, self._url(key), max_bytes)

    async def head(self, key: str) -> BlobStat:
        answer, _ = await _fetched(self._page, self._url(key), "HEAD", 0)
        return BlobStat(key, int(answer["bytes"]), str(answer["version"]))

    async def list(self, prefix: str) -> Sequence[BlobStat]:
        raise UnavailableError("a web server does not list its files", hint="Name the file, or use a feed.")

    async def put(self, key: str, data: bytes, *, if_version: str | None) -> str:
        require_relative(key)
        raise UnavailableError("a web server is read only", code="read-only", hint="Publish from a computer.")

    def _url(self, key: str) -> str:
        return self._base + quote(require_relative(key))


async def fetch(page: Page, url: str, max_bytes: int) -> Blob:
    """The bytes behind a URL. Raises: InputError, NotFoundError, TooLargeError, UnavailableError."""
    answer, data = await _fetched(page, url, "GET", max_bytes)
    if len(data) > max_bytes:
        raise TooLargeError(f"expected at most {max_bytes} bytes at {url}, found more")
    return Blob(data, str(answer["version"]) or sha256(data).hexdigest())


async def _fetched(page: Page, url: str, method: str, max_bytes: int) -> tuple[dict[str, Any], bytes]:
    require_web(url)
    answer, data = await page.ask_both("fetch", {"url": url, "method": method, "maxBytes": max_bytes})
    status = int(answer["status"])
    if status in _ABSENT:
        raise NotFoundError(f"expected a file at {url}, found none (HTTP {status})")
    if not 200 <= status < 300:
        raise UnavailableError(f"expected a file at {url}, found HTTP {status}")
    return answer, data


def require_web(url: str) -> str:
    """The URL as it is. Raises InputError: it is no http(s) URL."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise InputError(f"expected an http or https URL, found none ({error})", code="bad-url") from error
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise InputError(f"expected an http or https URL, found {url!r}", code="bad-url")
    return url
