"""What is wrong with a service, seen from outside, and what its operator does about it.

Each check asks the service one thing and judges the answer. What it needs of an earlier one that failed is skipped.
Nothing is written: a publication is begun with a body that no service takes.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from hashlib import sha256
from typing import Any, Literal

from okf_edge import __version__
from okf_edge.errors import OkfError
from okf_edge.feed.client import Feed, first_pin, refresh, trust
from okf_edge.feed.kept import Kept
from okf_edge.feed.keys import SslibVerifier
from okf_edge.feed.names import HIDDEN
from okf_edge.feed.release import Release, releases_of
from okf_edge.feed.trusted import Trusted
from okf_edge.inmemory.files import MemoryTree
from okf_edge.limits import LIMITS
from okf_edge.retrieval.request import SearchRequest
from okf_edge_native.http import Reply, Request, send
from okf_edge_native.service import Service, ServiceBlobs, problem_of
from okf_edge_native.system import SystemClock

State = Literal["ok", "wrong", "note", "skipped"]

SOON = timedelta(days=7)
SKEW = timedelta(minutes=5)
_STRANGER = "https://stranger.invalid"
_NO_TOKEN = "okf_0000000000000000_of-nobody"
_SAMPLE_BYTES = 32 * 1024 * 1024
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "okf deploy-check", "version": __version__},
    },
}


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check saw. `fix` is what to do about it; empty when nothing is."""

    check: str
    state: State
    found: str
    fix: str = ""


@dataclass(slots=True)
class _Seen:
    """What the checks so far have seen of a service."""

    service: Service
    token: str = ""
    health: Mapping[str, Any] = field(default_factory=dict)
    trusted: Trusted | None = None
    bundles: Sequence[Mapping[str, Any]] = ()


async def checked(service: Service) -> list[Finding]:
    """Every check in turn. The first, whether it answers at all, decides whether there are others."""
    seen = _Seen(service, await service.authorization(service.url))
    findings = [each async for each in _reached(seen)]
    if any(each.state == "wrong" for each in findings):
        return findings
    for check in _CHECKS:
        try:
            findings += [each async for each in check(seen)]
        except OkfError as error:
            findings.append(Finding(_name(check), "wrong", error.message, error.hint or "See the log of `api`."))
    return findings


async def _reached(seen: _Seen) -> AsyncIterator[Finding]:
    try:
        reply = await seen.service.send("GET", "/health")
    except OkfError as error:
        yield Finding("reached", "wrong", error.message, "Compare the URL with the output ServiceUrl of the stack.")
        return
    trouble = _UNKNOWN_HOST if _code(reply) == "unknown-host" else _STATUS.get(reply.status)
    if trouble:
        yield Finding("reached", "wrong", f"{seen.service.url} answers HTTP {reply.status}: {trouble[0]}", trouble[1])
        return
    seen.health = _object(reply)
    if "status" not in seen.health:
        yield Finding("reached", "wrong", f"what answers at {seen.service.url} is another program", "Check the URL.")
        return
    yield Finding("reached", "ok", f"{seen.service.url} answers, version {seen.health.get('version', '')}")
    yield _clock(reply)


def _clock(reply: Reply) -> Finding:
    """Signed links and metadata end at an instant: both sides have to agree on the time."""
    try:
        there = parsedate_to_datetime(reply.headers.get("date", ""))
    except ValueError:
        return Finding("clock", "note", "the service does not tell its time")
    apart = abs(datetime.now(UTC) - there)
    if apart <= SKEW:
        return Finding("clock", "ok", "its clock and the one here agree")
    return Finding("clock", "wrong", f"its clock and the one here are {apart} apart", "Set the clock of this machine.")


async def _transport(seen: _Seen) -> AsyncIterator[Finding]:
    if seen.service.url.startswith("https://"):
        yield Finding("transport", "ok", "tokens travel by https")
    else:
        yield Finding("transport", "note", "tokens travel in the clear: fine on this machine, and nowhere else")


async def _version(seen: _Seen) -> AsyncIterator[Finding]:
    there = str(seen.health.get("version", ""))
    if there == __version__:
        yield Finding("version", "ok", f"service and okf are both {there}")
    else:
        fix = (
            "Deploy the newer one: make lambda, then sam build and sam deploy. Bundles are served again by themselves."
        )
        yield Finding("version", "note", f"the service is {there or 'of no version'}, okf is {__version__}", fix)


