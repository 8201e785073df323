"""`okf init` creates what is missing and touches nothing else."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from okf_edge.errors import InputError, StateFileError
from okf_edge.inmemory.files import MemoryTree
from okf_edge.workspace.setup import lacking, set_up
from okf_edge_native.disk import DiskTree

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
WANTED = {
    "KNOWLEDGE.md",
    "SCHEMA.md",
    "INDEX.base",
    "entities/.gitkeep",
    "concepts/.gitkeep",
    "comparisons/.gitkeep",
    "queries/.gitkeep",
    ".okf/.gitignore",
    ".okf/manifest.json",
}


async def test_an_empty_folder_becomes_a_knowledge_base():
    tree = MemoryTree()
    done = await set_up(tree, "River lab", "folder", NOW)
    assert set(tree.files) == WANTED
    assert done.kept == ()
    assert json.loads(tree.files[".okf/manifest.json"]) == {
        "format": 1,
        "name": "River lab",
        "created": "2026-11-30T12:00:00Z",
        "created_by": "okf-edge/0.1.0",
        "synced_by": "okf-edge/0.1.0",
    }
    assert b"\n# River lab\n" in tree.files["KNOWLEDGE.md"]


async def test_a_second_run_changes_nothing():
    tree = MemoryTree()
    first = await set_up(tree, None, "folder", NOW)
    before, times = dict(tree.files), dict(tree.mtimes)
    second = await set_up(tree, None, "folder", NOW.replace(year=2030))
    assert (tree.files, tree.mtimes) == (before, times)
    assert second.created == ()
    assert second.kept == first.created
    assert second.name == "folder"


async def test_what_is_there_is_kept_byte_for_byte():
    mine = {"SCHEMA.md": b"\xff mine", "KNOWLEDGE.md": b"", "entities/ada.md": b"x", ".okf/.gitignore": b"mine"}
    tree = MemoryTree(mine)
    done = await set_up(tree, None, "folder", NOW)
    assert {path: tree.files[path] for path in mine} == mine
    assert set(done.kept) == {"SCHEMA.md", "KNOWLEDGE.md", "entities/", ".okf/.gitignore"}
    assert "entities/.gitkeep" not in tree.files


class PassingOverHidden(MemoryTree):
    """Lists as Obsidian does: it knows the folders of hidden files, but not the files."""

    async def list(self, enter=None):
        return [each for each in await super().list(enter) if not each.path.endswith("/.gitkeep")]


async def test_a_folder_is_there_whether_or_not_its_host_lists_the_hidden_file_in_it():
    tree = MemoryTree()
    await set_up(tree, None, "folder", NOW)
    for seen in (tree, PassingOverHidden(tree.files)):
        assert (await lacking(seen))[1] == []
    del tree.files["queries/.gitkeep"]
    for seen in (tree, PassingOverHidden(tree.files)):
        assert (await lacking(seen))[1] == ["queries/"]


async def test_an_empty_folder_of_a_disk_is_there_too(tmp_path):
    await set_up(DiskTree(tmp_path), None, "folder", NOW)
    (tmp_path / "queries/.gitkeep").unlink()
    assert (await lacking(DiskTree(tmp_path)))[1] == []
    (tmp_path / "queries").rmdir()
    assert (await lacking(DiskTree(tmp_path)))[1] == ["queries/"]


async def test_a_setup_that_was_interrupted_is_finished_by_the_next():
    whole, broken = MemoryTree(), MemoryTree()
    await set_up(whole, None, "folder", NOW)
    for path in sorted(WANTED)[:4]:
        broken.put(path, whole.files[path])
    await set_up(broken, None, "folder", NOW)
    assert broken.files == whole.files


async def test_a_corrupt_manifest_stops_the_setup_before_anything_is_written():
    tree = MemoryTree({".okf/manifest.json": b"{"})
    with pytest.raises(StateFileError, match=r"\.okf/manifest\.json"):
        await set_up(tree, None, "folder", NOW)
    assert set(tree.files) == {".okf/manifest.json"}


async def test_a_knowledge_base_is_not_renamed_in_passing():
    tree = MemoryTree()
    await set_up(tree, "River lab", "folder", NOW)
    with pytest.raises(InputError, match="already named 'River lab'"):
        await set_up(tree, "Other", "folder", NOW)


@pytest.mark.parametrize("name", ["", "  ", "a\x1b[31mb", "x" * 201])
async def test_an_unusable_name_is_refused_and_nothing_is_written(name):
    tree = MemoryTree()
    with pytest.raises(InputError, match="unusable"):
        await set_up(tree, name, "folder", NOW)
    assert not tree.files
