"""What a feed's owner and its creators do: make a feed, let creators in, publish, withdraw, rotate keys, refresh.

Each is one attempt on what the store holds, made again while somebody else is first.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Literal, TypeVar

from okf_edge.errors import AlreadyExistsError, FeedError, InputError, NotFoundError, PreconditionError
from okf_edge.feed import drafts
from okf_edge.feed.admitting import added, next_releases, require_nothing_new
from okf_edge.feed.holding import Held, Holding, held_by
from okf_edge.feed.metadata import Root, Targets
from okf_edge.feed.names import ROOT, SNAPSHOT, TARGETS, TIMESTAMP, TOP_LEVEL, metadata_key, target_path
from okf_edge.feed.release import Release, release_of, releases_of
from okf_edge.feed.trusted import creators_of, next_targets
from okf_edge.feed.writer import Writer, can_sign, commit, create_once, require_conditions, sign, write
from okf_edge.limits import LIMITS

Result = TypeVar("Result")
Outcome = Literal["done", "unchanged", "waiting"]

ATTEMPTS_COUNT = 20
"""How often a publisher looks again. Each time somebody else has published, so the feed itself gets on."""


@dataclass(frozen=True, slots=True)
class Change:
    """What was done. `waiting`: all is in the store, and in force once the feed's owner has refreshed the feed."""

    outcome: Outcome
    snapshot: int | None


async def create_feed(writer: Writer, keys: int, threshold: int, now: datetime) -> str:
    """Make a feed with fresh keys; made again after a crash, it goes on.

    Returns: the digest of its first root, which readers pin.
    Raises: AlreadyExistsError: there is a feed. StoreError: the store ignores conditions.
    """
    await require_conditions(writer.store)
    try:
        holding = await held_by(writer.store, writer.verifier)
    except NotFoundError:
        await _write_first_root(writer, keys, threshold, now)
        holding = await held_by(writer.store, writer.verifier)
    if holding.timestamp is not None:
        raise AlreadyExistsError("expected no feed there, found one", hint="`okf feed status` shows it.")
    if holding.targets is None and TARGETS not in holding.taken:
        await write(writer, TARGETS, await sign(writer, [holding.root.signed], TARGETS, drafts.no_targets(now)))
    await commit(writer, await held_by(writer.store, writer.verifier), now)
    return await pin_of(writer)


async def pin_of(writer: Writer) -> str:
    return sha256((await writer.store.get(metadata_key(ROOT, 1), LIMITS.feed_root_bytes)).data).hexdigest()


async def add_creator(writer: Writer, creator: str, keys: Sequence[bytes], now: datetime) -> Change:
    """Let a creator publish bundles whose ids begin with their name."""

    async def attempt(holding: Holding) -> Change:
        targets = _targets(holding)
        if creator in creators_of(targets.signed):
            raise AlreadyExistsError(
                f"expected a new creator, found that {creator} may publish already",
                hint="`okf feed rotate` gives a creator another key.",
            )
        return await _delegate(writer, holding, creator, keys, None, now)

    return await _again(writer, attempt)


async def rotate(writer: Writer, role: str, keys: Sequence[bytes], now: datetime, known_good: int = 0) -> Change:
    """Replace the keys of a role, because they were lost, stolen or old.

    Args: known_good: the version of a creator's releases to sign anew; 0 for the newest.
    """

    async def attempt(holding: Holding) -> Change:
        if role not in TOP_LEVEL:
            return await _rotate_creator(writer, holding, role, keys, known_good, now)
        before = holding.root.signed
        after = drafts.with_keys(before, role, keys, now)
        if role == TARGETS:
            await _hand_over_targets(writer, holding, before, after, now)
        await write(writer, ROOT, await sign(writer, [before, after], ROOT, after))
        return await _committed(writer, now)

    return await _again(writer, attempt)


async def refresh_feed(writer: Writer, now: datetime) -> Change:
    """Put in force what creators have sent, and sign again what ends soon, as far as keys are at hand."""

    async def attempt(holding: Holding) -> Change:
        root, targets = holding.root.signed, _targets(holding).signed
        if drafts.ends_soon(root.expires, now, drafts.OFFLINE_LIFE) and await can_sign(writer, root, ROOT):
            renewed = drafts.renewed(root, now)
            await write(writer, ROOT, await sign(writer, [root, renewed], ROOT, renewed))
        if drafts.ends_soon(targets.expires, now, drafts.OFFLINE_LIFE) and await can_sign(writer, root, TARGETS):
            await _write_targets(writer, holding, root, drafts.renewed(targets, now))
        for creator, held in (*holding.creators.items(), *holding.stale.items()):
            is_due = creator in holding.stale or drafts.ends_soon(held.signed.expires, now, drafts.OFFLINE_LIFE)
            if is_due and await can_sign(writer, targets, creator):
                await _write_releases(writer, holding, targets, creator, drafts.renewed(held.signed, now))
        return await _committed(writer, now, holding)

    return await _again(writer, attempt)


