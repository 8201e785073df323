"""The function `api`: the Function URL's events to the ASGI application and back.

Everything is imported when an environment starts, where Lambda gives it a whole processor; clients and keys are made
when they are first needed, so that a snapshot holds none.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from mangum import Mangum

from okf_edge.errors import FormatError, OkfError
from okf_edge.policy.ledger import Ledger
from okf_edge.policy.pipeline import Guards
from okf_edge.policy.rate import Buckets
from okf_edge.ports import BlobStore
from okf_edge.tools.service import Service
from okf_edge_lambda import clients, environment, faults, protected, store
from okf_edge_lambda.calls import BucketLedger, StreamAuditLog
from okf_edge_lambda.host import ServiceHost
from okf_edge_lambda.searching import invoke_search
from okf_edge_lambda.settings import settings
from okf_edge_lambda.telling import count, logger, metrics, tracer
from okf_edge_lambda.web import application
from okf_edge_native.mcp.http import Endpoint, Settings
from okf_edge_native.mcp.serve import issuer_of
from okf_edge_native.s3 import S3Blobs
from okf_edge_native.system import SystemClock, SystemEntropy


@cache
def _adapter() -> Mangum:
    endpoint = Endpoint(_service(), protected.tokens, _pinned(), _issuer())
    return Mangum(application(endpoint), lifespan="off")


environment.keep_snapshots_clean(also=_adapter.cache_clear)


@logger.inject_lambda_context
@tracer.capture_lambda_handler(capture_response=False)
@metrics.log_metrics(raise_on_empty_metrics=False)
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    if not _is_http(event):
        count("Forged")
        logger.warning("an event of no kind that this function takes")
        return _refused(FormatError("expected an event of HTTP", code="bad-event"))
    environment.loop()
    environment.shelf().begin()
    try:
        adapter = _adapter()
    except OkfError as error:  # a parameter can't be read: everybody is told, and an operator which
        count("Failed")
        logger.error("not ready", extra={"code": error.code, "reason": error.message})
        return _refused(error)
    return adapter(event, context)


def _is_http(event: object) -> bool:
    """Whether it is what a Function URL or API Gateway sends; whoever may invoke a function may send anything."""
    if not isinstance(event, dict) or not isinstance(event.get("requestContext"), dict):
        return False
    if not isinstance(event.get("headers"), dict) or not isinstance(event.get("body") or "", str):
        return False
    if event.get("version") == "2.0":
        is_shaped = isinstance(event["requestContext"].get("http"), dict)
        return is_shaped and all(isinstance(event.get(name), str) for name in ("rawPath", "rawQueryString"))
    return all(isinstance(event.get(name), str) for name in ("httpMethod", "path", "resource"))


def _refused(error: OkfError) -> dict[str, Any]:
    headers = {"content-type": "application/json"}
    return {"statusCode": faults.status_of(error), "headers": headers, "body": json.dumps(faults.told(error))}


def _service() -> Service:
    inbox = _inbox if settings().inbox_bucket else None
    host = ServiceHost(environment.believed(), environment.library(), environment.shelf(), invoke_search, inbox)
    ledger, buckets = _shared()
    key, clock, chance = protected.audit_key(), SystemClock(), SystemEntropy()
    return Service(host, Guards(ledger, StreamAuditLog(), key, clock, chance, buckets=buckets))


def _shared() -> tuple[Ledger, Buckets]:
    """Where claims lie and calls are counted: in the table, where there is one."""
    if not settings().table:
        return BucketLedger(store.bucket()), Buckets()
    from okf_edge_lambda.table import TableBuckets, TableLedger

    return TableLedger(clients.table(), settings().table), TableBuckets(clients.table(), settings().table)


def _pinned() -> Settings:
    scopes = frozenset({"read", "capture"} if settings().inbox_bucket else {"read"})
    return Settings(scopes, settings().hosts, settings().origins, settings().public_url, settings().issuer)


def _issuer() -> Any:
    return issuer_of(settings().issuer, settings().public_url) if settings().issuer else None


def _inbox(creator: str) -> BlobStore:
    return S3Blobs(f"s3://{settings().inbox_bucket}/{creator}", clients.s3())
