"""What a concept's body should hold, given its frontmatter (specification sections 5.1, 10.3 and 13.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from okf_edge.okf.concept import text_of
from okf_edge.okf.concept_rules import ATTESTED_COMPUTATION
from okf_edge.okf.document import Diagnostic, Document
from okf_edge.okf.links import Link
from okf_edge.okf.outline import Outline, Section
from okf_edge.okf.rules import finding


def check_body(document: Document, outline: Outline, links: Iterable[Link]) -> Iterator[Diagnostic]:
    """Every deviation that only the body shows."""
    yield from _footnotes(document, links)
    yield from _computation(document, outline)
    citations = _section(outline, "citations")
    if citations and "sources" not in document.frontmatter:
        yield finding("OKF-P05", document.path, citations.first_line)


def _footnotes(document: Document, links: Iterable[Link]) -> Iterator[Diagnostic]:
    """A footnote may be an ordinary one; only where sources have ids does a label that is none of them look wrong."""
    sources = document.frontmatter.get("sources")
    entries = [entry for entry in sources if isinstance(entry, Mapping)] if isinstance(sources, list) else []
    ids = {text_of(entry.get("id")) for entry in entries} - {""}
    if ids:
        unknown = {link.target: link for link in links if link.kind == "footnote" and link.target not in ids}
        for label, link in unknown.items():
            yield finding("OKF-P03", document.path, link.line, f"`[^{label}]`")


def _computation(document: Document, outline: Outline) -> Iterator[Diagnostic]:
    if text_of(document.frontmatter.get("type")) != ATTESTED_COMPUTATION:
        return
    section = _section(outline, "computation")
    inline = section is not None and any(block.kind == "code" for block in section.blocks)
    named = bool(text_of(document.frontmatter.get("computation")))
    if inline and named:
        yield finding("OKF-A03", document.path, section.first_line if section else None)
    elif not inline and not named:
        yield finding("OKF-A02", document.path, document.body_line)


def _section(outline: Outline, heading: str) -> Section | None:
    return next((one for one in outline.sections if one.path and one.path[-1].lower() == heading), None)
