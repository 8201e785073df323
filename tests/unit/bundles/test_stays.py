"""What stays in a base is named in no form by what leaves it, without a person's decision."""

from __future__ import annotations

import pytest

from effort import cpu_seconds
from okf_edge.bundles.risks.stays import Staying

STAYS = [
    "private/Divorce diary.md",
    "private/zebra/cover picture.png",
    "Home.md",
    "日记/分手.md",
    "private/cafe\u0301.md",
]
LEAVES = ["concepts/weir.md", "concepts/Home page.md"]


def gravest(text: str, path: str = "concepts/weir.md") -> str:
    levels = [each.severity for each in Staying(STAYS, LEAVES, ["Splitsville road"]).findings(path, text.encode())]
    return "blocking" if "blocking" in levels else "warning" if levels else ""


@pytest.mark.parametrize(
    "text",
    [
        "`[[Divorce diary]]`",
        "<!-- [[private/Divorce diary#Custody|x]] -->",
        'LIST FROM "Divorce diary"',
        "parent: Divorce diary",
        '{"nodes":[{"type":"file","file":"private/Divorce diary.md"}]}',
        '{"file":"private\\/Divorce diary.md"}',
        "obsidian://open?vault=v&file=private%2FDivorce%20diary",
        '<a href="../private/Divorce%20diary.md">x</a>',
        "path:private/divorce DIARY",
        "see Divorce diary.md",
        "![](zebra/cover picture.png)",
        'click A "cover%20picture.png"',
        "`[[分手]]` in code",
        "日记/分手",
        "private/caf\u00e9.md",
        "aka `[[Splitsville road]]`",
    ],
)
def test_a_name_that_no_link_bears_stops_an_export(text: str):
    assert gravest(f"---\ntype: Note\n---\n\nFirst.\n{text}\nLast.\n") == "blocking"


@pytest.mark.parametrize(
    "text",
    ["Their divorce diary was sold.", "concepts/weir.md", "[[Home page]]", "private/Divorce diary-of-others.md",
     "see `index.md` and [[index]]", "https://example.org/zebra/crossing", "type: Divorce", '"weir"', "a/b/c.md"],
)  # fmt: skip
def test_what_leaves_and_words_of_prose_are_nothing(text: str):
    assert gravest(text) == ""


def test_a_name_that_many_texts_say_is_a_warning():
    assert gravest("`[[Home]]` is a link") == "warning"


def test_one_name_is_told_once_in_a_file_by_the_line_where_it_stands():
    text = 'x\n"private/Divorce diary.md" and [[Divorce diary]]\n[[Divorce diary]]\n'
    (finding,) = Staying(STAYS, LEAVES).findings("a.canvas", text.encode())
    assert (finding.path, finding.line, finding.kind) == ("a.canvas", 2, "name of what stays")
    assert "diary" not in str(finding)


def test_a_binary_file_is_not_read_for_names():
    assert Staying(STAYS, LEAVES).findings("a.png", b"\x89PNG\0 private/Divorce diary.md") == ()


@pytest.mark.parametrize(
    "text", ["/" * 20_000, "2026/" * 5_000, ".md" * 8_000, '"' * 20_000, "[[" * 10_000, "'a" * 9_000]
)
def test_a_large_base_and_hostile_text_cost_time_in_proportion(text: str):
    paths = [f"daily/2026/note {number} of the day.md" for number in range(20_000)]
    staying = Staying(paths, ())
    assert cpu_seconds(lambda: staying.findings("a.md", text.encode())) < 2
