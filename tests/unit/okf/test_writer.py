"""An edit changes what was asked, cleans what was broken, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from okf_edge.errors import FormatError
from okf_edge.okf.reader import read_document
from okf_edge.okf.writer import edited, emitted


def edit(text: str | bytes, changes: dict[str, Any], remove: tuple[str, ...] = ()) -> str:
    data = text if isinstance(text, bytes) else text.encode()
    return edited(read_document("note.md", data), changes, remove).decode()


UNUSUAL = """\
---
# top comment
title: Old # why
x-team: {a: [1, 2],   b: "07"}   # odd spacing

zip: 02700
# about tags
tags: [a, b]
---
body
"""


def test_unknown_keys_order_comments_and_spacing_stay_byte_for_byte() -> None:
    assert edit(UNUSUAL, {"title": "New"}) == UNUSUAL.replace("Old", "New")


def test_a_new_key_goes_to_the_end_and_a_removed_one_takes_only_its_lines() -> None:
    written = edit(UNUSUAL, {"type": "T"}, ("x-team", "tags"))
    assert written == "---\n# top comment\ntitle: Old # why\n\nzip: 02700\n# about tags\ntype: T\n---\nbody\n"


def test_newlines_and_byte_order_mark_stay() -> None:
    text = "\ufeff---\r\na: 1\r\nb: 2\r\n---\r\nbody\r\n"
    assert edit(text, {"b": 3, "c": [1]}) == "\ufeff---\r\na: 1\r\nb: 3\r\nc:\r\n  - 1\r\n---\r\nbody\r\n"


def test_a_note_without_frontmatter_gets_one() -> None:
    assert edit("# H\n", {"type": "T"}) == "---\ntype: T\n---\n# H\n"


def test_no_change_to_a_clean_note_is_no_change() -> None:
    assert edit(UNUSUAL, {}) == UNUSUAL


def test_a_key_that_was_written_twice_is_written_once_and_loses_nothing() -> None:
    text = '---\ntitle: A\nsources: ["[[S1]]"]\ntitle: B\nsources:\n  - "[[S2]]"\n---\n'
    assert edit(text, {}) == '---\ntitle: B\nsources:\n  - "[[S1]]"\n  - "[[S2]]"\n---\n'


def test_unquoted_wikilinks_are_written_quoted() -> None:
    assert (
        edit("---\nup: [[Index]] # c\nl:\n  - [[A|b]]\n---\n", {})
        == '---\nup: "[[Index]]" # c\nl:\n  - "[[A|b]]"\n---\n'
    )
    assert edit("---\np: [[Ada]], [[Grace]]\n---\n", {}) == '---\np:\n  - "[[Ada]]"\n  - "[[Grace]]"\n---\n'


def test_what_had_to_be_recovered_is_written_as_valid_yaml() -> None:
    written = edit("---\ntitle: Foo: bar\ntags:\n\t- a\n---\n", {"type": "T"})
    assert written == "---\ntitle: 'Foo: bar'\ntags:\n  - a\ntype: T\n---\n"
    assert read_document("x", written.encode()).diagnostics == ()


def test_style_and_comments_inside_an_edited_value_stay() -> None:
    text = "---\nverified:\n  - {by: human:a, at: 2026-01-01T00:00:00Z} # first\n  # next\nz: 1\n---\n"
    events = [{"by": "human:a", "at": "2026-01-01T00:00:00Z"}, {"by": "process:n", "at": "2026-01-02T00:00:00Z"}]
    written = edit(text, {"verified": events})
    assert "  - {by: human:a, at: 2026-01-01T00:00:00Z} # first\n" in written
    assert "  # next\n" in written
    assert read_document("x", written.encode()).frontmatter["verified"] == events


def test_a_block_in_flow_style_is_edited_too() -> None:
    assert edit("---\n{a: 1, b: 2}\n---\nbody\n", {"b": 3}) == "---\n{a: 1, b: 3}\n---\nbody\n"


@pytest.mark.parametrize("data", [b"---\ntitle: caf\xe9\n---\n", "---\na: 1\n---\n".encode("utf-16")])
def test_a_file_that_could_not_be_decoded_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError) as refused:
        edit(data, {"a": 1})
    assert refused.value.code == "not-utf8"


@pytest.mark.parametrize("text", ["---\na: 1\n\nnever closed", "---\n- a\n---\n", "---\na: 1\n\nProse, here.\n\n---\n"])
def test_frontmatter_without_end_or_keys_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        edit(text, {"b": 1})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("no", 'k: "no"\n'),
        ("2026", 'k: "2026"\n'),
        ("1.10", 'k: "1.10"\n'),
        ("12:30", 'k: "12:30"\n'),
        ("[[N]]", 'k: "[[N]]"\n'),
        ("2026-05-01T00:00:00Z", "k: 2026-05-01T00:00:00Z\n"),
        ("2026-05-01", "k: 2026-05-01\n"),
        ("plain words", "k: plain words\n"),
        ("中文", "k: 中文\n"),
        ("a: b", "k: 'a: b'\n"),
        ("", 'k: ""\n'),
        ("two\nlines\n", "k: |\n  two\n  lines\n"),
        (True, "k: true\n"),
        (5, "k: 5\n"),
        ([], "k: []\n"),
        ({"by": "human:a"}, "k:\n  by: human:a\n"),
    ],
)
def test_a_value_is_written_so_that_every_reader_reads_the_same(value: Any, text: str) -> None:
    assert emitted({"k": value}) == text


SCALARS = st.one_of(
    st.text(alphabet=st.sampled_from(list("ab01 :#-?[]{}\"'|>&*!%@`,~\\\n\té中")), max_size=16),
    st.integers(-(10**9), 10**9),
    st.booleans(),
    st.none(),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["x", "y y", "z"]), inner, max_size=3),
)


@given(st.dictionaries(st.sampled_from(["title", "tags", "new", "x-team"]), VALUES, max_size=3))
def test_whatever_is_written_is_read_back(changes: dict[str, Any]) -> None:
    before = read_document("note.md", UNUSUAL.encode())
    data = edited(before, changes)
    after = read_document("note.md", data)
    assert after.frontmatter == {**before.frontmatter, **changes}
    assert after.body == before.body
    assert after.diagnostics == ()
