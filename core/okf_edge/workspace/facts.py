"""What the reports know of one page: read once, kept, and told again without parsing.

Rules:
1. Reading never fails for content: what could not be read of a page is one of its problems.
2. Facts are of one page alone. Where its links lead is another matter, since that changes when other files do.
3. Kept facts are derived: a file of them that is damaged or of another version is made anew, never an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from okf_edge.okf.concept import Concept, concept_of
from okf_edge.okf.conformance import check_document
from okf_edge.okf.document import Document
from okf_edge.okf.freshness import format_instant, instant
from okf_edge.okf.links import Link, LinkForm, links_of, markdown_link, wiki_link
from okf_edge.okf.outline import outline_of
from okf_edge.okf.reader import read_document

VERSION = 1
"""Of what is kept: raise it when reading a page gives other facts."""

_WIKI = re.compile(r"\[\[(?P<inner>[^\[\]]+)\]\]")
_MARKDOWN = re.compile(r"\[[^\[\]]*\]\((?:<(?P<angle>[^<>]*)>|(?P<bare>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*))\)")
# Outline editors put a page or a block where markdown has a destination: `[x]([[Page]])`, `[x](((block-id)))`.
_OUTLINE_LINK = re.compile(r"\[\[(?P<page>[^\[\]]+)\]\]|\(\([^()]+\)\)")
_CITING_FIELDS = ("sources", "sources.resource")
_DATED_FIELDS = ("updated", "modified", "last_modified", "date", "created")
_FEWEST_LETTERS = 40
"""A body shorter than this says too little to be anybody's duplicate."""


@dataclass(frozen=True, slots=True)
class LinkFact:
    """A link as it was written, and whether it cites what the page derives from."""

    line: int
    inner: str
    form: LinkForm
    is_citation: bool


@dataclass(frozen=True, slots=True)
class Problem:
    """A finding about a page alone: a rule of `okf validate`, where, and what was found."""

    rule: str
    line: int | None
    severity: str
    message: str


@dataclass(frozen=True, slots=True)
class PageFacts:
    """One page. `changed` is the date that it states of itself, and `body` a digest of its words, empty for few.

    `sources_count` are all its sources; `links` hold only those that may be files, as citations.
    """

    path: str
    bytes: int
    mtime_ns: int
    sha256: str
    title: str
    type: str
    description: str
    changed: str
    stale_after: str
    aliases: tuple[str, ...]
    body: str
    sources_count: int
    links: tuple[LinkFact, ...]
    problems: tuple[Problem, ...]

    @property
    def citations(self) -> tuple[LinkFact, ...]:
        """They come before the other links."""
        count = 0
        for link in self.links:
            if not link.is_citation:
                break
            count += 1
        return self.links[:count]


def facts_of(path: str, data: bytes, mtime_ns: int) -> PageFacts:
    """Read a page for the reports."""
    document = read_document(path, data)
    outline = outline_of(document)
    concept = concept_of(document, outline)
    made = links_of(document, outline)
    problems = [found for found in check_document(document, outline, made) if found.severity != "info"]
    return PageFacts(
        path=path,
        bytes=len(data),
        mtime_ns=mtime_ns,
        sha256=sha256(data).hexdigest(),
        title=concept.title,
        type=concept.type,
        description=concept.description,
        changed=_stated_date(document, concept),
        stale_after=format_instant(concept.stale_after) if concept.stale_after else "",
        aliases=concept.aliases,
        body=_digest_of_words(document.body),
        sources_count=len(concept.sources),
        links=(*_citations(document, concept), *_other_links(made)),
        problems=tuple(Problem(each.rule, each.line, each.severity, each.message) for each in problems),
    )


def link_of(fact: LinkFact) -> Link:
    """The link that was written, as far as resolving goes."""
    if fact.form == "wiki":
        return wiki_link(fact.inner, "wikilink", fact.line)
    if fact.form == "markdown":
        return markdown_link(fact.inner, "", False, fact.line)
    target, _, anchor = fact.inner.partition("#")
    return Link("path", "path", fact.inner, target, anchor, "", fact.line)


