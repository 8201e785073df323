"""Names under which the items of a base travel: stored alike by every system, and telling nothing of where they lay.

Rules:
1. A concept keeps its path. A source goes to `references/`, an attachment to `attachments/`, by its name alone: the
   folders around it are the owner's business.
2. What some system can't store is replaced by a dash; of names that collide each gets the digest of its old path, so
   that a name does not depend on the order of the others.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from hashlib import sha256

from okf_edge.bundles.closure import Item
from okf_edge.bundles.names import collision_key, collisions, problems_of_path
from okf_edge.limits import LIMITS

_PLACES = {"source": "references/", "attachment": "attachments/"}
_LISTINGS = frozenset({"index.md", "log.md"})
_SCHEMA = "SCHEMA.md"
_SUFFIX_BYTES = 24
_LONG_NOTE_SUFFIX = re.compile(r"\.markdown\Z|\.md\Z", re.IGNORECASE)
_BAD = re.compile(r'[<>:"|?*\\\x00-\x1f\x7f]')


def portable_paths(items: Iterable[Item]) -> dict[str, str]:
    """The path of each item in the bundle, by its path in the base."""
    wanted = {item.path: _portable(_placed(item)) for item in items}
    taken: dict[str, list[str]] = defaultdict(list)
    for path, name in wanted.items():
        taken[collision_key(name)].append(path)
    unclear = {path for paths in taken.values() if len(paths) > 1 for path in paths}
    unclear |= {path for path, name in wanted.items() if _is_taken(path, name)}
    named = {path: _marked(path, name) if path in unclear else name for path, name in wanted.items()}
    return _without_collisions(named)


def _placed(item: Item) -> str:
    place = _PLACES.get(item.kind, "")
    path = place + item.path.rpartition("/")[2] if place else item.path
    return _LONG_NOTE_SUFFIX.sub(".md", path)


def _portable(path: str) -> str:
    return "/".join(_segment(part) for part in path.split("/"))


def _segment(part: str) -> str:
    name = _BAD.sub("-", part).strip(" ").rstrip(". ") or "_"
    name = "".join("-" if problems_of_path(f"a{char}b") else char for char in name) if not name.isascii() else name
    stem, dot, suffix = name.rpartition(".")
    room = LIMITS.path_segment_bytes - _SUFFIX_BYTES
    if len(name.encode()) > room:
        name = (stem or name).encode()[: room - len(suffix) - 1].decode(errors="ignore") + dot + suffix
    return f"_{name}" if any(problem.code == "unportable-name" for problem in problems_of_path(name)) else name


def _is_taken(path: str, name: str) -> bool:
    """Whether the name means something else in a bundle, or is too long for it."""
    if path == _SCHEMA:
        return False
    last = name.rpartition("/")[2].casefold()
    return last in _LISTINGS or name.casefold() == _SCHEMA.casefold() or bool(problems_of_path(name))


def _marked(path: str, name: str) -> str:
    """The name with a digest of the old path; one that is too long or too deep loses its folders."""
    digest = sha256(path.encode(errors="surrogatepass")).hexdigest()[:8]
    folder, slash, last = name.rpartition("/")
    stem, dot, suffix = last.rpartition(".")
    marked = f"{stem}-{digest}.{suffix}" if dot and stem else f"{last}-{digest}"
    whole = f"{folder}{slash}{marked}"
    return marked if problems_of_path(whole) else whole


def _without_collisions(named: Mapping[str, str]) -> dict[str, str]:
    """Folders that collide with files or are spelled in two ways are rare: then the files in them lose their folder."""
    stuck = {problem.path for problem in collisions(sorted(named.values()))}
    return {path: _marked(path, name.rpartition("/")[2]) if name in stuck else name for path, name in named.items()}
