"""Compiles a source tree of OKF concepts into the files of a bundle.

Rules:
1. A file leaves as it is, byte for byte, unless it has a wikilink (it becomes a standard link, or plain text when its
   target is no part of the bundle) or an Obsidian comment (it never leaves). No date and no key is rewritten.
2. What is missing is made from the content alone: listings, and a log when the content has a date. So two exports of
   one tree are equal.
3. Nothing is compiled that does not conform to OKF, or of which a part is not downloaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC

from okf_edge.bundles.contents import is_markdown
from okf_edge.bundles.digest import DERIVED
from okf_edge.bundles.listing import missing_listings
from okf_edge.errors import BundleError
from okf_edge.okf.concept import Concept, concept_of, text_of
from okf_edge.okf.conformance import breaches
from okf_edge.okf.document import Document
from okf_edge.okf.links import links_of
from okf_edge.okf.listings import is_date, parse_log
from okf_edge.okf.notes import Notes
from okf_edge.okf.outline import Outline
from okf_edge.okf.publish import meaning_by, standard_body
from okf_edge.okf.reader import read_document
from okf_edge.okf.resolve import Entry, Resolver, entry_of

_LISTINGS = frozenset({"index.md", "log.md"})
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Compiled:
    """The OKF files of a bundle, and what was read of them. `domains` are what concepts state, or empty.

    `changed` are files that left other than they were."""

    files: Mapping[str, bytes]
    concepts: Mapping[str, Concept]
    links: Mapping[str, tuple[str, ...]]
    domains: Mapping[str, str]
    created: str
    changed: tuple[str, ...] = ()
    made: tuple[str, ...] = ()


def compile_tree(
    files: Mapping[str, bytes], *, title: str, version: str, created: str = "", notes: Notes | None = None
) -> Compiled:
    """The files of a bundle, from those of its source.

    Args:
        created: an instant of the caller's; else the latest one that the content states.
        notes: those that were read already.

    Raises: BundleError: `no-concepts`, or `not-conformant` with every finding that breaks conformance.
    """
    sources = {path: files[path] for path in sorted(files) if path not in DERIVED}
    known = notes or Notes()
    read = {path: known.of(path, data) for path, data in sources.items() if is_markdown(path)}
    documents = {path: note.document for path, note in read.items()}
    outlines = {path: note.outline for path, note in read.items()}
    resolver = _resolver(sources, documents, outlines)
    shipped = {
        path: _standard(documents.get(path), data, outlines.get(path), resolver) for path, data in sources.items()
    }
    concepts = {path: concept_of(*note) for path, note in read.items() if _name(path) not in _LISTINGS}
    if not concepts:
        raise BundleError("expected concepts to export, found no markdown file with one", code="no-concepts")
    created = created or _latest(concepts.values(), documents)
    made = missing_listings(concepts, frozenset(shipped), title=title, version=version, created=created)
    whole = {**shipped, **made}
    _require_conformant(whole, {path: note for path, note in documents.items() if whole[path] == sources[path]})
    return Compiled(
        dict(sorted(whole.items())),
        concepts,
        {path: _targets(documents[path], outlines[path], resolver, concepts) for path in concepts},
        {path: text_of(documents[path].frontmatter.get("domain")) for path in concepts},
        created,
        tuple(path for path in sources if shipped[path] != sources[path]),
        tuple(made),
    )


def _resolver(sources: Mapping[str, bytes], notes: Mapping[str, Document], outlines: Mapping[str, Outline]) -> Resolver:
    entries = [entry_of(document, outlines[path]) for path, document in notes.items()]
    return Resolver([*entries, *(Entry(path) for path in sources if path not in notes)])


def _standard(document: Document | None, data: bytes, outline: Outline | None, resolver: Resolver) -> bytes:
    """The file as it leaves; the very same bytes when nothing in it has to change."""
    if document is None or not document.decodable:
        return data
    body = standard_body(document, meaning_by(resolver, document.path), outline)
    if body == document.body:
        return data
    return _BOM * (document.bom_bytes // len(_BOM)) + (document.text[: document.body_start] + body).encode()


def _latest(concepts: Iterable[Concept], notes: Mapping[str, Document]) -> str:
    """The latest instant that the content states: what was generated or verified, else the newest day of a log."""
    instants = [concept.generated_at for concept in concepts]
    instants += [each.at for concept in concepts for each in concept.verified]
    stated = [instant.astimezone(UTC) for instant in instants if instant]
    if stated:
        return max(stated).isoformat(timespec="seconds").replace("+00:00", "Z")
    logs = [parse_log(document) for path, document in notes.items() if _name(path) == "log.md"]
    days = [day.date for log in logs for day in log.days if is_date(day.date)]
    return f"{max(days)}T00:00:00Z" if days else ""


def _targets(
    document: Document, outline: Outline, resolver: Resolver, concepts: Mapping[str, Concept]
) -> tuple[str, ...]:
    found = (resolver.resolve(link, document.path).path for link in links_of(document, outline))
    return tuple(dict.fromkeys(path for path in found if path in concepts and path != document.path))


def _require_conformant(files: Mapping[str, bytes], known: Mapping[str, Document]) -> None:
    """Args: known: notes that were read as they leave. Raises BundleError (`not-conformant`)."""
    notes = (known.get(path) or read_document(path, data) for path, data in files.items() if is_markdown(path))
    found = [f"{each.path}:{each.line or 1}: {each.rule} {each.message}" for note in notes for each in breaches(note)]
    if found:
        raise BundleError(
            f"expected a tree that conforms to OKF, found {len(found)} breaches: {found[0]}",
            code="not-conformant",
            hint="`okf validate` shows each with its fix.",
            issues=found,
        )


def _name(path: str) -> str:
    return path.rpartition("/")[2]
