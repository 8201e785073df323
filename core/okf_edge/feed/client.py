"""The client's walk through a feed: root → timestamp → snapshot → targets → creators.

Each step fetches within a limit, decides by `trusted`, and keeps what it believes. Whatever fails, what was kept
before stays in force. Time stands still from the start of a walk.

Source: TUF specification 1.0.33, section 5; python-tuf's `Updater` is the oracle of the tests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple

from okf_edge.errors import FeedError, NotFoundError, PolicyError, TooLargeError
from okf_edge.feed import trusted as decide
from okf_edge.feed.kept import Kept
from okf_edge.feed.metadata import MetaFile, Root, Snapshot, Targets, Timestamp
from okf_edge.feed.names import HIDDEN, ROOT, SNAPSHOT, TARGETS, TIMESTAMP, TIMESTAMP_KEY, metadata_key
from okf_edge.feed.trusted import Trusted
from okf_edge.limits import LIMITS
from okf_edge.ports import BlobStore, Verifier

CLOCK_TOLERANCE = timedelta(days=1)
"""How far a clock may go back between two checks: time zones set wrongly, not a year."""


class Feed(NamedTuple):
    """A feed as one device sees it."""

    store: BlobStore
    kept: Kept
    verifier: Verifier


async def trust(feed: Feed, now: datetime) -> Root:
    """Confirm a feed on this device: find the root that the pin names, and start from it.

    Raises: FeedError (`root-mismatch`): no root of the feed has the pinned digest.
    """
    data = await _pinned_root(feed)
    root = decide.first_root(data, feed.verifier)
    if await feed.kept.load(ROOT) is None:
        await feed.kept.save(ROOT, data)
    await feed.kept.see(now)
    return root


async def first_pin(store: BlobStore) -> str:
    """The digest of a feed's first root: what a device pins that trusts at first use."""
    return sha256((await store.get(metadata_key(ROOT, 1), LIMITS.feed_root_bytes)).data).hexdigest()


async def refresh(feed: Feed, now: datetime, creators: Iterable[str] | None = None) -> Trusted:
    """The newest metadata that can be trusted.

    Args: creators: whose releases are wanted; None for everybody's.
    Raises: FeedError: its code is the attack or fault. NotFoundError, UnavailableError: nothing there to read.
    """
    await _require_clock(feed, now)  # 5.1: `now` is fixed for the whole walk
    root = await _root(feed, now)  # 5.3
    timestamp = await _timestamp(feed, root, now)  # 5.4
    snapshot = await _snapshot(feed, root, timestamp, now)  # 5.5
    targets = await _targets(feed, root, TARGETS, snapshot.meta[f"{TARGETS}.json"], now)  # 5.6
    believed = Trusted(root, timestamp, snapshot, targets)
    believed = await _with_creators(feed, believed, decide.creators_of(targets) if creators is None else creators, now)
    await feed.kept.see(now)
    return believed


async def _pinned_root(feed: Feed) -> bytes:
    for version in range(1, LIMITS.feed_rotations_count + 1):
        try:
            data = (await feed.store.get(metadata_key(ROOT, version), LIMITS.feed_root_bytes)).data
        except NotFoundError:
            if version == 1:
                raise
            break
        if sha256(data).hexdigest() == feed.kept.pin:
            return data
    raise FeedError(
        f"expected a root with sha256 {feed.kept.pin[:12]}…, found none in the feed",
        code="root-mismatch",
        hint="It is another feed than the one you were told of. Ask its owner for the digest of its root.",
    )


async def _require_clock(feed: Feed, now: datetime) -> None:
    """A clock that was set back would make old metadata look valid."""
    seen = await feed.kept.last_seen()
    if seen is None:
        raise FeedError(
            f"expected a feed that was confirmed on this device, found only its pin {feed.kept.pin[:12]}…",
            code="feed-unconfirmed",
            hint=f"If its owner told you this digest: okf feed trust URL --root sha256:{feed.kept.pin}",
        )
    if now < seen - CLOCK_TOLERANCE:
        raise FeedError(
            f"expected a time after the last check on {seen:%Y-%m-%d}, found {now:%Y-%m-%d}",
            code="clock-behind",
            hint="Set the clock. If it was ahead at the last check, confirm the feed again with `okf feed trust`.",
        )


async def _root(feed: Feed, now: datetime) -> Root:
    data = await feed.kept.load(ROOT) or await _pinned_root(feed)
    start = current = decide.first_root(data, feed.verifier)  # 5.3.1
    for _ in range(LIMITS.feed_rotations_count):
        try:
            data = (await feed.store.get(metadata_key(ROOT, current.version + 1), LIMITS.feed_root_bytes)).data  # 5.3.3
        except NotFoundError:
            break
        following = decide.next_root(current, data, feed.verifier)
        if decide.has_lost_online_keys(start, following):  # 5.3.11
            await feed.kept.forget(TIMESTAMP)
            await feed.kept.forget(SNAPSHOT)
        await feed.kept.save(ROOT, data)  # 5.3.8
        current = following
    decide.require_fresh(current, ROOT, now)  # 5.3.10
    return current


