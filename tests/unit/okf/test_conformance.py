"""The verdict is that of the specification's section 11, and everything else is advice that says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from okf_edge.okf.conformance import Report, check
from okf_edge.okf.rules import RULES

GOOD = b"---\ntype: T\n---\nx\n"


def report(**files: str | bytes) -> Report:
    return check({name: data if isinstance(data, bytes) else data.encode() for name, data in files.items()})


def one(text: str | bytes, path: str = "a.md") -> Report:
    return report(**{path: text})


def found(report: Report) -> set[str]:
    return {each.rule for each in report.findings}


# --- where other validators disagree ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "text", "rule"),
    [
        ("a.md", '---\ntype: ""\n---\n', "OKF-T01"),
        ("a.md", '---\ntype: "  "\n---\n', "OKF-T01"),
        ("a.md", "---\ntype:\n---\n", "OKF-T01"),
        ("a.md", "---\ntype: ~\n---\n", "OKF-T01"),
        ("a.md", "---\ntype: []\n---\n", "OKF-T01"),
        ("a.md", "---\ntitle: t\n---\n", "OKF-T01"),
        ("a.md", "---\n---\n", "OKF-T01"),
        ("a.md", "---\ntype: [A]\n---\n", "OKF-T03"),
        ("a.md", "---\ntype: {a: b}\n---\n", "OKF-T03"),
        ("a.md", "no frontmatter", "OKF-F01"),
        ("a.md", "", "OKF-F01"),
        ("a.md", "\n---\ntype: T\n---\n", "OKF-F01"),
        ("a.md", "---\ntype: T\n\nnever closed", "OKF-F03"),
        ("a.md", "---\ntype: T\nx: [a\n---\n", "OKF-F02"),
        ("a.md", "---\ntype: T\nx:\n\t- a\n---\n", "OKF-F06"),
        ("a.md", "---\n- a\n---\n", "OKF-F04"),
        ("a.md", b"---\ntype: T\n---\n\xff", "OKF-D01"),
        ("a.md", "---\ntype: T\n---\nwide".encode("utf-16"), "OKF-D01"),
        ("log.md", "# Log\n\n## May 22, 2026\n* x\n", "OKF-G01"),
        ("log.md", "# Log\n\n## 2026-13-45\n* x\n", "OKF-G01"),
        ("log.md", "# Log\n\n## 2026-5-2\n* x\n", "OKF-G01"),
        ("log.md", "# Log\n\n## 2026-02-30\n* x\n", "OKF-G01"),
        ("d/log.md", "# Log\n\n## yesterday\n* x\n", "OKF-G01"),
        ("d/index.md", "---\nokf_version: '0.2'\n---\n# I\n", "OKF-I01"),
        ("d/index.md", "---\n---\n# I\n", "OKF-I01"),
        ("index.md", "---\nokf_version: '0.2'\ntitle: x\n---\n# I\n", "OKF-I02"),
        ("index.md", "---\nokf_version: [\n---\n# I\n", "OKF-F02"),
    ],
)
def test_what_breaks_conformance_is_an_error(path: str, text: str | bytes, rule: str) -> None:
    checked = check({"good.md": GOOD, path: text if isinstance(text, bytes) else text.encode()})
    assert not checked.conformant
    assert rule in {each.rule for each in checked.findings if each.severity == "error" and each.path == path}


@pytest.mark.parametrize(
    ("path", "text", "rule"),
    [
        ("a.md", "---\ntype: Unheard Of\n---\n", None),
        ("a.md", "---\r\ntype: T\r\n---\r\nx\r\n", None),
        ("a.md", "\ufeff---\ntype: T\n---\n", "OKF-D02"),
        ("a.md", "---\ntype: 7\n---\n", "OKF-T02"),
        ("a.md", "---\ntype: true\n---\n", "OKF-T02"),
        ("a.md", "---\ntype: T\nx-team: {a: [1, 2]}\n---\n", None),
        ("a.md", "---\ntype: T\ntype: U\n---\n", "OKF-F05"),
        ("a.md", "---\ntype: T\nup: [[good]]\n---\n", "OKF-F07"),
        ("a.md", "---\ntype: T\nd: {{date}}\n---\n", "OKF-F08"),
        ("a.md", "---\ntype: T\n---\n[x](gone.md)", "OKF-K01"),
        ("a.md", "---\ntype: T\nverified: { by: human:a }\n---\n", None),
        ("a.md", "---\ntype: T\nverified: yes\n---\n", "OKF-P07"),
        ("a.md", "---\ntype: T\nokf_version: 9\n---\n", None),
        ("index.md", "---\nokf_version: 0.2\n---\n# I\n", None),
        ("index.md", '---\nokf_version: "0.1"\n---\n# I\n', None),
        ("index.md", '---\nokf_version: "7.0"\n---\n# I\n', "OKF-I03"),
        ("index.md", "* [A](good.md)\n", "OKF-I04"),
        ("index.md", "# I\n\n* plain\n", "OKF-I05"),
        ("log.md", "---\ntype: Log\n---\n# Log\n\n## 2026-05-22\n* x\n", "OKF-G03"),
        ("log.md", "# Log\n\n## 2026-05-01\n* x\n\n## 2026-05-22\n* y\n", "OKF-G02"),
        ("log.md", "# Log\n\n* x\n", "OKF-G04"),
        ("log.md", "", None),
        ("README.MD", "no frontmatter", "OKF-B02"),
        ("Index.md", "---\ntype: T\n---\n", "OKF-B03"),
        (".obsidian/x.md", "no frontmatter", None),
        ("d/.trash/x.md", "no frontmatter", None),
        ("notes.txt", "no frontmatter", None),
    ],
)
def test_what_does_not_break_conformance_is_accepted_with_advice_at_most(
    path: str, text: str, rule: str | None
) -> None:
    checked = check({"good.md": GOOD, path: text.encode()})
    assert checked.conformant
    assert {each.rule for each in checked.findings if each.path == path} == ({rule} if rule else set())


def test_an_empty_directory_is_no_bundle_and_a_missing_index_is_fine() -> None:
    assert found(check({})) == {"OKF-B01"}
    assert not check({}).conformant
    assert not report(**{"notes.txt": ""}).conformant
    assert one(GOOD).findings == ()


# --- advice ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("tags: one, two", "OKF-T04"),
        ("tags: [1]", "OKF-T04"),
        ("title: [a]", "OKF-T05"),
        ("sources: x", "OKF-P01"),
        ("sources: [x]", "OKF-P01"),
        ("sources: [{title: x}]", "OKF-P02"),
        ("sources: [{resource: 'all of X', last_modified: May}]", "OKF-P09"),
        ("usage_window: {from: 2026-06-01, to: 2026-06-30T00:00:00Z}", "OKF-P09"),
        ("timestamp: 2026-06-01T00:00:00Z", "OKF-P04"),
        ("generated: {at: 2026-06-01T00:00:00Z}", "OKF-P06"),
        ("generated: {by: someone}", "OKF-P08"),
        ("generated: {by: a/1, at: 2026-06-01}", "OKF-P09"),
        ("verified: [{at: 2026-06-01T00:00:00Z}]", "OKF-P07"),
        ("verified: [{by: 'human:'}]", "OKF-P08"),
        ("status: reviewed", "OKF-S01"),
        ("stale_after: 2026-09-23T12:00:00", "OKF-S02"),
        ("stale_after: soon", "OKF-S03"),
        ("stale_after: 2026-09-23", "OKF-S04"),
        ("computation: gone.sql", "OKF-K06"),
    ],
)
def test_a_field_that_can_not_be_used_is_named_at_its_line(line: str, rule: str) -> None:
    checked = one(f"---\ntype: T\n{line}\n---\n")
    assert [(each.rule, each.line) for each in checked.findings] == [(rule, 3)]
    assert checked.conformant


def test_links_are_judged_by_what_they_mean() -> None:
    checked = report(
        **{
            "a.md": "---\ntype: T\nsources: [{resource: d/b.md}]\n---\n"
            "[ok](d/b.md) [x](gone.md) [y](d/b.md#no) [[b]] [n](b.md)",
            "d/b.md": "---\ntype: T\n---\n[up](a.md) [i](img.png)",
            "d/img.png": "",
            "c/b.md": GOOD.decode(),
        }
    )
    assert [(each.path, each.rule) for each in checked.findings] == [
        ("a.md", "OKF-K01"),
        ("a.md", "OKF-K02"),
        ("a.md", "OKF-K02"),
        ("a.md", "OKF-K03"),
        ("a.md", "OKF-K04"),
        ("a.md", "OKF-K05"),
        ("d/b.md", "OKF-K05"),
    ]


def test_files_that_are_only_known_to_exist_are_link_targets() -> None:
    assert check({"a.md": b"---\ntype: T\n---\n[x](big.pdf)"}, present=["big.pdf"]).findings == ()


def test_an_attested_computation_has_what_a_runner_needs() -> None:
    head = "---\ntype: Attested Computation\n"
    assert found(one(f"{head}---\n")) == {"OKF-A01", "OKF-A02"}
    assert found(one(f"{head}runtime: x\ncomputation: c.sql\n---\n# Computation\n\n    SELECT\n")) == {
        "OKF-A03",
        "OKF-K06",
    }
    assert found(one(f"{head}runtime: x\nparameters: [year]\n---\n# Computation\n```\nS\n```\n")) == {"OKF-A04"}
    assert found(one(f"{head}runtime: x\nparameters: [{{name: y}}]\n---\n# Computation\n\n    S\n")) == set()


def test_a_footnote_joins_its_source() -> None:
    head = "---\ntype: T\nsources: [{id: s1, resource: 'all of X'}]\n---\n"
    assert found(one(f"{head}a[^s1] b[^s2]\n")) == {"OKF-P03"}
    assert found(one("---\ntype: T\n---\na[^1]\n")) == set()


def test_the_citations_of_the_first_version_are_mentioned() -> None:
    assert found(one("---\ntype: T\n---\n# Citations\n- https://a.b\n")) == {"OKF-P05"}


def test_paths_that_one_disk_can_not_hold_both_are_named() -> None:
    assert found(report(**{"Note.md": GOOD, "note.md": GOOD})) == {"OKF-B04"}
    assert found(report(**{"é.md": GOOD, "e\u0301.md": GOOD})) == {"OKF-B04"}


def test_findings_are_sorted_and_counted() -> None:
    checked = report(**{"b.md": "x", "a.md": b"\xff", "c.md": GOOD})
    assert [each.path for each in checked.findings] == ["a.md", "a.md", "b.md"]
    assert (checked.notes, checked.read, checked.troubled) == (3, 2, 2)


def test_every_finding_says_what_to_do_and_every_rule_names_its_section() -> None:
    assert all(rule.fix and rule.title and rule.section[0].isdigit() for rule in RULES.values())
    assert {rule.severity for rule in RULES.values()} == {"error", "advice", "info"}
    assert len({rule.title for rule in RULES.values()}) == len(RULES)


@pytest.mark.parametrize("name", ["acme_retail", "crypto_bitcoin"])
def test_the_bundles_of_the_authors_of_the_format_conform(name: str) -> None:
    root = Path(__file__).parents[4] / "shared" / "corpora" / "bundles" / name
    if not root.is_dir():
        pytest.skip("needs the corpora beside the checkout")
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    assert check(files).conformant
