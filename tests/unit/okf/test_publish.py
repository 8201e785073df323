"""What leaves is standard markdown with the same graph, and nothing that was meant to stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from okf_edge.okf.links import links_of
from okf_edge.okf.publish import meaning_by, standard_body
from okf_edge.okf.reader import read_document
from okf_edge.okf.resolve import Entry, Resolver, entry_of

NOTES = {
    "My Note.md": "K line ^k\n",
    "Sub/Über Plan.md": "## Phase 2\n.",
    "C#.md": "",
    "Talk | Part 2.md": "",
    "s.md": "# Local\n",
}


def resolver(**more: str) -> Resolver:
    notes = {**NOTES, **more}
    entries = [entry_of(read_document(path, text.encode())) for path, text in notes.items()]
    return Resolver([*entries, Entry("img/pic 1.png"), Entry("a.pdf")])


def published(text: str, source: str = "s.md") -> str:
    return standard_body(read_document(source, text.encode()), meaning_by(resolver(), source))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[My Note]]", "[My Note](/My%20Note.md)"),
        ("[[My Note|the ] note]]", "[the \\] note](/My%20Note.md)"),
        ("[[My Note|C:\\x]]", "[C:\\\\x](/My%20Note.md)"),
        ("[[Sub/Über Plan#Phase 2]]", "[Sub/Über Plan > Phase 2](/Sub/Über%20Plan.md#Phase%202)"),
        ("[[My Note#^k]]", "[My Note](/My%20Note.md#^k)"),
        ("![[My Note#^k]]", "[My Note](/My%20Note.md#^k)"),
        ("![[pic 1.png]]", "![pic 1.png](/img/pic%201.png)"),
        ("![[pic 1.png|300]]", "![pic 1.png|300](/img/pic%201.png)"),
        ("![[pic 1.png|A view]]", "![A view](/img/pic%201.png)"),
        ("![[a.pdf]]", "[a.pdf](/a.pdf)"),
        ("[[C#]]", "[C#](/C%23.md)"),
        ("[[Talk | Part 2]]", "[Talk | Part 2](/Talk%20%7C%20Part%202.md)"),
        ("[doc]([[My Note]])", "[doc](/My%20Note.md)"),
        ("[[#Local]]", "[Local](/s.md#Local)"),
        ("[[Nobody|a [b]]]", "a \\[b\\]"),
        ("| a | b |\n|---|---|\n| [[My Note\\|n]] | c |", "| a | b |\n|---|---|\n| [n](/My%20Note.md) | c |"),
        ("`[[My Note]]` [x](My%20Note.md)", "`[[My Note]]` [x](My%20Note.md)"),
    ],
)
def test_a_wikilink_becomes_an_absolute_markdown_link(text: str, expected: str) -> None:
    assert published(text) == expected


def test_comments_of_the_author_stay_behind_and_their_lines_with_them() -> None:
    text = "---\ntype: T\n---\na %% b %% c\n%%\nsecret [[My Note]]\n%%\n<!-- kept -->\n```\n%% code %%\n```\n"
    assert published(text) == "a  c\n<!-- kept -->\n```\n%% code %%\n```\n"


def test_a_pipe_in_a_label_does_not_break_its_table() -> None:
    text = "| a | b |\n|---|---|\n| [[Talk \\| Part 2]] | c |"
    assert published(text).splitlines()[2] == "| [Talk \\| Part 2](/Talk%20%7C%20Part%202.md) | c |"


NAMES = st.text(alphabet=st.sampled_from(list("ab é中 ()'\"&!%*_~`+=;,.-{}🚀")), min_size=1, max_size=10).map(
    lambda name: f"n{name.strip()}n"
)


@given(NAMES, st.text(alphabet=st.sampled_from(list("ab é[\\*`!(#<")), max_size=8).map(lambda text: f"x{text}x"))
def test_the_graph_survives_whatever_names_and_labels_are(name: str, label: str) -> None:
    path = f"d/{name}.md"
    found = resolver(**{path: ""})
    before = read_document("s.md", f"see [[{name}|{label}]] and ![[{name}]]\n".encode())
    after = read_document("s.md", standard_body(before, meaning_by(found, "s.md")).encode())
    meant = [[found.resolve(link, "s.md").path for link in links_of(each)] for each in (before, after)]
    edges = [[path for path in paths if path] for paths in meant]
    assert edges[0] == edges[1]
