"""The score explains itself, and every finding is one that a person would agree with."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from okf_edge.inmemory.files import MemoryTree
from okf_edge.workspace.health import POINTS, Configuration, Finding, health_of
from okf_edge.workspace.staleness import staleness_of
from okf_edge.workspace.survey import survey

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
GOOD = (
    "---\ntype: Concept\ntitle: {0}\ndescription: d\nsources: [/Notes/raw.md]\n---\n\n# {0}\n\n"
    "{0} is a page of enough words to be nobody's duplicate. See [[{1}]].\n"
)
FILES = {
    "concepts/a.md": GOOD.format("a", "b"),
    "concepts/b.md": GOOD.format("b", "a"),
    "Notes/raw.md": "# Raw\n\nWords of the person, enough of them to be compared.\n",
}


async def health(files, configuration=None):
    tree = MemoryTree(files)
    found = await survey(tree, MemoryTree())
    return health_of(found, staleness_of(found, {}, NOW), configuration)


def told(found, topic):
    return [(each.path, each.message) for each in found.findings if each.topic == topic]


async def test_a_base_in_order_has_all_points_and_no_finding():
    found = await health(FILES, Configuration(8, ()))
    assert (found.score, found.findings) == (100, ())
    assert {check.topic for check in found.checks} == set(POINTS)
    assert sum(POINTS.values()) == 100


async def test_the_score_is_the_sum_of_its_checks():
    found = await health({**FILES, "concepts/c.md": "no frontmatter, and [nowhere](gone.md)\n"})
    possible = sum(check.points for check in found.checks)
    assert found.score == int(100 * sum(check.earned for check in found.checks) / possible)
    assert found.score < 100
    assert all(check.earned == round(check.points * check.good / check.total, 2) for check in found.checks)


async def test_malformed_yaml_never_makes_a_page_vanish():
    found = await health({**FILES, "concepts/c.md": "---\ntype: [\ntitle: C\n---\n\n# C\n"})
    assert (found.found, found.read) == (4, 3)
    assert {path for path, _ in told(found, "coverage")} == {"concepts/c.md"}


async def test_what_is_not_downloaded_counts_as_not_read_and_breaks_no_link():
    files = {**FILES, "Notes/.far.md.icloud": "bplist00", "Notes/near.md": "# Near\n\nSee [[far]].\n"}
    found = await health(files)
    assert (found.found, found.read) == (5, 4)
    assert told(found, "links") == []


@pytest.mark.parametrize("link", ["[x](gone.md)", "![[gone.png]]", "[x](/Notes/gone.md#part)"])
async def test_a_link_that_leads_nowhere_is_told_with_its_line(link):
    found = await health({**FILES, "Notes/n.md": f"# N\n\n{link}\n"})
    lines = [(each.path, each.line) for each in found.findings if each.topic == "links"]
    assert lines == ([("Notes/n.md", 3)] if "![[" not in link else lines)
    assert len(lines) + len(found.wanted) == 1


async def test_a_name_that_no_page_has_yet_is_wanted_in_a_persons_note_and_broken_in_a_compiled_page():
    mine = await health({**FILES, "Notes/n.md": "# N\n\n[[Some idea]], [[some idea]], [[Other]]\n"})
    assert (mine.wanted, told(mine, "links")) == ((("Some idea", 2), ("Other", 1)), [])
    theirs = await health({**FILES, "concepts/a.md": GOOD.format("a", "b") + "\n[[Some idea]]\n"})
    assert [path for path, _ in told(theirs, "links")] == ["concepts/a.md"]


async def test_page_and_block_references_of_outline_editors_are_no_broken_paths():
    found = await health({**FILES, "pages/n.md": "- [x]([[raw]]) and [y](((6501-ab)))\n"})
    assert (told(found, "links"), found.wanted) == ([], ())


async def test_broken_links_into_a_folder_that_is_not_here_at_all_are_one_thing_to_know():
    links = "![](../assets/a.png) ![](../assets/b%20c.png) ![](/assets/c.png) [x](../x/gone.md)"
    links += " [y](../../out/a.md) [z](g.md)"
    found = await health({**FILES, "pages/n.md": f"# N\n\n{links}\n", "x/here.md": "# X\n"})
    assert found.absent_folders == (("assets", 3),)
    assert len(told(found, "links")) == 6


async def test_an_ambiguous_name_is_told_with_its_candidates():
    found = await health({**FILES, "x/n.md": "# N\n", "y/n.md": "# N\n", "z/m.md": "# M\n\n[[n]]\n"})
    assert told(found, "links") == [("z/m.md", "`n` may be x/n.md or y/n.md")]


async def test_fields_that_compiled_pages_lack_are_counted_by_type():
    found = await health({**FILES, "entities/e.md": "---\ntype: Entity\n---\n\n# E\n", "queries/q.md": "# Q\n"})
    assert found.by_type == {"(queries)": {"type": 1, "description": 1, "sources": 1}, "Entity": {
        "description": 1, "sources": 1}}  # fmt: skip
    assert [(each.path, each.fixable) for each in found.findings if each.topic == "frontmatter"] == [
        ("entities/e.md", False),
        ("queries/q.md", True),
    ]


async def test_orphans_duplicates_and_oversized_pages_are_told():
    lonely = GOOD.format("lonely", "a")
    files = {**FILES, "concepts/lonely.md": lonely, "Notes/copy.md": FILES["Notes/raw.md"]}
    files["concepts/big.md"] = GOOD.format("big", "a") + "word " * 12_000
    found = await health(files)
    assert [path for path, _ in told(found, "orphans")] == ["concepts/big.md", "concepts/lonely.md"]
    assert told(found, "duplicates") == [("Notes/raw.md", "says the same as Notes/copy.md")]
    assert [path for path, _ in told(found, "size")] == ["concepts/big.md"]


async def test_missing_parts_of_the_setup_cost_points_only_in_a_base():
    missing = Configuration(8, (Finding("configuration", "SCHEMA.md", None, "is missing", True),))
    assert (await health(FILES)).score == 100
    assert (await health(FILES, missing)).score == 98


async def test_an_empty_folder_is_in_order():
    assert (await health({})).score == 100


async def test_facts_that_are_kept_tell_the_same_as_reading_again_and_damage_is_no_error():
    tree, home = MemoryTree({**FILES, "Notes/n.md": "# N\n\n[[nowhere]] [x](gone.md)\n"}), MemoryTree()
    first = await survey(tree, home)
    kept = dict(home.files)
    second = await survey(tree, home)
    assert (second.pages, second.graph.ends, second.cited) == (first.pages, first.graph.ends, first.cited)
    assert home.mtimes[".okf/cache/facts.json"] == 1
    for damage in (b"", b"{}", b"[]", b'{"version":1,"pages":[[]]}', kept[".okf/cache/facts.json"][:-40]):
        home.put(".okf/cache/facts.json", damage)
        assert (await survey(tree, home)).pages == first.pages


async def test_a_page_that_comes_or_goes_changes_where_unchanged_links_lead():
    tree, home = MemoryTree({**FILES, "Notes/n.md": "# N\n\n[x](late.md)\n"}), MemoryTree()
    before = await survey(tree, home)
    assert [end.outcome for end in before.graph.ends["Notes/n.md"]] == ["missing"]
    tree.put("Notes/late.md", b"# Late\n")
    after = await survey(tree, home)
    assert [end.path for end in after.graph.ends["Notes/n.md"]] == ["Notes/late.md"]
    await tree.remove("Notes/late.md")
    assert [end.outcome for end in (await survey(tree, home)).graph.ends["Notes/n.md"]] == ["missing"]
