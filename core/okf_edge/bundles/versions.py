"""Versions of bundles: strict Semantic Versioning 2.0.0, and which newer one may be offered.

Rules:
1. What is no semantic version is refused with a message, never sorted as if it were one.
2. Build metadata (`+b1`) does not count in an order.
3. A pre-release is offered only to whoever has a pre-release, and never across an order that goes down.
"""

from __future__ import annotations

from collections.abc import Iterable

from semver import Version

from okf_edge.errors import InputError

_VERSION_CHARS = 64


def parse_version(text: str) -> Version:
    """Raises: InputError: the text is no semantic version."""
    if len(text) <= _VERSION_CHARS and Version.is_valid(text) and text.isascii():
        return Version.parse(text)
    raise InputError(
        f"expected a semantic version such as 1.2.0 or 2.0.0-rc.1, found {text[:_VERSION_CHARS]!r}",
        code="bad-version",
        hint="Write three numbers without leading zeros: MAJOR.MINOR.PATCH (semver.org).",
    )


def is_version(text: str) -> bool:
    try:
        parse_version(text)
    except InputError:
        return False
    return True


def compare_versions(left: str, right: str) -> int:
    """-1, 0 or 1 as `left` is older than, as new as, or newer than `right`."""
    return parse_version(left).compare(parse_version(right))


def next_version(released: Iterable[str]) -> str:
    """What a publisher may call what comes after these: the next minor version, or the one that was prepared."""
    newest = max(map(parse_version, released), default=None)
    if newest is None:
        return "1.0.0"
    return str(newest.finalize_version() if newest.prerelease else newest.bump_minor())


def offered_version(installed: str, available: Iterable[str]) -> str | None:
    """The newest version that whoever has `installed` should be told of, or None."""
    current = parse_version(installed)
    versions = [parse_version(text) for text in available]
    newer = [each for each in versions if each > current and (current.prerelease or not each.prerelease)]
    return str(max(newer)) if newer else None
