"""The function `ingest`: decides about publications. Every `incoming/*/request.json` that is written starts it.

    read → fetch → verify, scan → into the feed → unpack for search → tell

Rules:
1. An event only says where to look. What is not ours is left alone; what is decided already is not decided again.
2. What can't be accepted goes to quarantine with the reason; what could not be decided is tried again by Lambda.
3. Beginning is noted first. What ended this function several times (it was killed, or ran out of memory or time) is
   poison, and goes to quarantine unopened.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from hashlib import sha256
from typing import Any
from urllib.parse import unquote_plus

from okf_edge.app.bundle_index import BundleIndexer
from okf_edge.app.publishing import Publisher, Receipt, admit_archive
from okf_edge.errors import BundleError, DigestMismatchError, NotFoundError, OkfError, StoreError
from okf_edge.feed.keys import SslibVerifier
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

MOST_ATTEMPTS = 3
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


async def settle(upload: str) -> Outcome:
    """Decide about one publication, once for each request."""
    blobs = store.bucket()
    before = await outcomes.read_outcome(blobs, upload)
    try:
        request, digest = await outcomes.read_request(blobs, upload)
    except NotFoundError:
        count("Forged")
        return before or Outcome("refused", "", "", "", "no-upload")
    except OkfError as error:
        return await _refuse(upload, Intent("", "", "", 0, "", ""), "", error)
    if before and before.request == digest and before.is_settled:
        return before
    attempts = before.attempts + 1 if before and before.request == digest else 1
    if attempts > MOST_ATTEMPTS:
        poison = BundleError(f"deciding about it ended the function {MOST_ATTEMPTS} times", code="poison")
        return await _refuse(upload, request.intent, digest, poison)
    begun = replace(_outcome(request.intent, digest), attempts=attempts)
    await outcomes.write_outcome(upload, begun)
    return await _decide(upload, request, begun)


async def serve_again(key: str) -> ServedBundle:
    """Unpack a release of the feed for this version. Raises OkfError."""
    found = await store.feed().get(key, settings().upload_bytes)
    return await serve(store.bucket(), found.data, _indexer(), ORIGIN)


async def _decide(upload: str, request: Request, begun: Outcome) -> Outcome:
    try:
        archive = await _archive(upload, request.intent)
        receipt = await _admitted(request, archive)
        await serve(store.bucket(), archive, _indexer(), ORIGIN)
    except StoreError:
        count("Retried")
        raise
    except OkfError as error:
        return await _refuse(upload, request.intent, begun.request, error)
    done = replace(begun, state="published", snapshot=receipt.change.snapshot or 0)
    await outcomes.write_outcome(upload, done)
    await _clear(upload)
    count("Published")
    logger.info("published", extra={"bundle": request.intent.id, "version": request.intent.version})
    return done


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


async def _admitted(request: Request, archive: bytes) -> Receipt:
    to = Publisher(store.feed(), OnlineKeyring(), SslibVerifier(), SystemClock())
    intent = request.intent
    receipt = await admit_archive(to, archive, request.metadata.encode(), accepted=intent.accepted)
    if receipt.change.outcome == "waiting":
        raise StoreError("the keys for snapshot and timestamp are not at hand", code="key-absent")
    return receipt


async def _refuse(upload: str, intent: Intent, digest: str, error: OkfError) -> Outcome:
    """Put what was sent aside, and say why; who only came second signs again, and nothing is put aside."""
    refused = replace(
        _outcome(intent, digest), state="refused", code=error.code, message=error.message, issues=error.issues[:20]
    )
    if error.code != "precondition-failed":
        count("Quarantined")
        logger.error("quarantined", extra={"upload": upload, "code": error.code, "reason": error.message})
        await _quarantine(upload, refused)
    await outcomes.write_outcome(upload, refused)
    return refused


async def _quarantine(upload: str, refused: Outcome) -> None:
    reason = json.dumps(asdict(refused), indent=1).encode()
    await store.put_anyway(layout.quarantine_key(upload, "reason.json"), reason)
    for name, key in (("archive", layout.upload_key(upload)), ("request", layout.request_key(upload))):
        await store.move(key, layout.quarantine_key(upload, name))


async def _clear(upload: str) -> None:
    for key in (layout.upload_key(upload), layout.request_key(upload), layout.intent_key(upload)):
        await store.remove(key)


def _outcome(intent: Intent, digest: str) -> Outcome:
    return Outcome("accepted", intent.creator, intent.id, intent.version, request=digest)


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
