"""The manifest of a bundle: its JSON, its digest, and what makes one be refused."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files

import jsonschema
import pytest

from okf_edge.bundles.digest import FileDigest, content_digest
from okf_edge.bundles.manifest import (
    Creator,
    Dependency,
    IndexInfo,
    Manifest,
    listed_files,
    read_manifest,
    write_manifest,
)
from okf_edge.errors import FormatError, NewerFormatError

DIGESTS = {
    "index.md": FileDigest(3, sha256(b"abc").hexdigest()),
    "会议.md": FileDigest(1, sha256(b"x").hexdigest()),
    "references/raw.md": FileDigest(1, sha256(b"y").hexdigest()),
    "attachments/a.png": FileDigest(1, sha256(b"z").hexdigest()),
    "agent-index.json": FileDigest(2, sha256(b"{}").hexdigest()),
    "okf-index.duckdb": FileDigest(2, sha256(b"ix").hexdigest()),
}
MANIFEST = Manifest(
    id="acme.handbook",
    version="1.2.0-rc.1+b5",
    title="手册",
    description="All of it",
    content_digest=content_digest(DIGESTS),
    files=listed_files(DIGESTS),
    creator=Creator("Acme", "https://acme.example"),
    licence="CC-BY-4.0",
    created="2026-05-01T00:00:00Z",
    index=IndexInfo("okf-index.duckdb", 2, DIGESTS["okf-index.duckdb"].sha256, 1, "p1", "minilm-l6", "ab" * 32, 7),
    dependencies=(Dependency("acme.base", ">=1"),),
    generator="okf-edge/0.1.0",
)
SCHEMA = json.loads((files("okf_edge") / "schemas" / "bundle.schema.json").read_text("utf-8"))


def changed(**values: object) -> bytes:
    return json.dumps({**json.loads(write_manifest(MANIFEST)), **values}).encode()


def test_a_manifest_is_read_as_it_was_written():
    assert read_manifest(write_manifest(MANIFEST)) == MANIFEST


def test_the_json_of_a_manifest_is_frozen():
    assert sha256(write_manifest(MANIFEST)).hexdigest() == (
        "790f6622d7e0cb1ef4d535db717eaf519eeda5ccc91a8001027230c771819087"
    )


def test_a_written_manifest_keeps_the_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(json.loads(write_manifest(MANIFEST)), SCHEMA)
    jsonschema.validate(json.loads(write_manifest(replace(MANIFEST, index=None, dependencies=()))), SCHEMA)


def test_unknown_keys_are_kept():
    data = changed(future={"a": [1, 2]})
    assert json.loads(write_manifest(read_manifest(data)))["future"] == {"a": [1, 2]}


def test_each_kind_of_file_is_told():
    kinds = {file.path: file.kind for file in MANIFEST.files}
    assert kinds == {
        "index.md": "listing",
        "会议.md": "concept",
        "references/raw.md": "reference",
        "attachments/a.png": "attachment",
        "agent-index.json": "derived",
        "okf-index.duckdb": "index",
    }


@pytest.mark.parametrize(
    "values",
    [
        {"id": "handbook"},
        {"id": 7},
        {"version": "1.2"},
        {"version": "latest"},
        {"title": " "},
        {"content_digest": "0" * 64},
        {"files": "all"},
        {"files": [{"path": "../x", "bytes": 1, "sha256": "a" * 64, "kind": "concept"}]},
        {"files": [{"path": "a.md", "bytes": -1, "sha256": "a" * 64, "kind": "concept"}]},
        {"files": [{"path": "a.md", "bytes": 1, "sha256": "A" * 64, "kind": "concept"}]},
        {"files": [{"path": "a.md", "bytes": 1, "sha256": "a" * 64, "kind": "program"}]},
        {"index": {"path": "okf-index.duckdb"}},
        {"dependencies": [{"id": "x"}]},
        {"schema": 0},
        {"schema": True},
        {"local": "no"},
    ],
)
def test_a_manifest_that_is_wrong_is_refused_by_us_and_by_nobody_else_accepted(values):
    with pytest.raises(FormatError) as caught:
        read_manifest(changed(**values))
    assert caught.value.code == "bad-manifest"
    assert caught.value.issues


@pytest.mark.parametrize(
    "values",
    [
        {"id": "handbook"},
        {"version": "1.2"},
        {"files": "all"},
        {"index": {"path": "x"}},
        {"schema": 0},
        {"local": "no"},
    ],
)
def test_the_schema_refuses_what_we_refuse(values):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(changed(**values)), SCHEMA)


def test_all_problems_are_told_at_once():
    with pytest.raises(FormatError) as caught:
        read_manifest(changed(id="x", version="1", title=""))
    assert len(caught.value.issues) == 3


def test_a_key_that_is_there_twice_is_refused():
    data = write_manifest(MANIFEST).replace(b'"title"', b'"id": "evil.twin", "title"', 1)
    with pytest.raises(FormatError):
        read_manifest(data)


def test_a_newer_manifest_is_left_to_a_newer_version():
    with pytest.raises(NewerFormatError):
        read_manifest(changed(schema=2))


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_json_object_is_refused(data):
    with pytest.raises(FormatError):
        read_manifest(data)


def test_the_content_digest_is_that_of_path_sorted_lines_of_the_okf_files():
    lines = "".join(
        f"{path}\0{DIGESTS[path].bytes}\0{DIGESTS[path].sha256}\n"
        for path in ("attachments/a.png", "index.md", "references/raw.md", "会议.md")
    )
    assert content_digest(DIGESTS) == sha256(lines.encode()).hexdigest()
