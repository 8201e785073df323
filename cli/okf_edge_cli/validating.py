"""`okf validate`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from okf_edge import __version__
from okf_edge.errors import InputError
from okf_edge.okf.conformance import Report
from okf_edge.okf.document import Diagnostic
from okf_edge.okf.report import SPECIFICATION, report_github, report_json, report_sarif
from okf_edge.okf.rules import RULES
from okf_edge_cli import screen, session
from okf_edge_cli.commands import DONE, REFUSED
from okf_edge_cli.screen import Line, Span, bad, bold, dim, good, line, wary


def validate(folder: str | None, as_json: bool, as_sarif: bool, as_github: bool) -> int:
    if as_json + as_sarif + as_github > 1:
        raise InputError("expected one of --json, --sarif and --github, found several", code="usage")
    report = session.run(lambda okf: okf.validate(), folder, as_json or as_sarif)
    if as_json:
        screen.show_json(report_json(report))
    elif as_sarif:
        screen.show_json(report_sarif(report, __version__, _prefix(folder)))
    elif as_github:
        sys.stdout.write(report_github(report, _prefix(folder)))
    else:
        screen.show(_lines(report))
    return DONE if report.conformant else REFUSED


def _prefix(folder: str | None) -> str:
    """The checked folder as seen from here, as viewers of a repository need it; empty for here and elsewhere."""
    relative = os.path.relpath(folder or ".").replace(os.sep, "/")
    return "" if relative == "." or relative.startswith("..") else f"{relative}/"


def _lines(report: Report) -> Iterator[Line]:
    yield from (_finding(found) for found in report.findings)
    verdict = good("conformant") if report.conformant else bad("not conformant")
    counts = f"{report.count('error')} errors, {report.count('advice')} advice, {report.count('info')} notes"
    yield line(verdict, f" to {SPECIFICATION}: {counts}")
    yield line(dim(f"{report.read} of {report.notes} files read, {report.troubled} with findings"))


def _finding(found: Diagnostic) -> Line:
    rule = RULES[found.rule]
    place = f"{found.path or '.'}:{found.line}" if found.line else found.path or "."
    section = f"section {rule.section}" + (", where the spec is silent" if rule.silent else "")
    return line(
        bold(place),
        " ",
        _severity(found),
        f" {found.rule} {found.message}. ",
        dim(f"{found.fix} ({SPECIFICATION} {section})"),
    )


def _severity(found: Diagnostic) -> Span:
    return {"error": bad, "advice": wary, "info": dim}[found.severity](found.severity)
