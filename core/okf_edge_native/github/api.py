"""GitHub's REST API, as far as feeds and archives need it: one request, judged.

Rules:
1. The token comes from `GH_TOKEN` or `GITHUB_TOKEN`, else from `gh auth token`. Without one, public repositories are
   read. It is sent to the API's host, and to the host of uploads that belongs to it; no redirect takes it elsewhere,
   and it is part of no error.
2. A limit that ends within a minute is waited for, a few times; any other is told with the time when it ends.
3. `OKF_GITHUB_API` names another server, e.g. `https://github.example.org/api/v3`.

Source: GitHub REST API, version 2022-11-28.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from okf_edge.errors import InputError, NotFoundError, OkfError, UnavailableError
from okf_edge.limits import LIMITS
from okf_edge_native.http import Reply, Request, send

API = "https://api.github.com"
JSON = "application/vnd.github+json"
RAW = "application/vnd.github.raw+json"
BYTES = "application/octet-stream"

_ADDRESS = re.compile(r"github:(?://)?([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))/([A-Za-z0-9_.-]{1,100})(?:@(.+))?")
_TOKENS = ("GH_TOKEN", "GITHUB_TOKEN")
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_GH_SECONDS = 15


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository, and the tag, branch or commit that was asked for; empty for none."""

    owner: str
    name: str
    ref: str = ""

    @property
    def path(self) -> str:
        return f"/repos/{self.owner}/{self.name}"

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}"


def repository_of(address: str) -> Repository:
    """The repository of `github:owner/name[@ref]`. Raises InputError."""
    found = _ADDRESS.fullmatch(address.removesuffix("/"))
    if not found or found[2] in (".", ".."):
        raise InputError(f"expected github:owner/repository, found {address[:200]!r}", code="bad-url")
    return Repository(found[1], found[2].removesuffix(".git"), found[3] or "")


class GithubApi:
    """Requests to one server."""

    def __init__(self, base: str = "", token: str | None = None) -> None:
        self._base = (base or os.environ.get("OKF_GITHUB_API") or API).rstrip("/")
        self._given = token

    async def call(self, method: str, path: str, body: Any = None, *expected: int) -> Any:
        """The decoded answer, None when there is none. `expected` are statuses that come as a `Reply` instead."""
        data = b"" if body is None else json.dumps(body).encode()
        reply = await self.send(Request(method, self._base + path, {"Accept": JSON}, body=data), *expected)
        return reply if reply.status in expected else _decoded(reply, path)

    async def fetch(self, path: str, accept: str, max_bytes: int) -> Reply:
        """Bytes as they are. Raises NotFoundError, TooLargeError, UnavailableError."""
        return await self.send(Request("GET", self._base + path, {"Accept": accept}), max_bytes=max_bytes)

    async def upload(self, url: str, data: bytes, *expected: int) -> Reply:
        """Send an archive where a release says that it takes them. Raises UnavailableError: at no host of GitHub's."""
        self._require_upload_host(url)
        headers = {"Accept": JSON, "Content-Type": "application/zip"}
        return await self.send(Request("POST", url, headers, body=data), *expected)

    async def send(self, request: Request, *expected: int, max_bytes: int = LIMITS.github_answer_bytes) -> Reply:
        """The answer, once it is a success or expected."""
        versioned = {"X-GitHub-Api-Version": "2022-11-28", "User-Agent": "okf-edge", **request.headers}
        whole = replace(request, headers=versioned, authorization=f"Bearer {self.token}" if self.token else "")
        for _ in range(LIMITS.github_waits_count):
            reply = await send(whole, max_bytes)
            seconds = _waiting_time(reply)
            if seconds is None or seconds > LIMITS.github_wait_seconds:
                break
            await asyncio.sleep(seconds)
        if 200 <= reply.status < 300 or reply.status in expected:
            return reply
        raise _error(reply, urlsplit(request.url).path, bool(self.token))

    @cached_property
    def token(self) -> str:
        """The token, or nothing. It never crosses a network in the clear."""
        parts = urlsplit(self._base)
        if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
            return ""
        if self._given is not None:
            return self._given
        named = (os.environ.get(name, "").strip() for name in _TOKENS)
        return next(filter(None, named), "") or _token_of_gh(parts.hostname or "")

    def _require_upload_host(self, url: str) -> None:
        own, there = urlsplit(self._base), urlsplit(url)
        hosts = {own.hostname, f"uploads.{(own.hostname or '').removeprefix('api.')}"}
        if there.scheme != own.scheme or there.hostname not in hosts:
            raise UnavailableError(
                f"expected a place for archives at {own.hostname}, found one at {there.hostname}",
                code="redirect-refused",
            )


@contextmanager
def understood() -> Iterator[None]:
    """Raises: UnavailableError in place of what goes wrong when an answer has another form than GitHub's."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnavailableError(
            f"expected an answer as GitHub documents it, found another ({type(error).__name__}: {error})",
            code="github-refused",
            hint="Check OKF_GITHUB_API, and what stands between here and the server.",
        ) from error


def _token_of_gh(host: str) -> str:
    if shutil.which("gh") is None:
        return ""
    command = ["gh", "auth", "token", "--hostname", "github.com" if host == "api.github.com" else host]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_GH_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _decoded(reply: Reply, path: str) -> Any:
    if not reply.data:
        return None
    try:
        return json.loads(reply.data)
    except (ValueError, RecursionError) as error:
        raise UnavailableError(f"expected JSON from GitHub at {path}, found none", code="github-refused") from error


def _waiting_time(reply: Reply) -> float | None:
    """How long the server asks to wait; None when it does not."""
    if reply.status not in (403, 429):
        return None
    if (after := reply.headers.get("retry-after", "")).isdecimal():
        return float(after)
    if reply.headers.get("x-ratelimit-remaining") == "0":
        reset = reply.headers.get("x-ratelimit-reset", "")
        return max(0.0, int(reset) - time.time()) if reset.isdecimal() else float(LIMITS.github_wait_seconds + 1)
    return float(LIMITS.github_wait_seconds + 1) if reply.status == 429 else None


def _error(reply: Reply, path: str, has_token: bool) -> OkfError:
    login = "" if has_token else " Set GH_TOKEN, or log in with `gh auth login`."
    if (seconds := _waiting_time(reply)) is not None:
        until = time.strftime("%H:%M", time.localtime(time.time() + seconds))
        return UnavailableError(
            f"expected an answer from GitHub, found its rate limit reached until about {until}",
            code="rate-limited",
            hint=f"Try again then; nothing was lost.{login}",
        )
    if reply.status == 404:
        return NotFoundError(
            f"expected {path} at GitHub, found nothing that may be seen there",
            hint=f"Check the name.{login or ' If it is private, the token needs to be allowed to read it.'}",
        )
    if reply.status in (401, 403):
        return UnavailableError(
            f"expected GitHub to allow {path}, found HTTP {reply.status}: {_message(reply.headers, reply.data)}",
            code="github-refused",
            hint=login.strip() or "The token needs to read and write the contents of the repository.",
        )
    return UnavailableError(
        f"expected an answer from GitHub at {path}, found HTTP {reply.status}: {_message(reply.headers, reply.data)}",
        code="github-refused",
        hint="Try again; nothing was lost.",
    )


def _message(headers: Mapping[str, str], data: bytes) -> str:
    """What GitHub says, in one short line."""
    try:
        told = json.loads(data)["message"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return "no reason given"
    return " ".join(str(told).split())[:200]
