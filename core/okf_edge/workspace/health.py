"""How well a knowledge base is kept: checks, what each found, and a score from 0 to 100 that explains itself.

Each check has points and tells how many of how many are well; it earns its points in that proportion. A check that has
nothing to look at is left out, and the score is what was earned of the points that could be. Links of a person's own
notes to pages that nobody wrote yet are how such notes grow: they are told, and cost nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import dirname, join, normpath
from typing import Literal
from urllib.parse import unquote

from okf_edge.paths import parents
from okf_edge.workspace import layout
from okf_edge.workspace.facts import PageFacts, link_of
from okf_edge.workspace.graph import Edge
from okf_edge.workspace.staleness import Staleness, is_daily
from okf_edge.workspace.survey import Survey

Topic = Literal[
    "configuration",
    "coverage",
    "frontmatter",
    "conformance",
    "links",
    "citations",
    "freshness",
    "orphans",
    "duplicates",
    "size",
]

POINTS: Mapping[Topic, int] = {
    "configuration": 10,
    "coverage": 20,
    "frontmatter": 15,
    "conformance": 10,
    "links": 15,
    "citations": 10,
    "freshness": 10,
    "orphans": 4,
    "duplicates": 4,
    "size": 2,
}

PASSES = 80
"""The score from which a base counts as healthy, unless another is asked for."""

OVERSIZED_BYTES = 48 * 1024
"""A compiled page of about 12,000 tokens: agents read pages whole, and a longer one should be several."""

WANTED_FIELDS = ("type", "description", "sources")
"""What a compiled page should have, of whatever type: what it is, what it says, and what it derives from."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at. `line` is None for a file as a whole; `fixable` findings are what `--fix` mends."""

    topic: Topic
    path: str
    line: int | None
    message: str
    fixable: bool = False


@dataclass(frozen=True, slots=True)
class Configuration:
    """How many parts the setup of a base has, and what is wrong with some."""

    parts: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """One part of the score: `good` of `total` are well, for `earned` of `points`. `words` say what is counted."""

    topic: Topic
    good: int
    total: int
    points: int
    earned: float
    words: str


@dataclass(frozen=True, slots=True)
class Health:
    """The whole report. `wanted` are pages that notes link to and nobody wrote yet, the most wanted first.

    `absent_folders` counts broken links into folders of which nothing is here, such as a folder of images that was not
    copied along. `skipped` counts by reason what looks like a note and is none; `by_type` the compiled pages that lack
    a field, by type and field.
    """

    score: int
    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]
    found: int
    read: int
    wanted: tuple[tuple[str, int], ...]
    absent_folders: tuple[tuple[str, int], ...]
    by_type: Mapping[str, Mapping[str, int]]
    skipped: Mapping[str, int]


def health_of(survey: Survey, staleness: Staleness, configuration: Configuration | None) -> Health:
    """Judge a folder.

    Args: configuration: None when it is no knowledge base, so that nothing is lacking.
    """
    absent = survey.scan.skipped_for("not-downloaded")
    found = len(survey.pages) + len(survey.unread) + len(absent)
    findings: list[Finding] = [
        *(configuration.findings if configuration else ()),
        *_coverage(survey, absent),
        *_frontmatter(survey),
        *_conformance(survey.compiled),
        *_links(survey),
        *_citations(staleness),
        *_freshness(staleness),
        *_orphans(survey),
        *_duplicates(survey.pages.values()),
        *_oversized(survey.compiled),
    ]
    checks = tuple(_checks(survey, findings, staleness, found, configuration))
    possible = sum(check.points for check in checks)
    return Health(
        score=int(100 * sum(check.earned for check in checks) / possible) if possible else 100,
        checks=checks,
        findings=tuple(findings),
        found=found,
        read=sum(not _is_damaged(page) for page in survey.pages.values()),
        wanted=_wanted(survey),
        absent_folders=_absent_folders(survey),
        by_type=_lacking_by_type(survey.compiled),
        skipped=dict(sorted(Counter(skip.reason for skip in survey.scan.skipped if skip.path != layout.STATE).items())),
    )


