"""A note is read by whatever can be read of it, and every problem is named with its line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from okf_edge.okf.document import Document
from okf_edge.okf.reader import read_document
from okf_edge.okf.rules import RULES


def read(text: str | bytes) -> Document:
    return read_document("note.md", text if isinstance(text, bytes) else text.encode())


def rules_of(document: Document) -> set[str]:
    return {found.rule for found in document.diagnostics}


@pytest.mark.parametrize(
    "data",
    [
        "---\ntitle: Ferry\nport: North\n---\n\nBoat.\n",
        "---\r\ntitle: Ferry\r\nport: North\r\n---\r\n\r\nBoat.\r\n",
        "---\rtitle: Ferry\rport: North\r---\r\rBoat.\r",
        "---\r\ntitle: Ferry\nport: North\r\n---\n\nBoat.",
        "--- \ntitle: Ferry\nport: North\n---\t\n\nBoat.",
        "\ufeff---\ntitle: Ferry\nport: North\n---\n\nBoat.",
        "\ufeff\ufeff---\ntitle: Ferry\nport: North\n---\n\nBoat.",
    ],
)
def test_any_newline_and_a_byte_order_mark_give_the_same_metadata(data: str) -> None:
    document = read(data)
    assert document.frontmatter == {"title": "Ferry", "port": "North"}
    assert document.frontmatter_lines == {"title": 2, "port": 3}
    assert document.body_line == 5
    assert document.body.strip() == "Boat."


def test_a_file_that_ends_with_its_closing_mark_has_an_empty_body() -> None:
    document = read("---\ntitle: x\n---")
    assert (document.frontmatter, document.body) == ({"title": "x"}, "")


@pytest.mark.parametrize("text", ["", "plain", "text\n---\na: 1\n---\n", "\n---\na: 1\n---\n", "----\na: 1\n---\n"])
def test_a_block_that_is_not_at_the_very_top_is_body(text: str) -> None:
    document = read(text)
    assert not document.has_frontmatter
    assert document.body == text


def test_an_empty_block_is_frontmatter_without_keys() -> None:
    document = read("---\n---\nx")
    assert document.has_frontmatter
    assert (document.frontmatter, document.body) == ({}, "x")


def test_a_mark_inside_a_block_scalar_or_the_body_closes_nothing() -> None:
    document = read("---\nnote: |\n  ---\n  x\ntitle: t\n---\nbody\n\n---\n\nmore")
    assert document.frontmatter == {"note": "---\nx\n", "title": "t"}
    assert document.body == "body\n\n---\n\nmore"


def test_a_block_of_any_length_is_read_to_its_last_key() -> None:
    block = "".join(f"k{number}: 河岸の記録 {number}\n" for number in range(2000))
    assert read(f"---\n{block}type: Survey\n---\n").frontmatter["type"] == "Survey"


@pytest.mark.parametrize(
    ("spelling", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("y", "y"),
        ("Yes", "Yes"),
        ("02700", "02700"),
        ("1.10", "1.10"),
        ("1e5", "1e5"),
        ("0x1F", "0x1F"),
        ("0o17", "0o17"),
        ("1_000", "1_000"),
        ("+5", "+5"),
        ("-0", "-0"),
        (".inf", ".inf"),
        ("12:30", "12:30"),
        ("2026-05-01", "2026-05-01"),
        ("2026-05-01T09:00:00Z", "2026-05-01T09:00:00Z"),
        ("1" * 60, "1" * 60),
        ("2026", 2026),
        ("-5", -5),
        ("0.5", 0.5),
        ("true", True),
        ("TRUE", True),
        ("False", False),
        ("~", None),
        ("", None),
        ("null", None),
        ('"2026"', "2026"),
        ("'true'", "true"),
        ("!!str 5", "5"),
        ("!important x", "!important x"),
        ("!!python/object/apply:os.system [x]", ["x"]),
    ],
)
def test_a_value_is_a_number_only_when_it_prints_as_it_was_typed(spelling: str, value: object) -> None:
    document = read(f"---\nkey: {spelling}\n---\n")
    assert document.frontmatter == {"key": value}
    assert type(document.frontmatter["key"]) is type(value)


def test_keys_are_strings_spelled_as_typed() -> None:
    document = read("---\n2026: a\nno: b\nnull: c\n'q k': d\n日付: e\n? f\n: g\n---\n")
    assert dict(document.frontmatter) == {"2026": "a", "no": "b", "null": "c", "q k": "d", "日付": "e", "f": "g"}


def test_a_repeated_key_is_named_with_both_lines_and_loses_no_list_item() -> None:
    document = read('---\ntitle: A\nsources: ["[[S1]]"]\ntitle: B\nsources:\n  - "[[S2]]"\n  - "[[S1]]"\n---\n')
    assert document.frontmatter == {"title": "B", "sources": ["[[S1]]", "[[S2]]"]}
    messages = {found.line: found.message for found in document.diagnostics if found.rule == "OKF-F05"}
    assert messages.keys() == {4, 5}
    assert "`title`, first on line 2" in messages[4]


@pytest.mark.parametrize("spelling", ["[[Ada]], [[Grace]]", "[[Ada]]; [[Grace]]", "\n  - [[Ada]]\n  - [[Grace]]"])
def test_unquoted_wikilinks_are_read_as_links(spelling: str) -> None:
    assert read(f"---\npeople: {spelling}\nmood: calm\n---\n").frontmatter == {
        "people": ["[[Ada]]", "[[Grace]]"],
        "mood": "calm",
    }


@pytest.mark.parametrize("link", ["[[Index]]", "[[Smith, John]]", "[[2026]]", "[[N#h|x]]", "[[N #h]]", "![[pic.png]]"])
def test_one_unquoted_wikilink_stays_the_text_it_is(link: str) -> None:
    assert read(f"---\nup: {link}\n---\n").frontmatter == {"up": link}


def test_a_matrix_stays_a_list_of_lists() -> None:
    assert read("---\nm: [[1, 2]]\nn: [[a], [b]]\n---\n").frontmatter == {"m": [[1, 2]], "n": [["a"], ["b"]]}


@pytest.mark.parametrize(
    "value", ["{{date}}", "{{date}} {{time}}", "<% tp.file.title %>", '<% tp.date.now("YYYY: MM") %>', "{% x %}"]
)
def test_a_template_placeholder_stays_the_text_it_is(value: str) -> None:
    assert read(f"---\nd: {value}\ntitle: t\n---\nbody").frontmatter == {"d": value, "title": "t"}


@pytest.mark.parametrize(
    "value",
    ["Foo: bar", "@me", "`x`", "**bold** text", "100%", "%x", '"unclosed', "'it", "[a, b", "{a", "a: b: c", "&"],
)
def test_a_value_that_is_no_yaml_is_recovered_as_text_and_costs_no_other_key(value: str) -> None:
    document = read(f"---\nbefore: 1\nkey: {value}\nafter: [x]\n---\nbody")
    assert {**document.frontmatter} == {"before": 1, "key": value, "after": ["x"]}
    assert value == "100%" or any(found.rule == "OKF-F02" and found.line for found in document.diagnostics)


def test_tabs_cost_no_key() -> None:
    document = read("---\ntitle: T\ntags:\n\t- tomato\n\t- basil\nstatus: stable\n---\n")
    assert document.frontmatter == {"title": "T", "tags": ["tomato", "basil"], "status": "stable"}
    assert ("OKF-F06", 4) in {(found.rule, found.line) for found in document.diagnostics}


def test_a_bad_line_deep_inside_costs_only_its_own_spelling() -> None:
    document = read("---\nsources:\n  - title: Foo: bar\n    resource: a.md\n  - title: ok\n---\n")
    assert document.frontmatter == {"sources": [{"title": "Foo: bar", "resource": "a.md"}, {"title": "ok"}]}


def test_a_stray_line_does_not_spoil_the_key_above() -> None:
    assert read("---\nok: 1\nnot a key\nz: 2\n---\n").frontmatter == {"ok": 1, "z": 2}


def test_a_block_that_is_never_closed_is_body_and_is_reported() -> None:
    document = read("---\ntitle: A\n\nProse")
    assert document.body == document.text
    assert rules_of(document) == {"OKF-F03"}


def test_prose_swallowed_by_a_missing_closing_mark_stays_in_the_body() -> None:
    document = read("---\ntitle: A\n\n# Head\n\nProse, and more.\n\n---\n\nend")
    assert document.frontmatter == {"title": "A"}
    assert document.body.lstrip().startswith("# Head\n\nProse")
    assert document.body_line == 3
    assert "OKF-F03" in rules_of(document)


@pytest.mark.parametrize("block", ["- a\n- b", "just text", "5"])
def test_a_block_that_is_no_mapping_is_reported_and_not_body(block: str) -> None:
    document = read(f"---\n{block}\n---\nbody")
    assert (document.frontmatter, document.body) == ({}, "body")
    assert rules_of(document) == {"OKF-F04"}


def test_anchors_aliases_and_merge_keys_are_followed() -> None:
    document = read("---\nbase: &b\n  k: 1\n  l: 1\nsub:\n  <<: *b\n  k: 2\nlist: &l [x]\nsame: *l\n---\n")
    assert document.frontmatter["sub"] == {"k": 2, "l": 1}
    assert document.frontmatter["same"] == ["x"]


def test_a_value_that_contains_itself_does_not() -> None:
    assert read("---\na: &a [*a]\n---\n").frontmatter == {"a": ["*a"]}


def test_a_billion_laughs_are_refused_by_rule_and_cost_no_other_key() -> None:
    lines = ["a0: &a0 [" + ",".join("x" * 9) + "]"]
    lines += [f"a{n}: &a{n} [" + ",".join([f"*a{n - 1}"] * 9) + "]" for n in range(1, 12)]
    document = read("---\ntitle: t\n" + "\n".join(lines) + "\n---\nbody")
    assert document.frontmatter["title"] == "t"
    assert "OKF-F09" in rules_of(document)
    assert sum(len(str(value)) for value in document.frontmatter.values()) < 10_000


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"# Caf\xe9\n", "Caf\ufffd"),
        (b"# hi\n\xff\xfe x\n", "hi"),
        ("\ufeff# Wide note".encode("utf-16-le"), "Wide note"),
        ("\ufeff# Wide note".encode("utf-16-be"), "Wide note"),
        ("\ufeff# Wide note".encode("utf-32-le"), "Wide note"),
    ],
)
def test_bytes_that_are_not_utf8_are_shown_as_far_as_possible_and_marked(data: bytes, shown: str) -> None:
    document = read(data)
    assert shown in document.text
    assert not document.decodable
    assert "OKF-D01" in rules_of(document)


@given(st.binary(max_size=400))
def test_reading_never_raises_for_bytes(data: bytes) -> None:
    document = read_document("x.md", b"---\n" + data + b"\n---\nbody")
    assert document.body in document.text


@given(st.text(alphabet=st.sampled_from(list("---\n\r\t :[]{}|>\"'#&*!%@`,?ab1é中\ufeff\x00\u2028")), max_size=120))
def test_reading_never_raises_and_its_offsets_agree(text: str) -> None:
    document = read("---\n" + text)
    assert document.text[document.body_start :] == document.body
    newlines = document.text[: document.body_start].replace("\r\n", "\n").replace("\r", "\n").count("\n")
    assert document.body_line == 1 + newlines
    assert document.frontmatter_lines.keys() == document.frontmatter.keys()
    assert {found.rule for found in document.diagnostics} <= RULES.keys()
    last = document.text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    assert all(1 <= (found.line or 1) <= last for found in document.diagnostics)
