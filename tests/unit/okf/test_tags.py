"""A tag is one tag, whatever its script, and a query for it finds its children."""

from __future__ import annotations

import pytest

from okf_edge.okf.reader import read_document
from okf_edge.okf.tags import matches, tags_of


def tags(text: str) -> tuple[str, ...]:
    return tags_of(read_document("note.md", text.encode()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#a #b/c #a-b_c", ("a", "b/c", "a-b_c")),
        ("#⚙️/pending🔄 #Status/🔥Active", ("⚙️/pending🔄", "Status/🔥Active")),
        ("#👨\u200d👩", ("👨\u200d👩",)),
        ("#会议/周报，后文 #标签。", ("会议/周报", "标签")),
        ("#nin\u0303o", ("nin\u0303o",)),
        ("#y1984 #2024/05", ("y1984", "2024/05")),
        ("# Head #inhead", ("inhead",)),
        ("#a/ #b. #c, #d! (x) #e)", ("a", "b", "c", "d", "e")),
        ("- #item\n> #quoted\n\n| #cell |\n|---|\n", ("item", "quoted", "cell")),
        ("#A #a #a\u0301 #á", ("A", "a\u0301")),
    ],
)
def test_inline_tags_are_found_as_typed_each_once(text: str, expected: tuple[str, ...]) -> None:
    assert tags(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "#1984",
        "# Head",
        "## #",
        "x#no",
        "(#no)",
        "https://x.y/#frag",
        "[l](#anchor)",
        "[l]( #anchor )",
        "[[Note #no]]",
        "[[ #no]]",
        "`#code`",
        "```\n#code\n```",
        "    #code",
        "%% #comment %%",
        "<!-- #comment -->",
        "\\#escaped",
        "$x #m$",
        "##no",
    ],
)
def test_what_only_looks_like_a_tag_is_none(text: str) -> None:
    assert tags(text) == ()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("weir, sluice gate", ("weir", "sluice gate")),
        ("a b c", ("a", "b", "c")),
        ("solo", ("solo",)),
        ('"#river/upper"', ("river/upper",)),
        ("[no, on, 2026, true, '#x/']", ("no", "on", "2026", "true", "x")),
        ("\n  - a b\n  - [nested]\n  -\n", ("a b",)),
        ("", ()),
        ("{a: b}", ()),
    ],
)
def test_frontmatter_tags_are_a_list_of_strings_however_they_were_written(
    value: str, expected: tuple[str, ...]
) -> None:
    assert tags(f"---\ntags: {value}\n---\n") == expected
    assert tags(f"---\ntag: {value}\n---\n") == expected


@pytest.mark.parametrize(
    ("tag", "query", "found"),
    [
        ("Status/🔥Active", "status", True),
        ("status", "#Status", True),
        ("status/done", "status/", True),
        ("statuses", "status", False),
        ("status", "status/done", False),
        ("área/niño", "a\u0301rea", True),
        ("⚙️", "⚙", True),
        ("a", "", False),
    ],
)
def test_a_query_finds_a_tag_and_its_children_in_any_case_and_form(tag: str, query: str, found: bool) -> None:
    assert matches(tag, query) is found
