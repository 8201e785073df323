"""Which pages lag behind their sources, judged by content; times only where nothing better is known."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from okf_edge.inmemory.files import MemoryTree
from okf_edge.workspace.compiled import Record
from okf_edge.workspace.staleness import is_daily, staleness_of
from okf_edge.workspace.survey import survey
from okf_edge.workspace.sync import records_now

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
HOUR = 3_600_000_000_000
SECOND = 1_000_000_000


def page(source: str, extra: str = "") -> str:
    return f"---\ntype: Concept\ndescription: d\nsources:\n  - resource: {source}\n{extra}---\n\n# Page\n\nText.\n"


def base(files: dict[str, str], times: dict[str, int] | None = None) -> MemoryTree:
    tree = MemoryTree()
    for path, text in files.items():
        tree.put(path, text.encode(), mtime_ns=(times or {}).get(path, 100 * HOUR))
    return tree


async def look(tree: MemoryTree, records=None, ignored=()):
    return staleness_of(await survey(tree, MemoryTree()), records or {}, NOW, ignored)


async def recorded(tree: MemoryTree) -> dict[str, Record]:
    return records_now(await survey(tree, MemoryTree()), {}, NOW)


FILES = {"concepts/a.md": page("/Notes/raw.md"), "Notes/raw.md": "# Raw\n\nOld words.\n"}


async def test_a_source_whose_bytes_changed_since_they_were_recorded_makes_its_page_stale():
    tree = base(FILES)
    records = await recorded(tree)
    assert (await look(tree, records)).stale == ()
    tree.put("Notes/raw.md", b"# Raw\n\nNew words.\n", mtime_ns=1)
    [stale] = (await look(tree, records)).stale
    [change] = stale.changed
    assert (stale.path, change.path, change.evidence) == ("concepts/a.md", "Notes/raw.md", "hash")
    assert change.then == records["concepts/a.md"].sources["Notes/raw.md"] != change.now


async def test_scrambled_times_make_nothing_stale_that_is_recorded():
    tree = base(FILES)
    records = await recorded(tree)
    tree.put("Notes/raw.md", FILES["Notes/raw.md"].encode(), mtime_ns=5000 * HOUR)
    found = await look(tree, records)
    assert (found.stale, found.unknown, found.recorded) == ((), 0, 1)


async def test_a_clone_whose_files_come_seconds_apart_makes_nothing_stale():
    for page_time, source_time in ((100, 101), (101, 100), (100, 160)):
        tree = base(FILES, {"concepts/a.md": page_time * SECOND, "Notes/raw.md": source_time * SECOND})
        found = await look(tree)
        assert (found.stale, found.unknown) == ((), 1)


async def test_without_a_record_a_file_that_is_an_hour_newer_is_told_with_its_weak_evidence():
    tree = base(FILES, {"Notes/raw.md": 101 * HOUR})
    [stale] = (await look(tree)).stale
    assert [(each.path, each.evidence) for each in stale.changed] == [("Notes/raw.md", "file-time")]


async def test_a_file_time_that_contradicts_the_date_the_file_states_is_not_believed():
    files = {**FILES, "Notes/raw.md": "---\nupdated: 2020-01-01\n---\n\n# Raw\n"}
    found = await look(base(files, {"Notes/raw.md": 500_000 * HOUR}))
    assert (found.stale, found.unknown) == ((), 1)


@pytest.mark.parametrize(
    ("compiled", "changed", "is_stale"),
    [
        ("2026-05-01", "2026-05-02", True),
        ("2026-05-02", "2026-05-01", False),
        ("2026-05-02", "2026-05-02", False),
        ("2026-05-02T10:00:00Z", "2026-05-02T11:00:00Z", True),
        ("2026-05-02T10:00:00Z", "2026-05-02", False),
        ("2026-05-02T23:00:00+00:00", "2026-05-03T00:30:00+02:00", False),
    ],
)
async def test_without_a_record_the_dates_that_both_state_decide_whatever_the_file_times_say(
    compiled, changed, is_stale
):
    files = {
        "concepts/a.md": page("/Notes/raw.md", f"updated: {compiled}\n"),
        "Notes/raw.md": f"---\nupdated: {changed}\n---\n\n# Raw\n",
    }
    for times in ({}, {"Notes/raw.md": 900 * HOUR}, {"concepts/a.md": 900 * HOUR}):
        found = await look(base(files, times))
        assert [each.evidence for stale in found.stale for each in stale.changed] == ["stated-date"] * is_stale


async def test_a_page_that_was_written_again_knows_what_its_source_says_now():
    tree = base(FILES)
    records = await recorded(tree)
    tree.put("Notes/raw.md", b"# Raw\n\nNew words.\n", mtime_ns=100 * HOUR)
    tree.put("concepts/a.md", page("/Notes/raw.md", "title: Again\n").encode(), mtime_ns=100 * HOUR)
    again = records_now(await survey(tree, MemoryTree()), records, NOW)
    assert (await look(tree, again)).stale == ()


async def test_what_dates_call_stale_is_not_recorded_as_known():
    tree = base(FILES, {"Notes/raw.md": 101 * HOUR})
    assert await recorded(tree) == {}


async def test_a_page_or_source_that_is_not_downloaded_just_now_keeps_its_record():
    for away in FILES:
        tree = base(FILES)
        records = await recorded(tree)
        folder, _, name = away.partition("/")
        tree.put(f"{folder}/.{name}.icloud", b"bplist00", mtime_ns=1)
        await tree.remove(away)
        assert records_now(await survey(tree, MemoryTree()), records, NOW) == records


async def test_a_source_that_changed_after_the_page_was_written_again_is_not_recorded_as_known():
    tree = base(FILES)
    records = await recorded(tree)
    tree.put("concepts/a.md", page("/Notes/raw.md", "title: Again\n").encode(), mtime_ns=101 * HOUR)
    tree.put("Notes/raw.md", b"# Raw\n\nStill newer words.\n", mtime_ns=102 * HOUR)
    again = records_now(await survey(tree, MemoryTree()), records, NOW)
    assert [each.evidence for stale in (await look(tree, again)).stale for each in stale.changed] == ["file-time"]


async def test_recording_twice_gives_the_same_records_whenever():
    tree = base(FILES)
    records = await recorded(tree)
    later = records_now(await survey(tree, MemoryTree()), records, NOW.replace(year=2030))
    assert later == records


async def test_a_cited_file_that_is_no_note_is_compared_by_content_too():
    tree = base({"concepts/a.md": page("/Papers/study.pdf")})
    tree.put("Papers/study.pdf", b"%PDF one", mtime_ns=100 * HOUR)
    records = await recorded(tree)
    tree.put("Papers/study.pdf", b"%PDF two", mtime_ns=100 * HOUR + 1)
    [stale] = (await look(tree, records)).stale
    assert stale.changed[0].path == "Papers/study.pdf"


async def test_a_page_past_its_stale_after_is_stale_without_any_source():
    text = "---\ntype: Concept\nstale_after: 2026-11-30T11:59:00Z\n---\n\n# Page\n"
    found = await look(base({"concepts/a.md": text, "concepts/b.md": text.replace("11:59", "12:01")}))
    assert [(each.path, each.stale_after, each.changed) for each in found.stale] == [
        ("concepts/a.md", "2026-11-30T11:59:00Z", ())
    ]


SPELLINGS = [
    "/Notes/{}.md",
    "Notes/{}.md",
    "../Notes/{}.md",
    "./../Notes/{}.md",
    "/Notes/{}.md#heading",
    '"[[{}]]"',
    '"[[{}|label]]"',
    '"[[{}#heading]]"',
    '"[[Notes/{}]]"',
    "[[{}]]",
    '"[label](/Notes/{}.md)"',
    '"[label](</Notes/{}.md>)"',
    "'Notes\\{}.md'",
    "<../Notes/{}.md>",
    "{}.md",
]


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("shape", ["sources:\n  - resource: {}", "sources: [{}]", "sources:\n  - {}", "sources: {}"])
async def test_a_citation_is_known_in_every_spelling_whether_its_file_is_there_or_not(spelling, shape):
    if "[[" in spelling and '"' not in spelling and "[{}]" in shape:
        pytest.skip("three brackets in a row are another thing in YAML")
    for name in ("raw", "absent"):
        cited = spelling.format(name)
        if "|" in cited and '"' not in cited:
            continue
        text = f"---\ntype: Concept\n{shape.format(cited)}\n---\n\n# Page\n"
        found = await look(base({"concepts/a.md": text, "Notes/raw.md": "# Raw\n\nWords.\n"}))
        assert found.citations == 1, text
        assert [each.page for each in found.dangling] == ["concepts/a.md"] * (name == "absent"), text
        assert [note.path for note in found.uncooked] == ["Notes/raw.md"] * (name == "absent"), text


async def test_citations_of_version_one_and_with_encoded_names_are_known():
    cited = "1. [Raw](/Notes/raw%20note.md)\n2. [Gone](/Notes/gone.md)\n"
    text = f"---\ntype: Concept\n---\n\n# Page\n\n# Citations\n\n{cited}"
    found = await look(base({"concepts/a.md": text, "Notes/raw note.md": "# Raw\n"}))
    assert [(each.cited, each.line) for each in found.dangling] == [("/Notes/gone.md", 10)]


async def test_what_is_no_file_is_no_dangling_citation():
    text = (
        "---\ntype: Concept\nsources:\n  - resource: https://example.org/a.md\n"
        "  - resource: all queries of last year\n  - interview with a beekeeper\n---\n\n# Page\n"
    )
    assert (await look(base({"concepts/a.md": text}))).dangling == ()


async def test_a_citation_of_a_note_that_is_not_downloaded_says_so():
    tree = base({"concepts/a.md": page("/Notes/far.md")})
    tree.put("Notes/.far.md.icloud", b"bplist00", mtime_ns=1)
    [found] = (await look(tree)).dangling
    assert (found.cited, found.absent) == ("/Notes/far.md", "Notes/far.md")


async def test_notes_that_no_page_cites_or_links_are_uncooked_but_for_days_and_what_is_ignored():
    files = {
        "concepts/a.md": page("/Notes/raw.md").replace("Text.", "See [[linked]]."),
        "Notes/raw.md": "# Raw\n",
        "Notes/linked.md": "# Linked\n",
        "Notes/left.md": "# Left, though [[raw]] is linked\n",
        "Daily/2026-05-01.md": "# Day\n",
        "Meetings/weekly.md": "# Weekly\n",
    }
    found = await look(base(files), ignored=("Meetings/*",))
    assert [note.path for note in found.uncooked] == ["Notes/left.md"]
    assert found.ignored == 2


async def test_where_nothing_is_compiled_nothing_is_uncooked():
    found = await look(base({"a.md": "# A\n", "b.md": "# B\n"}))
    assert (found.pages, found.uncooked) == (0, ())


@pytest.mark.parametrize(
    ("path", "daily"),
    [
        ("2026-05-01.md", True),
        ("journals/2026_05_01.md", True),
        ("20260501.md", True),
        ("2026-05-01 Friday.md", True),
        ("2026-W18.md", True),
        ("Daily Notes/anything.md", True),
        ("2026 plan.md", False),
        ("RFC 20260501999.md", False),
        ("Notes/dailiness.md", False),
    ],
)
def test_a_daily_note_is_known_by_its_name_or_folder(path, daily):
    assert is_daily(path) is daily
