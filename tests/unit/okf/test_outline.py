"""The outline knows blocks, sections, prose and block ids of a note as its author sees them."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from okf_edge.okf.lines import line_at, line_starts
from okf_edge.okf.outline import Outline, outline_of
from okf_edge.okf.reader import read_document


def outline(text: str) -> Outline:
    return outline_of(read_document("note.md", text.encode()))


def kinds(text: str) -> list[tuple[str, int, int]]:
    return [(block.kind, block.first_line, block.last_line) for block in outline(text).blocks]


def paths(text: str) -> list[tuple[str, ...]]:
    return [section.path for section in outline(text).sections]


def test_every_kind_of_block_has_its_lines_in_the_file() -> None:
    text = (
        "---\ntype: T\n---\n# Head\n\npara\nmore\n\n- a\n  - b\n\n> quote\n> more\n\n```js\n# no\n```\n\n"
        "| a |\n|---|\n| b |\n\n<div>\nx\n</div>\n\n%%\nhidden\n%%\n\n***\n\n    code\n"
    )
    assert kinds(text) == [
        ("heading", 4, 4),
        ("paragraph", 6, 7),
        ("list", 9, 10),
        ("quote", 12, 13),
        ("code", 15, 17),
        ("table", 19, 21),
        ("html", 23, 25),
        ("comment", 27, 29),
        ("rule", 31, 31),
        ("code", 33, 33),
    ]


def test_lines_count_any_newline() -> None:
    for newline in ("\r\n", "\r"):
        assert kinds(f"a{newline}{newline}# H{newline}b{newline}") == [
            ("paragraph", 1, 1),
            ("heading", 3, 3),
            ("paragraph", 4, 4),
        ]


def test_sections_carry_their_heading_path_and_their_subtree() -> None:
    text = "intro\n\n# A\n\na\n\n### B\n\nb\n\n## C\n\n# D\n"
    sections = outline(text).sections
    assert [section.path for section in sections] == [(), ("A",), ("A", "B"), ("A", "C"), ("D",)]
    assert text[sections[1].start : sections[1].subtree_end].startswith("# A")
    assert text[sections[1].start : sections[1].subtree_end].rstrip().endswith("## C")


def test_a_heading_is_its_words() -> None:
    assert paths("# **Bold** `code` [label](x.md) [[N|alias]] [[Other]] ^id\n\nSet\n===\n\n## Closed ##\n") == [
        ("Bold code label alias Other",),
        ("Set",),
        ("Set", "Closed"),
    ]


def test_headings_in_outline_notes_start_sections() -> None:
    text = "- # One\n  - a\n- b\n\t- ## Two\n\t\t- c\n- d\n"
    assert paths(text) == [("One",), ("One", "Two")]
    assert [(block.kind, block.text) for block in outline(text).blocks] == [
        ("heading", "One"),
        ("list", "  - a\n- b"),
        ("heading", "Two"),
        ("list", "\t\t- c\n- d"),
    ]


def test_what_looks_like_a_heading_in_code_comment_or_quote_is_none() -> None:
    assert paths("```\n# a\n```\n%%\n# b\n%%\n<!--\n# c\n-->\n> # d\n\n#tag\n\n    # e\n") == [()]


def test_a_table_knows_where_its_rows_begin() -> None:
    text = "Caption\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"
    caption, table = outline(text).blocks
    assert (caption.text, table.kind) == ("Caption", "table")
    assert text[table.rows_start : table.end] == "| 1 | 2 |\n| 3 | 4 |"


def test_a_block_id_names_its_item_with_children_or_its_block() -> None:
    ids = outline("p ^p\n\n- frame ^Q-1\n  - child\n- packet\n\n| a |\n|---|\n| b |\n\n^t\n\n> q\n> r ^r\n").block_ids
    assert {name: (block.first_line, block.last_line) for name, block in ids.items()} == {
        "p": (1, 1),
        "q-1": (3, 4),
        "t": (7, 9),
        "r": (13, 14),
    }


def test_a_comment_within_a_line_does_not_shift_or_indent_it() -> None:
    text = "%% a long comment here %% # no heading, [[Real]]\n"
    assert kinds(text) == [("paragraph", 1, 1)]
    assert outline(text).comments == ((0, 25),)


def test_a_comment_mark_in_code_opens_nothing() -> None:
    assert outline("```\n%%\n```\n`%%` a\n\n# H\n").comments == ()


def test_a_block_comment_that_is_never_closed_hides_the_rest() -> None:
    assert kinds("a\n\n%%\n\n# hidden\n") == [("paragraph", 1, 1), ("comment", 3, 5)]


def test_an_inline_mark_that_is_never_closed_is_text() -> None:
    assert paths("sure, 100%% of it\n\n# Seen\n") == [(), ("Seen",)]


def test_jsx_in_markdown_breaks_nothing() -> None:
    text = "<Intro>\n\nHello [[x]]\n\n</Intro>\n\n## Next {/*next*/}\n\n<Sandpack>\n\n```js\n# no\n```\n\n</Sandpack>\n"
    assert [section.path[-1:] for section in outline(text).sections] == [(), ("Next {/next/}",)]


PIECES = ("\n\n", "```", "%%", "<!--", "-->", "[[", "  ", "    ", "- ", "1. ", "> ", "# ", "|---|", "===", "---", "<p>")
MARKDOWN = st.lists(st.sampled_from((*PIECES, *"#-*>|`~%$[]()!^<&\\ \t\n\r:1.a中é=_")), max_size=60).map("".join)


@given(MARKDOWN)
def test_blocks_are_ordered_apart_and_exactly_the_text_that_they_span(text: str) -> None:
    found = outline(text)
    starts = line_starts(text)
    for block in found.blocks:
        assert block.kind == "heading" or text[block.start : block.end] == block.text
        assert (block.first_line, block.last_line) == (
            line_at(starts, block.start),
            line_at(starts, max(block.end - 1, block.start)),
        )
    assert all(first.end <= second.start for first, second in pairwise(found.blocks))
    assert [block for section in found.sections for block in section.blocks] == list(found.blocks)


@given(MARKDOWN)
def test_prose_is_ordered_and_apart(text: str) -> None:
    prose = outline(text).prose
    assert all(first[1] <= second[0] for first, second in pairwise(prose))
    assert all(0 <= start <= end <= len(text) for start, end in prose)