# --- the score -------------------------------------------------------------------------------------------------------


def _checks(
    survey: Survey,
    findings: Iterable[Finding],
    staleness: Staleness,
    found: int,
    configuration: Configuration | None,
) -> Iterator[Check]:
    bad: defaultdict[Topic, set[str]] = defaultdict(set)
    for finding in findings:
        bad[finding.topic].add(finding.path)
    compiled, pages = len(survey.compiled), len(survey.pages)
    linking = sum(bool(page.links) for page in survey.pages.values())
    citing = sum(bool(page.citations) for page in survey.pages.values())
    totals: list[tuple[Topic, int, str]] = [
        (
            "configuration",
            configuration.parts if configuration else 0,
            "parts of the setup are in place",
        ),
        ("coverage", found, "notes could be read whole"),
        ("frontmatter", compiled, "compiled pages have type, description and sources"),
        ("conformance", compiled, "compiled pages conform to OKF"),
        ("links", linking, "pages with links have none that is broken or ambiguous"),
        ("citations", citing, "pages that cite lead to files that are there"),
        ("freshness", compiled or citing, "pages say what their sources say now"),
        ("orphans", compiled or pages, "pages are linked with another"),
        ("duplicates", pages, "pages are nobody's duplicate"),
        ("size", compiled, "compiled pages are short enough to be read whole"),
    ]
    for topic, total, words in totals:
        if total:
            good = max(0, total - len(bad[topic]))
            yield Check(topic, good, total, POINTS[topic], round(POINTS[topic] * good / total, 2), words)


# --- what is looked at -----------------------------------------------------------------------------------------------


def _coverage(survey: Survey, absent: Sequence[str]) -> Iterator[Finding]:
    for path, reason in survey.unread.items():
        yield Finding("coverage", path, None, f"could not be read: {reason}")
    for path in absent:
        yield Finding("coverage", path, None, "is not downloaded: only the placeholder of a sync service is here")
    for path, page in survey.pages.items():
        for problem in page.problems:
            if problem.rule in _DAMAGED:
                yield Finding("coverage", path, problem.line, f"{problem.rule} {problem.message}")


_DAMAGED = frozenset({"OKF-D01", "OKF-F02", "OKF-F03", "OKF-F04", "OKF-F06", "OKF-F09"})
"""Rules of bytes and frontmatter of which not everything could be read."""


def _is_damaged(page: PageFacts) -> bool:
    return any(problem.rule in _DAMAGED for problem in page.problems)


def _frontmatter(survey: Survey) -> Iterator[Finding]:
    for page in survey.compiled:
        lacking = _lacking(page)
        if lacking:
            fixable = "type" in lacking and not _is_damaged(page)
            yield Finding("frontmatter", page.path, 1, f"has no {' and no '.join(lacking)}", fixable)


def _lacking(page: PageFacts) -> list[str]:
    there = {"type": page.type, "description": page.description, "sources": page.sources_count}
    return [field for field in WANTED_FIELDS if not there[field]]


def _lacking_by_type(pages: Iterable[PageFacts]) -> dict[str, dict[str, int]]:
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for page in pages:
        found[page.type or f"({page.path.partition('/')[0]})"].update(_lacking(page))
    return {kind: dict(counts) for kind, counts in sorted(found.items()) if counts}


def _conformance(pages: Iterable[PageFacts]) -> Iterator[Finding]:
    for page in pages:
        for problem in page.problems:
            if problem.severity == "error" and problem.rule not in _DAMAGED:
                yield Finding("conformance", page.path, problem.line, f"{problem.rule} {problem.message}")


def _links(survey: Survey) -> Iterator[Finding]:
    for edge in survey.graph.telling():
        link = edge.link
        if edge.end.outcome == "missing" and not link.is_citation and not _is_wanted(edge):
            yield Finding("links", edge.source, link.line, f"`{link.inner}` leads nowhere")
        elif edge.end.outcome == "ambiguous":
            which = " or ".join(edge.end.candidates[:4])
            yield Finding("links", edge.source, link.line, f"`{link.inner}` may be {which}")