async def publish(writer: Writer, release: Release, archive: bytes, now: datetime) -> Change:
    """Publish a release. Publishing the same bytes again changes nothing and finishes what was left half done.

    Raises: BundleError (`version-conflict`): the version is there with other bytes. InputError: who may not publish.
    """

    async def attempt(holding: Holding) -> Change:
        held = _releases(holding, release.creator)
        listed = held and held.signed.targets.get(release.path)
        if not (listed and release_of(listed).sha256 == release.sha256 and not release_of(listed).yanked):
            _require_creator(holding, release.creator)
            changed = drafts.with_release(held.signed if held else drafts.no_targets(now), release, now)
            await create_once(writer.store, release.key, archive)
            await _write_releases(writer, holding, _targets(holding).signed, release.creator, changed)
        return await _committed(writer, now, holding)

    return await _again(writer, attempt)


async def admit(writer: Writer, release: Release, archive: bytes, metadata: bytes, now: datetime) -> Change:
    """Publish a release that its creator has signed elsewhere.

    Args: metadata: the next releases of the creator, with this one.
    Raises: FeedError, InputError (`precondition-failed`): see `admitting`.
    """
    creator = release.creator

    async def attempt(holding: Holding) -> Change:
        _targets(holding)
        _require_creator(holding, creator)
        held = holding.creators.get(creator)
        following = next_releases(holding, creator, metadata, writer.verifier, now)
        if following is not held:
            _require_alone(release, added(creator, held, following))
            await create_once(writer.store, release.key, archive)
            await write(writer, creator, following)
        else:
            _require_alone(
                release, [each for each in releases_of(creator, following.signed) if each.path == release.path]
            )
        return await _committed(writer, now, holding)

    return await _again(writer, attempt)


async def admit_list(writer: Writer, creator: str, metadata: bytes, now: datetime) -> Change:
    """Put in force what a creator signed elsewhere about what is released already: withdrawn, or signed anew.

    Raises: FeedError, InputError (`precondition-failed`): see `admitting`; `release-differs`: it releases something.
    """

    async def attempt(holding: Holding) -> Change:
        _targets(holding)
        _require_creator(holding, creator)
        following = next_releases(holding, creator, metadata, writer.verifier, now)
        if following is not holding.creators.get(creator):
            require_nothing_new(creator, _releases(holding, creator), following)
            await write(writer, creator, following)
        return await _committed(writer, now, holding)

    return await _again(writer, attempt)


async def yank(writer: Writer, bundle_id: str, version: str, reason: str, now: datetime) -> Change:
    """Withdraw a release: it stays listed, so that its holders learn why, and is never installed again."""

    async def attempt(holding: Holding) -> Change:
        path = target_path(bundle_id, version)
        creator = bundle_id.partition(".")[0]
        held = _releases(holding, creator)
        if held is None or path not in held.signed.targets:
            raise NotFoundError(f"expected a release {bundle_id} {version} in the feed, found none", code="no-release")
        if release_of(held.signed.targets[path]).yanked != reason:
            changed = drafts.with_withdrawn(held.signed, path, reason, now)
            await _write_releases(writer, holding, _targets(holding).signed, creator, changed)
        return await _committed(writer, now, holding)

    return await _again(writer, attempt)


def released(holding: Holding) -> tuple[Release, ...]:
    """Everything that is in the store, by creator and path."""
    return tuple(each for name, held in holding.creators.items() for each in releases_of(name, held.signed))


async def _again(writer: Writer, attempt: Callable[[Holding], Awaitable[Result]]) -> Result:
    for _ in range(ATTEMPTS_COUNT):
        try:
            return await attempt(await held_by(writer.store, writer.verifier))
        except PreconditionError:
            continue
    raise PreconditionError(
        f"expected to be first once in {ATTEMPTS_COUNT} attempts, found somebody else writing each time",
        hint="Try again: nothing was lost, and what was uploaded is used.",
    )


