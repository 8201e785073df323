"""Whether files are an OKF bundle, and every way in which they deviate.

An `error` breaks section 11; everything else is advice and never rejects. Where the specification is silent, `rules`
says so and records our decision.

Source: OKF v0.2 sections 3 to 12.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from okf_edge.okf import body_rules, concept_rules, link_rules, listing_rules
from okf_edge.okf.document import Diagnostic, Document
from okf_edge.okf.links import Link, links_of
from okf_edge.okf.outline import Outline, outline_of
from okf_edge.okf.reader import read_document
from okf_edge.okf.resolve import Entry, Resolver, entry_of
from okf_edge.okf.rules import finding

INDEX, LOG = "index.md", "log.md"
RESERVED = (INDEX, LOG)

_BROKEN_BLOCK = {"OKF-F02", "OKF-F03", "OKF-F04", "OKF-F06", "OKF-F09"}


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found, sorted by path, line and rule. `read` of `notes` were UTF-8; `troubled` have a finding."""

    findings: tuple[Diagnostic, ...]
    notes: int
    read: int
    troubled: int

    @property
    def conformant(self) -> bool:
        """Whether section 11 holds."""
        return not any(found.severity == "error" for found in self.findings)

    def count(self, severity: str) -> int:
        """How many findings are that severe."""
        return sum(found.severity == severity for found in self.findings)


def check(files: Mapping[str, bytes], present: Iterable[str] = ()) -> Report:
    """Check the files of one bundle.

    Args:
        files: the bytes of its files by path, relative to its root; those that are no markdown may be empty.
        present: further paths that exist, so that links to them are not broken.

    Hidden files and folders are no part of a bundle, and are passed over.
    """
    visible = {path: data for path, data in files.items() if not is_hidden(path)}
    paths = sorted({*visible, *(path for path in present if not is_hidden(path))})
    notes = [path for path in paths if path in visible and path.endswith(".md")]
    findings = list(_tree_findings(paths, notes))
    links: list[tuple[str, tuple[Link, ...]]] = []
    entries = [Entry(path) for path in sorted({*paths} - {*notes})]
    read = 0
    for path in notes:
        document = read_document(path, visible[path])
        outline = outline_of(document)
        read += document.decodable
        made = links_of(document, outline)
        findings += check_document(document, outline, made)
        entries.append(entry_of(document, outline))
        links.append((path, made))
    resolver = Resolver(entries)
    for path, found in links:
        findings += link_rules.check_links(path, found, resolver)
    return _report(findings, len(notes), read)


def check_document(
    document: Document, outline: Outline | None = None, links: Sequence[Link] | None = None
) -> list[Diagnostic]:
    """Every finding about one markdown file alone, those of its reading included."""
    outline = outline or outline_of(document)
    name = document.path.rpartition("/")[2]
    own = list(document.diagnostics)
    if name == INDEX:
        return [*own, *listing_rules.check_index(document, is_root="/" not in document.path, outline=outline)]
    if name == LOG:
        return [*own, *listing_rules.check_log(document, outline)]
    links = links_of(document, outline) if links is None else links
    return [*own, *_concept_findings(document, outline, links)]


def breaches(document: Document) -> list[Diagnostic]:
    """The findings about one markdown file that break conformance, without the cost of outlines and links.

    Section 11 asks for frontmatter and the structure of listings only, so these are all errors of `check_document`.
    """
    if document.path.rpartition("/")[2] in RESERVED:
        found = check_document(document)
    else:
        found = [*document.diagnostics, *_frontmatter_findings(document)]
    return [each for each in found if each.severity == "error"]


def is_hidden(path: str) -> bool:
    """Whether a path is hidden, or lies in a folder that is: tools keep their own files there."""
    return path.startswith(".") or "/." in path


def _concept_findings(document: Document, outline: Outline, links: Sequence[Link]) -> Iterator[Diagnostic]:
    yield from _frontmatter_findings(document)
    if document.has_frontmatter and not _is_lost(document):
        yield from body_rules.check_body(document, outline, links)


def _frontmatter_findings(document: Document) -> Iterator[Diagnostic]:
    if document.has_frontmatter:
        if not _is_lost(document):
            yield from concept_rules.check_concept(document)
    elif not _BROKEN_BLOCK & {found.rule for found in document.diagnostics}:
        late = document.text.lstrip().startswith("---")
        fix = "Make `---` the very first line." if late else ""
        yield finding("OKF-F01", document.path, 1, fix=fix)


def _is_lost(document: Document) -> bool:
    """Whether nothing of the frontmatter could be read."""
    return not document.frontmatter and bool(_BROKEN_BLOCK & {found.rule for found in document.diagnostics})


def _tree_findings(paths: list[str], notes: list[str]) -> Iterator[Diagnostic]:
    if not notes:
        yield finding("OKF-B01", "")
    for path in paths:
        name = path.rpartition("/")[2]
        if name.lower().endswith(".md") and not name.endswith(".md"):
            yield finding("OKF-B02", path)
        elif name.lower() in RESERVED and name not in RESERVED:
            yield finding("OKF-B03", path)
    alike: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        alike[unicodedata.normalize("NFC", path).lower()].append(path)
    for same in alike.values():
        for path in same[1:]:
            yield finding("OKF-B04", path, None, f"it collides with {same[0]}")


def _report(findings: list[Diagnostic], notes: int, read: int) -> Report:
    ordered = sorted(findings, key=lambda found: (found.path, found.line or 0, found.rule, found.message))
    troubled = Counter(found.path for found in ordered if found.severity != "info")
    return Report(tuple(ordered), notes, read, len(troubled))
