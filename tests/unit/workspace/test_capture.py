"""A captured text is a note of its own, whatever its title and words are."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from okf_edge.errors import InputError, TooLargeError
from okf_edge.inmemory.files import MemoryTree
from okf_edge.limits import LIMITS
from okf_edge.okf.reader import read_document
from okf_edge.workspace.capture import capture, slug_of

NOW = datetime(2026, 11, 30, 23, 59, 58, tzinfo=UTC)
HOSTILE = [
    "../../etc/passwd",
    "a: b\n---\ntype: Evil",
    "con",
    "x" * 500,
    'quote " and \\ back',
    "\u202eevil\x00\x1b[31m",
    "- [[list]]",
    "{{template}}",
    "灌溉计划 第二版",
    "Ünïcode İ",
    "...",
    "\ud800 alone",
]


async def test_the_note_says_what_when_and_from_where():
    tree = MemoryTree()
    done = await capture(tree, "Pears ripen in October.\n", "Russet pears", "command line", NOW)
    assert done.path == "inbox/2026-11-30-235958-russet-pears.md"
    document = read_document(done.path, tree.files[done.path])
    assert document.diagnostics == ()
    assert document.frontmatter["title"] == "Russet pears"
    assert (document.frontmatter["captured"], document.frontmatter["origin"]) == (
        "2026-11-30T23:59:58Z",
        "command line",
    )
    assert document.frontmatter["generated"]["by"].startswith("okf-edge/")
    assert document.body.strip() == "Pears ripen in October."


@pytest.mark.parametrize("words", HOSTILE)
async def test_hostile_titles_and_texts_stay_data(words):
    tree = MemoryTree()
    for text, title in ((words, ""), ("body", words), (f"---\ntype: Evil\n---\n{words}", "t")):
        done = await capture(tree, text, title, "x", NOW)
        folder, _, name = done.path.partition("/")
        assert (folder, "/" in name, len(name.encode()) < 120) == ("inbox", False, True)
        document = read_document(done.path, tree.files[done.path])
        assert document.diagnostics == ()
        assert list(document.frontmatter) == ["type", "title", "captured", "origin", "generated"]
        assert (document.frontmatter["type"], document.frontmatter["title"]) == ("Note", done.title)


async def test_notes_of_one_second_and_title_all_stay():
    tree = MemoryTree()
    paths = [(await capture(tree, f"text {number}", "same", "x", NOW)).path for number in range(3)]
    assert len(set(paths)) == 3
    assert [tree.files[path].split()[-1] for path in paths] == [b"0", b"1", b"2"]


@pytest.mark.parametrize("text", ["", " \n\t"])
async def test_nothing_is_no_note(text):
    tree = MemoryTree()
    with pytest.raises(InputError):
        await capture(tree, text, "title", "x", NOW)
    assert tree.files == {}


async def test_more_than_a_note_is_refused():
    tree = MemoryTree()
    with pytest.raises(TooLargeError):
        await capture(tree, "x" * (LIMITS.note_bytes + 1), "", "x", NOW)
    assert tree.files == {}


@pytest.mark.parametrize(
    ("title", "slug"), [("A  b/C", "a-b-c"), ("灌溉", "灌溉"), ("!?", "note"), ("é" * 80, "é" * 32)]
)
def test_a_slug_keeps_letters_of_every_script(title, slug):
    assert slug_of(title) == slug
