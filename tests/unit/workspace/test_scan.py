"""A scan tells notes from everything else, and loses nothing without a word."""

from __future__ import annotations

import pytest

from okf_edge.inmemory.files import MemoryTree
from okf_edge.limits import LIMITS
from okf_edge.ports import FileStat
from okf_edge.workspace.scan import classify, scan


def paths(notes):
    return [note.path for note in notes]


async def test_every_markdown_file_of_a_plain_folder_is_a_note_of_the_person():
    found = await scan(MemoryTree({"a.md": "x", "deep/er/b.MD": "x", "c.markdown": "x", "d.txt": "x", "e.png": b""}))
    assert paths(found.notes) == ["a.md", "c.markdown", "deep/er/b.MD"]
    assert {note.tier for note in found.notes} == {"user"}
    assert found.skipped == ()


async def test_compiled_folders_are_the_agents_and_bundle_folders_the_bundles():
    tree = MemoryTree(
        {
            "entities/ada.md": "x",
            "concepts/deep/idea.md": "x",
            "Notes/concepts/mine.md": "x",
            "Library/acme.metrics/okf-bundle.json": "{}",
            "Library/acme.metrics/concepts/apdex.md": "x",
            "Library/Books/dune.md": "x",
            "Library/loose.md": "x",
        }
    )
    tiers = {note.path: (note.tier, note.bundle) for note in (await scan(tree)).notes}
    assert tiers == {
        "entities/ada.md": ("agent", ""),
        "concepts/deep/idea.md": ("agent", ""),
        "Notes/concepts/mine.md": ("user", ""),
        "Library/acme.metrics/concepts/apdex.md": ("bundle", "acme.metrics"),
        "Library/Books/dune.md": ("user", ""),
        "Library/loose.md": ("user", ""),
    }


async def test_an_installed_bundle_is_not_walked_because_it_brings_its_index():
    tree = MemoryTree({"Library/acme.metrics/a.md": "x", "Library/other/b.md": "x"})
    assert paths((await scan(tree, frozenset({"acme.metrics"}))).notes) == ["Library/other/b.md"]


async def test_placeholders_of_notes_that_are_not_downloaded_are_reported_by_the_notes_name():
    tree = MemoryTree(
        {
            ".River log.md.icloud": b"bplist00",
            "Area/.Gauge.md.icloud": b"bplist00",
            ".photo.png.icloud": b"",
            "Real.md": "x",
        }
    )
    found = await scan(tree)
    assert paths(found.notes) == ["Real.md"]
    assert found.skipped_for("not-downloaded") == ("Area/Gauge.md", "River log.md")


@pytest.mark.parametrize(
    "name",
    [
        "Plan (conflicted copy 2024-05-01).md",
        "Plan (Ada's conflicted copy 2024-05-01).md",
        "Plan (Conflicted copy phone 202405011200).md",
        "Plan (Case Conflict 1).md",
        "Plan.sync-conflict-20240501-120000-ABCDEFG.md",
        "Plan_conflict-20240501-120000.md",
    ],
)
async def test_conflict_copies_of_sync_services_are_reported_not_indexed(name):
    found = await scan(MemoryTree({"Plan.md": "x", name: "x"}))
    assert paths(found.notes) == ["Plan.md"]
    assert found.skipped_for("conflict-copy") == (name,)


@pytest.mark.parametrize("name", ["Conflict resolution.md", "On case conflicts.md", "sync-conflict.md", "Plan (1).md"])
async def test_notes_about_conflicts_are_notes(name):
    assert paths((await scan(MemoryTree({name: "x"}))).notes) == [name]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("Templates/Book.md", "template"),
        ("99 Meta/templates/Book.md", "template"),
        ("KNOWLEDGE.md", "system-file"),
        ("SCHEMA.md", "system-file"),
        ("log.md", "system-file"),
        ("AGENTS.md", "system-file"),
        (".draft.md", "hidden"),
        ("._Plan.md", "hidden"),
    ],
)
async def test_what_is_no_knowledge_is_left_out_with_its_reason(path, reason):
    found = await scan(MemoryTree({path: "x", "Plan.md": "x"}))
    assert paths(found.notes) == ["Plan.md"]
    assert found.skipped_for(reason) == (path,)


