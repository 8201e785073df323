"""The identity of a bundle: one digest over the OKF files, whatever archive or host they came through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

MANIFEST = "okf-bundle.json"
AGENT_INDEX = "agent-index.json"
KNOWLERY_MANIFEST = "knowlery-bundle.json"
INDEX_FILE = "okf-index.duckdb"

DERIVED = frozenset({MANIFEST, AGENT_INDEX, KNOWLERY_MANIFEST, INDEX_FILE})
"""Files at the root that are made from the others and so are no part of the identity."""


@dataclass(frozen=True, slots=True)
class FileDigest:
    """What identifies the content of one file; `sha256` is in lower-case hex."""

    bytes: int
    sha256: str


def digest_of(data: bytes) -> FileDigest:
    return FileDigest(len(data), sha256(data).hexdigest())


def content_digest(files: Mapping[str, FileDigest]) -> str:
    """The sha256, in hex, over path-sorted lines `path NUL bytes NUL sha256` of all files that are not `DERIVED`.

    Paths sort by their UTF-8 bytes. Source: DESIGN section 8.
    """
    whole = sha256()
    for path in sorted(files.keys() - DERIVED, key=str.encode):
        whole.update(f"{path}\0{files[path].bytes}\0{files[path].sha256}\n".encode())
    return whole.hexdigest()
