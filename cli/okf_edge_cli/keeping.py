"""`okf stale`, `okf health`, `okf map` and `okf capture`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from okf_edge.app import Okf
from okf_edge.app.lifecycle import Repaired
from okf_edge.errors import InputError
from okf_edge.limits import LIMITS
from okf_edge.workspace.health import PASSES, Check, Finding, Health
from okf_edge.workspace.orientation import Orientation
from okf_edge.workspace.reports import health_json, orientation_json, staleness_json
from okf_edge.workspace.staleness import Staleness, StalePage
from okf_edge_cli import session
from okf_edge_cli.commands import DONE, REFUSED
from okf_edge_cli.screen import Line, bad, bold, dim, good, line, wary

SHOWN = 10
"""Of each kind, for people; `--json` has all of them."""

EXPECTED = frozenset({"hidden", "hidden-folder", "listing", "system-file"})
"""Reasons to be no note that nobody needs to be told."""

DIGITS = 12
"""Of a hash, for people."""


def stale(folder: str | None, as_json: bool) -> int:
    found = session.run(lambda okf: okf.stale(), folder, as_json)
    session.print_result(staleness_json(found), _stale_lines(found), as_json)
    return DONE


def health(folder: str | None, fix: bool, passes: int | None, as_json: bool) -> int:
    least = PASSES if passes is None else passes

    async def job(okf: Okf) -> Repaired:
        return await okf.repair() if fix else Repaired(await okf.health(), (), ())

    done = session.run(job, folder, as_json)
    value = health_json(done.health, least, done.mended, done.left)
    session.print_result(value, _health_lines(done, least), as_json)
    return DONE if done.health.score >= least else REFUSED


def map(folder: str | None, as_json: bool) -> int:
    found = session.run(lambda okf: okf.map(), folder, as_json)
    session.print_result(orientation_json(found), _map_lines(found), as_json)
    return DONE


def capture(text: Sequence[str], title: str, folder: str | None, as_json: bool) -> int:
    words = " ".join(text)
    content, origin = (words, "command line") if text and words != "-" else (_piped(), "standard input")
    kept = session.run(lambda okf: okf.capture(content, title, origin), folder, as_json)
    value = {"path": kept.path, "title": kept.title}
    session.print_result(value, [line(good("captured "), bold(kept.path), f"  {kept.title}")], as_json)
    return DONE


def _piped() -> str:
    if sys.stdin.isatty():
        raise InputError("expected a text to capture, found none", code="no-text", hint="Pass it, or pipe it in.")
    data = sys.stdin.buffer.read(LIMITS.note_bytes + 1)
    return data.decode("utf-8-sig", errors="replace")


# --- stale -----------------------------------------------------------------------------------------------------------


def _stale_lines(found: Staleness) -> Iterator[Line]:
    yield line(
        bold(f"{len(found.stale)} stale"),
        f" of {_count(found.pages, 'compiled page')}, {_count(len(found.uncooked), 'uncooked note')}, ",
        _count(len(found.dangling), "dangling citation"),
    )
    for page in found.stale[:SHOWN]:
        yield from _stale_page(page)
    yield from _more(len(found.stale))
    if found.dangling:
        yield line(wary("cited and not there"))
        for each in found.dangling[:SHOWN]:
            why = dim(" (not downloaded)") if each.absent else ""
            yield line("  ", bold(f"{each.page}:{each.line}"), f" cites {each.cited}", why)
        yield from _more(len(found.dangling))
    if found.uncooked:
        yield line(wary("no page cites"))
        yield from (line(f"  {note.path}") for note in found.uncooked[:SHOWN])
        yield from _more(len(found.uncooked))
    yield from _stale_notes(found)


def _stale_page(page: StalePage) -> Iterator[Line]:
    yield line(wary("stale "), bold(page.path), f"  {page.title}")
    if page.stale_after:
        yield line(f"  past its stale_after, {page.stale_after}")
    for each in page.changed:
        how = {"hash": "content", "stated-date": "date stated", "file-time": "file time only"}[each.evidence]
        then, now = (each.then[:DIGITS], each.now[:DIGITS]) if each.evidence == "hash" else (each.then, each.now)
        yield line(f"  {each.path} changed ", dim(f"({how}: {then} → {now})"))


def _stale_notes(found: Staleness) -> Iterator[Line]:
    if found.ignored:
        yield line(dim(f"{found.ignored} more notes need no citing: daily notes, and what the base ignores"))
    if found.unknown:
        yield line(
            dim(f"{found.unknown} citations can't be judged yet: `okf sync` records what pages are compiled from")
        )
    if not found.pages:
        yield line(dim("no compiled pages here: nothing to be stale, and no note waits to be cooked"))


# --- health ----------------------------------------------------------------------------------------------------------


def _health_lines(done: Repaired, least: int) -> Iterator[Line]:
    found = done.health
    score = good(str(found.score)) if found.score >= least else bad(str(found.score))
    yield line(bold("health "), score, f" of 100; {found.read} of {found.found} notes read")
    yield from (line(good("  mended "), path) for path in done.mended)
    yield from (line(wary("  could not mend "), path) for path in done.left)
    yield from (_check(check) for check in found.checks)
    for topic, group in groupby(found.findings, key=lambda finding: finding.topic):
        yield from _findings(topic, list(group))
    yield from _health_notes(found)


def _check(check: Check) -> Line:
    lost = check.points - check.earned
    mark = good("  ok    ") if check.good == check.total else wary(f"{-lost:>+6.1f}  ")
    return line(mark, f"{check.topic:<14}", dim(f"{check.good} of {check.total} {check.words}"))


def _findings(topic: str, findings: list[Finding]) -> Iterator[Line]:
    """The findings of a topic, one line a file: a page with forty broken links is one thing to look at."""
    yield line(bold(topic))
    by_file = [(path, list(group)) for path, group in groupby(findings, key=lambda finding: finding.path)]
    for path, group in by_file[:SHOWN]:
        first = group[0]
        place = f"{path}:{first.line}" if first.line else path
        more = dim(f" and {len(group) - 1} more like it") if len(group) > 1 else ""
        yield line("  ", bold(place), f" {first.message}", more)
    yield from _more(len(by_file))


def _health_notes(found: Health) -> Iterator[Line]:
    for folder, links in found.absent_folders[:3]:
        yield line(dim(f"{_count(links, 'broken link')} into {folder}/, of which nothing is here"))
    for kind, fields in found.by_type.items():
        lacking = ", ".join(f"{count} without {field}" for field, count in fields.items())
        yield line(dim(f"of type {kind}: {lacking}"))
    if found.wanted:
        names = ", ".join(f"{name} ({links})" for name, links in found.wanted[:5])
        yield line(dim(f"{len(found.wanted)} pages are linked to and not written yet, most of all: {names}"))
    skipped = {reason: count for reason, count in found.skipped.items() if reason not in EXPECTED}
    if skipped:
        words = ", ".join(f"{count} {reason}" for reason, count in skipped.items())
        yield line(dim(f"markdown that is no note here: {words}"))
    if any(finding.fixable for finding in found.findings):
        yield line(dim("`okf health --fix` mends what is safe"))


# --- map -------------------------------------------------------------------------------------------------------------


def _map_lines(found: Orientation) -> Iterator[Line]:
    counts = found.counts
    yield line(
        bold(found.name),
        f": {_count(counts.compiled, 'compiled page')}, {_count(counts.notes, 'note')}, ",
        f"{_count(counts.bundles, 'bundle')}; ",
        f"{counts.stale} stale, {counts.uncooked} uncooked, {counts.inbox} in the inbox",
    )
    for group in found.groups:
        yield line(bold(f"{group.folder}/"), dim(f"  {len(group.pages)}"))
        for page in group.pages:
            yield line("  ", page.title, dim(f"  {page.path}  {page.description}"))
    if found.folders:
        yield line(bold("notes"))
        yield from (line(f"  {folder or '.'}/", dim(f"  {notes}")) for folder, notes in found.folders)
    if found.hubs:
        yield line(bold("most linked"))
        yield from (line(f"  {page.title}", dim(f"  {page.path}, from {count}")) for page, count in found.hubs)
    if found.bundles:
        yield line(bold("bundles"))
        yield from (line(f"  {each.id}", dim(f"  {each.version}  {each.title}")) for each in found.bundles)


def _more(count: int) -> Iterable[Line]:
    return [line(dim(f"  … and {count - SHOWN} more: --json has them all"))] if count > SHOWN else []


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