@pytest.mark.parametrize("path", ["Templates.md", "Notes/KNOWLEDGE.md", "Notes/log.md", "docs/index.md", "index.md"])
async def test_a_name_that_means_something_elsewhere_is_a_note_here(path):
    assert paths((await scan(MemoryTree({path: "x"}))).notes) == [path]


async def test_listings_and_logs_are_left_out_where_the_root_index_declares_okf():
    tree = MemoryTree(
        {
            "index.md": '---\r\nokf_version: "0.2"\r\n---\r\n# All',
            "metrics/index.md": "* [a](a.md)",
            "metrics/log.md": "x",
            "metrics/a.md": "x",
        }
    )
    found = await scan(tree)
    assert paths(found.notes) == ["metrics/a.md"]
    assert found.skipped_for("listing") == ("index.md", "metrics/index.md", "metrics/log.md")


async def test_a_root_index_that_only_lists_links_makes_an_okf_directory_as_in_version_01():
    tree = MemoryTree({"index.md": "# Subdirectories\n\n* [tables](tables/index.md) - what\n", "tables/index.md": "x"})
    assert (await scan(tree)).notes == ()


async def test_in_an_okf_directory_a_folder_of_templates_is_content():
    tree = MemoryTree({"index.md": "* [t](templates/mail.md)", "templates/mail.md": "x"})
    assert paths((await scan(tree)).notes) == ["templates/mail.md"]


@pytest.mark.parametrize("index", ["", "# Home\n", "* no link", "# Home\n\nRead [this](a.md) first.\n", "\ufeff"])
async def test_a_root_index_with_text_of_its_own_is_a_note(index):
    assert paths((await scan(MemoryTree({"index.md": index, "docs/index.md": "x"}))).notes) == [
        "docs/index.md",
        "index.md",
    ]


async def test_a_root_index_that_only_talks_about_okf_declares_nothing():
    tree = MemoryTree({"index.md": "---\ntitle: x\n---\nokf_version: 0.2", "docs/index.md": "x"})
    assert paths((await scan(tree)).notes) == ["docs/index.md", "index.md"]


@pytest.mark.parametrize(
    ("folder", "reason"),
    [(".obsidian", "hidden-folder"), ("a/.trash", "hidden-folder"), ("web/node_modules", "dependency-folder")],
)
async def test_hidden_and_dependency_folders_are_named_once_and_not_walked(folder, reason):
    tree = MemoryTree({f"{folder}/x/one.md": "x", f"{folder}/two.md": "x", "Plan.md": "x"})
    found = await scan(tree)
    assert paths(found.notes) == ["Plan.md"]
    assert found.skipped_for(reason) == (folder,)


async def test_links_and_devices_are_never_notes():
    tree = MemoryTree({"Plan.md": "x"})
    tree.put("secret.md", b"heron", kind="link")
    tree.put("pipe.md", b"", kind="other")
    found = await scan(tree)
    assert paths(found.notes) == ["Plan.md"]
    assert found.skipped_for("symbolic-link") == ("secret.md",)
    assert found.skipped_for("not-regular") == ("pipe.md",)
    assert found.paths == ("Plan.md",)


async def test_a_name_that_is_no_text_is_told_and_no_link_leads_to_it():
    tree = MemoryTree({"Plan.md": "x", "caf\udce9.md": "x", "\udcff/In.md": "x", "\udcff.png": "x"})
    found = await scan(tree)
    assert paths(found.notes) == ["Plan.md"]
    assert found.skipped_for("name-not-text") == ("caf\udce9.md", "\udcff/In.md")
    assert found.paths == ("Plan.md",)


def test_a_file_beyond_the_limit_is_reported_as_too_large():
    found = classify([FileStat("dump.md", LIMITS.note_bytes + 1, 0), FileStat("fits.md", LIMITS.note_bytes, 0)])
    assert paths(found.notes) == ["fits.md"]
    assert [skip.path for skip in found.worth_a_word] == ["dump.md"]


def test_each_markdown_file_is_a_note_or_a_skip_and_never_both():
    names = ["a.md", "Templates/b.md", ".c.md", ".d.md.icloud", "e (conflicted copy 1).md", "SCHEMA.md", "f.txt"]
    found = classify(FileStat(name, 1, 0) for name in names)
    seen = paths(found.notes) + [skip.path for skip in found.skipped]
    assert len(seen) == len(set(seen)) == len(names) - 1
