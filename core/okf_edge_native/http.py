"""A web server as a read-only `BlobStore`, and single files by their URL.

Rules:
1. Nothing is read beyond the caller's byte limit, whatever the server announces.
2. Redirects are followed by hand: a few, never from https to http, never from the public network into this machine
   or its private network, and never with the credentials of another host. What changes something is sent once more
   to the same host at most.
3. The version of a blob is the server's ETag, else its date: good for telling change, never for trust.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urljoin, urlsplit

from okf_edge.errors import InputError, NotFoundError, TooLargeError, UnavailableError
from okf_edge.limits import LIMITS
from okf_edge.paths import require_relative
from okf_edge.ports import Blob, BlobStat

if TYPE_CHECKING:
    import ssl

    import httpx

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SAME_METHOD = frozenset({307, 308})
_ABSENT = frozenset({404, 410})
_PLAIN = {"Accept-Encoding": "identity"}  # an encoded answer could unpack to any size before we count it


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a server. `authorization` is sent to the host of the URL only, `headers` to every one."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    authorization: str = field(default="", repr=False)
    body: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered, whatever its status. The names of `headers` are in lower case."""

    status: int
    headers: Mapping[str, str]
    data: bytes


class HttpBlobs:
    """What lies below a URL, e.g. `https://example.org/feed/`. User and password in it are sent to its host only."""

    def __init__(self, base_url: str) -> None:
        self._base = base_url if base_url.endswith("/") else f"{base_url}/"
        _require_web(self._base)

    async def get(self, key: str, max_bytes: int) -> Blob:
        return await fetch(self._url(key), max_bytes)

    async def head(self, key: str) -> BlobStat:
        async with _response(Request("HEAD", self._url(key))) as response:
            _require_success(response, self._url(key))
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
    async with _response(Request("GET", url)) as response:
        _require_success(response, url)
        data = await _body(response, url, max_bytes)
        return Blob(data, _version(response, data))


async def send(request: Request, max_bytes: int) -> Reply:
    """The answer at the end of the redirects, of any status. Raises TooLargeError, UnavailableError."""
    async with _response(request) as response:
        most = max_bytes if response.is_success else max(max_bytes, LIMITS.http_part_bytes)  # what went wrong, in words
        data = await _body(response, request.url, most)
        return Reply(response.status_code, {name.lower(): value for name, value in response.headers.items()}, data)


async def _body(response: httpx.Response, url: str, max_bytes: int) -> bytes:
    announced = int(response.headers.get("content-length", 0))
    data = bytearray()
    if announced <= max_bytes:
        async for part in response.aiter_raw(LIMITS.http_part_bytes):
            data += part
            if len(data) > max_bytes:
                break
    if max(announced, len(data)) > max_bytes:
        raise TooLargeError(f"expected at most {max_bytes} bytes at {_shown(url)}, found more")
    return bytes(data)


@asynccontextmanager
async def _response(request: Request) -> AsyncIterator[httpx.Response]:
    """The answer at the end of the redirects, its body not read yet."""
    import httpx

    url = request.url
    _require_web(url)
    timeout = httpx.Timeout(LIMITS.http_silence_seconds, connect=LIMITS.http_connect_seconds)
    try:
        client = httpx.AsyncClient(timeout=timeout, verify=_certificates())
        async with asyncio.timeout(LIMITS.http_total_seconds), client:
            for _ in range(LIMITS.http_redirects_count + 1):
                async with client.stream(
                    request.method, request.url, headers=_headers(request), content=request.body or None,
                    follow_redirects=False,
                ) as response:  # fmt: skip
                    if response.status_code not in _REDIRECTS:
                        yield response
                        return
                    request = await _redirected(request, response.status_code, response.headers.get("location", ""))
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
        reason = str(error) or type(error).__name__
        raise UnavailableError(
            f"no answer from {_shown(url)}: {reason}", hint="Check the URL and the network."
        ) from error
    raise UnavailableError(
        f"expected at most {LIMITS.http_redirects_count} redirects, found more at {_shown(url)}",
        code="redirect-refused",
    )


@cache
def _certificates() -> ssl.SSLContext:
    """Whom to believe; reading the list takes longer than most requests."""
    import httpx

    return httpx.create_ssl_context()


def _headers(request: Request) -> dict[str, str]:
    secret = {"Authorization": request.authorization} if request.authorization else {}
    return {**_PLAIN, **request.headers, **secret}


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


async def _redirected(request: Request, status: int, location: str) -> Request:
    """The request at the place that a redirect names, if it may lead there."""
    url = request.url
    target = urljoin(url, location)
    _require_web(target)
    before, after = urlsplit(url), urlsplit(target)
    if before.scheme == "https" and after.scheme == "http":
        raise _refused(url, target, "from https to http")
    if (before.hostname, before.port) == (after.hostname, after.port):
        if request.method not in ("GET", "HEAD") and status not in _SAME_METHOD:
            raise _refused(url, target, "of what was to change something")
        return replace(request, url=target)
    if request.method not in ("GET", "HEAD"):
        raise _refused(url, target, "of what was to change something")
    if await _is_internal(after.hostname or "") and not await _is_internal(before.hostname or ""):
        raise _refused(url, target, "from the public network into a private one")
    bare = after._replace(netloc=after.netloc.rpartition("@")[2]).geturl()
    return replace(request, url=bare, authorization="")


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
