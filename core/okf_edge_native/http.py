"""A web server as a read-only `BlobStore`, and single files by their URL.

Rules:
1. Nothing is read beyond the caller's byte limit, whatever the server announces.
2. Redirects are followed by hand: a few, never from https to http, never from the public network into this machine
   or its private network, and never with the credentials of another host.
3. The version of a blob is the server's ETag, else its date: good for telling change, never for trust.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urljoin, urlsplit

from okf_edge.errors import InputError, NotFoundError, TooLargeError, UnavailableError
from okf_edge.limits import LIMITS
from okf_edge.paths import require_relative
from okf_edge.ports import Blob, BlobStat

if TYPE_CHECKING:
    import httpx

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_ABSENT = frozenset({404, 410})
_PLAIN = {"Accept-Encoding": "identity"}  # an encoded answer could unpack to any size before we count it


class HttpBlobs:
    """What lies below a URL, e.g. `https://example.org/feed/`. User and password in it are sent to its host only."""

    def __init__(self, base_url: str) -> None:
        self._base = base_url if base_url.endswith("/") else f"{base_url}/"
        _require_web(self._base)

    async def get(self, key: str, max_bytes: int) -> Blob:
        return await fetch(self._url(key), max_bytes)

    async def head(self, key: str) -> BlobStat:
        async with _response("HEAD", self._url(key)) as response:
            return BlobStat(key, int(response.headers.get("content-length", 0)), _version(response, b""))

    async def list(self, prefix: str) -> Sequence[BlobStat]:
        raise UnavailableError("a web server does not list its files", hint="Name the file, or use a feed.")

    async def put(self, key: str, data: bytes, *, if_version: str | None) -> str:
        require_relative(key)
        raise UnavailableError("a web server is read only", code="read-only", hint="Publish to a folder or a bucket.")

    def _url(self, key: str) -> str:
        return self._base + quote(require_relative(key))


async def fetch(url: str, max_bytes: int) -> Blob:
    """The bytes behind a URL.

    Raises: InputError: no http(s) URL. NotFoundError. TooLargeError: more than `max_bytes`, told before they are
        read. UnavailableError: no answer, a refused redirect, or an error of the server.
    """
    async with _response("GET", url) as response:
        announced = int(response.headers.get("content-length", 0))
        data = bytearray()
        if announced <= max_bytes:
            async for part in response.aiter_raw(LIMITS.http_part_bytes):
                data += part
                if len(data) > max_bytes:
                    break
        if max(announced, len(data)) > max_bytes:
            raise TooLargeError(f"expected at most {max_bytes} bytes at {_shown(url)}, found more")
        return Blob(bytes(data), _version(response, bytes(data)))


@asynccontextmanager
async def _response(method: str, url: str) -> AsyncIterator[httpx.Response]:
    """The successful answer at the end of the redirects, its body not read yet."""
    import httpx

    _require_web(url)
    timeout = httpx.Timeout(LIMITS.http_silence_seconds, connect=LIMITS.http_connect_seconds)
    try:
        async with asyncio.timeout(LIMITS.http_total_seconds), httpx.AsyncClient(timeout=timeout) as client:
            for _ in range(LIMITS.http_redirects_count + 1):
                async with client.stream(method, url, headers=_PLAIN, follow_redirects=False) as response:
                    if response.status_code not in _REDIRECTS:
                        _require_success(response, url)
                        yield response
                        return
                    url = await _redirected(url, response.headers.get("location", ""))
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
        reason = str(error) or type(error).__name__
        raise UnavailableError(
            f"no answer from {_shown(url)}: {reason}", hint="Check the URL and the network."
        ) from error
    raise UnavailableError(
        f"expected at most {LIMITS.http_redirects_count} redirects, found more at {_shown(url)}",
        code="redirect-refused",
    )


def _require_web(url: str) -> None:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise InputError(f"expected an http or https URL, found none ({error})", code="bad-url") from error
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise InputError(f"expected an http or https URL, found {_shown(url)!r}", code="bad-url")


def _require_success(response: httpx.Response, url: str) -> None:
    if response.status_code in _ABSENT:
        raise NotFoundError(f"expected a file at {_shown(url)}, found none (HTTP {response.status_code})")
    if not response.is_success:
        raise UnavailableError(f"expected a file at {_shown(url)}, found HTTP {response.status_code}")
    encoding = response.headers.get("content-encoding", "identity")
    if encoding != "identity":
        raise UnavailableError(f"expected plain bytes at {_shown(url)}, found the encoding {encoding!r}")


async def _redirected(url: str, location: str) -> str:
    """Where a redirect leads, if it may lead there."""
    target = urljoin(url, location)
    _require_web(target)
    before, after = urlsplit(url), urlsplit(target)
    if before.scheme == "https" and after.scheme == "http":
        raise _refused(url, target, "from https to http")
    if before.hostname != after.hostname:
        if await _is_internal(after.hostname or "") and not await _is_internal(before.hostname or ""):
            raise _refused(url, target, "from the public network into a private one")
        target = after._replace(netloc=after.netloc.rpartition("@")[2]).geturl()
    return target


async def _is_internal(host: str) -> bool:
    """Whether a host is this machine or one of its private or link-local network. Unknown names are not."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return False
    return any(not ipaddress.ip_address(str(address[4][0]).partition("%")[0]).is_global for address in found)


def _refused(url: str, target: str, why: str) -> UnavailableError:
    return UnavailableError(
        f"refused a redirect {why}: {_shown(url)} to {_shown(target)}",
        code="redirect-refused",
        hint="Download the file yourself if you trust the address, and install it from disk.",
    )


def _version(response: httpx.Response, data: bytes) -> str:
    headers = response.headers
    return headers.get("etag") or headers.get("last-modified") or (sha256(data).hexdigest() if data else "")


def _shown(url: str) -> str:
    """The URL without user and password."""
    parts = urlsplit(url)
    return unquote(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl())