def _other_links(links: Iterable[Link]) -> Iterator[LinkFact]:
    for link in links:
        if link.kind == "footnote" or not link.target or link.is_external or link.field in _CITING_FIELDS:
            continue
        outline = _OUTLINE_LINK.fullmatch(link.inner) if link.form == "markdown" else None
        if outline is None:
            yield LinkFact(link.line, link.inner, link.form, False)
        elif outline["page"]:
            yield LinkFact(link.line, outline["page"], "wiki", False)


def _citations(document: Document, concept: Concept) -> Iterator[LinkFact]:
    """Every cited file in every spelling: path, wikilink, markdown link, encoded or not, with an anchor, with `\\`."""
    start = document.frontmatter_lines.get("sources", 1)
    offset = sum(map(len, document.text.splitlines(keepends=True)[: start - 1]))
    for source in concept.sources:
        place = document.text.find(source.resource, offset)
        line = document.text.count("\n", 0, place) + 1 if place >= 0 else start
        for link in _spelled(source.resource, line):
            if link.target and not link.is_external:
                yield LinkFact(line, link.inner, link.form, True)


def _spelled(resource: str, line: int) -> Iterator[Link]:
    wiki = [wiki_link(found["inner"], "wikilink", line) for found in _WIKI.finditer(resource)]
    markdown = [
        markdown_link(found["angle"] if found["angle"] is not None else found["bare"], "", False, line)
        for found in _MARKDOWN.finditer(resource)
    ]
    if wiki or markdown:
        yield from (*wiki, *markdown)
        return
    where = resource.strip().strip("<>")
    where = where if "://" in where else where.replace("\\", "/")
    target, _, anchor = where.partition("#")
    yield Link("path", "path", where, target, anchor, "", line)


def _stated_date(document: Document, concept: Concept) -> str:
    if concept.generated_at:
        return format_instant(concept.generated_at)
    values = document.frontmatter
    stated = (instant(values.get(field)).value for field in _DATED_FIELDS)
    return next((format_instant(value) for value in stated if value), "")


def _digest_of_words(body: str) -> str:
    words = " ".join(body.split())
    return sha256(words.encode()).hexdigest()[:32] if len(words) >= _FEWEST_LETTERS else ""


# --- kept ------------------------------------------------------------------------------------------------------------

Row = list[Any]


def encode(pages: Iterable[PageFacts], rest: Mapping[str, Any]) -> bytes:
    """Facts as bytes, with whatever else is kept beside them."""
    rows = [
        [
            *(page.path, page.bytes, page.mtime_ns, page.sha256, page.title, page.type, page.description, page.changed),
            *(page.stale_after, page.aliases, page.body, page.sources_count),
            [(link.line, link.inner, link.form, link.is_citation) for link in page.links],
            [(problem.rule, problem.line, problem.severity, problem.message) for problem in page.problems],
        ]
        for page in pages
    ]
    return json.dumps({"version": VERSION, **rest, "pages": rows}, ensure_ascii=False, separators=(",", ":")).encode()


def decode(data: bytes) -> tuple[dict[str, PageFacts], dict[str, Any]]:
    """What `encode` was given, by path; nothing of what is no such thing."""
    try:
        kept = json.loads(data)
        if kept["version"] != VERSION:
            return {}, {}
        return {row[0]: _page(row) for row in kept.pop("pages")}, kept
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        return {}, {}


def _page(row: Row) -> PageFacts:
    *texts, stale_after, aliases, body, sources_count, links, problems = row
    path, size, mtime_ns, digest, title, kind, description, changed = texts
    return PageFacts(
        path,
        size,
        mtime_ns,
        digest,
        title,
        kind,
        description,
        changed,
        stale_after,
        tuple(aliases),
        body,
        sources_count,
        tuple([LinkFact(*link) for link in links]),
        tuple([Problem(*problem) for problem in problems]),
    )
