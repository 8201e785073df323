"""A folder is checked as it lies there."""

from __future__ import annotations

from okf_edge.app.validating import check_folder
from okf_edge.inmemory.files import MemoryTree

NOTE = "---\ntype: Note\ntitle: A\ndescription: d\n---\n\nSee [the log](/River%20log.md).\n"


async def rules(files: dict[str, str | bytes]) -> list[str]:
    return [found.rule for found in (await check_folder(MemoryTree(files))).findings]


async def test_a_link_to_a_note_that_is_not_downloaded_is_no_broken_link():
    assert "OKF-K01" in await rules({"a.md": NOTE})
    assert "OKF-K01" not in await rules({"a.md": NOTE, ".River log.md.icloud": b"bplist00"})


async def test_hidden_and_dependency_folders_are_not_checked():
    report = await check_folder(
        MemoryTree({"a.md": NOTE, ".obsidian/b.md": "x", "node_modules/c.md": "x", "deep/.trash/d.md": "x"})
    )
    assert report.notes == 1


async def test_links_of_the_file_system_are_not_read():
    tree = MemoryTree({"a.md": NOTE})
    tree.put("secret.md", b"no frontmatter", kind="link")
    assert (await check_folder(tree)).notes == 1
