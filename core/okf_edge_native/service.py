"""A client of the service: questions, its feed, and publishing to it as a `BlobStore`.

Publishing is `app/publishing.py` as it is: a target is uploaded to where the service says, and the next list of a
creator's releases, which is signed here, puts it in force once the service has verified it.

Rules:
1. What a service answers is foreign: bounded, and checked before it is used.
2. Its errors are ours again, by kind and code.

Source: docs/decisions/0024-what-the-service-speaks.md.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from okf_edge import errors
from okf_edge.errors import (
    BundleError,
    FormatError,
    InputError,
    NotFoundError,
    OkfError,
    PolicyError,
    PreconditionError,
    TooLargeError,
    UnavailableError,
)
from okf_edge.feed.names import FOLDER, SERVED, TIMESTAMP_KEY, TOP_LEVEL, role_in
from okf_edge.limits import LIMITS
from okf_edge.paths import require_relative
from okf_edge.ports import Audience, Blob, BlobStat
from okf_edge.retrieval.answer import Answer, from_json
from okf_edge.retrieval.request import SearchRequest
from okf_edge_native.http import Reply, Request, send
from okf_edge_native.remotes import authorization_for

_KINDS: Mapping[int, type[OkfError]] = {
    400: InputError,
    401: PolicyError,
    403: PolicyError,
    404: NotFoundError,
    409: PreconditionError,
    413: TooLargeError,
    422: BundleError,
    429: PolicyError,
}
_SHOWN_CHARS = 500
_ISSUES_COUNT = 50
_BEFORE = "targets/"
_LOST = PreconditionError.default_code


@dataclass(frozen=True, slots=True)
class Service:
    """A service by its address, and what to send it as authorization: by default the token kept for the address."""

    url: str
    authorization: Callable[[str], Awaitable[str]] = authorization_for

    async def query(self, request: SearchRequest, kb: str = "") -> Answer:
        """The service's answer. Args: kb: a creator; empty for all that the token may see."""
        means = "hybrid" if request.lexical and request.dense else "lexical" if request.lexical else "dense"
        body = {
            "question": request.question,
            "k": request.k,
            "types": list(request.filters.types),
            "tags": list(request.filters.tags),
            "paths": list(request.filters.paths),
            "means": means,
            "explain": request.explain,
        }
        return from_json(await self.call("POST", "/v1/query", {**body, "kb": kb} if kb else body))

    async def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The JSON object that the service answers with. Raises OkfError of the kind that it tells."""
        reply = await self.send(method, path, body)
        require_success(reply, self.url)
        return _object(reply.data)

    async def health(self) -> dict[str, Any]:
        """What the service tells of itself to anybody, also when its feed can't be believed."""
        reply = await self.send("GET", "/health")
        if reply.status != 503:
            require_success(reply, self.url)
        told = _object(reply.data)
        if "status" not in told:
            raise FormatError(f"expected a service at {self.url}, found something else", code="bad-answer")
        return told

    async def send(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, most: int = LIMITS.service_answer_bytes
    ) -> Reply:
        """The answer of any status at the end of its redirects."""
        data = b"" if body is None else json.dumps(body, ensure_ascii=False).encode()
        headers = {"Content-Type": "application/json"} if body is not None else {}
        return await send(Request(method, f"{self.url}{path}", headers, await self.authorization(self.url), data), most)


class ServiceBlobs:
    """The feed of a service as a `BlobStore`. `put` takes the archive of a release and then its creator's list.

    `accepted` are risks that may leave with an archive, by id, each with its reason: the service scans it again.
    """

    def __init__(self, service: Service, accepted: Mapping[str, str] | None = None) -> None:
        self._service = service
        self._accepted = dict(accepted or {})
        self._upload = ""

    async def get(self, key: str, max_bytes: int) -> Blob:
        reply = await self._service.send("GET", f"{SERVED}/{quote(require_relative(key))}", most=max_bytes)
        require_success(reply, key)
        return Blob(reply.data, reply.headers.get("etag") or sha256(reply.data).hexdigest())

    async def head(self, key: str) -> BlobStat:
        blob = await self.get(key, LIMITS.archive_bytes)
        return BlobStat(key, len(blob.data), blob.version)

    async def list(self, prefix: str) -> Sequence[BlobStat]:
        if prefix != FOLDER:
            raise UnavailableError(f"expected {FOLDER!r} to list, found {prefix!r}", hint="A service lists no more.")
        told = await self._service.call("GET", f"{SERVED}/{FOLDER.rstrip('/')}")
        try:
            found = [BlobStat(str(each["key"]), int(each["bytes"]), str(each["version"])) for each in told["keys"]]
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError("expected a listing of metadata, found something else", code="bad-answer") from error
        return sorted(found, key=lambda stat: stat.key)

    async def put(self, key: str, data: bytes, *, if_version: str | None) -> str:
        if if_version is None and key.startswith(_BEFORE):
            self._upload = await self._send_archive(key, data)
        elif if_version is None and role_in(key) not in ("", *TOP_LEVEL):
            await self._send_list(role_in(key), data)
        else:
            raise UnavailableError(
                f"expected a release, which a service takes, found {key!r}",
                code="read-only",
                hint="What its owner alone may change is changed in the bucket: name it as s3://bucket/prefix.",
            )
        return sha256(data).hexdigest()

    async def audience(self) -> Audience:
        """Who reads the feed: whoever has a token, or everybody."""
        url = f"{self._service.url}{SERVED}/{TIMESTAMP_KEY}"
        reply = await send(Request("GET", url), LIMITS.feed_timestamp_bytes)
        return "private" if reply.status == 401 else "public" if reply.status == 200 else "unknown"

    async def _send_archive(self, key: str, data: bytes) -> str:
        """The number of the upload; empty when the service has these bytes published already."""
        bundle_id, digest, version = _release_in(key)
        asked = {"id": bundle_id, "version": version, "sha256": digest, "bytes": len(data)}
        more = {"accepted": self._accepted} if self._accepted else {}
        told = await self._service.call("POST", "/v1/publish", {**asked, **more})
        if told.get("state") == "published":
            return ""
        try:
            upload, url, headers = str(told["upload"]), str(told["url"]), dict(told["headers"])
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError("expected where to upload to, found something else", code="bad-answer") from error
        require_success(await send(Request("PUT", url, headers, "", data), LIMITS.service_answer_bytes), "the upload")
        return upload

    async def _send_list(self, creator: str, data: bytes) -> None:
        """What a creator signed: a release whose archive was sent just before, or what releases nothing."""
        upload, self._upload = self._upload, ""
        body = {"metadata": data.decode()}
        if not upload:
            told = await self._service.call("POST", "/v1/releases", {"creator": creator, **body})
            await _taken_in(self._service, _place_of(str(told.get("upload"))))
            return
        await self._service.call("POST", _place_of(upload), body)
        await _taken_in(self._service, _place_of(upload))


