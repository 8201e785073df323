"""The service's own feed, as this environment believes it: verified from the pinned root on, like any reader does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cmp_to_key

from okf_edge.bundles.versions import compare_versions, parse_version
from okf_edge.errors import OkfError, UnavailableError
from okf_edge.feed.client import Feed, refresh, trust
from okf_edge.feed.kept import Kept
from okf_edge.feed.keys import SslibVerifier
from okf_edge.feed.release import Release, releases_of
from okf_edge.feed.trusted import Trusted
from okf_edge.inmemory.files import MemoryTree
from okf_edge.ports import BlobStore, Clock

_FIRST = "Make a feed in the bucket with `okf feed init`, and set OKF_FEED_ROOT to the digest that it prints."
_BY_VERSION = cmp_to_key(compare_versions)


@dataclass(slots=True)
class Believed:
    """What the feed offers. Metadata that was believed lately is used for a while without asking the store."""

    store: BlobStore
    root: str
    clock: Clock
    seconds: float
    device: MemoryTree = field(default_factory=MemoryTree)
    _trusted: Trusted | None = None
    _at: float = 0.0

    async def now(self) -> Trusted:
        """Raises: FeedError: the feed can't be believed, e.g. `metadata-expired`. NotFoundError, UnavailableError."""
        elapsed = self.clock.monotonic() - self._at
        if self._trusted is None or elapsed >= self.seconds or _is_over(self._trusted, self.clock.now()):
            self._trusted = await self._refreshed()
            self._at = self.clock.monotonic()
        return self._trusted

    async def releases(self) -> tuple[Release, ...]:
        """All releases, the newest of each bundle first."""
        return releases_in(await self.now())

    def forget(self) -> None:
        """The next question asks the store."""
        self._trusted = None

    async def _refreshed(self) -> Trusted:
        if not self.root:
            raise UnavailableError("expected the root of a feed to believe, found none", code="no-feed", hint=_FIRST)
        feed = Feed(self.store, Kept(self.device, self.root), SslibVerifier())
        now = self.clock.now()
        if await feed.kept.last_seen() is None:
            await trust(feed, now)
        try:
            return await refresh(feed, now)
        except OkfError:
            self._trusted = None
            raise


def releases_in(trusted: Trusted) -> tuple[Release, ...]:
    found = [each for creator, targets in trusted.creators.items() for each in releases_of(creator, targets)]
    newest_first = sorted(found, key=lambda each: _BY_VERSION(each.version), reverse=True)
    return tuple(sorted(newest_first, key=lambda each: each.id))


def newest(releases: Sequence[Release]) -> tuple[Release, ...]:
    """The newest release of each bundle that was not withdrawn; a pre-release only where there is nothing else."""
    chosen: dict[str, Release] = {}
    for each in releases:
        is_better = each.id not in chosen or (_is_early(chosen[each.id].version) and not _is_early(each.version))
        if not each.yanked and is_better:
            chosen[each.id] = each
    return tuple(chosen.values())


def _is_early(version: str) -> bool:
    return parse_version(version).prerelease is not None


def _is_over(trusted: Trusted, now: datetime) -> bool:
    return trusted.timestamp.is_expired(now) or trusted.snapshot.is_expired(now)
