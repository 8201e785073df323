"""Writes to a feed so that it is whole at every moment: blobs, then metadata, then the timestamp.

Rules:
1. Every name but the timestamp's is written once, create-only. The timestamp is written on condition that it is the
   one that was read: it is the commit, and of two publishers one is told to look again.
2. A writer that lost, or was killed, starts over from what the store holds: what it wrote is found and used.
3. Nothing is signed that would not be believed: what is written was verified first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

from okf_edge.errors import FeedError, InputError, NotFoundError, PreconditionError, StoreError, TooLargeError
from okf_edge.feed import drafts
from okf_edge.feed.holding import Held, Holding
from okf_edge.feed.keys import Keyring, public_keys, require_signed, role_of, signed
from okf_edge.feed.metadata import Metadata, MetaFile, Root, Signed, Targets
from okf_edge.feed.names import SNAPSHOT, TARGETS, TIMESTAMP, TIMESTAMP_KEY, metadata_key
from okf_edge.limits import LIMITS
from okf_edge.ports import BlobStore, Verifier

PROBE = "conditions.probe"
_PROBE_BYTES = 32


class Writer(NamedTuple):
    """A feed's store, and the keys to sign with that are at hand."""

    store: BlobStore
    keyring: Keyring
    verifier: Verifier


async def require_conditions(store: BlobStore) -> None:
    """Raises: StoreError (`store-unconditional`): the store lets the second of two writers overwrite the first.

    The probe counts upwards, so that no two of its states look alike, whoever else is probing.
    """
    with suppress(PreconditionError):
        await store.put(PROBE, b"0", if_version=None)
    before = await store.get(PROBE, _PROBE_BYTES)
    try:
        await store.put(PROBE, b"%d" % (int(before.data) + 1), if_version=before.version)
    except PreconditionError:
        return  # somebody else is probing, and the store refused
    for version in (None, before.version):
        try:
            await store.put(PROBE, b"0", if_version=version)
        except PreconditionError:
            continue
        raise StoreError(
            "expected a store that refuses to overwrite what somebody else wrote, found one that does not",
            code="store-unconditional",
            hint="Two publishers would lose each other's releases. Use a store with conditional writes.",
        )


async def create_once(store: BlobStore, key: str, data: bytes) -> None:
    """Write a name that is never written twice; the same bytes being there already is success."""
    try:
        await store.put(key, data, if_version=None)
    except PreconditionError:
        if await _bytes_of(store, key, len(data)) != data:
            raise


async def sign(writer: Writer, delegators: Iterable[Root | Targets], role: str, content: Signed) -> Held[Any]:
    """The content signed with the keys at hand, for each of the delegators.

    Raises: InputError (`key-absent`): too few of the keys are at hand.
    """
    delegators = tuple(delegators)
    wanted = dict.fromkeys(key for each in delegators for key in public_keys(each, role).values())
    metadata = await signed(content, await writer.keyring.signers(list(wanted)))
    for delegator in delegators:
        _require_enough(delegator, role, metadata, writer.verifier)
    return Held(content, metadata.to_bytes())


async def write(writer: Writer, role: str, held: Held[Any]) -> None:
    await create_once(writer.store, metadata_key(role, held.signed.version), held.data)


async def can_sign(writer: Writer, delegator: Root | Targets, role: str) -> bool:
    """Whether enough keys of the role are at hand."""
    signers = await writer.keyring.signers(list(public_keys(delegator, role).values()))
    return len(signers) >= role_of(delegator, role).threshold


async def commit(writer: Writer, holding: Holding, now: datetime) -> int | None:
    """Make what the store holds the state of the feed, unless it is already.

    Returns: the version of the snapshot; None when the keys for it are not at hand: the feed's owner has to do it.
    Raises: PreconditionError: somebody else was first; look again. FeedError (`rollback`): metadata went missing.
    """
    roles = _roles(holding)
    if _is_current(holding, roles, now):
        assert holding.snapshot is not None
        return holding.snapshot.version
    root = holding.root.signed
    if not (await can_sign(writer, root, SNAPSHOT) and await can_sign(writer, root, TIMESTAMP)):
        return None
    number = holding.free(SNAPSHOT, above=holding.snapshot.version if holding.snapshot else 0)
    snapshot = await sign(writer, [root], SNAPSHOT, drafts.snapshot_of(roles, number, now))
    await write(writer, SNAPSHOT, snapshot)
    version = max(number, holding.timestamp.version + 1 if holding.timestamp else 1)
    content = drafts.timestamp_of(drafts.meta_of(number, snapshot.data), version, now)
    timestamp = await sign(writer, [root], TIMESTAMP, content)
    await _point(writer.store, timestamp.data, holding.pointer)
    return number


def _roles(holding: Holding) -> dict[str, MetaFile]:
    """What a snapshot names now: the newest of each role, and what can't be verified as it was named before."""
    if holding.targets is None:
        raise FeedError("expected targets that the keys of the root signed, found none", code="missing-metadata")
    before = holding.snapshot.meta if holding.snapshot else {}
    newest: Mapping[str, Held[Targets]] = {TARGETS: holding.targets, **holding.creators}
    roles = {name.removesuffix(".json"): meta for name, meta in before.items()}
    for role, held in newest.items():
        if role in roles and held.signed.version < roles[role].version:
            raise FeedError(
                f"expected {role} metadata of version {roles[role].version} in the store, found {held.signed.version}",
                code="rollback",
                hint="Files of the feed went missing: restore them from a copy; nothing was signed.",
            )
        roles[role] = drafts.meta_of(held.signed.version, held.data)
    return roles


def _is_current(holding: Holding, roles: Mapping[str, MetaFile], now: datetime) -> bool:
    snapshot, timestamp = holding.snapshot, holding.timestamp
    if snapshot is None or timestamp is None or timestamp.snapshot_meta.version != snapshot.version:
        return False
    if any(drafts.ends_soon(each.expires, now, drafts.ONLINE_LIFE) for each in (snapshot, timestamp)):
        return False
    return snapshot.meta == {f"{role}.json": meta for role, meta in roles.items()}


async def _point(store: BlobStore, timestamp: bytes, pointer: str | None) -> None:
    """The commit. An answer that got lost is no defeat: what lies there tells whether we won."""
    try:
        await store.put(TIMESTAMP_KEY, timestamp, if_version=pointer)
    except PreconditionError:
        if await _bytes_of(store, TIMESTAMP_KEY, LIMITS.feed_timestamp_bytes) != timestamp:
            raise


async def _bytes_of(store: BlobStore, key: str, most: int) -> bytes | None:
    try:
        return (await store.get(key, most)).data
    except (TooLargeError, NotFoundError):
        return None


def _require_enough(delegator: Root | Targets, role: str, metadata: Metadata[Any], verifier: Verifier) -> None:
    try:
        require_signed(delegator, role, metadata, verifier)
    except FeedError as error:
        raise InputError(
            f"expected the keys that sign for {role} at hand, found too few: {error.message}",
            code="key-absent",
            hint="Keys lie in the configuration of whoever made them: do it there, or give their folder to `okf feed`"
            " with --keys.",
        ) from error
