"""Releases that a creator signed elsewhere and sent in: whether they may be the next ones of the feed.

Rules:
1. The creator's present keys signed them, as the very next version: who was overtaken looks at the feed and signs anew.
2. What was released stays as it was, except that it may be withdrawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from okf_edge.errors import FeedError, InputError
from okf_edge.feed.holding import Held, Holding
from okf_edge.feed.metadata import MetaFile, Targets
from okf_edge.feed.release import Release, releases_of
from okf_edge.feed.trusted import next_targets, parse, require_fresh
from okf_edge.limits import LIMITS
from okf_edge.ports import Verifier

FIRST = 1
"""The version of an empty list, from which a creator who published nothing yet goes on."""


def next_releases(holding: Holding, creator: str, data: bytes, verifier: Verifier, now: datetime) -> Held[Targets]:
    """The metadata, when the feed may go on with it.

    Raises: FeedError: it is not signed by the creator, or changes what was released. InputError
        (`precondition-failed`): it is not the next version.
    """
    assert holding.targets is not None
    if len(data) > LIMITS.feed_targets_bytes:
        raise FeedError(f"expected at most {LIMITS.feed_targets_bytes:,} bytes of metadata", code="too-large")
    version = parse(data, Targets, creator).signed.version
    found = next_targets(holding.targets.signed, creator, MetaFile(version), data, verifier)
    require_fresh(found, creator, now)
    held = holding.creators.get(creator)
    if held is not None and held.data == data:
        return held
    _require_next(holding, creator, held, version)
    _require_kept(creator, held.signed if held else None, found)
    return Held(found, data)


def added(creator: str, before: Held[Targets] | None, after: Held[Targets]) -> tuple[Release, ...]:
    """The releases that were not there before."""
    known = before.signed.targets if before else {}
    return tuple(each for each in releases_of(creator, after.signed) if each.path not in known)


def changed(creator: str, before: Held[Targets] | None, after: Held[Targets]) -> tuple[Release, ...]:
    """The releases that are not there just as they were: added, withdrawn, or told of in other words."""
    known = set(releases_of(creator, before.signed)) if before else set()
    return tuple(each for each in releases_of(creator, after.signed) if each not in known)


def require_nothing_new(creator: str, before: Held[Targets] | None, after: Held[Targets]) -> None:
    """Raises: FeedError (`release-differs`): something is released, and no archive came with it."""
    if found := added(creator, before, after):
        raise FeedError(
            f"expected releases that are there already, found {found[0].id} {found[0].version}",
            code="release-differs",
            hint="Publish a release with its archive: okf publish.",
        )


def _require_next(holding: Holding, creator: str, held: Held[Targets] | None, version: int) -> None:
    named = holding.snapshot.meta.get(f"{creator}.json") if holding.snapshot else None
    expected = holding.free(creator, above=max(held.signed.version if held else FIRST, named.version if named else 0))
    if version != expected:
        raise InputError(
            f"expected version {expected} of the releases of {creator}, found {version}",
            code="precondition-failed",
            hint="Somebody published in between: look at the feed, and sign again.",
        )


def _require_kept(creator: str, before: Targets | None, after: Targets) -> None:
    kept = {each.path: each for each in releases_of(creator, after)}
    for release in releases_of(creator, before) if before else ():
        now = kept.get(release.path)
        if now is None or _identity(now) != _identity(release) or (release.yanked and not now.yanked):
            raise FeedError(
                f"expected {release.id} {release.version} as it was released, found it changed or gone",
                code="release-changed",
                hint="A release can be withdrawn, never changed.",
            )


def _identity(release: Release) -> Mapping[str, object]:
    return {"bytes": release.bytes, "sha256": release.sha256, "content": release.content_digest}