async def _timestamp(feed: Feed, root: Root, now: datetime) -> Timestamp:
    kept = await _kept_timestamp(feed, root)
    data = (await feed.store.get(TIMESTAMP_KEY, LIMITS.feed_timestamp_bytes)).data  # 5.4.1
    found = decide.next_timestamp(root, kept, data, feed.verifier)
    decide.require_fresh(found, TIMESTAMP, now)
    if found is not kept:
        await feed.kept.save(TIMESTAMP, data)  # 5.4.5
    return found


async def _kept_timestamp(feed: Feed, root: Root) -> Timestamp | None:
    data = await feed.kept.load(TIMESTAMP)
    with suppress(FeedError):  # of keys that are not trusted any more
        return decide.next_timestamp(root, None, data, feed.verifier) if data else None
    return None


async def _snapshot(feed: Feed, root: Root, timestamp: Timestamp, now: datetime) -> Snapshot:
    meta = timestamp.snapshot_meta
    data = await feed.kept.load(SNAPSHOT)
    found = _kept_snapshot(root, meta, data, feed.verifier)
    if found is None:
        before = _kept_snapshot(root, None, data, feed.verifier)
        data = await _fetch(feed, SNAPSHOT, meta, LIMITS.feed_snapshot_bytes)  # 5.5.1
        found = decide.next_snapshot(root, meta, before, data, feed.verifier)
        decide.require_fresh(found, SNAPSHOT, now)
        await feed.kept.save(SNAPSHOT, data)  # 5.5.7
    decide.require_fresh(found, SNAPSHOT, now)
    if f"{TARGETS}.json" not in found.meta:
        raise FeedError("expected a snapshot that names the targets, found none in it", code="bad-metadata")
    return found


def _kept_snapshot(root: Root, meta: MetaFile | None, data: bytes | None, verifier: Verifier) -> Snapshot | None:
    """The kept snapshot, if it is the one that `meta` names; without `meta` any that guards against a rollback."""
    with suppress(FeedError):
        if data:
            own = MetaFile(decide.parse(data, Snapshot, SNAPSHOT).signed.version)
            return decide.next_snapshot(root, meta or own, None, data, verifier)
    return None


async def _targets(feed: Feed, delegator: Root | Targets, role: str, meta: MetaFile, now: datetime) -> Targets:
    data = await feed.kept.load(role)
    found = _kept_targets(delegator, role, meta, data, feed.verifier)
    if found is None:
        data = await _fetch(feed, role, meta, LIMITS.feed_targets_bytes)  # 5.6.1
        found = decide.next_targets(delegator, role, meta, data, feed.verifier)
        decide.require_fresh(found, role, now)
        await feed.kept.save(role, data)  # 5.6.6
    decide.require_fresh(found, role, now)
    return found


def _kept_targets(
    delegator: Root | Targets, role: str, meta: MetaFile, data: bytes | None, verifier: Verifier
) -> Targets | None:  # fmt: skip
    with suppress(FeedError):
        return decide.next_targets(delegator, role, meta, data, verifier) if data else None
    return None


async def _with_creators(feed: Feed, believed: Trusted, creators: Iterable[str], now: datetime) -> Trusted:
    """5.6.7: the releases of creators, some fetched at once: a feed of a thousand is a walk, not a thousand walks."""
    gate = asyncio.Semaphore(LIMITS.feed_fetches_count)

    async def fetched(creator: str, meta: MetaFile) -> Targets | FeedError:
        async with gate:
            return await _creator(feed, believed.targets, creator, meta, now)

    allowed = frozenset(decide.creators_of(believed.targets))
    named = {each: believed.snapshot.meta.get(f"{each}.json") for each in creators if each in allowed}
    tasks = {
        each: asyncio.ensure_future(fetched(each, meta)) for each, meta in named.items() if meta is not None
    }  # who is not named has published nothing yet
    try:
        found = dict(zip(tasks, await asyncio.gather(*tasks.values()), strict=True))
    finally:  # of one that fails, the others end too
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
    good = {each: targets for each, targets in found.items() if isinstance(targets, Targets)}
    refused = {each: error for each, error in found.items() if isinstance(error, FeedError)}
    return replace(believed, creators=good, refused=refused)


async def _creator(feed: Feed, delegator: Targets, creator: str, meta: MetaFile, now: datetime) -> Targets | FeedError:
    """The releases of one creator, or why they are refused: what is wrong with one is no fault of the others."""
    try:
        return await _targets(feed, delegator, creator, meta, now)
    except FeedError as error:
        return error
    except (NotFoundError, TooLargeError) as error:
        is_gone = isinstance(error, NotFoundError)
        return FeedError(error.message, code="missing-metadata" if is_gone else "mix-and-match")
    except PolicyError as error:
        if error.code != HIDDEN:
            raise
        return FeedError(error.message, code=HIDDEN)


async def _fetch(feed: Feed, role: str, meta: MetaFile, limit: int) -> bytes:
    """Metadata of a version, never more of it than was promised or is allowed."""
    most = min(meta.length, limit) if meta.length is not None else limit
    return (await feed.store.get(metadata_key(role, meta.version), most)).data
