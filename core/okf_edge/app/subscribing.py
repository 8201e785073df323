"""Following feeds: trust one, search it, install from it, and keep what was installed up to date.

Rules:
1. Nothing of a feed is used that was not verified in the same command.
2. A bundle is updated only from the feed that it came from; an id that several feeds offer needs the feed's name.
3. An archive is what its release says, in id, version and content, or it is refused before anything is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from okf_edge.app.choosing import choose, newer
from okf_edge.app.ports import Ports
from okf_edge.bundles.contents import Contents, open_zip
from okf_edge.bundles.digest import MANIFEST, digest_of
from okf_edge.bundles.install import Installation, InstallOptions
from okf_edge.bundles.manifest import read_manifest
from okf_edge.bundles.ranges import newest_within
from okf_edge.bundles.registry import InstalledBundle, read_registry
from okf_edge.errors import BundleError, DigestMismatchError, FeedError, InputError, NotFoundError, OkfError
from okf_edge.feed.client import Feed, first_pin, refresh, trust
from okf_edge.feed.kept import Kept
from okf_edge.feed.keys import SslibVerifier
from okf_edge.feed.names import HIDDEN, creator_of
from okf_edge.feed.release import Release, releases_of
from okf_edge.feed.subscriptions import Subscription, chosen, feed_name, pin_from, read_subscriptions, subscribe
from okf_edge.feed.trusted import Trusted
from okf_edge.limits import LIMITS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Install = Callable[[Contents, InstallOptions], Awaitable[Installation]]


@dataclass(frozen=True, slots=True)
class Offer:
    """A release, and the name of the feed that offers it."""

    feed: str
    release: Release


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What feeds offer now. `troubles` tell of creators whose releases can't be trusted, and why."""

    offers: tuple[Offer, ...]
    troubles: tuple[str, ...] = ()

    def releases(self, feed: str) -> tuple[Release, ...]:
        return tuple(each.release for each in self.offers if each.feed == feed)


@dataclass(frozen=True, slots=True)
class Standing:
    """How an installed bundle stands in its feed. `offered` is a newer version, `yanked` why its own was withdrawn."""

    bundle: InstalledBundle
    offered: str = ""
    yanked: str = ""
    trouble: str = ""


async def trust_feed(ports: Ports, url: str, root: str = "", name: str = "") -> Subscription:
    """Follow a feed from now on, starting from the root with this digest, else from the one that is there now.

    Raises: FeedError: its root is another, or its metadata can't be trusted. InputError: the name is taken.
    """
    store = ports.open_store(url)
    pin = pin_from(root) if root else await first_pin(store)
    subscription = Subscription(feed_name(url, name), url, pin)
    known = (await read_subscriptions(ports.tree)).get(subscription.name)
    if known and known.root != pin:
        raise InputError(
            f"expected another name for a new feed, found that {known.name!r} is followed with the root"
            f" {known.root[:12]}…",
            code="feed-changed",
            hint="A feed's first root never changes. If it is another feed, give it a name with --name.",
        )
    now = ports.clock.now()
    feed = _feed(ports, subscription)
    await trust(feed, now)
    await refresh(feed, now, ())
    await subscribe(ports.tree, subscription)
    return subscription


async def followed(ports: Ports) -> tuple[tuple[Subscription, bool], ...]:
    """The feeds that are followed, each with whether this device has confirmed it."""
    found = (await read_subscriptions(ports.tree)).values()
    return tuple([(each, await Kept(ports.device(), each.root).last_seen() is not None) for each in found])


async def catalogue(ports: Ports, names: Iterable[str] = (), creators: Iterable[str] | None = None) -> Catalogue:
    """What the named feeds offer, or all that are followed; of some creators, or of all."""
    subscriptions = await read_subscriptions(ports.tree)
    asked = [chosen(subscriptions, name) for name in names] or list(subscriptions.values())
    if not asked:
        chosen(subscriptions, "main")
    wanted = None if creators is None else tuple(dict.fromkeys(creators))
    offers: list[Offer] = []
    troubles: list[str] = []
    for subscription in asked:
        trusted = await _refreshed(ports, subscription, wanted)
        offers += (Offer(subscription.name, each) for each in _releases(trusted))
        refused = ((who, each) for who, each in trusted.refused.items() if wanted or each.code != HIDDEN)
        troubles += (f"{subscription.name}: {who}: {each.message}" for who, each in refused)
    return Catalogue(tuple(offers), tuple(troubles))


async def _refreshed(ports: Ports, subscription: Subscription, creators: Iterable[str] | None) -> Trusted:
    try:
        return await refresh(_feed(ports, subscription), ports.clock.now(), creators)
    except OkfError as error:
        error.message = f"feed {subscription.name}: {error.message}"
        raise


