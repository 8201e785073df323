"""What a document means as an OKF concept: its frontmatter families, normalised and typed.

Source: OKF v0.2 sections 4, 5, 7 and 10, with the v0.1 fallbacks of section 13.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast, get_args

from okf_edge.okf.document import Document
from okf_edge.okf.freshness import instant
from okf_edge.okf.outline import Outline, outline_of
from okf_edge.okf.tags import strings_of, tags_of
from okf_edge.okf.trust import Actor, TrustTier, Verification, actor_of, tier_of

__all__ = ["Actor", "Concept", "Source", "Status", "TrustTier", "Verification", "concept_of"]

Status = Literal["draft", "stable", "deprecated"]

_ALIAS_FIELDS = ("aliases", "alias")
_CITATIONS = "citations"
_CITED = re.compile(r"(?m)^[ \t]*(?:[-*+]|\d{1,9}[.)]|\[\d{1,9}\]:?)[ \t]+(?:\[\d{1,9}\][ \t]+)?(\S.*)$")
_CITED_LINK = re.compile(
    r"\[(?P<title>[^\[\]]*)\]\((?P<resource>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)|(?P<bare><?https?://[^\s<>]+>?)"
)


@dataclass(frozen=True, slots=True)
class Source:
    """One material that a concept derives from (section 5.1)."""

    resource: str
    id: str = ""
    title: str = ""
    author: str = ""
    usage_count: int | None = None
    last_modified: datetime | None = None


@dataclass(frozen=True, slots=True)
class Concept:
    """The meaning of one concept document. Absent text fields are empty strings; instants are aware or None."""

    path: str
    type: str
    title: str
    description: str = ""
    resource: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    status: Status = "stable"
    sources: tuple[Source, ...] = ()
    generated_by: Actor | None = None
    generated_at: datetime | None = None
    verified: tuple[Verification, ...] = ()
    trust: TrustTier = "unverified"
    stale_after: datetime | None = None


def concept_of(document: Document, outline: Outline | None = None) -> Concept:
    """Read a document as a concept. Whatever is malformed counts as absent; `conformance` says so.

    `tags` are those of the frontmatter and of the text.
    """
    values = document.frontmatter
    outline = outline or outline_of(document)
    generated = _generated(values)
    verified = tuple(verifications(values.get("verified")))
    return Concept(
        path=document.path,
        type=text_of(values.get("type")),
        title=text_of(values.get("title")) or _stem(document.path),
        description=text_of(values.get("description")),
        resource=text_of(values.get("resource")),
        tags=tags_of(document, outline),
        aliases=aliases_of(document),
        status=status_of(values.get("status")) or "stable",
        sources=tuple(_sources(values) or _cited(document, outline)),
        generated_by=generated[0],
        generated_at=generated[1],
        verified=verified,
        trust=tier_of(verified),
        stale_after=instant(values.get("stale_after")).value,
    )


def text_of(value: Any) -> str:
    """A text field on one line: numbers and booleans by their spelling; a list or mapping is no text."""
    strings = strings_of(value) if not isinstance(value, list | Mapping) else []
    return " ".join(strings[0].split()) if strings else ""


def aliases_of(document: Document) -> tuple[str, ...]:
    """Other names of a note, from `aliases` and `alias`; each once."""
    names = [name for key in _ALIAS_FIELDS for name in _alias_list(document.frontmatter.get(key))]
    return tuple(dict.fromkeys(names))


def status_of(value: Any) -> Status | None:
    """The status that a field names; None when it names none of the three."""
    word = text_of(value).lower()
    return cast(Status, word) if word in get_args(Status) else None


def verifications(value: Any) -> Iterator[Verification]:
    """The verifications of a list or of one bare mapping (section 5.2). An entry without an actor says nothing."""
    for entry in value if isinstance(value, list) else [value]:
        by = actor_of(entry.get("by")) if isinstance(entry, Mapping) else None
        if by:
            yield Verification(by, instant(entry.get("at")).value)


def _alias_list(value: Any) -> list[str]:
    if isinstance(value, str) and "," in value:
        return [name.strip() for name in value.split(",") if name.strip()]
    return strings_of(value)


def _generated(values: Mapping[str, Any]) -> tuple[Actor | None, datetime | None]:
    """Section 5.2; a v0.1 document has `timestamp` instead (section 13.1)."""
    generated = values.get("generated")
    if isinstance(generated, Mapping):
        return actor_of(generated.get("by")), instant(generated.get("at")).value
    return actor_of(generated), instant(values.get("timestamp")).value


def _sources(values: Mapping[str, Any]) -> list[Source]:
    listed = values.get("sources")
    found = [_source(entry) for entry in (listed if isinstance(listed, list) else [listed])]
    return [source for source in found if source.resource]


def _source(entry: Any) -> Source:
    if not isinstance(entry, Mapping):
        return Source(text_of(entry))
    count = entry.get("usage_count")
    return Source(
        resource=text_of(entry.get("resource")),
        id=text_of(entry.get("id")),
        title=text_of(entry.get("title")),
        author=text_of(entry.get("author")),
        usage_count=count if isinstance(count, int) and not isinstance(count, bool) else None,
        last_modified=instant(entry.get("last_modified")).value,
    )


def _cited(document: Document, outline: Outline) -> Iterator[Source]:
    """The v0.1 list under a `# Citations` heading (section 13.1)."""
    for section in outline.sections:
        if section.path and section.path[-1].lower() == _CITATIONS:
            for item in _CITED.finditer(document.text, section.start, section.end):
                link = _CITED_LINK.search(item[1])
                resource = (link["resource"] or link["bare"] or "").strip("<>") if link else item[1].strip()
                yield Source(resource, title=(link["title"] or "") if link else "")


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[:-3] if name.lower().endswith(".md") else name
