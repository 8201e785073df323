"""One release of a bundle in a feed: what its creator signed of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from okf_edge.errors import FeedError
from okf_edge.feed.metadata import TargetFile, Targets
from okf_edge.feed.names import creator_of, target_key, target_path


@dataclass(frozen=True, slots=True)
class Release:
    """A version of a bundle. `sha256` and `bytes` are those of the archive; `yanked` tells why it was withdrawn.

    `dependencies` are ids and version ranges; `signer` is the creator who signed, once a signature was verified.
    """

    id: str
    version: str
    title: str
    bytes: int
    sha256: str
    content_digest: str
    description: str = ""
    licence: str = ""
    dependencies: tuple[tuple[str, str], ...] = ()
    yanked: str = ""
    signer: str = ""

    @property
    def path(self) -> str:
        return target_path(self.id, self.version)

    @property
    def key(self) -> str:
        return target_key(self.path, self.sha256)

    @property
    def creator(self) -> str:
        return creator_of(self.id)


_TEXTS = ("id", "version", "title", "content_digest", "description", "licence", "yanked")
_NEEDED = ("id", "version", "title", "content_digest")


def target_of(release: Release) -> TargetFile:
    """The release as signed metadata."""
    texts = {name: getattr(release, name) for name in _TEXTS if getattr(release, name) or name in _NEEDED}
    custom = {**texts, "dependencies": [{"id": each, "version": range_} for each, range_ in release.dependencies]}
    return TargetFile(release.bytes, {"sha256": release.sha256}, release.path, {"custom": custom})


def release_of(target: TargetFile) -> Release:
    """Raises: FeedError (`bad-release`): it does not say what a release says, or says it under another's name."""
    custom = target.custom or {}
    texts = {name: custom.get(name, "") for name in _TEXTS}
    if not all(isinstance(text, str) for text in texts.values()) or not all(texts[name] for name in _NEEDED):
        raise _bad(target.path, "has no id, version, title and digest")
    dependencies = custom.get("dependencies", [])
    if not isinstance(dependencies, list):
        raise _bad(target.path, "has no list of dependencies")
    release = Release(
        bytes=target.length,
        sha256=target.hashes.get("sha256", ""),
        dependencies=tuple(_dependency(target.path, each) for each in dependencies),
        **texts,
    )
    if release.path != target.path or not release.sha256:
        raise _bad(target.path, f"says it is {release.id} {release.version}")
    return release


def releases_of(creator: str, targets: Targets) -> Iterator[Release]:
    """What a creator released, signed for by that creator. What lies outside of the delegation is not looked at."""
    for path, target in sorted(targets.targets.items()):
        if creator_of(path) == creator:
            yield replace(release_of(target), signer=creator)


def _dependency(path: str, raw: Any) -> tuple[str, str]:
    if not isinstance(raw, Mapping) or not all(isinstance(raw.get(name, ""), str) for name in ("id", "version")):
        raise _bad(path, "has a dependency without an id")
    return raw.get("id", ""), raw.get("version", "")


def _bad(path: str, what: str) -> FeedError:
    return FeedError(f"expected a release at {path!r}, found metadata that {what}", code="bad-release")
