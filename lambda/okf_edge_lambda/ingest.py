"""The function `ingest`: decides about publications. Every `incoming/*/request.json` that is written starts it.

    read → fetch → verify, scan → into the feed → unpack for search → tell

Rules:
1. An event only says where to look. What is not ours is left alone; what is decided already is not decided again.
2. What can't be accepted goes to quarantine with the reason; what could not be decided is tried again by Lambda.
3. Beginning is noted first, and taken back when the bucket fails. What ended this function otherwise (it was killed,
   or ran out of memory or time) twice is poison: Lambda's third and last try puts it into quarantine unopened.
4. Of events of one publication that come together, each notes on condition that no other did: none undoes a decision.
5. What is in the feed is published, whatever happens later: what can't be unpacked is told to the operator.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any
from urllib.parse import unquote_plus

from okf_edge.app.bundle_index import BundleIndexer
from okf_edge.app.publishing import Publisher, admit_archive
from okf_edge.errors import (
    BundleError,
    DigestMismatchError,
    FormatError,
    NotFoundError,
    OkfError,
    PreconditionError,
    StoreError,
    TooLargeError,
    UnavailableError,
)
from okf_edge.feed.keys import SslibVerifier
from okf_edge.feed.publish import Change, admit_list
from okf_edge.feed.writer import Writer
from okf_edge.inmemory.files import MemoryTree
from okf_edge_lambda import environment, layout, outcomes, store
from okf_edge_lambda.host import ports_over
from okf_edge_lambda.outcomes import Intent, Outcome, Request
from okf_edge_lambda.protected import OnlineKeyring
from okf_edge_lambda.served import ServedBundle, serve
from okf_edge_lambda.settings import settings
from okf_edge_lambda.telling import count, logger, metrics, tracer
from okf_edge_native.disk import DiskTree
from okf_edge_native.duckdb_engine import DuckdbSql
from okf_edge_native.system import SystemClock

MOST_ATTEMPTS = 2
ALIVE_SECONDS = 60
"""Who began so lately may still be at it; Lambda tries again no sooner."""
TURNS_COUNT = 10

ORIGIN = "service"

environment.keep_snapshots_clean()


@logger.inject_lambda_context
@tracer.capture_lambda_handler(capture_response=False)
@metrics.log_metrics(raise_on_empty_metrics=False)
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Raises: OkfError: something could not be decided; Lambda tries the event again."""
    environment.shelf().begin()
    if isinstance(event, dict) and isinstance(event.get("serve"), str):
        return {"served": environment.run(serve_again(event["serve"])).bundle.id}
    uploads = [upload for upload in map(_upload_in, _records(event)) if upload]
    return {"settled": [environment.run(settle(upload)).state for upload in uploads]}


@dataclass(slots=True)
class Case:
    """One publication under decision: how it stands, as the bucket has it under `version`."""

    upload: str
    outcome: Outcome
    version: str | None

    async def note(self, **changed: Any) -> None:
        """Raises PreconditionError: another event's decision came first."""
        self.outcome = replace(self.outcome, **changed)
        self.version = await outcomes.write_outcome(store.bucket(), self.upload, self.outcome, self.version)


async def settle(upload: str) -> Outcome:
    """Decide about one publication, once for each request; who was overtaken by another event looks again."""
    for _ in range(TURNS_COUNT):
        with suppress(_Overtaken):
            return await _settle(upload)
    raise PreconditionError("expected to decide once, found another event's decision each time")


class _Overtaken(Exception):
    """Another event of the same publication noted something first."""


async def _settle(upload: str) -> Outcome:
    before, version = await outcomes.read_outcome(store.bucket(), upload)
    try:
        request, digest = await outcomes.read_request(store.bucket(), upload)
    except NotFoundError:
        if before is None:  # otherwise it is an event that came late, or once more
            count("Forged")
            logger.warning("an event of nothing that was requested", extra={"upload": upload})
        return before or Outcome("refused", "", "", "", "no-upload")
    except (FormatError, TooLargeError) as error:
        return await _refuse(Case(upload, Outcome("refused", "", "", ""), version), error)
    intent = request.intent
    fresh = Outcome("accepted", intent.creator, intent.id, intent.version, request=digest)
    case = Case(upload, before if before and before.request == digest else fresh, version)
    if case.outcome.is_settled:
        return await _tidied(case)
    if case.outcome.attempts >= MOST_ATTEMPTS:
        return await _given_up(case)
    await _noted(case, attempts=case.outcome.attempts + 1, begun=SystemClock().now().timestamp())
    try:
        return await _decide(case, request)
    except StoreError:
        count("Retried")
        with suppress(StoreError):
            await case.note(attempts=case.outcome.attempts - 1)
        raise


async def serve_again(key: str) -> ServedBundle:
    """Unpack a release of the feed for this version. Raises OkfError."""
    found = await store.feed().get(key, settings().upload_bytes)
    return await serve(store.bucket(), found.data, _indexer(), ORIGIN)


async def _decide(case: Case, request: Request) -> Outcome:
    archive = b""
    try:
        if request.intent.sha256:
            archive = await _archive(case.upload, request.intent)
        change = await _admitted(request, archive)
    except OkfError as error:
        if isinstance(error, StoreError) and not isinstance(error, TooLargeError):
            raise
        return await _refuse(case, error)
    await _noted(case, snapshot=change.snapshot or 0)
    if archive:
        await _serve(case, archive)
    return await _publish(case)


