"""Chunks follow what the author structured, lose no character, and fit a model."""

from __future__ import annotations

import random

import pytest

from okf_edge.index.chunks import MAX_TOKENS, Chunk, chunks_of
from okf_edge.index.pages import Page, read_page
from okf_edge.okf.concept import concept_of
from okf_edge.okf.document import Document
from okf_edge.okf.outline import outline_of
from okf_edge.okf.reader import read_document


def _chunks(text: str | bytes, path: str = "note.md") -> tuple[Document, tuple[Chunk, ...]]:
    document = read_document(path, text.encode() if isinstance(text, str) else text)
    outline = outline_of(document)
    return document, chunks_of(document, concept_of(document, outline), outline)


TABLE = "# Limits\n\nTable 1: limits.\n\n| name | unit | default |\n|---|---|---|\n" + "".join(
    f"| p{n:03}_limit | ms | {n * 7} |\n" for n in range(160)
)
HOSTILE = {
    "one line of Han": "字" * 13_000,
    "one line of prose": "The keeper writes each tide by hand. " * 1_000,
    "one word": "x" * 40_000,
    "no blank": "a," * 20_000,
    "ticks": "`" * 20_000,
    "brackets": "[" * 20_000,
    "spaces": " " * 20_000,
    "CRLF": "# A\r\n\r\nline\r\n" * 500,
    "lone CR": "# A\r\rline one\r" * 500,
    "a fence": "```py\n" + "print('hello', 1, 2, 3)\n" * 2_000 + "```\n",
    "an open fence": "```\n" + "x = 1\n" * 4_000,
    "an outline": "".join(f"- topic:: {n}\n\t- detail of the topic {n}\n\t\t- more\n" for n in range(900)),
    "JSX": "<Sandpack>\n\n```js\nlet a = 1;\n```\n\n</Sandpack>\n\n" * 200,
    "a giant row": "| a | b |\n|---|---|\n| " + "word " * 3_000 + "| x |\n| 1 | 2 |\n",
    "a giant header": "| " + "word " * 3_000 + "|\n|---|\n| 1 |\n",
    "a giant heading": "# " + "word " * 3_000 + "\n\ntext\n",
    "tiny headings": "".join(f"### s{n}\nx{n}\n" for n in range(300)),
    "comments": "%% hidden\n\nstill %%\n\ntext\n\n" * 100,
    "nothing": "",
    "blank": "\n\n\n",
    "frontmatter only": "---\ntype: note\ntitle: Sluice\ndescription: What it is\n---\n",
    "frontmatter and text": "---\ntitle: T\n---\n\n\ntext\n\n## A\n\nmore\n",
    "BOM": "\ufeff---\ntitle: T\n---\ntext ä\n",
    "table": TABLE,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_chunks_partition_the_body_and_fit(name: str) -> None:
    document, chunks = _chunks(HOSTILE[name])
    data = HOSTILE[name].encode()
    assert "".join(document.text[chunk.start : chunk.end] for chunk in chunks) == document.body
    assert b"".join(data[chunk.first_byte : chunk.last_byte] for chunk in chunks).decode() == document.body
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert all(chunk.tokens <= MAX_TOKENS + 2 for chunk in chunks)
    assert all(chunk.body.strip() for chunk in chunks) or len(chunks) == 1


@pytest.mark.parametrize("name", ["frontmatter and text", "CRLF", "table", "a fence", "an outline", "BOM"])
def test_lines_are_those_of_the_text_in_the_file(name: str) -> None:
    lines = HOSTILE[name].encode().replace(b"\r\n", b"\n").split(b"\n")
    for chunk in _chunks(HOSTILE[name])[1]:
        text = HOSTILE[name].encode()[chunk.first_byte : chunk.last_byte].replace(b"\r\n", b"\n").rstrip()
        assert b"\n".join(lines[chunk.first_line - 1 : chunk.last_line]).rstrip().endswith(text)


def test_random_notes_lose_no_character() -> None:
    rng = random.Random(7)
    headings = ["# H\n", "## H2\n\n", "###### deep\n"]
    texts = ["text of some words. ", "字字字。", "\n\n", "\r\n", "%% c %%", "---\n", "<div>\n", "$$\nx\n$$\n"]
    blocks = ["- item\n", "\t- sub\n", "> q\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "```\ncode\n```\n"]
    parts = [*headings, *texts, *blocks]
    for _ in range(60):
        text = "".join(rng.choices(parts, k=rng.randint(1, 200)))
        document, chunks = _chunks(text)
        assert "".join(document.text[chunk.start : chunk.end] for chunk in chunks) == document.body
        assert all(chunk.tokens <= MAX_TOKENS + 2 for chunk in chunks)


def test_each_chunk_keeps_its_heading_path() -> None:
    text = "".join(f"{'#' * level} L{level}\n\ntext {level}\n\n" for level in range(1, 7))
    found = {chunk.heading: chunk.body for chunk in _chunks(text)[1]}
    assert "text 6" in found["L1", "L2", "L3", "L4", "L5", "L6"]


def test_a_heading_without_text_of_its_own_stays_with_its_first_child() -> None:
    _, chunks = _chunks("# A\n\n## B\n\ntext of b\n\n## C\n\n" + "text of c. " * 40)
    assert [(chunk.heading, chunk.headings) for chunk in chunks] == [(("A", "B"), ("A", "B")), (("A", "C"), ("C",))]


def test_tiny_siblings_are_joined_and_others_are_not() -> None:
    _, chunks = _chunks(HOSTILE["tiny headings"])
    assert len(chunks) < 40
    assert all(len(chunk.headings) > 4 for chunk in chunks)
    _, chunks = _chunks("".join(f"## Q{n}\n\n{'An answer of some words. ' * 12}\n\n" for n in range(5)))
    assert [chunk.heading for chunk in chunks] == [(f"Q{n}",) for n in range(5)]


def test_a_continued_table_repeats_its_header_once_and_its_caption_never() -> None:
    _, chunks = _chunks(TABLE)
    assert len(chunks) > 5
    assert sum("Table 1" in chunk.body for chunk in chunks) == 1
    rows = [line for chunk in chunks for line in chunk.body.splitlines() if line.startswith("| p")]
    assert [row.split()[1] for row in rows] == [f"p{n:03}_limit" for n in range(160)]
    assert all(row.endswith(" |") for row in rows)
    for chunk in chunks:
        assert chunk.body.count("| name | unit | default |\n|---|---|---|\n") == 1


def test_text_is_spread_evenly_over_the_fewest_chunks() -> None:
    _, chunks = _chunks("This is a sentence of the usual length for such notes. " * 40)
    sizes = [chunk.tokens for chunk in chunks]
    assert len(chunks) == -(-sum(sizes) // MAX_TOKENS)
    assert min(sizes) > 0.7 * max(sizes)


def test_the_embedding_text_says_where_the_text_stands() -> None:
    _, chunks = _chunks("---\ntitle: Sluices\n---\n# Sluices\n\n## Keys\n\nIn the drawer.\n")
    assert chunks[-1].embedding_text == "Sluices > Keys\n# Sluices\n\n## Keys\n\nIn the drawer."
    _, chunks = _chunks(HOSTILE["frontmatter only"])
    assert chunks[0].embedding_text == "Sluice\nWhat it is"


def test_chunks_of_a_file_that_is_not_utf8_lie_anywhere_in_it() -> None:
    data = "# Caf\xe9\n\n".encode("latin-1") + b"text of the note. " * 200
    read = read_page(Page("note.md", data))
    assert len(read.chunks) > 1
    assert {(chunk.first_byte, chunk.last_byte, chunk.first_line) for chunk in read.chunks} == {(0, len(data), 1)}
