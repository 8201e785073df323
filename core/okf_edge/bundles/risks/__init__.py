"""The risk scan: what in a bundle should not leave, or enter, without a person's decision."""

from okf_edge.bundles.risks.finding import Finding, Severity
from okf_edge.bundles.risks.scan import blocking, scan, scan_file, scan_note

__all__ = ["Finding", "Severity", "blocking", "scan", "scan_file", "scan_note"]