async def _feed(seen: _Seen) -> AsyncIterator[Finding]:
    problem = problem_of(seen.health)
    if problem or not seen.health.get("root"):
        yield Finding("feed", "wrong", problem or "the service believes no feed", _FEED_FIX)
        return
    blobs = ServiceBlobs(seen.service)
    if not await _is_readable(seen):
        yield Finding("feed", "skipped", "the feed is read with a token, and none is kept here", _TOKEN_FIX)
        return
    pin = await first_pin(blobs)
    if f"sha256:{pin}" != seen.health["root"]:
        found = f"the first root of the feed is sha256:{pin[:12]}…, the service believes {seen.health['root'][:19]}…"
        yield Finding("feed", "wrong", found, "Set the parameter FeedRoot to what `okf feed status` shows as root.")
        return
    kept, now = Kept(MemoryTree(), pin), SystemClock().now()
    await trust(Feed(blobs, kept, SslibVerifier()), now)
    seen.trusted = await refresh(Feed(blobs, kept, SslibVerifier()), now)
    creators = ", ".join(seen.trusted.creators) or "nobody yet"
    yield Finding("feed", "ok", f"verified from its root on; published: {creators}")
    for creator, error in seen.trusted.refused.items():
        if error.code == HIDDEN:
            continue  # for the token that asks
        yield Finding("feed", "wrong", f"{creator}: {error.message}", "`okf feed rotate` gives a creator another key.")


async def _expiry(seen: _Seen) -> AsyncIterator[Finding]:
    trusted = seen.trusted
    if trusted is None:
        return
    now = SystemClock().now()
    online = min(trusted.timestamp.expires, trusted.snapshot.expires)
    offline = min(trusted.root.expires, trusted.targets.expires)
    if online - now < SOON:
        yield Finding(
            "expiry", "wrong", f"snapshot or timestamp end on {online:%Y-%m-%d}: `clock` does not run", _CLOCK_FIX
        )
    else:
        yield Finding("expiry", "ok", f"snapshot and timestamp hold until {online:%Y-%m-%d}")
    if offline - now < 4 * SOON:
        fix = "Take the offline keys out and run: okf feed refresh s3://BUCKET/feed --keys DIR"
        yield Finding("expiry", "wrong", f"root or targets end on {offline:%Y-%m-%d}", fix)


async def _strangers(seen: _Seen) -> AsyncIterator[Finding]:
    for what, authorization in (("without a token", ""), ("with a token of nobody", f"Bearer {_NO_TOKEN}")):
        reply = await send(
            Request("GET", f"{seen.service.url}/v1/bundles", {}, authorization), LIMITS.service_answer_bytes
        )
        if reply.status != 401:
            fix = "Take the service down (sam delete, or a concurrency cap of 0) and report it: this is a defect."
            yield Finding("strangers", "wrong", f"{what} it answers HTTP {reply.status}, expected 401", fix)
            return
    yield Finding("strangers", "ok", "nobody lists bundles without a valid token")


async def _token(seen: _Seen) -> AsyncIterator[Finding]:
    if not seen.token:
        yield Finding("token", "skipped", "no token for it is kept here", _TOKEN_FIX)
        return
    reply = await seen.service.send("GET", "/v1/bundles")
    if reply.status == 200:
        seen.bundles = [each for each in _object(reply).get("bundles", ()) if isinstance(each, dict)]
        yield Finding("token", "ok", f"the token reads {len(seen.bundles)} bundles")
    else:
        yield Finding("token", "wrong", f"the token gets HTTP {reply.status}: {_said(reply)}", _TOKEN_FIX)
    begun = await seen.service.send("POST", "/v1/publish", {})
    may = "may not" if begun.status == 403 else "may"
    yield Finding("publishing", "note", f"the token {may} publish")


async def _download(seen: _Seen) -> AsyncIterator[Finding]:
    release = _smallest(seen)
    if release is None:
        return
    blob = await ServiceBlobs(seen.service).get(release.key, release.bytes)
    if sha256(blob.data).hexdigest() == release.sha256:
        yield Finding("download", "ok", f"{release.id} {release.version} arrives as it was signed")
    else:
        fix = "The bucket holds other bytes than were published: restore the object (its versions are kept)."
        yield Finding("download", "wrong", f"{release.id} {release.version} arrives with other bytes", fix)


async def _question(seen: _Seen) -> AsyncIterator[Finding]:
    if not seen.bundles:
        return
    title = str(seen.bundles[0].get("title") or "okf")
    try:
        coverage = (await seen.service.query(SearchRequest(title, k=1))).coverage
    except OkfError as error:
        if _BEHIND not in error.message:
            raise
        yield Finding("question", "wrong", error.message, _BEHIND_FIX)
        return
    note = f"; {coverage.note}" if coverage.note else ""
    if _BEHIND in note:
        yield Finding("question", "wrong", f"something is published and not searchable{note}", _BEHIND_FIX)
    elif coverage.mode == "lexical":
        yield Finding("question", "wrong", f"answered by words alone{note}", _MODEL_FIX)
    else:
        yield Finding("question", "ok", f"answered by {coverage.mode}{note}")