async def search_feed(ports: Ports, words: Sequence[str], feed: str = "") -> Catalogue:
    """The releases that have all the words in their id, title or description; the newest of each bundle first."""
    found = await catalogue(ports, [feed] if feed else ())
    folded = [word.casefold() for word in words]
    offers = [each for each in found.offers if _has_words(each.release, folded)]
    newest: dict[tuple[str, str], Offer] = {}
    for offer in offers:
        key = (offer.feed, offer.release.id)
        others = [each.release for each in offers if (each.feed, each.release.id) == key]
        if newer_than(offer.release, others):
            newest[key] = offer
    return replace(found, offers=tuple(newest[key] for key in sorted(newest)))


async def install_from_feed(
    ports: Ports, install: Install, wanted: str, feed: str, options: InstallOptions
) -> tuple[Installation, ...]:
    """Install `id` or `id@range` with all that it needs; what it needs comes first in the result."""
    bundle_id, _, text = wanted.partition("@")
    found = await _offers_for(ports, bundle_id, [feed] if feed else ())
    name = feed or _only_feed(bundle_id, found)
    bundles = (await read_registry(ports.tree)).bundles
    releases = found.releases(name)
    plan = choose({bundle_id: text}, releases, {each.id: each.version for each in bundles.values()})
    return tuple([await _install(ports, install, name, release, options) for release in plan])


async def archive_of(ports: Ports, wanted: str, feed: str = "") -> bytes:
    """The verified archive of `id@version`, withdrawn or not, or of the newest within `id@range`.

    Raises: NotFoundError: no followed feed offers it. DigestMismatchError. FeedError.
    """
    bundle_id, _, text = wanted.partition("@")
    found = await catalogue(ports, [feed] if feed else (), [creator_of(bundle_id)])
    name = feed or _only_feed(bundle_id, found)
    releases = {each.version: each for each in found.releases(name) if each.id == bundle_id}
    usual = newest_within([version for version, each in releases.items() if not each.yanked], [text])
    version = text if text in releases else usual
    if version is None:
        raise NotFoundError(
            f"expected {wanted} in a feed, found {', '.join(releases) or 'no version of it'}",
            code="no-release",
            hint="`okf search-feed` shows what the feeds offer that are followed here.",
        )
    return await _archive(ports, name, releases[version])


async def check_updates(ports: Ports) -> tuple[Standing, ...]:
    """How every bundle that came from a feed stands there now. One feed that fails is trouble for its own bundles.

    Raises: OkfError: no feed could be asked; the error of the first.
    """
    bundles = [each for each in (await read_registry(ports.tree)).bundles.values() if each.feed]
    subscriptions = await read_subscriptions(ports.tree)
    standings: list[Standing] = []
    failures: list[OkfError] = []
    for name in sorted({each.feed for each in bundles}):
        here = [each for each in bundles if each.feed == name]
        if name not in subscriptions:
            standings += (Standing(each, trouble=f"the feed {name} is not followed any more") for each in here)
            continue
        try:
            found = await catalogue(ports, [name], [creator_of(each.id) for each in here])
        except OkfError as error:
            failures.append(error)
            standings += (Standing(each, trouble=error.message) for each in here)
            continue
        standings += (_standing(each, found) for each in here)
    if failures and len(failures) == len({each.feed for each in bundles}):
        raise failures[0]
    return tuple(sorted(standings, key=lambda each: each.bundle.id))


async def update(
    ports: Ports, install: Install, bundle_ids: Sequence[str], options: InstallOptions
) -> tuple[Installation, ...]:
    """Update bundles to what their feeds offer, with all that they then need; all of them when none is named.

    Raises: FeedError (`feed-trouble`): of some it can't be told what is offered; the others are updated.
    """
    standings = {each.bundle.id: each for each in await check_updates(ports)}
    for bundle_id in bundle_ids:
        if bundle_id not in standings:
            raise NotFoundError(
                f"expected a bundle that came from a feed, found none called {bundle_id!r}",
                code="not-from-feed",
                hint=f"From feeds: {', '.join(standings) or 'none'}.",
            )
    due = [standings[each] for each in bundle_ids or standings if standings[each].offered]
    done: list[Installation] = []
    for standing in due:
        wanted = f"{standing.bundle.id}@{standing.offered}"
        done += await install_from_feed(ports, install, wanted, standing.bundle.feed, options)
    _require_told([standings[each] for each in bundle_ids or standings], done)
    return tuple(done)


