"""A report reads the same in every rendering, and each rendering is what its readers accept."""

from __future__ import annotations

import json

from okf_edge.okf.conformance import check
from okf_edge.okf.report import report_github, report_json, report_sarif

REPORT = check(
    {
        "a b.md": b"no frontmatter",
        "c.md": b"---\ntype: 7\n---\n[100%,\nx](gone.md)",
        "d.md": b"\xef\xbb\xbf---\ntype: T\n---\n",
        "log.md": b"# L\n\n## May: 1, 2026\n* x\n",
    }
)


def test_json_holds_rule_path_line_severity_section_and_fix_of_each_finding() -> None:
    shown = json.loads(json.dumps(report_json(REPORT)))
    assert (shown["conformant"], shown["notes"], shown["read"], shown["troubled"]) == (False, 4, 4, 3)
    assert shown["counts"] == {"error": 2, "advice": 2, "info": 1}
    first = shown["findings"][0]
    assert first == {
        "rule": "OKF-F01",
        "severity": "error",
        "path": "a b.md",
        "line": 1,
        "message": "No frontmatter block",
        "fix": "Start the file with `---`, `type: …`, `---`.",
        "section": "11.1",
        "spec_is_silent": False,
    }


def test_sarif_places_each_result_and_describes_each_rule_once() -> None:
    log = report_sarif(REPORT, "1.2.3", prefix="my bundle/")
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in rules] == sorted({found.rule for found in REPORT.findings})
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "my%20bundle/a%20b.md"}, "region": {"startLine": 1}}
    assert {result["level"] for result in run["results"]} == {"error", "warning", "note"}


def test_github_annotations_are_one_line_each_with_their_separators_escaped() -> None:
    lines = report_github(REPORT, prefix="docs/").splitlines()
    assert len(lines) == len(REPORT.findings)
    assert lines[0].startswith("::error file=docs/a b.md,line=1,title=OKF-F01::No frontmatter block. ")
    assert any(line.startswith("::error file=docs/log.md,line=3,") and "`May: 1, 2026`" in line for line in lines)
    assert any(line.startswith("::notice file=docs/d.md") for line in lines)


def test_an_annotation_of_an_odd_path_can_not_forge_another() -> None:
    odd = check({"x,line=9::\n::error::y.md": b""})
    (line,) = report_github(odd).splitlines()
    assert line.startswith("::error file=x%2Cline=9%3A%3A%0A%3A%3Aerror%3A%3Ay.md,line=1,")


def test_a_path_that_is_no_text_makes_a_valid_report() -> None:
    report = check({"caf\udce9.md": b"no frontmatter"})
    (place,) = report_sarif(report, "1.2.3")["runs"][0]["results"][0]["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"].isascii()