async def _agents(seen: _Seen) -> AsyncIterator[Finding]:
    opened = await seen.service.send("GET", "/mcp")
    if opened.status not in (401, 404, 405):
        fix = "It would hold an environment until its time is over. This is a defect: report it."
        yield Finding("agents", "wrong", f"GET /mcp answers HTTP {opened.status}, expected 405", fix)
    if not seen.token:
        return
    accepted = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    body = json.dumps(_INITIALIZE).encode()
    url = f"{seen.service.url}/mcp"
    reply = await send(Request("POST", url, accepted, seen.token, body), LIMITS.service_answer_bytes)
    if reply.status != 200:
        yield Finding(
            "agents", "wrong", f"`initialize` gets HTTP {reply.status}: {_said(reply)}", "See the log of `api`."
        )
    else:
        yield Finding("agents", "ok", f"MCP at {url}")
    foreign = {**accepted, "Origin": _STRANGER}
    refused = await send(Request("POST", url, foreign, seen.token, body), LIMITS.service_answer_bytes)
    if refused.status != 403:
        fix = "Take `*` out of the parameter Origins."
        yield Finding("agents", "wrong", f"pages of any origin may call: {_STRANGER} got HTTP {refused.status}", fix)


Check = Callable[[_Seen], AsyncIterator[Finding]]
_CHECKS: tuple[Check, ...] = (
    _transport, _version, _strangers, _token, _feed, _expiry, _download, _question, _agents,
)  # fmt: skip

_TOKEN_FIX = (
    "Make one (okf token create), put tokens.json into the parameter that the service reads, then keep the token here:"
    " okf remote add URL --token-file FILE"
)
_FEED_FIX = (
    "Check the parameter FeedRoot and that the feed lies in the bucket below feed/: okf feed status s3://BUCKET/feed."
    " If it is expired: okf feed refresh s3://BUCKET/feed, and see why `clock` did not do it."
)
_CLOCK_FIX = "Look at the log of `clock`: its schedule must be enabled and the parameter of the online keys readable."
_BEHIND = "not indexed"
_BEHIND_FIX = (
    "`ingest` indexes within minutes, after an upgrade when `clock` asks it to; if not, its log tells why."
    " See: upgrade, in infra/README.md."
)
_MODEL_FIX = "Put the models into the bucket (infra/README.md, first publish), or give `search` more memory."
_UNKNOWN_HOST = (
    "it does not go by that name",
    "Add the name to the parameter Domain, or call the service by its function URL.",
)

_STATUS: Mapping[int, tuple[str, str]] = {
    403: (
        "the function URL may not be called",
        "It needs both permissions, lambda:InvokeFunctionUrl and lambda:InvokeFunction: deploy with a newer SAM CLI.",
    ),
    404: ("nothing is there", "Compare the URL with the output ServiceUrl of the stack."),
    429: (
        "it has no environment to spare",
        "Raise the parameter ConcurrencyCap, or the account's limit of concurrency.",
    ),
    502: (
        "the function fails before it answers",
        "Look at the first lines of the log of `api`: a setting that is wrong is named there.",
    ),
    504: ("the function takes too long", "Look at the log of `api`, and at the health of S3 in the region."),
}


async def _is_readable(seen: _Seen) -> bool:
    if seen.token:
        return True
    reply = await seen.service.send("GET", "/v1/feed/metadata/timestamp.json")
    return reply.status == 200


def _smallest(seen: _Seen) -> Release | None:
    if seen.trusted is None:
        return None
    found = [each for name, targets in seen.trusted.creators.items() for each in releases_of(name, targets)]
    small = [each for each in found if each.bytes <= _SAMPLE_BYTES]
    return min(small, key=lambda each: (each.bytes, each.id), default=None)


def _object(reply: Reply) -> Mapping[str, Any]:
    try:
        found = json.loads(reply.data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _said(reply: Reply) -> str:
    told = _object(reply).get("error")
    return str(told.get("message", ""))[:200] if isinstance(told, dict) else "no reason is told"


def _code(reply: Reply) -> str:
    told = _object(reply).get("error")
    return str(told.get("code", "")) if isinstance(told, dict) else ""


def _name(check: Callable[..., Awaitable[Any] | AsyncIterator[Any]]) -> str:
    return getattr(check, "__name__", "").strip("_")
