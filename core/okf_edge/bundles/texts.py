"""Looks at every markdown text of a bundle before it is installed: does it conform, and whom does it address?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from okf_edge.okf.conformance import breaches
from okf_edge.okf.reader import read_document

if TYPE_CHECKING:
    from okf_edge.bundles.risks import Finding


@dataclass(frozen=True, slots=True)
class TextReport:
    """`breaches` of conformance in words; `findings` of text that is meant for an assistant, or not seen at all."""

    breaches: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def risks(self) -> tuple[Finding, ...]:
        """The findings that ask for a decision."""
        return tuple(finding for finding in self.findings if finding.severity == "blocking")


def look_at(markdown: Mapping[str, bytes]) -> TextReport:
    """Read each text once, and keep none."""
    from okf_edge.bundles.risks import scan_note  # its patterns take a tenth of a second to compile

    broken: list[str] = []
    findings: list[Finding] = []
    for path in markdown:
        document = read_document(path, markdown[path])
        broken += [f"{path}:{each.line or 1}: {each.rule} {each.message}" for each in breaches(document)]
        findings += scan_note(document)
    return TextReport(tuple(broken), tuple(findings))