def _is_wanted(edge: Edge) -> bool:
    """A wikilink of a person's note to a name that no file has yet."""
    return edge.link.form == "wiki" and layout.tier_of(edge.source) == "user"


def _wanted(survey: Survey) -> tuple[tuple[str, int], ...]:
    """Names that notes link to and no file has, in their first spelling: letter case does not tell pages apart."""
    counts: Counter[str] = Counter()
    spelled: dict[str, str] = {}
    for edge in survey.graph.telling():
        if edge.end.outcome == "missing" and not edge.link.is_citation and _is_wanted(edge):
            name = edge.link.inner.partition("|")[0].partition("#")[0].strip()
            counts[name.casefold()] += 1
            spelled.setdefault(name.casefold(), name)
    return tuple((spelled[key], count) for key, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _absent_folders(survey: Survey) -> tuple[tuple[str, int], ...]:
    missing = [
        edge
        for edge in survey.graph.telling()
        if edge.end.outcome == "missing" and not edge.link.is_citation and not _is_wanted(edge)
    ]
    counts = Counter(_folder_meant(edge) for edge in missing)
    here = {folder for path in survey.scan.paths for folder in parents(path)} if missing else set()
    absent = [(folder, count) for folder, count in counts.items() if folder and folder not in here]
    return tuple(sorted(absent, key=lambda item: (-item[1], item[0])))


def _folder_meant(edge: Edge) -> str:
    """The folder of a broken path, from the root of the base; empty for a bare name, or what leads out of it."""
    folder = dirname(unquote(link_of(edge.link).target))
    if not folder:
        return ""
    whole = normpath(folder if folder.startswith("/") else join(dirname(edge.source), folder)).strip("/")
    return "" if whole in ("", ".") or whole.startswith("..") else whole


def _citations(staleness: Staleness) -> Iterator[Finding]:
    for cited in staleness.dangling:
        what = f"`{cited.absent}` is not downloaded" if cited.absent else f"`{cited.cited}` is cited and is not there"
        yield Finding("citations", cited.page, cited.line, what)


def _freshness(staleness: Staleness) -> Iterator[Finding]:
    for page in staleness.stale:
        for change in page.changed:
            yield Finding("freshness", page.path, None, f"{change.path} changed since (by {change.evidence})")
        if page.stale_after:
            yield Finding("freshness", page.path, None, f"is past its stale_after, {page.stale_after}")


def _orphans(survey: Survey) -> Iterator[Finding]:
    """Compiled pages that nothing links to; where nothing is compiled, notes without any link to or from another."""
    linked = survey.graph.linked_from
    compiled = survey.compiled
    for page in compiled:
        if not linked.get(page.path):
            yield Finding("orphans", page.path, None, "no page links to it")
    for page in () if compiled else survey.personal:
        if not linked.get(page.path) and not page.links and not is_daily(page.path):
            yield Finding("orphans", page.path, None, "links to nothing, and nothing links to it")


def _duplicates(pages: Iterable[PageFacts]) -> Iterator[Finding]:
    same: defaultdict[str, list[PageFacts]] = defaultdict(list)
    for page in pages:
        if page.body:
            same[page.body].append(page)
        if layout.tier_of(page.path) == "agent":
            same[f"title {page.title.casefold()}"].append(page)
    for key, group in sorted(same.items(), key=lambda item: item[1][0].path):
        what = "is called like" if key.startswith("title ") else "says the same as"
        yield from (Finding("duplicates", page.path, None, f"{what} {group[0].path}") for page in group[1:])


def _oversized(pages: Iterable[PageFacts]) -> Iterator[Finding]:
    for page in pages:
        if page.bytes > OVERSIZED_BYTES:
            yield Finding("size", page.path, None, f"is {page.bytes // 1024} KiB: split it, for it is read whole")
