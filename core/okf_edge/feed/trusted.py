"""What a client may believe: every decision of the TUF client workflow, as functions of bytes and time.

Rules:
1. Nothing here fetches, keeps or reads a clock. Steps carry the numbers of the specification.
2. A check that fails raises; the caller keeps what it had.
3. A creator's metadata that fails costs that creator only.

Source: TUF specification 1.0.33, section 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import TypeVar

from tuf.api.exceptions import RepositoryError
from tuf.api.serialization import DeserializationError

from okf_edge.errors import FeedError
from okf_edge.feed.keys import require_signed
from okf_edge.feed.metadata import Metadata, MetaFile, Root, Signed, Snapshot, Targets, Timestamp
from okf_edge.feed.names import ROOT, SNAPSHOT, TIMESTAMP, is_creator
from okf_edge.ports import Verifier

Kind = TypeVar("Kind", Root, Timestamp, Snapshot, Targets)


@dataclass(frozen=True, slots=True)
class Trusted:
    """The metadata of a feed that was verified, all of one moment.

    `refused` tells of creators whose releases can't be trusted now, and why.
    """

    root: Root
    timestamp: Timestamp
    snapshot: Snapshot
    targets: Targets
    creators: Mapping[str, Targets] = field(default_factory=dict)
    refused: Mapping[str, FeedError] = field(default_factory=dict)


def first_root(data: bytes, verifier: Verifier) -> Root:
    """The root that trust starts from: signed by itself. Whether it is the right one is for its pin to say."""
    metadata = parse(data, Root, ROOT)
    require_signed(metadata.signed, ROOT, metadata, verifier)
    return metadata.signed


def next_root(current: Root, data: bytes, verifier: Verifier) -> Root:
    """The root after the current one."""
    metadata = parse(data, Root, ROOT)
    require_signed(current, ROOT, metadata, verifier)  # 5.3.4: by the keys that are trusted now,
    require_signed(metadata.signed, ROOT, metadata, verifier)  # and by its own
    if metadata.signed.version <= current.version:  # 5.3.5
        raise _rollback(ROOT, current.version + 1, metadata.signed.version)
    if metadata.signed.version != current.version + 1:
        raise _mixed(ROOT, f"version {current.version + 1}", metadata.signed.version)
    return metadata.signed


def has_lost_online_keys(before: Root, after: Root) -> bool:
    """5.3.11: whether timestamp and snapshot start anew, so that a fast-forwarded version does not block them."""
    return any(sorted(before.roles[role].keyids) != sorted(after.roles[role].keyids) for role in (TIMESTAMP, SNAPSHOT))


def next_timestamp(root: Root, current: Timestamp | None, data: bytes, verifier: Verifier) -> Timestamp:
    """The newest timestamp. One of an equal version is the current one, whatever it says."""
    metadata = parse(data, Timestamp, TIMESTAMP)
    require_signed(root, TIMESTAMP, metadata, verifier)  # 5.4.2
    found = metadata.signed
    if current is None:
        return found
    if found.version < current.version:  # 5.4.3.1
        raise _rollback(TIMESTAMP, current.version, found.version)
    if found.version == current.version:
        return current
    if found.snapshot_meta.version < current.snapshot_meta.version:  # 5.4.3.2
        raise _rollback(SNAPSHOT, current.snapshot_meta.version, found.snapshot_meta.version)
    return found


def next_snapshot(
    root: Root, meta: MetaFile, current: Snapshot | None, data: bytes, verifier: Verifier
) -> Snapshot:  # fmt: skip
    """The snapshot that a timestamp names."""
    require_promised(meta, data, SNAPSHOT)  # 5.5.2
    metadata = parse(data, Snapshot, SNAPSHOT)
    require_signed(root, SNAPSHOT, metadata, verifier)  # 5.5.3
    found = metadata.signed
    if found.version != meta.version:  # 5.5.4
        raise _mixed(SNAPSHOT, meta.version, found.version)
    for name, before in (current.meta if current else {}).items():  # 5.5.5
        now = found.meta.get(name)
        if now is None or now.version < before.version:
            raise _rollback(name, before.version, now.version if now else 0)
    return found


def next_targets(
    delegator: Root | Targets, role: str, meta: MetaFile, data: bytes, verifier: Verifier
) -> Targets:  # fmt: skip
    """The targets of a role that a snapshot names."""
    require_promised(meta, data, role)  # 5.6.2
    metadata = parse(data, Targets, role)
    require_signed(delegator, role, metadata, verifier)  # 5.6.3
    if metadata.signed.version != meta.version:  # 5.6.4
        raise _mixed(role, meta.version, metadata.signed.version)
    return metadata.signed


def creators_of(targets: Targets) -> tuple[str, ...]:
    """Who may publish bundles in the feed, by name."""
    roles = targets.delegations.roles if targets.delegations else None
    return tuple(sorted(name for name in roles or {} if is_creator(name)))


def require_fresh(content: Signed, role: str, now: datetime) -> None:
    """5.3.10, 5.4.4, 5.5.6, 5.6.5: raises FeedError (`metadata-expired`)."""
    if content.is_expired(now):
        raise FeedError(
            f"expected {role} metadata that is still valid, found it expired on {content.expires:%Y-%m-%d}",
            code="metadata-expired",
            hint="The feed was not refreshed by its owner, or somebody keeps you on an old state of it. Nothing of it "
            "is installed; what you have stays.",
        )


def require_promised(meta: MetaFile, data: bytes, role: str) -> None:
    """Raises FeedError (`mix-and-match`): the bytes are not those that the metadata above them names."""
    if meta.length is not None and meta.length != len(data):
        raise _mixed(role, f"{meta.length:,} bytes", f"{len(data):,}")
    promised = (meta.hashes or {}).get("sha256")
    if promised is not None and promised != sha256(data).hexdigest():
        raise _mixed(role, f"sha256 {promised[:12]}…", f"{sha256(data).hexdigest()[:12]}…")


def parse(data: bytes, kind: type[Kind], role: str) -> Metadata[Kind]:
    """Raises FeedError (`bad-metadata`): these bytes are no metadata of that kind."""
    try:
        metadata: Metadata[Kind] = Metadata.from_bytes(data)
    except (DeserializationError, RepositoryError) as error:
        raise FeedError(f"expected {role} metadata, found damage", code="bad-metadata", hint=_HINT) from error
    if not isinstance(metadata.signed, kind):
        raise FeedError(
            f"expected {role} metadata, found {metadata.signed.type} metadata", code="bad-metadata", hint=_HINT
        )
    return metadata


_HINT = "The feed is damaged or was changed on its way; what you had before stays in force."


def _rollback(role: str, expected: int, found: int) -> FeedError:
    return FeedError(
        f"expected {role} version {expected} or newer, found {found}",
        code="rollback",
        hint="Somebody serves an older state of the feed than you have seen. Nothing was changed.",
    )


def _mixed(role: str, expected: object, found: object) -> FeedError:
    return FeedError(
        f"expected {role} metadata with {expected}, found {found}",
        code="mix-and-match",
        hint="Parts of different states of the feed were served together. Try again; if it persists, ask its owner.",
    )
