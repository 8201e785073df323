"""index.md and log.md are read as they come and written as the specification shows them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from okf_edge.okf.listings import Day, Entry, Group, Log, is_date, parse_index, parse_log, write_index, write_log
from okf_edge.okf.reader import read_document

INDEX = """\
# Section / Group Heading

* [Title 1](relative-url-1) - short description of item 1
* [Title 2](relative-url-2) - short description of item 2

# Another Section

* [Subdirectory](subdir/) - short description of the subdirectory
"""

LOG = """\
# Directory Update Log

## 2026-05-22
* **Update**: Added a table for [Customer Metrics](/tables/customer-metrics.md).
* **Creation**: Established the [Dataplex Playbook](/playbooks/dataplex.md).

## 2026-05-15
* **Initialization**: Created foundational directory structure.
"""


def index(text: str) -> tuple[Group, ...]:
    return parse_index(read_document("index.md", text.encode()))


def log(text: str) -> Log:
    return parse_log(read_document("log.md", text.encode()))


def test_the_index_of_the_specification_is_read_and_written_byte_for_byte() -> None:
    groups = index(INDEX)
    assert [(group.heading, len(group.entries)) for group in groups] == [
        ("Section / Group Heading", 2),
        ("Another Section", 1),
    ]
    assert groups[0].entries[0] == Entry("Title 1", "relative-url-1", "short description of item 1", 3)
    assert write_index(groups) == INDEX


def test_the_log_of_the_specification_is_read_and_written_byte_for_byte() -> None:
    read = log(LOG)
    assert read.title == "Directory Update Log"
    assert [(day.date, len(day.entries), day.line) for day in read.days] == [("2026-05-22", 2, 3), ("2026-05-15", 1, 7)]
    assert write_log(read) == LOG


def test_only_a_root_index_states_the_version() -> None:
    written = write_index([Group("A", (Entry("T", "t.md"),))], okf_version="0.2")
    assert written == '---\nokf_version: "0.2"\n---\n\n# A\n\n* [T](t.md)\n'
    document = read_document("index.md", written.encode())
    assert document.frontmatter == {"okf_version": "0.2"}
    assert document.diagnostics == ()


def test_other_bullets_dashes_and_line_breaks_are_read() -> None:
    (group,) = index("# A\n\n- [T \\[x\\]](<a b.md>) — long\n  description\n+ [U](u(1).md)\n- stray\n")
    assert [(entry.title, entry.url, entry.description) for entry in group.entries] == [
        ("T [x]", "a b.md", "long description"),
        ("U", "u(1).md", ""),
    ]
    assert group.strays == (6,)


def test_what_would_break_a_line_is_escaped() -> None:
    entry = Entry("a ] b\nc", "x y.md", "one\ntwo")
    assert write_index([Group("H", (entry,))]) == "# H\n\n* [a \\] b c](x%20y.md) - one two\n"


def test_a_log_is_written_newest_first_with_one_heading_a_day() -> None:
    days = (Day("2026-01-01", ("a",)), Day("2026-03-01", ("b",)), Day("2026-01-01", ("c",)))
    assert write_log(Log("L", days)) == "# L\n\n## 2026-03-01\n* b\n\n## 2026-01-01\n* a\n* c\n"


def test_entries_without_a_day_are_named() -> None:
    read = log("# L\n\n- early\n\n## 2026-01-01\n\n### Part\n\n- x\n")
    assert read.undated == (3,)
    assert read.days == (Day("2026-01-01", ("x",), 5),)


def test_a_date_is_a_day_of_the_calendar() -> None:
    assert [is_date(text) for text in ("2026-02-28", "2026-02-29", "2026-13-45", "2026-2-8", "20260208", "x")] == [
        True,
        *[False] * 5,
    ]


WORDS = st.text(alphabet=st.sampled_from(list("ab é中[]()\\|*_<>#-`!&")), min_size=1, max_size=12).map(
    lambda text: " ".join(f"w{text}w".split())
)


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=4))
def test_what_is_written_is_read_back(rows: list[tuple[str, str, str]]) -> None:
    entries = tuple(Entry(title, f"{url.replace(' ', '')}.md", text) for title, url, text in rows)
    (group,) = index(write_index([Group("H", entries)]))
    assert [(entry.title, entry.description) for entry in group.entries] == [(row[0], row[2]) for row in rows]
