"""Which pages no longer say what their sources say, which notes no page cites, and which citations lead nowhere.

What shows that a source changed since a page was compiled, the best first:
1. `hash`: its bytes are not those that were recorded when the page was compiled.
2. `stated-date`: nothing is recorded, but both state a date of their own, and the source's is later.
3. `file-time`: nothing is recorded or stated, and the file of the source is later by more than a clone or unzip takes.
   Times lie after clone, unzip and sync, so this is named, and believed of no file whose stated date contradicts it.
Where none of them can tell, the citation is `unknown`, which is not stale.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from typing import Literal

from okf_edge.okf.freshness import instant, is_stale
from okf_edge.workspace.compiled import Records
from okf_edge.workspace.facts import PageFacts
from okf_edge.workspace.survey import CitedFile, Survey

Evidence = Literal["hash", "stated-date", "file-time"]

TOGETHER_NS = 600 * 1_000_000_000
"""Files written within ten minutes may have been written by one clone, unzip or sync: their order says nothing."""

BELIEVED = timedelta(days=2)
"""How far a file's time may be from the date that the file states, before something other than an edit set it."""

_DAY, _MIDNIGHT = len("2026-01-01"), "T00:00:00Z"
"""A stated day has no time: it is compared as a day."""

DAILY_FOLDERS = frozenset({"daily", "dailies", "daily notes", "journal", "journals", "diary"})
_DAILY_NAME = re.compile(r"\d{4}[-_. ]?\d{2}[-_. ]?\d{2}(?!\d).*|\d{4}-W\d{2}|\d{4}-\d{2}")


@dataclass(frozen=True, slots=True)
class ChangedSource:
    """A source that changed. `then` and `now` are what `evidence` compares: hashes, dates, or file times."""

    path: str
    evidence: Evidence
    then: str
    now: str


@dataclass(frozen=True, slots=True)
class StalePage:
    """A page to look at again: its sources changed, or its own `stale_after` has come (else empty)."""

    path: str
    title: str
    changed: tuple[ChangedSource, ...]
    stale_after: str = ""


@dataclass(frozen=True, slots=True)
class Dangling:
    """A citation of a file that is not there. `absent` is its path when a sync service has not downloaded it."""

    page: str
    line: int
    cited: str
    absent: str = ""


@dataclass(frozen=True, slots=True)
class Staleness:
    """The whole report. `unknown` counts citations of which nothing tells whether they changed."""

    stale: tuple[StalePage, ...]
    uncooked: tuple[PageFacts, ...]
    dangling: tuple[Dangling, ...]
    pages: int
    citations: int
    recorded: int
    unknown: int
    ignored: int


def staleness_of(survey: Survey, records: Records, now: datetime, ignored: tuple[str, ...] = ()) -> Staleness:
    """Judge every page of a base.

    Args: ignored: patterns of notes that need not be cited, beside daily notes.
    """
    judged = {path: _judge(survey, records, path) for path in survey.pages}
    citing = [path for path in survey.pages if survey.pages[path].citations]
    raw = list(_uncited(survey))
    uncooked = tuple(page for page in raw if not _needs_no_citing(page.path, ignored))
    return Staleness(
        stale=tuple(_stale_pages(survey, judged, now)),
        uncooked=uncooked,
        dangling=tuple(dangling_in(survey)),
        pages=len(survey.compiled),
        citations=sum(len(survey.pages[path].citations) for path in citing),
        recorded=sum(path in records and records[path].sha256 == survey.pages[path].sha256 for path in citing),
        unknown=sum(unknown for _, unknown in judged.values()),
        ignored=len(raw) - len(uncooked),
    )


def is_daily(path: str) -> bool:
    """Whether a note is a day's journal by its name or folder."""
    *folders, name = path.split("/")
    return _DAILY_NAME.fullmatch(name.rpartition(".")[0]) is not None or any(
        folder.casefold() in DAILY_FOLDERS for folder in folders
    )


def cited_by(survey: Survey, path: str) -> list[str]:
    """The files that a page cites, each once."""
    edges = (edge for edge in survey.graph.edges_of(path) if edge.link.is_citation and edge.end.path)
    return list(dict.fromkeys(edge.end.path for edge in edges if edge.end.path != path))


def dangling_in(survey: Survey) -> Iterator[Dangling]:
    for path, page in survey.pages.items():
        if not page.citations:
            continue
        for edge in survey.graph.edges_of(path):
            if edge.link.is_citation and edge.end.outcome in ("missing", "not-downloaded"):
                yield Dangling(path, edge.link.line, edge.link.inner, edge.end.path)


def _stale_pages(
    survey: Survey, judged: Mapping[str, tuple[tuple[ChangedSource, ...], int]], now: datetime
) -> Iterator[StalePage]:
    for path, page in survey.pages.items():
        changed, _ = judged[path]
        is_past = is_stale(instant(page.stale_after).value, now)
        if changed or is_past:
            yield StalePage(path, page.title, changed, page.stale_after if is_past else "")


def _judge(survey: Survey, records: Records, path: str) -> tuple[tuple[ChangedSource, ...], int]:
    """The sources of a page that changed, and how many nobody can judge."""
    page = survey.pages[path]
    if not page.citations:
        return (), 0
    record = records.get(path)
    known = record.sources if record and record.sha256 == page.sha256 else {}
    changed: list[ChangedSource] = []
    unknown = 0
    for cited in cited_by(survey, path):
        source = survey.source(cited)
        if source is None:
            continue
        if cited in known:
            changed += [ChangedSource(cited, "hash", known[cited], source.sha256)] * (known[cited] != source.sha256)
            continue
        verdict = _by_dates(page, source)
        changed += [verdict] if isinstance(verdict, ChangedSource) else []
        unknown += verdict is None
    return tuple(changed), unknown


def _by_dates(page: PageFacts, source: PageFacts | CitedFile) -> ChangedSource | Literal[False] | None:
    """A change that dates or file times show; False when they show that there is none; None when nothing tells."""
    if page.changed and source.changed:
        letters = _DAY if _MIDNIGHT in (page.changed[_DAY:], source.changed[_DAY:]) else None
        is_later = source.changed[:letters] > page.changed[:letters]
        return ChangedSource(source.path, "stated-date", page.changed, source.changed) if is_later else False
    if not (_is_believable(page) and _is_believable(source)):
        return None
    if source.mtime_ns > page.mtime_ns + TOGETHER_NS:
        return ChangedSource(source.path, "file-time", _time(page), _time(source))
    return False if source.mtime_ns < page.mtime_ns - TOGETHER_NS else None


def _is_believable(page: PageFacts | CitedFile) -> bool:
    stated = instant(page.changed).value
    return stated is None or abs(datetime.fromtimestamp(page.mtime_ns / 1e9, UTC) - stated) <= BELIEVED


def _time(page: PageFacts | CitedFile) -> str:
    return datetime.fromtimestamp(page.mtime_ns / 1e9, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _uncited(survey: Survey) -> Iterator[PageFacts]:
    """Notes of the person that no compiled page cites or links to. Where nothing is compiled, nothing is uncooked."""
    compiled = {page.path for page in survey.compiled}
    if compiled:
        linked = survey.graph.linked_from
        yield from (page for page in survey.personal if compiled.isdisjoint(linked.get(page.path, ())))


def _needs_no_citing(path: str, ignored: tuple[str, ...]) -> bool:
    return is_daily(path) or any(fnmatchcase(path, pattern) for pattern in ignored)
