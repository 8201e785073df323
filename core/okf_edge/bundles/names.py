"""Names that are safe and mean the same file on every system, and ids of bundles.

Rules:
1. A path is portable when Linux, macOS, Windows, Android and a zip reader all take it for the same one file below the
   bundle's root. Anything else is refused, never repaired: a repaired name is a name that nobody approved.
2. Two paths collide when some file system would store them as one: equal under NFC and case folding, or one is a
   file where the other needs a directory.
3. A bundle id is `creator.name`: lower-case ASCII, at least two segments. Titles of other scripts get a digest, so
   that two of them never become one id.

Source: Win32 "Naming Files, Paths, and Namespaces"; HFS+ and APFS normalisation; OKF v0.2 section 3.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from okf_edge.limits import LIMITS, Limits

RESERVED_DIRECTORIES = frozenset({".git", ".obsidian", ".okf", ".knowlery", ".hg", ".svn", ".ssh", ".vscode", ".trash"})
"""Folders whose content some program obeys: nothing from outside is ever written into one."""

_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9¹²³]|lpt[0-9¹²³])", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:")
_ID_SEGMENT = r"[a-z0-9]+(?:-[a-z0-9]+)*"
_BUNDLE_ID = re.compile(rf"{_ID_SEGMENT}(?:\.{_ID_SEGMENT})+")
_BUNDLE_ID_CHARS = 100
_SLUG_CHARS = 48
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


@dataclass(frozen=True, slots=True)
class NameProblem:
    """Why a path was refused; `code` is the reason that an error carries."""

    code: str
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path!r}: {self.message}"


def problems_of_path(path: str, limits: Limits = LIMITS) -> tuple[NameProblem, ...]:
    """Everything that makes a path unsafe or not portable; empty when it is fine."""
    found = [*_escapes(path), *_sizes(path, limits)]
    for segment in path.replace("\\", "/").split("/"):
        found += _segment_problems(path, segment)
    return tuple(dict.fromkeys(found))


def problems_of_paths(
    files: Sequence[str], directories: Sequence[str] = (), limits: Limits = LIMITS
) -> tuple[NameProblem, ...]:
    """The problems of each path, then the collisions between them."""
    single = [problem for path in (*files, *directories) for problem in problems_of_path(path, limits)]
    return (*single, *collisions(files, directories))


def collisions(files: Iterable[str], directories: Iterable[str] = ()) -> tuple[NameProblem, ...]:
    """Paths that some file system would store as one: two files, a file and a directory, a directory spelled twice."""
    spelled: dict[str, str] = {}
    found = []
    for path in files:
        key = collision_key(path)
        if key in spelled:
            found.append(NameProblem("name-collision", path, f"is the same file as {spelled[key]!r} on some system"))
        spelled.setdefault(key, path)
    for directory, owner in _directories(spelled.values(), directories):
        key = collision_key(directory)
        if key in spelled and not spelled[key].endswith("/"):
            found.append(NameProblem("name-collision", spelled[key], f"is a file where {owner!r} needs a directory"))
        elif spelled.setdefault(key, f"{directory}/") != f"{directory}/":
            found.append(NameProblem("name-collision", owner, f"spells the folder {spelled[key]!r} another way"))
    return tuple(dict.fromkeys(found))


def collision_key(path: str) -> str:
    """Equal for paths that a case-insensitive or normalising file system takes for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def is_reserved(path: str) -> bool:
    """Whether a path lies in (or is) a folder that some program obeys."""
    return any(segment.rstrip(". ").casefold() in RESERVED_DIRECTORIES for segment in re.split(r"[/\\]", path))


def is_hidden(path: str) -> bool:
    """Whether any part of the path starts with a dot, or is a leftover of an archiver."""
    return any(part.startswith(".") or part == "__MACOSX" for part in path.split("/"))


def problems_of_bundle_id(bundle_id: str) -> tuple[str, ...]:
    """What is wrong with an id, in words; empty when it is fine."""
    found = []
    if not _BUNDLE_ID.fullmatch(bundle_id):
        found.append(
            f"expected an id such as 'creator.name' (a-z, 0-9, '-', at least two segments), found {bundle_id!r}"
        )
    if len(bundle_id) > _BUNDLE_ID_CHARS:
        found.append(f"expected an id of at most {_BUNDLE_ID_CHARS} characters, found {len(bundle_id)}")
    if any(_DEVICE.fullmatch(segment) for segment in bundle_id.split(".")):
        found.append(f"expected no device name of Windows as a segment, found {bundle_id!r}")
    return tuple(found)


