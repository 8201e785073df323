"""A link means the file that its author meant, and says when that is not certain."""

from __future__ import annotations

import unicodedata
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from okf_edge.okf.links import links_of
from okf_edge.okf.reader import read_document
from okf_edge.okf.resolve import Entry, Resolution, Resolver, entry_of
from okf_edge.okf.spelling import encoded_path

HEADINGS = (
    "# C++ & C#: notes!\n## 🚀 Launch\n## Setup\nx\n# Two\n## Setup\ny\n# `code` **bold** [l](x.md)\n# 中文 标题\n"
    "# TCP/IP\npara ^p1\n\n- item ^i1\n  - child\n- other\n\nSet\n===\n"
)
NOTES = {
    "a/N.md": HEADINGS,
    "b/N.md": "",
    "b/s.md": "",
    "c/s.md": "",
    "deep/er/only.md": "---\naliases: [Einzige, 2026]\n---\n",
    "x y/A (1).md": "",
    "p%20q/Enc%20oded.md": "",
    "index.md": "",
    "d/index.md": "",
    "v1.2.md": "",
    "node.js.md": "",
    "C#.md": "# Intro\n",
    "C.md": "",
    "Talk | Part 2.md": "",
    "A.md": "",
    "Ａ.md": "",
    "CASE/Name.md": "",
}


def build(notes: dict[str, str]) -> Resolver:
    entries = [entry_of(read_document(path, text.encode())) for path, text in notes.items()]
    return Resolver([*entries, Entry("report.pdf"), Entry("far/Gone.md", downloaded=False)])


RESOLVER = build(NOTES)


def resolve(text: str, source: str = "b/from.md", resolver: Resolver = RESOLVER) -> Resolution:
    (link,) = links_of(read_document(source, text.encode()))
    return resolver.resolve(link, source)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[[only]]", "deep/er/only.md"),
        ("[[ONLY]]", "deep/er/only.md"),
        ("[[only.md]]", "deep/er/only.md"),
        ("[[er/only]]", "deep/er/only.md"),
        ("[[Einzige]]", "deep/er/only.md"),
        ("[[2026]]", "deep/er/only.md"),
        ("[[a/N]]", "a/N.md"),
        ("[[../a/N]]", "a/N.md"),
        ("[[v1.2]]", "v1.2.md"),
        ("[[node.js]]", "node.js.md"),
        ("[[C#]]", "C#.md"),
        ("[[C##Intro]]", "C#.md"),
        ("[[Talk | Part 2]]", "Talk | Part 2.md"),
        ("[[case/name]]", "CASE/Name.md"),
        ("[[A]]", "A.md"),
        ("[[Ａ]]", "Ａ.md"),
        ("[[Enc oded]]", "p%20q/Enc%20oded.md"),
        ("[[x%20y/A%20(1)]]", "x y/A (1).md"),
        ("[x](N.md)", "b/N.md"),
        ("[x](../a/N.md)", "a/N.md"),
        ("[x](../a/N)", "a/N.md"),
        ("[x](/a/N.md)", "a/N.md"),
        ("[x](../x%20y/A%20(1).md)", "x y/A (1).md"),
        ("[x](<../x y/A (1).md>)", "x y/A (1).md"),
        ("[x](../p%20q/Enc%20oded.md)", "p%20q/Enc%20oded.md"),
        ("[x](/p%2520q/Enc%2520oded.md)", "p%20q/Enc%20oded.md"),
        ("[x](/C%23.md)", "C#.md"),
        ("[x](/C#.md)", "C#.md"),
        ("[x](N.md?raw=1)", "b/N.md"),
        ("[x](../d/)", "d/index.md"),
        ("[x](/)", "index.md"),
        ("[x](only.md)", "deep/er/only.md"),
    ],
)
def test_a_link_finds_the_file_that_it_means(text: str, path: str) -> None:
    found = resolve(text)
    assert (found.status, found.path) == ("resolved", path)


@pytest.mark.parametrize("text", ["[[nobody]]", "[x](../../out.md)", "[x](absent.md)", "[[y/A (1)]]", "[x](/N.md)"])
def test_a_link_to_nothing_is_missing(text: str) -> None:
    assert resolve(text).status == "missing"


@pytest.mark.parametrize(
    "text", ["[x](https://a.b/c.md)", "[x](mailto:a@b.c)", "[x](//host/x)", "[[https://a.b]]", "t[^1]"]
)
def test_what_leaves_the_tree_is_external(text: str) -> None:
    assert resolve(text).status == "external"


