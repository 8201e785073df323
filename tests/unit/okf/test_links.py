"""Every link that an author wrote is found once, and nothing that only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from okf_edge.okf.links import Link, links_of
from okf_edge.okf.reader import read_document


def links(text: str) -> tuple[Link, ...]:
    return links_of(read_document("note.md", text.encode()))


def parts(text: str) -> list[tuple[str, str, str]]:
    return [(link.target, link.anchor, link.alias) for link in links(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[a]]", ("a", "", "")),
        ("[[ a ]]", ("a", "", "")),
        ("[[a|label]]", ("a", "", "label")),
        ("[[a|]]", ("a", "", "")),
        ("[[a#Head]]", ("a", "Head", "")),
        ("[[a#One#Two|x]]", ("a", "One#Two", "x")),
        ("[[a#^id]]", ("a", "^id", "")),
        ("[[#Local]]", ("", "Local", "")),
        ("[[v1.2]]", ("v1.2", "", "")),
        ("[[a|the ] note]]", ("a", "", "the ] note")),
        ("[[a [b] c]]", ("a [b] c", "", "")),
        ("[[x[1]]]", ("x[1]", "", "")),
        ("[[a|b [c]]", ("a", "", "b [c")),
        ("[[[a]]]", ("a", "", "")),
        ("[[a]]b]]", ("a", "", "")),
        ("![[a.png|300]]", ("a.png", "", "300")),
        ("| x |\n|---|\n| [[a\\|b]] |", ("a", "", "b")),
        ("> [[a]]", ("a", "", "")),
        ("- [ ] [[a]]", ("a", "", "")),
        ("- item\n\n    [[a]]", ("a", "", "")),
        ("para\n    [[a]]", ("a", "", "")),
        ("# [[a]]", ("a", "", "")),
        ("**[[a]]**", ("a", "", "")),
        ("[^1]: [[a]]", ("a", "", "")),
        ("[l](a.md)", ("a.md", "", "l")),
        ('[l](a.md "title")', ("a.md", "", "l")),
        ("[l](a.md\n'title')", ("a.md", "", "l")),
        ("[l](<a b.md>)", ("a b.md", "", "l")),
        ("[l]( a.md )", ("a.md", "", "l")),
        ("[l](a(b).md)", ("a(b).md", "", "l")),
        ("[l](a%20b.md#c%20d)", ("a%20b.md", "c%20d", "l")),
        ("[l](My Note.md#h)", ("My Note.md", "h", "l")),
        ("[l](a\\_b.md)", ("a_b.md", "", "l")),
        ("[e\\]f](a.md)", ("a.md", "", "e]f")),
        ("[a [b] c](a.md)", ("a.md", "", "a [b] c")),
        ("![alt|100](a.png)", ("a.png", "", "alt|100")),
        ("[t][r]\n\n[r]: a.md 'x'", ("a.md", "", "t")),
        ("[R][]\n\n[r]: <a b.md>", ("a b.md", "", "R")),
        ("[r]\n\n[r]: a.md", ("a.md", "", "r")),
        ("[l](https://x.y/(a)#b)", ("https://x.y/(a)#b", "", "l")),
    ],
)
def test_every_form_of_link_is_found_with_its_parts(text: str, expected: tuple[str, str, str]) -> None:
    assert parts(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "`[[a]]`",
        "``[[a `b`]]``",
        "`one\n[[a]]`",
        "```\n[[a]]\n```",
        "~~~\n[[a]]\n~~~",
        "````\n```\n[[a]]\n```\n````",
        "    [[a]]",
        "- x\n\n      [[a]]",
        "1. x\n   ```\n   [[a]]\n   ```",
        "> ```\n> [[a]]\n> ```",
        "<!-- [[a]] -->",
        "<!--\n\n[[a]]\n\n-->",
        "%% [[a]] %%",
        "%%\n\n[[a]]\n\n%%",
        "<code>[[a]]</code> x",
        "<pre>\n\n[[a]]\n\n</pre>",
        "<div>[[a]]</div>",
        "$A = [[1,2],[3,4]]$",
        "$$\n[[a]]\n$$",
        "\\[[a]]",
        "\\[a](b.md)",
        "[[a\nb]]",
        "[[]]",
        "[[|x]]",
        "[a]()",
        "[a](<>)",
        "[x] (a.md)",
        "[undefined][]",
        "[ ] task",
        '<a href="a.md">t</a>',
        "[r]: a.md",
        "if [[ -n",
    ],
)
def test_what_only_looks_like_a_link_is_none(text: str) -> None:
    assert parts(text) == []


def test_backticks_that_do_not_match_hide_nothing() -> None:
    assert parts("``[[a]]` [[b]] \\`[[c]]\\`") == [("a", "", ""), ("b", "", ""), ("c", "", "")]


def test_money_is_no_mathematics() -> None:
    assert parts("[[a]] costs $5 and $6 [[b]]") == [("a", "", ""), ("b", "", "")]


def test_an_image_inside_a_link_is_a_link_of_its_own() -> None:
    assert [(link.kind, link.target) for link in links("[![alt](i.png)](u.md)")] == [
        ("markdown", "u.md"),
        ("embed", "i.png"),
    ]


def test_a_footnote_is_no_link_to_a_file_and_its_text_may_hold_one() -> None:
    found = links("text[^n1]\n\n[^n1]: [SP](https://x.example)\n")
    assert [(link.kind, link.target) for link in found] == [("footnote", "n1"), ("markdown", "https://x.example")]
    assert found[1].is_external


def test_a_link_knows_its_line_and_span_in_the_file() -> None:
    text = "---\r\ntype: T\r\n---\r\n\r\nsee [[a]]\r\nand [b](c.md)\r\n"
    assert [(link.line, text[link.start : link.end]) for link in links(text)] == [(5, "[[a]]"), (6, "[b](c.md)")]


def test_links_in_frontmatter_are_found_in_every_spelling_with_field_and_line() -> None:
    text = (
        '---\nup: [[Index]]\nrelated:\n  - [[Tools|kit]]\n  - "see [[Ada]] and [x](b.md)"\ndeep: {a: ["[[Z]]"]}\n---\n'
    )
    assert [(link.target, link.field, link.line) for link in links(text)] == [
        ("Index", "up", 2),
        ("Tools", "related", 4),
        ("Ada", "related", 5),
        ("b.md", "related", 5),
        ("Z", "deep", 6),
    ]


def test_path_valued_fields_are_links_and_scope_descriptions_are_not() -> None:
    text = (
        "---\nresource: https://x.y/z\ncomputation: lib/a.sql\nexecutor: {resource: ../run.md}\n"
        "sources:\n  - resource: /refs/a.md#h\n  - {resource: all queries in project X}\n  - b.md\n---\n"
    )
    assert [(link.kind, link.field, link.target, link.anchor) for link in links(text)] == [
        ("path", "resource", "https://x.y/z", ""),
        ("path", "computation", "lib/a.sql", ""),
        ("path", "executor.resource", "../run.md", ""),
        ("path", "sources.resource", "/refs/a.md", "h"),
        ("path", "sources.resource", "b.md", ""),
    ]


@given(st.text(alphabet=st.sampled_from(list("[]()!|#^`\\<>\"' \n:ab%$")), max_size=120))
def test_every_link_is_cut_from_the_text_where_it_says(text: str) -> None:
    for link in links(text):
        source = text[link.start : link.end]
        assert source.startswith(("[", "!["))
        assert link.form != "wiki" or source.endswith("]]")
