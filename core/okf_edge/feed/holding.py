"""What a feed's store holds now, as its writers see it: the newest metadata of each role that its keys signed.

A writer looks at what lies there, not only at what the timestamp names: so metadata that a killed or competing
publisher wrote is taken along, never lost, and metadata of stolen keys is passed over once they were rotated.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Generic, TypeVar

from okf_edge.errors import FeedError, NotFoundError, PolicyError
from okf_edge.feed import trusted as decide
from okf_edge.feed.metadata import MetaFile, Root, Signed, Snapshot, Targets, Timestamp
from okf_edge.feed.names import FOLDER, HIDDEN, ROOT, SNAPSHOT, TARGETS, TIMESTAMP_KEY, metadata_key, versions_of
from okf_edge.limits import LIMITS
from okf_edge.ports import BlobStore, Verifier

Content = TypeVar("Content", bound=Signed)


@dataclass(frozen=True, slots=True)
class Held(Generic[Content]):
    """Metadata with the bytes in which it was signed."""

    signed: Content
    data: bytes


@dataclass(frozen=True, slots=True)
class Holding:
    """`pointer` is the version of the timestamp's blob, on which the next one is conditional.

    `taken` are the versions of each role whose names are used, whatever lies there. `targets` are None only until a
    feed is whole; so are a snapshot and timestamp that their present keys did not sign. `stale` are the releases of
    creators whose keys were replaced and did not sign yet: as the snapshot names them. A creator whose releases are not
    for this writer's token is in neither: the snapshot goes on naming them.
    """

    root: Held[Root]
    targets: Held[Targets] | None
    creators: Mapping[str, Held[Targets]]
    snapshot: Snapshot | None
    timestamp: Timestamp | None
    pointer: str | None
    taken: Mapping[str, list[int]]
    stale: Mapping[str, Held[Targets]]

    def free(self, role: str, above: int = 0) -> int:
        """The first version above one whose name nothing has."""
        taken = set(self.taken.get(role, []))
        return next(number for number in count(above + 1) if number not in taken)


async def held_by(store: BlobStore, verifier: Verifier) -> Holding:
    """Raises: NotFoundError (`no-feed`): there is no feed. FeedError: its root or targets can't be trusted."""
    taken = versions_of(stat.key for stat in await store.list(FOLDER))
    if 1 not in taken.get(ROOT, []):
        raise NotFoundError("expected a feed, found none there", code="no-feed", hint="Make one with `okf feed init`.")
    root = await _root(store, verifier)
    targets = await _newest(store, root.signed, TARGETS, taken.get(TARGETS, []), verifier)
    creators = await _creators(store, targets, taken, verifier)
    timestamp, pointer = await _timestamp(store, root.signed, verifier)
    snapshot = await _snapshot(store, root.signed, taken.get(SNAPSHOT, []), verifier)
    stale = await _stale(store, targets, snapshot, creators)
    return Holding(root, targets, creators, snapshot, timestamp, pointer, taken, stale)


async def _creators(
    store: BlobStore, targets: Held[Targets] | None, taken: Mapping[str, list[int]], verifier: Verifier
) -> dict[str, Held[Targets]]:
    found = {}
    if targets:
        for creator in decide.creators_of(targets.signed):
            if held := await _newest(store, targets.signed, creator, taken.get(creator, []), verifier):
                found[creator] = held
    return found


async def _stale(
    store: BlobStore, targets: Held[Targets] | None, snapshot: Snapshot | None, creators: Mapping[str, Held[Targets]]
) -> dict[str, Held[Targets]]:
    found = {}
    for creator in decide.creators_of(targets.signed) if targets else ():
        meta = snapshot.meta.get(f"{creator}.json") if snapshot else None
        if meta is not None and creator not in creators:
            try:
                data = (await store.get(metadata_key(creator, meta.version), LIMITS.feed_targets_bytes)).data
            except PolicyError as error:
                if error.code != HIDDEN:
                    raise
                continue
            decide.require_promised(meta, data, creator)
            found[creator] = Held(decide.parse(data, Targets, creator).signed, data)
    return found


async def _root(store: BlobStore, verifier: Verifier) -> Held[Root]:
    data = (await store.get(metadata_key(ROOT, 1), LIMITS.feed_root_bytes)).data
    root = decide.first_root(data, verifier)
    for _ in range(LIMITS.feed_rotations_count):
        try:
            following = (await store.get(metadata_key(ROOT, root.version + 1), LIMITS.feed_root_bytes)).data
        except NotFoundError:
            break
        root, data = decide.next_root(root, following, verifier), following
    return Held(root, data)


async def _newest(
    store: BlobStore, delegator: Root | Targets, role: str, versions: list[int], verifier: Verifier
) -> Held[Targets] | None:
    """The newest metadata of a role that its keys signed."""
    for version in versions:
        with suppress(FeedError):
            data = (await store.get(metadata_key(role, version), LIMITS.feed_targets_bytes)).data
            return Held(decide.next_targets(delegator, role, MetaFile(version), data, verifier), data)
    return None


async def _timestamp(store: BlobStore, root: Root, verifier: Verifier) -> tuple[Timestamp | None, str | None]:
    try:
        blob = await store.get(TIMESTAMP_KEY, LIMITS.feed_timestamp_bytes)
    except NotFoundError:
        return None, None
    with suppress(FeedError):
        return decide.next_timestamp(root, None, blob.data, verifier), blob.version
    return None, blob.version


async def _snapshot(store: BlobStore, root: Root, versions: list[int], verifier: Verifier) -> Snapshot | None:
    """The newest snapshot, whether or not a timestamp names it: its versions must not be given again."""
    for version in versions:
        with suppress(FeedError):
            data = (await store.get(metadata_key(SNAPSHOT, version), LIMITS.feed_snapshot_bytes)).data
            return decide.next_snapshot(root, MetaFile(version), None, data, verifier)
    return None