def _require_told(standings: Iterable[Standing], done: Sequence[Installation]) -> None:
    if troubles := [f"{each.bundle.id}: {each.trouble}" for each in standings if each.trouble]:
        updated = ", ".join(f"{each.bundle.id}@{each.bundle.version}" for each in done)
        raise FeedError(
            f"expected to learn what is offered of every bundle, found {len(troubles)} of which it can't be told:"
            f" {troubles[0]}{f'; updated: {updated}' if done else ''}",
            code="feed-trouble",
            hint="`okf check-updates` shows how each bundle stands.",
            issues=troubles,
        )


def newer_than(release: Release, others: Iterable[Release]) -> bool:
    """Whether a release is the newest of its bundle that may still be installed."""
    from okf_edge.bundles.versions import compare_versions

    rivals = [each for each in others if not each.yanked]
    return not release.yanked and all(compare_versions(release.version, each.version) >= 0 for each in rivals)


async def _offers_for(ports: Ports, bundle_id: str, feeds: Sequence[str]) -> Catalogue:
    """What is offered of a bundle and of all that its releases need: of few creators, of all where it is not there."""
    creators = {creator_of(bundle_id)}
    for _ in range(_NEEDS_ROUNDS):
        found = await catalogue(ports, feeds, sorted(creators))
        needed = {creator_of(each) for offer in found.offers for each, _ in offer.release.dependencies}
        if needed <= creators:
            if any(offer.release.id == bundle_id for offer in found.offers):
                return found
            break
        creators |= needed
    return await catalogue(ports, feeds)


_NEEDS_ROUNDS = 4
"""How deep needs over several creators are followed one by one."""


def _feed(ports: Ports, subscription: Subscription) -> Feed:
    return Feed(ports.open_store(subscription.url), Kept(ports.device(), subscription.root), SslibVerifier())


def _releases(trusted: Trusted) -> list[Release]:
    return [each for creator, targets in trusted.creators.items() for each in releases_of(creator, targets)]


def _has_words(release: Release, words: Iterable[str]) -> bool:
    text = f"{release.id} {release.title} {release.description}".casefold()
    return all(word in text for word in words)


def _only_feed(bundle_id: str, found: Catalogue) -> str:
    feeds = sorted({each.feed for each in found.offers if each.release.id == bundle_id})
    if len(feeds) > 1:
        raise InputError(
            f"expected one feed with {bundle_id}, found {', '.join(feeds)}",
            code="ambiguous-feed",
            hint="Name one: --feed NAME. Who may publish under an id differs from feed to feed.",
        )
    return feeds[0] if feeds else next((each.feed for each in found.offers), "")


def _standing(bundle: InstalledBundle, found: Catalogue) -> Standing:
    known: Mapping[str, Release] = {each.version: each for each in found.releases(bundle.feed) if each.id == bundle.id}
    own, offered = known.get(bundle.version), newer(bundle.version, known.values())
    trouble = next((each for each in found.troubles if f": {creator_of(bundle.id)}: " in each), "")
    return Standing(bundle, offered.version if offered else "", own.yanked if own else "", trouble)


async def _install(
    ports: Ports, install: Install, feed: str, release: Release, options: InstallOptions
) -> Installation:  # fmt: skip
    subscription = chosen(await read_subscriptions(ports.tree), feed)
    contents = open_zip(await _archive(ports, feed, release))
    await _require_named(contents, release)
    origin = f"{subscription.url}#{release.id}@{release.version}"
    return await install(contents, replace(options, origin=origin, feed=feed, signer=release.signer))


async def _archive(ports: Ports, feed: str, release: Release) -> bytes:
    """The archive of a release, the very bytes that its creator signed for."""
    subscription = chosen(await read_subscriptions(ports.tree), feed)
    data = (await ports.open_store(subscription.url).get(release.key, min(release.bytes, LIMITS.archive_bytes))).data
    if digest_of(data).sha256 != release.sha256:
        raise DigestMismatchError(
            f"expected {release.id} {release.version} with sha256 {release.sha256[:12]}…, found another archive",
            hint="It was damaged or exchanged on its way: nothing was installed.",
        )
    return data


async def _require_named(contents: Contents, release: Release) -> None:
    if MANIFEST not in contents.sizes:
        raise BundleError("expected a bundle with a manifest, found none in the archive", code="wrong-package")
    manifest = read_manifest(await contents.read(MANIFEST))
    stated = (manifest.id, manifest.version, manifest.content_digest)
    if stated != (release.id, release.version, release.content_digest):
        raise BundleError(
            f"expected {release.id} {release.version}, found an archive of {manifest.id} {manifest.version}",
            code="wrong-package",
            hint="The feed names one bundle and holds another: tell its owner. Nothing was installed.",
        )