async def _committed(writer: Writer, now: datetime, before: Holding | None = None) -> Change:
    """What the store holds now, put in force."""
    holding = await held_by(writer.store, writer.verifier)
    snapshot = await commit(writer, holding, now)
    if snapshot is None:
        return Change("waiting", None)
    unchanged = before is not None and before.snapshot is not None and before.snapshot.version == snapshot
    return Change("unchanged" if unchanged else "done", snapshot)


async def _write_first_root(writer: Writer, keys: int, threshold: int, now: datetime) -> None:
    offline = [(await writer.keyring.create(offline=True)).public_key for _ in range(keys)]
    snapshot, timestamp = [(await writer.keyring.create()).public_key for _ in (SNAPSHOT, TIMESTAMP)]
    root = drafts.root_of(offline, threshold, snapshot, timestamp, now)
    await write(writer, ROOT, await sign(writer, [root], ROOT, root))


async def _delegate(
    writer: Writer, holding: Holding, creator: str, keys: Sequence[bytes], releases: Targets | None, now: datetime
) -> Change:
    """The releases are written before the targets name their key: until then nobody looks at them."""
    targets = drafts.with_creator(_targets(holding).signed, creator, keys, now)
    if await can_sign(writer, targets, creator):
        await _write_releases(writer, holding, targets, creator, releases or drafts.no_targets(now))
    await _write_targets(writer, holding, holding.root.signed, targets)
    return await _committed(writer, now)


async def _rotate_creator(
    writer: Writer, holding: Holding, creator: str, keys: Sequence[bytes], known_good: int, now: datetime
) -> Change:
    _require_creator(holding, creator)
    held = _releases(holding, creator)
    releases = held.signed if held else None
    if known_good:
        data = (await writer.store.get(metadata_key(creator, known_good), LIMITS.feed_targets_bytes)).data
        meta = drafts.meta_of(known_good, data)
        releases = next_targets(_targets(holding).signed, creator, meta, data, writer.verifier)
    return await _delegate(writer, holding, creator, keys, drafts.renewed(releases, now) if releases else None, now)


async def _write_releases(
    writer: Writer, holding: Holding, targets: Targets, creator: str, content: Targets
) -> None:  # fmt: skip
    named = holding.snapshot.meta.get(f"{creator}.json") if holding.snapshot else None
    content.version = holding.free(creator, above=max(content.version - 1, named.version if named else 0))
    await write(writer, creator, await sign(writer, [targets], creator, content))


async def _hand_over_targets(writer: Writer, holding: Holding, before: Root, after: Root, now: datetime) -> None:
    """Targets that the old and the new keys signed, in force before the new root is: readers never wait.

    Without the old keys at hand they wait until the new root is there.
    """
    delegators = [before, after] if await can_sign(writer, before, TARGETS) else [after]
    content = drafts.renewed(_targets(holding).signed, now)
    content.version = holding.free(TARGETS, above=content.version - 1)
    await write(writer, TARGETS, await sign(writer, delegators, TARGETS, content))
    await _committed(writer, now)


async def _write_targets(writer: Writer, holding: Holding, root: Root, content: Targets) -> None:
    content.version = holding.free(TARGETS, above=content.version - 1)
    await write(writer, TARGETS, await sign(writer, [root], TARGETS, content))


def _releases(holding: Holding, creator: str) -> Held[Targets] | None:
    return holding.creators.get(creator) or holding.stale.get(creator)


def _targets(holding: Holding) -> Held[Targets]:
    if holding.targets is None:
        raise NotFoundError("expected a whole feed, found one half made", code="no-feed", hint="Run `okf feed init`.")
    return holding.targets


def _require_alone(release: Release, found: Sequence[Release]) -> None:
    """What the archive says of itself is what its creator signed, and nothing else is released beside it."""
    if [replace(each, signer="") for each in found] != [release]:
        shown = ", ".join(f"{each.id} {each.version}" for each in found) or "none"
        raise FeedError(
            f"expected signed releases with {release.id} {release.version} as its archive says, found {shown}",
            code="release-differs",
            hint="Sign what the archive says of itself, one release at a time.",
        )


def _require_creator(holding: Holding, creator: str) -> None:
    known = creators_of(_targets(holding).signed)
    if creator not in known:
        raise InputError(
            f"expected a creator who may publish, found {creator!r}; known: {', '.join(known) or 'none'}",
            code="unknown-creator",
            hint="The feed's owner lets a creator in with `okf feed add-creator`.",
        )
