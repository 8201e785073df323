"""`log.md` of a bundle that leaves a base: what really changed from one exported version to the next.

A page that left the bundle is counted and never named: it may have been taken out because of its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from okf_edge.bundles.reviews import Release
from okf_edge.okf.listings import Day, Log, write_log
from okf_edge.okf.spelling import encoded_path, escaped_label


def release_log(releases: Sequence[Release], titles: Mapping[str, str]) -> bytes:
    """The log of all releases, the last of which is the one that leaves now.

    Args: titles: of the pages that leave now, by path.
    """
    first, *_ = releases
    days = [Day(first.day, (f"**Initialization**: Version {first.version}, {_pages(len(_notes(first)))}.",))]
    days += [Day(new.day, tuple(_entries(old, new, titles))) for old, new in pairwise(releases)]
    return write_log(Log("Update log", tuple(reversed(days)))).encode()


def _entries(old: Release, new: Release, titles: Mapping[str, str]) -> Iterator[str]:
    before, after = _notes(old), _notes(new)
    added = [path for path in after if path not in before]
    changed = [path for path in after if path in before and before[path] != after[path]]
    removed = len(before.keys() - after.keys())
    yield from _told("Creation", added, new.version, titles)
    yield from _told("Update", changed, new.version, titles)
    if removed:
        yield f"**Removal**: {_pages(removed)} ({new.version})."
    if not added and not changed and not removed:
        yield f"**Release**: Version {new.version}, no page changed."


def _told(word: str, paths: Sequence[str], version: str, titles: Mapping[str, str]) -> Iterator[str]:
    for path in paths:
        if path in titles:
            yield f"**{word}**: [{escaped_label(titles[path])}](/{encoded_path(path)}) ({version})."
    if gone := sum(path not in titles for path in paths):
        yield f"**{word}**: {_pages(gone)} that left since ({version})."


def _notes(release: Release) -> dict[str, str]:
    return {path: digest for path, digest in sorted(release.files.items()) if path.endswith(".md")}


def _pages(count: int) -> str:
    return f"{count} page{'s' if count != 1 else ''}"
