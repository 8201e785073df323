"""State files are whole, versioned, and a corrupt one is a loud error that names it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from okf_edge.errors import NewerFormatError, StateFileError
from okf_edge.inmemory.files import MemoryTree
from okf_edge.limits import LIMITS
from okf_edge.workspace import layout
from okf_edge.workspace.identity import Identity, identify
from okf_edge.workspace.manifest import KbManifest, read_manifest, write_manifest

SCHEMAS = Path(__file__).parents[3] / "core" / "okf_edge" / "schemas"
GOOD = {"format": 1, "name": "River lab", "created": "2026-11-30T12:00:00Z", "created_by": "okf-edge/0.1.0"}


def base(state: object) -> MemoryTree:
    return MemoryTree({layout.MANIFEST: state if isinstance(state, bytes) else json.dumps(state)})


async def test_a_manifest_reads_back_as_it_was_written_with_the_keys_of_others():
    tree = base({**GOOD, "colour": "blue"})
    manifest = await read_manifest(tree)
    assert manifest is not None
    await write_manifest(tree, manifest)
    assert json.loads(tree.files[layout.MANIFEST]) == {**GOOD, "colour": "blue"}


async def test_no_manifest_is_no_manifest_and_no_error():
    assert await read_manifest(MemoryTree()) is None
    assert await identify(MemoryTree(), "notes") == Identity("notes", is_base=False)


async def test_a_knowledge_base_goes_by_the_name_in_its_manifest():
    assert await identify(base(GOOD), "notes") == Identity("River lab", is_base=True)


@pytest.mark.parametrize(
    "state",
    [
        b"",
        b"{",
        b"\xff\xfe",
        {**GOOD, "name": "\ud800"},
        b'{"format": 1, "name": "\xed\xa0\x80"}',
        b"[" * 100_000,
        b"[]",
        b"null",
        b"{}",
        {**GOOD, "format": "1"},
        {**GOOD, "format": True},
        {**GOOD, "format": 0},
        {**GOOD, "name": 5},
        {**GOOD, "name": ""},
    ],
)
@pytest.mark.parametrize("read", [read_manifest, lambda tree: identify(tree, "notes")])
async def test_a_corrupt_manifest_is_an_error_that_names_the_file(state, read):
    tree = base(state)
    before = dict(tree.files)
    with pytest.raises(StateFileError) as caught:
        await read(tree)
    assert layout.MANIFEST in caught.value.message
    assert caught.value.hint
    assert tree.files == before


async def test_every_problem_of_a_manifest_is_reported_at_once():
    with pytest.raises(StateFileError) as caught:
        await read_manifest(base({"format": 1}))
    assert all(key in caught.value.message for key in ("name", "created", "created_by"))


@pytest.mark.parametrize("read", [read_manifest, lambda tree: identify(tree, "notes")])
async def test_a_manifest_of_a_later_version_is_refused_with_what_to_do(read):
    with pytest.raises(NewerFormatError) as caught:
        await read(base({**GOOD, "format": 2}))
    assert caught.value.code == "newer-format"
    assert "Upgrade" in caught.value.hint


async def test_a_state_file_of_absurd_size_is_not_read():
    with pytest.raises(StateFileError, match="larger than"):
        await read_manifest(base(b" " * (LIMITS.state_file_bytes + 1)))


def test_a_manifest_needs_an_instant_with_an_offset():
    with pytest.raises(ValueError, match="timezone"):
        KbManifest(name="x", created=datetime(2026, 1, 1), created_by="okf-edge/0.1.0")
    KbManifest(name="x", created=datetime(2026, 1, 1, tzinfo=UTC), created_by="okf-edge/0.1.0")


def test_the_committed_schema_is_that_of_the_model():
    committed = json.loads((SCHEMAS / "kb-manifest.schema.json").read_text("utf-8"))
    assert committed.pop("$schema") == "https://json-schema.org/draft/2020-12/schema"
    assert committed == KbManifest.model_json_schema(mode="serialization")
