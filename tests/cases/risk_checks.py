"""Checks of what the risk scan finds in notes before they may leave."""

from __future__ import annotations

from okf_edge.bundles.risks import Finding
from okf_edge.bundles.risks.scan import scan_file
from tests.cases.suite import Spec
from tests.cases.vault import Vault


def privacy(vault: Vault, spec: Spec) -> None:
    """`privacy`: the scan finds what a person has to decide about, where it is, and stops at nothing else."""
    found = _found(vault, spec.get("path", ""))
    kinds = {finding.kind for finding in found}
    assert [name for name in spec.get("must_flag", ()) if name not in kinds] == [], kinds
    stopping = [finding for finding in found if finding.severity == "blocking"]
    assert len(stopping) <= spec.get("max_blocking", len(stopping)), stopping
    assert set(spec.get("must_flag_lines", ())) <= {finding.line for finding in stopping}
    flagged = {finding.path for finding in stopping if finding.kind == spec.get("as", finding.kind)}
    assert set(spec.get("must_flag_paths", ())) <= flagged
    assert all(finding.reason for finding in found), "a finding, or a suppression, does not say why"


def _found(vault: Vault, path: str) -> list[Finding]:
    """All findings of one note, or of all files of the case."""
    files = [path] if path else sorted(vault.scan.paths)
    return [finding for each in files for finding in scan_file(each, vault.bytes_of(each))]


CHECKS = {"privacy": privacy}
