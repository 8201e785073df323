"""A conformance report for machines: JSON, SARIF 2.1.0 and GitHub annotations."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from okf_edge.okf.conformance import Report
from okf_edge.okf.document import Diagnostic, Severity
from okf_edge.okf.rules import RULES, Rule

SPECIFICATION = "OKF v0.2"
_SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_SARIF_LEVELS: dict[Severity, str] = {"error": "error", "advice": "warning", "info": "note"}
_GITHUB_LEVELS: dict[Severity, str] = {"error": "error", "advice": "warning", "info": "notice"}


def report_json(report: Report) -> dict[str, Any]:
    """The whole report as one object of plain values."""
    return {
        "specification": SPECIFICATION,
        "conformant": report.conformant,
        "notes": report.notes,
        "read": report.read,
        "troubled": report.troubled,
        "counts": {severity: report.count(severity) for severity in _SARIF_LEVELS},
        "findings": [_finding(found) for found in report.findings],
    }


def report_sarif(report: Report, version: str, prefix: str = "") -> dict[str, Any]:
    """A SARIF 2.1.0 log with one run.

    Args:
        version: of this tool.
        prefix: the bundle's folder, relative to what the viewer shows; empty, or ending in `/`.
    """
    used = sorted({found.rule for found in report.findings})
    driver = {"name": "okf-edge", "semanticVersion": version, "rules": [_sarif_rule(RULES[rule]) for rule in used]}
    results = [_sarif_result(found, used.index(found.rule), prefix) for found in report.findings]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def report_github(report: Report, prefix: str = "") -> str:
    """Workflow commands that GitHub shows beside the lines; one a line."""
    return "".join(_annotation(found, prefix) + "\n" for found in report.findings)


def _finding(found: Diagnostic) -> dict[str, Any]:
    rule = RULES[found.rule]
    return {
        "rule": found.rule,
        "severity": found.severity,
        "path": found.path,
        "line": found.line,
        "message": found.message,
        "fix": found.fix,
        "section": rule.section,
        "spec_is_silent": rule.silent,
    }


def _sarif_rule(rule: Rule) -> dict[str, Any]:
    silent = " The specification is silent here; this is our decision." if rule.silent else ""
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": f"{SPECIFICATION} section {rule.section}.{silent}"},
        "help": {"text": rule.fix},
        "defaultConfiguration": {"level": _SARIF_LEVELS[rule.severity]},
    }


def _sarif_result(found: Diagnostic, index: int, prefix: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": found.rule,
        "ruleIndex": index,
        "level": _SARIF_LEVELS[found.severity],
        "message": {"text": f"{found.message}. {found.fix}"},
    }
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(prefix + found.path, errors="surrogatepass") or "."}}
    if found.line:
        place["region"] = {"startLine": found.line}
    result["locations"] = [{"physicalLocation": place}]
    return result


def _annotation(found: Diagnostic, prefix: str) -> str:
    properties = {"file": prefix + found.path, "line": str(found.line or 1), "title": found.rule}
    fields = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in properties.items() if value)
    return f"::{_GITHUB_LEVELS[found.severity]} {fields}::{_escaped(f'{found.message}. {found.fix}')}"


def _escaped(text: str, more: str = "") -> str:
    """As the runner decodes it: percent, newlines, and in properties the separators too."""
    for character in ("%", "\r", "\n", *more):
        text = text.replace(character, f"%{ord(character):02X}")
    return text
