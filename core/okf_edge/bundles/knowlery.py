"""Bundles of Knowlery 1.x: read and verified as they define themselves, and the manifest that their reader needs.

Their `contentHash` is the sha256 over `path LF content` of each concept page and each file below `_sources/`, sorted
by UTF-16 code units and joined by LF. Listings, README, SCHEMA and attachments are no part of it; attachments have
hashes of their own from version 2 on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from okf_edge.bundles.digest import FileDigest
from okf_edge.bundles.manifest import Creator, Manifest
from okf_edge.errors import FormatError, NewerFormatError
from okf_edge.json_text import json_value
from okf_edge.limits import LIMITS

_NEWEST_SCHEMA = 2
_NO_PAGES = frozenset({"README.md", "SCHEMA.md", "log.md"})
_SOURCES = "_sources/"
_PREFIX = "sha256-"


@dataclass(frozen=True, slots=True)
class KnowleryManifest:
    id: str
    version: str
    title: str
    content_hash: str
    attachments: Mapping[str, FileDigest]
    creator: Creator
    licence: str
    released_at: str


def read_knowlery(data: bytes) -> KnowleryManifest:
    """Raises: FormatError: with every problem in `issues`. NewerFormatError."""
    raw = _decode(data)
    number = raw.get("schemaVersion")
    if isinstance(number, int) and number > _NEWEST_SCHEMA:
        raise NewerFormatError(f"expected a Knowlery bundle up to schemaVersion {_NEWEST_SCHEMA}, found {number}")
    problems = [f"{key}: expected a text, found {raw.get(key)!r}" for key in _TEXTS if not _is_text(raw.get(key))]
    attachments = raw.get("attachments", [])
    if number == 1 and "attachments" in raw:
        problems.append("attachments: expected none in schemaVersion 1")
    if not isinstance(attachments, list) or not all(map(_is_attachment, attachments)):
        problems.append("attachments: expected a list of path, bytes and sha256")
    if problems or number not in (1, 2):
        problems = problems or [f"schemaVersion: expected 1 or 2, found {number!r}"]
        raise FormatError(f"expected a Knowlery manifest, found {problems[0]}", code="bad-manifest", issues=problems)
    return _manifest(raw, attachments)


def problems_of_knowlery(
    manifest: KnowleryManifest, markdown: Mapping[str, bytes], digests: Mapping[str, FileDigest]
) -> list[tuple[str, str]]:
    """Deviations of the files from a Knowlery manifest, each with its code."""
    found = []
    if content_hash(markdown) != manifest.content_hash:
        found.append(("hash-mismatch", "contentHash: expected the hash of the pages and sources, found another"))
    for path, promised in manifest.attachments.items():
        if path not in digests:
            found.append(("missing-file", f"{path}: promised and not there"))
        elif digests[path] != promised:
            found.append(("hash-mismatch", f"{path}: expected the promised bytes, found others"))
    unlisted = [path for path in digests if path.startswith("_attachments/") and path not in manifest.attachments]
    return found + [("extra-file", f"{path}: there and not promised") for path in unlisted]


def content_hash(markdown: Mapping[str, bytes]) -> str:
    """The hash as Knowlery defines it, over the pages and sources among the markdown files."""
    pages = sorted((path for path in markdown if is_page(path)), key=lambda path: path.encode("utf-16-be"))
    whole = sha256()
    for number, path in enumerate(pages):
        whole.update(b"\n" if number else b"")
        whole.update(path.encode() + b"\n" + markdown[path])
    return _PREFIX + whole.hexdigest()


def is_page(path: str) -> bool:
    """Whether a markdown file counts as a concept page or source."""
    return path.startswith(_SOURCES) or (path not in _NO_PAGES and path.rpartition("/")[2] != "index.md")


def write_knowlery(manifest: Manifest, markdown: Mapping[str, bytes], attachments: Mapping[str, FileDigest]) -> bytes:
    """The manifest by which a Knowlery reader installs our bundle.

    It names OKF 0.1, the only version that those readers know; version 0.2 adds to it and takes nothing away.
    """
    listed = [
        {"path": path, "bytes": each.bytes, "sha256": _PREFIX + each.sha256} for path, each in attachments.items()
    ]
    plain = {
        "schemaVersion": 2 if listed else 1,
        **({"attachments": listed} if listed else {}),
        "okfVersion": "0.1",
        "id": manifest.id,
        "title": manifest.title,
        "version": manifest.version,
        "creator": {"name": manifest.creator.name, "url": manifest.creator.url},
        "releasedAt": manifest.created,
        "entrypoint": "index.md",
        "contentHash": content_hash(markdown),
        "license": manifest.licence or "personal",
        "knowleryVersion": "1.4.0",
        "conceptCount": len(_concepts(markdown)),
    }
    return (json.dumps(plain, ensure_ascii=False, indent=2) + "\n").encode()


_TEXTS = ("id", "title", "version", "contentHash")


def _decode(data: bytes) -> dict[str, Any]:
    try:
        raw = json_value(data[: LIMITS.manifest_bytes])
    except ValueError as error:
        raise FormatError(f"expected a Knowlery manifest, found no JSON ({error})", code="bad-manifest") from error
    if not isinstance(raw, dict):
        raise FormatError(f"expected a JSON object, found {type(raw).__name__}", code="bad-manifest")
    return raw


def _manifest(raw: Mapping[str, Any], attachments: Sequence[Mapping[str, Any]]) -> KnowleryManifest:
    creator = raw.get("creator")
    named = creator if isinstance(creator, dict) else {}
    return KnowleryManifest(
        raw["id"],
        raw["version"],
        raw["title"],
        raw["contentHash"],
        {each["path"]: FileDigest(each["bytes"], each["sha256"].removeprefix(_PREFIX)) for each in attachments},
        Creator(str(named.get("name", "")), str(named.get("url", ""))),
        str(raw.get("license", "")),
        str(raw.get("releasedAt", "")),
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _is_attachment(value: object) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("bytes"), int)
        and _is_text(value.get("path"))
        and _is_text(value.get("sha256"))
    )


def _concepts(markdown: Iterable[str]) -> list[str]:
    return [path for path in markdown if is_page(path) and not path.startswith(_SOURCES)]