async def _serve(case: Case, archive: bytes) -> None:
    """Unpack it for search; what can't be is published all the same."""
    try:
        await serve(store.bucket(), archive, _indexer(), ORIGIN)
    except StoreError:
        raise
    except OkfError as error:
        _tell_not_served(case.outcome, error.message)


async def _given_up(case: Case) -> Outcome:
    """What became of a publication that ended the function as often as it may."""
    if SystemClock().now().timestamp() - case.outcome.begun < ALIVE_SECONDS:
        raise UnavailableError("another event of this publication may be decided at present")
    if case.outcome.snapshot:
        _tell_not_served(case.outcome, "unpacking it ended the function")
        return await _publish(case)
    return await _refuse(
        case, BundleError(f"deciding about it ended the function {MOST_ATTEMPTS} times", code="poison")
    )


async def _publish(case: Case) -> Outcome:
    await _noted(case, state="published")
    await _clear(case.upload)
    count("Published")
    logger.info("published", extra={"bundle": case.outcome.id, "version": case.outcome.version})
    return case.outcome


def _tell_not_served(outcome: Outcome, reason: str) -> None:
    count("NotServed")
    logger.error("published, and not served", extra={"bundle": outcome.id, "reason": reason})


async def _noted(case: Case, **changed: Any) -> None:
    try:
        await case.note(**changed)
    except PreconditionError as error:
        raise _Overtaken from error


async def _tidied(case: Case) -> Outcome:
    """What was left lying when a decision was made and the function ended."""
    if case.outcome.state == "published":
        await _clear(case.upload)
    elif case.outcome.code != "precondition-failed":
        await _quarantine(case.upload, case.outcome)
    return case.outcome


async def _archive(upload: str, intent: Intent) -> bytes:
    """The uploaded bytes, when they are those that were promised."""
    key = layout.upload_key(upload)
    try:
        stat = await store.bucket().head(key)
    except NotFoundError as error:
        raise BundleError(
            "expected an uploaded archive, found none", code="upload-missing", hint="Upload it first."
        ) from error
    if stat.bytes != intent.bytes or stat.bytes > settings().upload_bytes:
        raise BundleError(f"expected {intent.bytes:,} bytes, found {stat.bytes:,}", code="upload-differs")
    archive = (await store.bucket().get(key, intent.bytes)).data
    if sha256(archive).hexdigest() != intent.sha256:
        raise DigestMismatchError("expected the bytes that were promised, found others", code="upload-differs")
    return archive


async def _admitted(request: Request, archive: bytes) -> Change:
    """The list of releases in force, with the archive that it releases, if any."""
    intent, metadata = request.intent, request.metadata.encode()
    to = Publisher(store.feed(), OnlineKeyring(), SslibVerifier(), SystemClock())
    if archive:
        change = (await admit_archive(to, archive, metadata, accepted=intent.accepted)).change
    else:
        writer = Writer(to.store, to.keyring, to.verifier)
        change = await admit_list(writer, intent.creator, metadata, to.clock.now())
    if change.outcome == "waiting":
        raise StoreError("the keys for snapshot and timestamp are not at hand", code="key-absent")
    return change


async def _refuse(case: Case, error: OkfError) -> Outcome:
    """Put what was sent aside, and say why; who only came second signs again, and nothing is put aside."""
    await _noted(case, state="refused", code=error.code, message=error.message, issues=error.issues[:20])
    if error.code != "precondition-failed":
        count("Quarantined")
        logger.error("quarantined", extra={"upload": case.upload, "code": error.code, "reason": error.message})
        await _quarantine(case.upload, case.outcome)
    return case.outcome


async def _quarantine(upload: str, refused: Outcome) -> None:
    reason = json.dumps(asdict(refused), indent=1).encode()
    await store.put_anyway(layout.quarantine_key(upload, "reason.json"), reason)
    for name, key in (("archive", layout.upload_key(upload)), ("request", layout.request_key(upload))):
        await store.move(key, layout.quarantine_key(upload, name))


async def _clear(upload: str) -> None:
    """The request last: while it is there, another try clears what is left."""
    for key in (layout.upload_key(upload), layout.intent_key(upload), layout.request_key(upload)):
        await store.remove(key)


def _indexer() -> BundleIndexer:
    scratch = DiskTree(f"{settings().cache}/scratch")
    tree = MemoryTree()
    ports = ports_over(tree, DuckdbSql, environment.models(), feed=store.feed(), device=tree)
    return BundleIndexer(ports, lambda: scratch)


def _records(event: Any) -> list[Any]:
    records = event.get("Records") if isinstance(event, dict) else None
    if not isinstance(records, list):
        count("Forged")
        logger.warning("an event that is none of S3")
        return []
    return records


def _upload_in(record: Any) -> str:
    """The publication that an event of our bucket is about; empty for every other event."""
    try:
        bucket, key = record["s3"]["bucket"]["name"], unquote_plus(record["s3"]["object"]["key"])
    except (KeyError, TypeError, AttributeError):
        bucket = key = ""
    upload = layout.upload_of(key) if bucket == settings().bucket else ""
    if not upload:
        count("Forged")
        logger.warning("an event of nothing that was requested", extra={"key": str(key)[:200]})
    return upload
