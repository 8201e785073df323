"""Metadata of a feed before it is signed, as values: what each role says next.

Rules:
1. Root and targets are signed by offline keys, a creator's releases by that creator, snapshot and timestamp online.
2. A release is never taken back or changed: it can only be marked as withdrawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TypeVar

from okf_edge.errors import BundleError, InputError
from okf_edge.feed.keys import key_id, key_of
from okf_edge.feed.metadata import (
    DelegatedRole,
    Delegations,
    Key,
    MetaFile,
    Role,
    Root,
    Snapshot,
    Targets,
    Timestamp,
)
from okf_edge.feed.names import ROOT, SNAPSHOT, TARGETS, TIMESTAMP, is_creator, paths_of_creator
from okf_edge.feed.release import Release, release_of, target_of

Kind = TypeVar("Kind", Root, Targets)

OFFLINE_LIFE = timedelta(days=365)
"""Of root, targets and creators: their keys are taken out once a year."""

ONLINE_LIFE = timedelta(days=30)
"""Of snapshot and timestamp: how long somebody can keep a reader on an old state unnoticed."""


def root_of(offline: Sequence[bytes], threshold: int, snapshot: bytes, timestamp: bytes, now: datetime) -> Root:
    """The first root of a feed: `threshold` of the offline keys decide who signs what.

    Raises: InputError: a threshold that can't be met.
    """
    if not 1 <= threshold <= len(offline):
        raise InputError(
            f"expected a threshold from 1 to {len(offline)}, the number of keys, found {threshold}",
            code="bad-threshold",
        )
    names = [key_id(key) for key in offline]
    roles = {
        ROOT: Role(names, threshold),
        TARGETS: Role(list(names), threshold),
        SNAPSHOT: Role([key_id(snapshot)], 1),
        TIMESTAMP: Role([key_id(timestamp)], 1),
    }
    keys: dict[str, Key] = {key_id(key): key_of(key) for key in (*offline, snapshot, timestamp)}
    return Root(version=1, expires=_until(now, OFFLINE_LIFE), keys=keys, roles=roles, consistent_snapshot=True)


def with_keys(root: Root, role: str, keys: Sequence[bytes], now: datetime) -> Root:
    """The next root, in which these keys alone sign for a role, with the threshold that it had."""
    changed = renewed(root, now)
    for old in list(changed.roles[role].keyids):
        changed.revoke_key(old, role)
    for key in keys:
        changed.add_key(key_of(key), role)
    return changed


def no_targets(now: datetime) -> Targets:
    return Targets(version=1, expires=_until(now, OFFLINE_LIFE), targets={})


def with_creator(targets: Targets, creator: str, keys: Sequence[bytes], now: datetime) -> Targets:
    """The next targets, in which these keys alone sign for the bundles of a creator. Raises InputError: a bad name."""
    if not is_creator(creator):
        raise InputError(
            f"expected the name of a creator (a-z, 0-9, '-', up to 48, no role), found {creator!r}", code="bad-creator"
        )
    changed = renewed(targets, now)
    delegations = changed.delegations or Delegations({}, {})
    roles = dict(delegations.roles or {})
    roles[creator] = DelegatedRole(
        creator, [key_id(key) for key in keys], 1, terminating=True, paths=[paths_of_creator(creator)]
    )
    used = {name for role in roles.values() for name in role.keyids}
    known = {**delegations.keys, **{key_id(key): key_of(key) for key in keys}}
    changed.delegations = Delegations({name: key for name, key in known.items() if name in used}, roles)
    return changed


def with_release(releases: Targets, release: Release, now: datetime) -> Targets:
    """The next list of a creator's releases, with one more.

    Raises: BundleError (`version-conflict`): that version is there already.
    """
    known = releases.targets.get(release.path)
    if known is not None:
        before = release_of(known)
        found = f"withdrawn ({before.yanked})" if before.yanked else "published with other bytes"
        raise BundleError(
            f"expected {release.id} {release.version} to be new, found it {found}",
            code="version-conflict",
            hint="A version never changes. Publish the change under the next version.",
        )
    changed = renewed(releases, now)
    changed.targets[release.path] = target_of(release)
    return changed


def with_withdrawn(releases: Targets, path: str, reason: str, now: datetime) -> Targets:
    """The next list of a creator's releases, in which one is marked as withdrawn and why."""
    changed = renewed(releases, now)
    known = changed.targets[path]
    known.unrecognized_fields["custom"] = {**(known.custom or {}), "yanked": reason}
    return changed


def snapshot_of(roles: Mapping[str, MetaFile], version: int, now: datetime) -> Snapshot:
    """The snapshot that names the present version of each role."""
    meta = {f"{role}.json": roles[role] for role in sorted(roles)}
    return Snapshot(version=version, expires=_until(now, ONLINE_LIFE), meta=meta)


def timestamp_of(snapshot: MetaFile, version: int, now: datetime) -> Timestamp:
    return Timestamp(version=version, expires=_until(now, ONLINE_LIFE), snapshot_meta=snapshot)


def meta_of(version: int, data: bytes) -> MetaFile:
    """How metadata of a version is named by the metadata above it."""
    return MetaFile(version, len(data), {"sha256": sha256(data).hexdigest()})


def renewed(signed: Kind, now: datetime) -> Kind:
    """The same content as the next version, valid from now on."""
    changed = deepcopy(signed)
    changed.version += 1
    changed.expires = _until(now, OFFLINE_LIFE)
    return changed


def ends_soon(expires: datetime, now: datetime, life: timedelta) -> bool:
    """Whether less than a third of a life is left, so that it is time to sign again."""
    return expires - now < life / 3


def _until(now: datetime, life: timedelta) -> datetime:
    return (now + life).replace(microsecond=0)
