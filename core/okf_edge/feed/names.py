"""Where a feed keeps what: the names of metadata and targets in its store.

    metadata/<n>.root.json  metadata/<n>.targets.json  metadata/<n>.<creator>.json  metadata/<n>.snapshot.json
    metadata/timestamp.json                                      the only name that is ever written twice
    targets/<id>/<sha256>.<id>-<version>.okf.zip

Source: TUF specification 1.0, section 6.2 (consistent snapshots).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

ROOT, TARGETS, SNAPSHOT, TIMESTAMP = "root", "targets", "snapshot", "timestamp"
TOP_LEVEL = (ROOT, TARGETS, SNAPSHOT, TIMESTAMP)
FOLDER = "metadata/"
TIMESTAMP_KEY = f"{FOLDER}timestamp.json"
SERVED = "/v1/feed"
"""Where the feed of a service lies below its address."""
HIDDEN = "forbidden"
"""The code by which a service's feed says that a creator's releases are not for the reader's token."""

_VERSIONED = re.compile(rf"{FOLDER}([1-9][0-9]{{0,15}})\.([a-z0-9-]+)\.json")
_TARGET = re.compile(r"[0-9a-f]{64}\.[a-zA-Z0-9.+-]+\.okf\.zip")
_CREATOR = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def metadata_key(role: str, version: int) -> str:
    return f"{FOLDER}{version}.{role}.json"


def versions_of(keys: Iterable[str]) -> dict[str, list[int]]:
    """The versions of each role that a listing names, newest first."""
    found: dict[str, list[int]] = {}
    for key in keys:
        if named := _VERSIONED.fullmatch(key):
            found.setdefault(named[2], []).append(int(named[1]))
    return {role: sorted(versions, reverse=True) for role, versions in found.items()}


def role_in(key: str) -> str:
    """The role whose metadata a key names; empty when it names none."""
    named = _VERSIONED.fullmatch(key)
    return named[2] if named else TIMESTAMP if key == TIMESTAMP_KEY else ""


def target_path(bundle_id: str, version: str) -> str:
    """The name of a release in signed metadata. The folder keeps ids and versions apart: both may hold hyphens."""
    return f"{bundle_id}/{bundle_id}-{version}.okf.zip"


def target_key(path: str, sha256: str) -> str:
    """Where the bytes of a target lie; the digest in the name lets two publishers never write the same name."""
    folder, _, name = path.rpartition("/")
    return f"targets/{folder}/{sha256}.{name}"


def is_target(bundle_id: str, name: str) -> bool:
    """Whether a name below the folder of a bundle can be that of an archive of it."""
    return bool(_TARGET.fullmatch(name)) and name[65:].startswith(f"{bundle_id}-")


def creator_of(bundle_id: str) -> str:
    """Whose bundles an id belongs to: its first segment."""
    return bundle_id.partition(".")[0]


def paths_of_creator(creator: str) -> str:
    """The pattern of all targets that a creator may sign for."""
    return f"{creator}.*/*"


def is_creator(name: str) -> bool:
    """Whether a name can be delegated to: what an id can begin with, and no role of the feed itself."""
    return bool(_CREATOR.fullmatch(name)) and len(name) <= 48 and name not in TOP_LEVEL