def test_an_ambiguous_name_means_the_same_folder_then_the_shortest_path_and_is_reported() -> None:
    assert resolve("[[N]]", "b/x.md") == Resolution("ambiguous", "b/N.md", "N", "", "name", ("b/N.md", "a/N.md"))
    assert resolve("[[N]]", "z/x.md").path == "a/N.md"
    nested = build({"long/way/down/T.md": "", "short/T.md": "", "S.md": ""})
    assert resolve("[[T]]", "S.md", nested).path == "short/T.md"


def test_an_exact_spelling_beats_another_case_and_is_not_ambiguous() -> None:
    cases = build({"x/note.md": "", "Note.md": ""})
    assert resolve("[[Note]]", "x/q.md", cases).path == "Note.md"
    assert resolve("[[Note]]", "x/q.md", cases).status == "resolved"


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_names_meet_under_canonical_equivalence_only(form: str) -> None:
    name = unicodedata.normalize(form, "Größenplan パンフレット")
    other = unicodedata.normalize("NFD" if form == "NFC" else "NFC", name)
    resolver = build({f"{name}.md": "", "ﬁne.md": ""})
    assert resolve(f"[[{other}]]", "q.md", resolver).path == f"{name}.md"
    assert resolve(f"[x]({quote(other)}.md)", "q.md", resolver).path == f"{name}.md"
    assert resolve("[[fine]]", "q.md", resolver).status == "missing"


def test_a_file_that_is_no_note_is_an_attachment() -> None:
    assert resolve("[[report.pdf]]").status == "attachment"
    assert resolve("![[report.pdf#page=3]]").status == "attachment"


def test_a_note_that_is_not_downloaded_is_not_broken() -> None:
    assert resolve("[[Gone]]") == Resolution("not-downloaded", "far/Gone.md", "Gone", "", "name")


@pytest.mark.parametrize(
    ("anchor", "line"),
    [
        ("C++ & C#: notes!", 1),
        ("c++ c notes", 1),
        ("🚀 Launch", 2),
        ("Launch", 2),
        ("Setup", 3),
        ("Two#Setup", 6),
        ("code bold l", 8),
        ("中文 标题", 9),
        ("TCP/IP", 10),
        ("TCP IP", 10),
        ("^p1", 11),
        ("^P1", 11),
        ("^i1", 13),
        ("Set", 17),
    ],
)
def test_an_anchor_finds_its_heading_or_block(anchor: str, line: int) -> None:
    place = resolve(f"[[a/N#{anchor}]]").place
    assert place and place.first_line == line


@pytest.mark.parametrize(
    ("slug", "line"), [("c--c-notes", 1), ("-launch", 2), ("setup", 3), ("setup-1", 6), (quote("中文-标题"), 9)]
)
def test_a_slug_finds_its_heading(slug: str, line: int) -> None:
    place = resolve(f"[x](/a/N.md#{slug})").place
    assert place and place.first_line == line


@pytest.mark.parametrize("anchor", ["nope", "^nope", "Setup#Two", "setup-2"])
def test_a_missing_anchor_is_not_a_missing_note(anchor: str) -> None:
    found = resolve(f"[x](</a/N.md#{anchor}>)")
    assert (found.status, found.path) == ("anchor-missing", "a/N.md")


def test_a_relative_path_says_from_which_base_it_was_found() -> None:
    document = read_document(
        "b/f.md", b"---\nsources:\n  - resource: s.md\n  - resource: c/s.md\n  - resource: absent.md\n---\n"
    )
    found = [RESOLVER.resolve(link, "b/f.md") for link in links_of(document)]
    assert [(each.status, each.path, each.how) for each in found] == [
        ("resolved", "b/s.md", "document"),
        ("resolved", "c/s.md", "bundle"),
        ("missing", "", ""),
    ]


NAMES = st.text(
    alphabet=st.characters(
        blacklist_categories=("Cs", "Cc", "Zl", "Zp"), blacklist_characters="/\\<>|^#[]\u0085\ue000"
    ),
    min_size=1,
    max_size=20,
).map(lambda name: f"n{name}n")


@given(NAMES, NAMES)
def test_a_link_that_we_write_finds_its_file_whatever_the_name(folder: str, name: str) -> None:
    path = f"{folder}/{name}.md"
    resolver = Resolver([Entry(path)])
    for destination in (encoded_path(path), quote(path)):
        found = resolve(f"[x](/{destination})", "q.md", resolver)
        assert (found.status, found.path) == ("resolved", path)


@given(NAMES)
def test_a_name_that_is_percent_encoded_on_disk_is_found_by_its_decoded_name(name: str) -> None:
    path = f"{quote(name, safe='')}.md"
    assert Resolver([Entry(path)]).resolve(links_of(read_document("q", f"[x](/{quote(path)})".encode()))[0], "q").path