def derive_bundle_id(creator: str, title: str) -> str:
    """An id made of a creator and a title.

    Letters that have no place in an id are dropped, and a digest of the title is added whenever a letter was
    dropped, so that different titles of any script give different ids.
    """
    return f"{_id_segment(creator)}.{_id_segment(title)}"


def confusable_key(bundle_id: str) -> str:
    """Equal for ids that a reader may take for one another: `1`/`l`/`i`, `0`/`o`, `rn`/`m`, `vv`/`w`, hyphens, dots."""
    key = re.sub(r"[.-]", "", bundle_id)
    for seen, meant in (("rn", "m"), ("vv", "w"), ("cl", "d"), ("0", "o"), ("1", "l"), ("i", "l"), ("5", "s")):
        key = key.replace(seen, meant)
    return key


def _escapes(path: str) -> list[NameProblem]:
    plain = path.replace("\\", "/")
    found = []
    if plain.startswith("/"):
        found.append(NameProblem("unsafe-path", path, "is absolute"))
    if _DRIVE.match(plain):
        found.append(NameProblem("unsafe-path", path, "names a drive"))
    if "\\" in path:
        found.append(NameProblem("unsafe-path", path, "has a backslash, which separates folders on Windows"))
    if {".", ".."} & set(plain.split("/")):
        found.append(NameProblem("unsafe-path", path, "has a '.' or '..' segment"))
    if not path or "//" in plain or plain.endswith("/"):
        found.append(NameProblem("unsafe-path", path, "has an empty segment"))
    if is_reserved(path):
        found.append(NameProblem("reserved-path", path, "lies in a folder that a program obeys"))
    return found


def _sizes(path: str, limits: Limits) -> list[NameProblem]:
    found = []
    segments = path.split("/")
    longest = max(len(segment.encode("utf-8", "surrogatepass")) for segment in segments)
    if longest > limits.path_segment_bytes:
        found.append(NameProblem("path-too-long", path, f"has a name of {longest} bytes"))
    if len(path) > limits.path_chars:
        found.append(NameProblem("path-too-long", path, f"has {len(path)} characters"))
    if len(segments) - 1 > limits.path_depth_count:
        found.append(NameProblem("path-too-deep", path, f"lies {len(segments) - 1} folders deep"))
    return found


def _segment_problems(path: str, segment: str) -> list[NameProblem]:
    found = []
    bad = sorted(_unstorable(segment))
    if bad:
        shown = " ".join(repr(char) for char in bad)
        found.append(NameProblem("unportable-name", path, f"has characters that not every system can store: {shown}"))
    if segment not in {".", ".."} and segment != segment.rstrip(". "):
        found.append(NameProblem("unportable-name", path, "has a name that ends in a dot or space"))
    if segment != segment.lstrip(" "):
        found.append(NameProblem("unportable-name", path, "has a name that starts with a space"))
    if _DEVICE.fullmatch(segment.split(".")[0].rstrip(" ")):
        found.append(NameProblem("unportable-name", path, "is the name of a device on Windows"))
    return found


def _unstorable(segment: str) -> set[str]:
    """Characters that Windows forbids, and unseen ones that make a name look like another.

    Joiners stay where they shape emoji and Persian words: between letters that are not ASCII.
    """
    joined = re.sub(r"(?<=[^\x00-\x7f])[\u200c\u200d](?=[^\x00-\x7f])", "", segment)
    return {char for char in joined if char in '<>:"|?*' or unicodedata.category(char) in _UNSEEN}


def _directories(files: Iterable[str], named: Iterable[str]) -> list[tuple[str, str]]:
    """Every directory that is named or that a file needs, each with who asks for it."""
    found = [(directory, directory) for directory in named]
    for path in [*files, *(directory for directory, _ in found)]:
        parts = path.split("/")
        found += [("/".join(parts[:end]), path) for end in range(1, len(parts))]
    return list({directory: (directory, owner) for directory, owner in reversed(found)}.values())


def _id_segment(text: str) -> str:
    lowered = unicodedata.normalize("NFC", text).casefold()
    slug = "-".join(re.findall(r"[a-z0-9]+", lowered))
    dropped = any(not char.isascii() for char in lowered)
    if dropped or not slug or len(slug) > _SLUG_CHARS or _DEVICE.fullmatch(slug):
        slug = f"{slug[:_SLUG_CHARS]}-{sha256(lowered.encode()).hexdigest()[:10]}".replace("--", "-").lstrip("-")
    return slug
