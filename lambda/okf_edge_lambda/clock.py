"""The function `clock`: what has to be done because time passes, or a version was deployed.

sign snapshot and timestamp again → warn of what only people can sign → ask for what is not unpacked yet
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from tuf.api.metadata import Signed

from okf_edge.errors import NotFoundError, OkfError, UnavailableError
from okf_edge.feed.holding import Holding, held_by
from okf_edge.feed.keys import SslibVerifier
from okf_edge.feed.names import SNAPSHOT, TIMESTAMP
from okf_edge.feed.publish import refresh_feed
from okf_edge.feed.release import Release
from okf_edge.feed.writer import Writer, can_sign
from okf_edge_lambda import clients, environment, store
from okf_edge_lambda.believed import newest
from okf_edge_lambda.protected import OnlineKeyring
from okf_edge_lambda.settings import settings
from okf_edge_lambda.telling import count, logger, metrics, tracer
from okf_edge_native.system import SystemClock

ASKED_COUNT = 100
"""Releases that one run asks `ingest` to unpack: the next run asks for more."""

environment.keep_snapshots_clean()


@logger.inject_lambda_context
@tracer.capture_lambda_handler(capture_response=False)
@metrics.log_metrics(raise_on_empty_metrics=False)
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Raises: OkfError: the feed could not be signed again; the schedule tries it again, and an alarm tells."""
    try:
        return environment.run(tick())
    except OkfError:
        count("RefreshFailed")
        raise


async def tick() -> dict[str, Any]:
    writer = Writer(store.feed(), OnlineKeyring(), SslibVerifier())
    now = SystemClock().now()
    await _require_keys(writer)
    change = await refresh_feed(writer, now)
    ending = list(ends_soon(await held_by(writer.store, writer.verifier), now, settings().warn_days))
    for role, expires in ending:
        count("EndsSoon")
        logger.warning("metadata ends soon", extra={"role": role, "expires": expires.isoformat()})
    environment.believed().forget()
    asked = await _ask_for(newest(await environment.believed().releases()))
    return {"outcome": change.outcome, "snapshot": change.snapshot, "ending": [role for role, _ in ending], **asked}


async def _require_keys(writer: Writer) -> None:
    """Keys that are missing are told while nothing has to be signed yet."""
    root = (await held_by(writer.store, writer.verifier)).root.signed
    if not (await can_sign(writer, root, SNAPSHOT) and await can_sign(writer, root, TIMESTAMP)):
        raise UnavailableError(
            "the keys for snapshot and timestamp are not at hand", code="key-absent", hint="See OKF_KEYS_PARAMETER."
        )


def ends_soon(holding: Holding, now: datetime, days: int) -> Iterator[tuple[str, datetime]]:
    """What offline keys have to sign within so many days."""
    signed: list[tuple[str, Signed]] = [("root", holding.root.signed)]
    signed += [("targets", holding.targets.signed)] if holding.targets else []
    signed += [(name, held.signed) for name, held in holding.creators.items()]
    yield from ((role, each.expires) for role, each in signed if each.expires - now < timedelta(days=days))


async def _ask_for(releases: Iterable[Release]) -> dict[str, int]:
    """Have unpacked what this version does not find, e.g. after an upgrade."""
    absent = [release for release in releases if not await _is_served(release)]
    for release in absent[:ASKED_COUNT]:
        message = json.dumps({"serve": release.key}).encode()
        clients.functions().invoke(FunctionName=settings().ingest_function, InvocationType="Event", Payload=message)
    if absent:
        count("NotServed", len(absent))
    return {"asked": min(len(absent), ASKED_COUNT), "left": max(0, len(absent) - ASKED_COUNT)}


async def _is_served(release: Release) -> bool:
    try:
        await environment.library().bundle(release.sha256)
    except NotFoundError:
        return False
    return True
