"""Tables become rows: the same tables as markdown-it's own rule finds, at a token a row."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from okf_edge.okf.outline import outline_of
from okf_edge.okf.reader import read_document
from okf_edge.okf.table_rule import table_rows

HEAD = "| a | b |\n|---|:-:|\n"
NOTES = [
    HEAD + "| 1 | 2 |\n| 3 | 4 |\n\nend\n",
    HEAD + "| 1 |\n1 | 2 | 3\nno pipe\n",
    HEAD + "| 1 | 2 |\n> quote\n",
    HEAD + "| 1 | 2 |\n# heading\n",
    HEAD + "| 1 | 2 |\n```\ncode\n```\n",
    "- item\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n\n- next\n",
    "> | a | b |\n> |---|---|\n> | 1 | 2 |\n\nend\n",
    "| a | b |\n|---|\n| 1 | 2 |\n",
    "text\n" + HEAD + "| 1 | 2 |\n",
    HEAD,
]


def spans(parser: MarkdownIt, note: str) -> list[tuple[str, list[int] | None, int]]:
    kinds = {"table_open", "paragraph_open", "heading_open", "fence", "blockquote_open"}
    return [(token.type, token.map, token.level) for token in parser.parse(note) if token.type in kinds]


@pytest.mark.parametrize("note", NOTES)
def test_tables_begin_and_end_where_the_library_says(note: str) -> None:
    library = MarkdownIt("commonmark").enable("table")
    ours = MarkdownIt("commonmark").enable("table")
    ours.block.ruler.at("table", table_rows, {"alt": ["paragraph", "reference"]})
    assert spans(ours, note) == spans(library, note)


def test_a_wide_table_costs_a_token_a_row() -> None:
    rows = 300
    wide = "|" + " x |" * 200 + "\n"
    note = wide + "|" + "---|" * 200 + "\n" + wide * rows
    ours = MarkdownIt("commonmark").enable("table")
    ours.block.ruler.at("table", table_rows, {"alt": ["paragraph", "reference"]})
    assert len(ours.parse(note)) == rows + 3


def test_each_row_is_prose_of_its_own() -> None:
    outline = outline_of(read_document("a.md", (HEAD + "| 1 | 2 |\n| 3 | 4 |\n").encode()))
    assert [block.kind for block in outline.blocks] == ["table"]
    assert len(outline.prose) == 3
