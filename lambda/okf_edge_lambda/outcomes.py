"""What becomes of publications: promised, requested, settled; each as one small object of the bucket.

incoming/<upload>/intent.json    step 1: what is going to be uploaded, and by whom
incoming/<upload>/request.json   step 2: the signed metadata; its writing starts `ingest`
outcomes/<upload>.json           what `ingest` decided about the request with that digest
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any, Literal, TypeVar

from okf_edge.errors import FormatError, NotFoundError, TooLargeError
from okf_edge.limits import LIMITS
from okf_edge.ports import BlobStore
from okf_edge_lambda import layout, store

State = Literal["waiting", "accepted", "published", "refused"]
Kind = TypeVar("Kind")

REQUEST_BYTES = LIMITS.feed_targets_bytes * 2
"""Metadata of a creator as a JSON text within JSON."""


@dataclass(frozen=True, slots=True)
class Intent:
    """What a publisher promised. `accepted` are risks that may leave, by id, each with its reason."""

    id: str
    version: str
    sha256: str
    bytes: int
    creator: str
    caller: str
    accepted: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """A publication that is to be decided. `metadata` is the text of the creator's next releases, signed."""

    intent: Intent
    metadata: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it stands. `request` is the digest of what is decided, `attempts` how often that was begun and not given up,
    `begun` when last, in seconds since 1970. `snapshot` is what put it into the feed, 0 while nothing did."""

    state: State
    creator: str
    id: str
    version: str
    code: str = ""
    message: str = ""
    issues: tuple[str, ...] = ()
    snapshot: int = 0
    request: str = ""
    attempts: int = 0
    begun: float = 0.0

    @property
    def is_settled(self) -> bool:
        return self.state in ("published", "refused")


async def read_intent(blobs: BlobStore, upload: str) -> Intent:
    """Raises: NotFoundError: no publication has that name, or not any more."""
    data = (await blobs.get(layout.intent_key(upload), LIMITS.state_file_bytes)).data
    return _read(lambda told: Intent(**told), data)


async def read_request(blobs: BlobStore, upload: str) -> tuple[Request, str]:
    """The request, and its digest. Raises: NotFoundError, TooLargeError. FormatError: it is none."""
    data = (await blobs.get(layout.request_key(upload), REQUEST_BYTES)).data
    request = _read(lambda told: Request(Intent(**told["intent"]), told["metadata"]), data)
    return request, sha256(data).hexdigest()


async def write_request(upload: str, request: Request) -> None:
    """Raises: TooLargeError."""
    data = json.dumps(asdict(request)).encode()
    if len(data) > REQUEST_BYTES:
        raise TooLargeError(f"expected a request of at most {REQUEST_BYTES:,} bytes, found {len(data):,}")
    await store.put_anyway(layout.request_key(upload), data)


async def read_outcome(blobs: BlobStore, upload: str) -> tuple[Outcome | None, str | None]:
    """How a publication stands, and the version of that; None while nobody began to decide."""
    try:
        blob = await blobs.get(layout.outcome_key(upload), LIMITS.state_file_bytes)
    except NotFoundError:
        return None, None
    return _read(lambda told: Outcome(**{**told, "issues": tuple(told["issues"])}), blob.data), blob.version


async def write_outcome(blobs: BlobStore, upload: str, outcome: Outcome, version: str | None) -> str:
    """Its new version. Raises PreconditionError: somebody else decided meanwhile."""
    return await blobs.put(layout.outcome_key(upload), json.dumps(asdict(outcome)).encode(), if_version=version)


def _read(make: Callable[[Any], Kind], data: bytes) -> Kind:
    try:
        return make(json.loads(data))
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError("expected a record of a publication, found something else", code="bad-record") from error