def _place_of(upload: str) -> str:
    return f"/v1/publish/{quote(upload, safe='')}"


def problem_of(health: Mapping[str, Any]) -> str:
    """What a service says is wrong with its feed; empty when nothing is."""
    problem = health.get("problem")
    return _text(problem.get("message", "") if isinstance(problem, dict) else problem or "")


async def _taken_in(service: Service, place: str) -> None:
    """Wait until the service has published or refused. Raises the reason of a refusal, or UnavailableError."""
    pause, waited = LIMITS.service_pause_seconds, 0.0
    while waited < LIMITS.service_wait_seconds:
        told = await service.call("GET", place)
        if told.get("state") == "published":
            return
        if told.get("state") == "refused":
            raise _refusal(told)
        await asyncio.sleep(pause)
        waited += pause
        pause = min(pause * 2, LIMITS.service_pause_seconds * 10)
    raise UnavailableError(
        f"expected the publication to be taken in within {LIMITS.service_wait_seconds:.0f} s, found it still waiting",
        code="still-waiting",
        hint="Run the same command again: what was sent is used. If it stays so, its operator has an alarm.",
    )


def require_success(reply: Reply, what: str) -> None:
    """Raises the error that a reply tells."""
    if 200 <= reply.status < 300:
        return
    if reply.status == 401:
        raise PolicyError(
            f"expected a token that is valid for {what}, found none that is",
            code="unauthenticated",
            hint="Keep one for it: okf remote add URL --token-file FILE. Its operator makes and revokes tokens.",
        )
    kind = _KINDS.get(reply.status, UnavailableError)
    try:
        told = _object(reply.data)["error"]
        raise _told_error(told, kind)
    except (KeyError, TypeError, FormatError):
        raise kind(
            f"expected an answer about {what}, found HTTP {reply.status}", hint="Try: okf remote deploy-check URL"
        ) from None


def _told_error(told: Mapping[str, Any], kind: type[OkfError]) -> OkfError:
    named = getattr(errors, str(told.get("kind", "")), None)
    kind = named if isinstance(named, type) and issubclass(named, OkfError) else kind
    if told["code"] == _LOST:
        kind = PreconditionError
    error = kind(_text(told["message"]), code=_text(told["code"]), hint=_text(told.get("hint", "")))
    error.issues = _texts(told.get("issues", ()))
    return error


def _refusal(told: Mapping[str, Any]) -> OkfError:
    code, message = _text(told.get("code", "")), _text(told.get("message", "refused by the service"))
    if code == _LOST:
        return PreconditionError(message)
    return BundleError(message, code=code or None, issues=_texts(told.get("issues", ())))


def _release_in(key: str) -> tuple[str, str, str]:
    """Id, digest and version in the name of a target."""
    folder, _, name = key.removeprefix(_BEFORE).rpartition("/")
    digest, _, rest = name.partition(".")
    return folder, digest, rest.removeprefix(f"{folder}-").removesuffix(".okf.zip")


def _object(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise FormatError("expected JSON of the service, found something else", code="bad-answer") from error
    if not isinstance(found, dict):
        raise FormatError("expected a JSON object of the service, found something else", code="bad-answer")
    return found


def _text(value: object) -> str:
    return str(value)[:_SHOWN_CHARS]


def _texts(values: object) -> tuple[str, ...]:
    return tuple(map(_text, values[:_ISSUES_COUNT])) if isinstance(values, list | tuple) else ()
