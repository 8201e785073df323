"""Which release of a bundle to take, and which others it needs: decided on values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from okf_edge.bundles.names import confusable_key
from okf_edge.bundles.ranges import is_within, newest_within
from okf_edge.errors import BundleError, InputError, NotFoundError, TooLargeError
from okf_edge.feed.release import Release
from okf_edge.limits import LIMITS

Ranges = Mapping[str, Mapping[str, str]]
"""By id: who asks for it, and in which range of versions."""


def choose(
    wanted: Mapping[str, str], releases: Sequence[Release], installed: Mapping[str, str]
) -> tuple[Release, ...]:  # fmt: skip
    """The releases to install so that what is wanted, by id and range, has all that it needs; needs come first.

    What is installed and serves is left alone.

    Raises:
        NotFoundError (`no-release`): nobody offers it, or no version fits, or all that fit were withdrawn.
        TooLargeError: it needs more bundles than `limits` allow.
    """
    asked: Ranges = {bundle_id: {"you": text} for bundle_id, text in wanted.items()}
    for _ in range(LIMITS.feed_dependencies_count):
        chosen = {each: _pick(each, ranges, releases) for each, ranges in _open(asked, wanted, installed).items()}
        needed = _with_needs(asked, chosen.values())
        if needed == asked:
            return tuple(sorted(chosen.values(), key=lambda each: (-_depth(each, chosen), each.id)))
        asked = needed
    raise TooLargeError(
        f"expected at most {LIMITS.feed_dependencies_count} bundles that need each other, found more",
        hint="Ask the publisher to look at the dependencies.",
    )


def newer(installed: str, releases: Iterable[Release]) -> Release | None:
    """The newest release to tell the holder of a version about, or None."""
    from okf_edge.bundles.versions import offered_version

    offered = {each.version: each for each in releases if not each.yanked}
    version = offered_version(installed, offered)
    return offered[version] if version else None


def require_distinct(bundle_id: str, others: Iterable[str]) -> None:
    """Raises: InputError (`confusable-id`): a reader may take the id for another that is there."""
    key = confusable_key(bundle_id)
    if twins := [other for other in others if other != bundle_id and confusable_key(other) == key]:
        raise InputError(
            f"expected an id that nobody takes for another, found {bundle_id!r} beside {twins[0]!r}",
            code="confusable-id",
            hint="Choose another name.",
        )


def _open(asked: Ranges, wanted: Mapping[str, str], installed: Mapping[str, str]) -> Ranges:
    """What has to be chosen: all but what is installed in a version that serves, unless it is wanted itself."""
    return {
        bundle_id: ranges
        for bundle_id, ranges in asked.items()
        if bundle_id in wanted or bundle_id not in installed or not is_within(installed[bundle_id], ranges.values())
    }


def _pick(bundle_id: str, ranges: Mapping[str, str], releases: Sequence[Release]) -> Release:
    known = {each.version: each for each in releases if each.id == bundle_id}
    version = newest_within((each.version for each in known.values() if not each.yanked), ranges.values())
    if version is not None:
        return known[version]
    raise _absent(bundle_id, ranges, known, {each.id for each in releases})


def _with_needs(asked: Ranges, chosen: Iterable[Release]) -> Ranges:
    needed: dict[str, dict[str, str]] = {
        each: {who: text for who, text in ranges.items() if who == "you"} for each, ranges in asked.items()
    }
    for release in chosen:
        for other, text in release.dependencies:
            needed.setdefault(other, {})[release.id] = text
    return {each: ranges for each, ranges in needed.items() if ranges}


def _depth(release: Release, chosen: Mapping[str, Release], above: frozenset[str] = frozenset()) -> int:
    """How far below others a release is needed: what is needed most deeply is installed first."""
    if release.id in above:
        return 0
    users = [each for each in chosen.values() if release.id in dict(each.dependencies)]
    return max((1 + _depth(each, chosen, above | {release.id}) for each in users), default=0)


def _absent(bundle_id: str, ranges: Mapping[str, str], known: Mapping[str, Release], ids: Iterable[str]) -> BundleError:
    shown = ", ".join(f"{text or 'any version'} (asked by {who})" for who, text in ranges.items())
    withdrawn = [each for each in known.values() if each.yanked and is_within(each.version, ranges.values())]
    if withdrawn:
        return BundleError(
            f"expected a version of {bundle_id} to install, found {withdrawn[-1].version} withdrawn:"
            f" {withdrawn[-1].yanked}",
            code="yanked",
            hint="Ask for another version.",
        )
    similar = get_close_matches(bundle_id, ids, 3)
    hint = f"Similar: {', '.join(similar)}." if similar and not known else f"There are: {', '.join(known) or 'none'}."
    raise NotFoundError(f"expected {bundle_id} in {shown}, found none in the feed", code="no-release", hint=hint)
