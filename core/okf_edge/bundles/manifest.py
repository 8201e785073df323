"""`okf-bundle.json`: what a bundle says it is, and every file that it consists of.

Rules:
1. The JSON Schema in `schemas/bundle.schema.json` fixes the format; its number is `schema`. A higher number is left to
   a later version of okf-edge.
2. Keys that we do not know are kept in `unknown` and written back.
3. Nothing in a manifest takes effect by itself: it is compared with the files, never obeyed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal

from okf_edge.bundles.digest import DERIVED, INDEX_FILE, MANIFEST, FileDigest, content_digest
from okf_edge.bundles.names import problems_of_bundle_id, problems_of_paths
from okf_edge.bundles.versions import is_version
from okf_edge.errors import FormatError, NewerFormatError
from okf_edge.json_text import json_value
from okf_edge.limits import LIMITS

SCHEMA_NUMBER = 1
FileKind = Literal["concept", "listing", "reference", "attachment", "derived", "index"]

_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class ListedFile:
    """One file of the bundle; `sha256` is in lower-case hex."""

    path: str
    bytes: int
    sha256: str
    kind: FileKind


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """The index inside the bundle. `embedder` is empty for a lexical index."""

    path: str
    bytes: int
    sha256: str
    schema: int
    pipeline: str
    embedder: str
    embedder_digest: str
    chunks: int


@dataclass(frozen=True, slots=True)
class Dependency:
    """Another bundle that this one links into; `version` is a semver range such as `>=1.2,<2`."""

    id: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class Creator:
    name: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """`local` marks a bundle made from a knowledge base without a review: it can be installed but never published.

    `created` is an instant taken from the content (never the time of the run, so that exports repeat), or empty.
    """

    id: str
    version: str
    title: str
    content_digest: str
    files: tuple[ListedFile, ...]
    description: str = ""
    creator: Creator = Creator()
    licence: str = ""
    created: str = ""
    okf_version: str = "0.2"
    index: IndexInfo | None = None
    dependencies: tuple[Dependency, ...] = ()
    generator: str = ""
    local: bool = False
    unknown: Mapping[str, Any] = field(default_factory=dict)

    @property
    def digests(self) -> Mapping[str, FileDigest]:
        return {file.path: FileDigest(file.bytes, file.sha256) for file in self.files}


def read_manifest(data: bytes) -> Manifest:
    """Raises:
    FormatError: with every problem in `issues`.
    NewerFormatError: the manifest's `schema` is above ours.
    """
    raw = _decode(data)
    _require_known_schema(raw)
    manifest = _typed(raw)
    problems = problems_of(manifest)
    if problems:
        raise _bad(problems)
    return manifest


def write_manifest(manifest: Manifest) -> bytes:
    """JSON with keys in the order of the fields, so that equal manifests have equal bytes."""
    plain = {"schema": SCHEMA_NUMBER, **_plain(manifest), **manifest.unknown}
    return (json.dumps(plain, ensure_ascii=False, indent=1) + "\n").encode()


def problems_of(manifest: Manifest) -> tuple[str, ...]:
    """What is wrong with a manifest by itself, before any file is looked at."""
    found = [*problems_of_bundle_id(manifest.id)]
    if not is_version(manifest.version):
        found.append(f"version: expected a semantic version, found {manifest.version!r}")
    if not manifest.title.strip():
        found.append("title: expected a text, found none")
    found += [f"files: {problem}" for problem in problems_of_paths([file.path for file in manifest.files])]
    found += [f"files: {file.path!r} has no sha256 of 64 hex digits" for file in manifest.files if _bad_digest(file)]
    found += [f"files: {MANIFEST} can't list itself" for file in manifest.files if file.path == MANIFEST]
    found += _index_problems(manifest)
    found += [
        f"dependencies: {problem}" for each in manifest.dependencies for problem in problems_of_bundle_id(each.id)
    ]
    if not found and content_digest(manifest.digests) != manifest.content_digest:
        found.append("content_digest: expected the digest of the listed files, found another")
    return tuple(found)


def kind_of(path: str) -> FileKind:
    """What a file is in a bundle, by its place and name."""
    if path in DERIVED:
        return "index" if path == INDEX_FILE else "derived"
    if path.rpartition("/")[2] in {"index.md", "log.md"}:
        return "listing"
    if path.startswith("references/"):
        return "reference"
    return "concept" if path.casefold().endswith(".md") else "attachment"


def listed_files(digests: Mapping[str, FileDigest]) -> tuple[ListedFile, ...]:
    return tuple(
        ListedFile(path, digests[path].bytes, digests[path].sha256, kind_of(path))
        for path in sorted(digests, key=str.encode)
    )


def _decode(data: bytes) -> dict[str, Any]:
    if len(data) > LIMITS.manifest_bytes:
        raise _bad([f"expected at most {LIMITS.manifest_bytes:,} bytes, found {len(data):,}"])
    try:
        raw = json_value(data, object_pairs_hook=_unique_keys)
    except ValueError as error:
        raise _bad([f"expected JSON, found damage ({error})"]) from error
    if not isinstance(raw, dict):
        raise _bad([f"expected a JSON object, found {type(raw).__name__}"])
    return raw


def _unique_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Two readers may pick different ones of two equal keys: there must be one."""
    keys = dict(pairs)
    if len(keys) < len(pairs):
        raise ValueError("a key is there twice")
    return keys


def _require_known_schema(raw: Mapping[str, Any]) -> None:
    number = raw.get("schema")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise _bad([f"schema: expected a whole number from 1, found {number!r}"])
    if number > SCHEMA_NUMBER:
        raise NewerFormatError(
            f"expected a bundle manifest of schema {SCHEMA_NUMBER} or less, found {number}",
            hint="Upgrade okf-edge; nothing was changed.",
        )


def _typed(raw: Mapping[str, Any]) -> Manifest:
    """Checked types, with pydantic at this border only: it is never imported where a question is answered."""
    from pydantic import TypeAdapter, ValidationError

    known = {each.name for each in fields(Manifest)} - {"unknown"}
    unknown = {key: value for key, value in raw.items() if key not in known | {"schema"}}
    adapter = TypeAdapter(Manifest)
    try:
        text = json.dumps({**{key: raw[key] for key in raw.keys() & known}, "unknown": unknown})
        return adapter.validate_json(text, strict=True)
    except ValidationError as error:
        raise _bad([f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()]) from error


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        named = ((each.name, getattr(value, each.name)) for each in fields(value) if each.name != "unknown")
        return {name: _plain(each) for name, each in named}
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def _bad_digest(file: ListedFile) -> bool:
    return not _SHA256.fullmatch(file.sha256) or file.bytes < 0


def _index_problems(manifest: Manifest) -> list[str]:
    index = manifest.index
    if index is None:
        return []
    if manifest.digests.get(index.path) != FileDigest(index.bytes, index.sha256):
        return [f"index: expected {index.path!r} among the files with the same size and sha256, found another"]
    return []


def _bad(issues: Sequence[str]) -> FormatError:
    return FormatError(
        f"expected a bundle manifest, found {len(issues)} problems: {issues[0]}",
        code="bad-manifest",
        hint="The bundle must be exported again.",
        issues=issues,
    )
