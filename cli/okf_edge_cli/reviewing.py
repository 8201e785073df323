"""`okf review`."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from okf_edge.app import Okf
from okf_edge.app.reviewing import Checklist, Verdicts, Wanted
from okf_edge.app.reviewing import Line as ReviewLine
from okf_edge.bundles.risks import Finding
from okf_edge.bundles.versions import next_version
from okf_edge.errors import InputError
from okf_edge_cli import screen, session
from okf_edge_cli.commands import DONE, REFUSED
from okf_edge_cli.exporting import acceptance
from okf_edge_cli.screen import Line, bad, bold, dim, good, line, wary

_STYLES = {"approved": good, "flagged": bad, "unreviewed": wary}
_SHOWN_CHARS = 20_000
"""Text of one item that is shown; the rest is read in an editor."""


def review(
    seeds: Sequence[str],
    folder: str | None,
    bundle_id: str,
    hops: int | None,
    as_list: bool,
    approved: Sequence[str],
    flagged: Sequence[str],
    accepted: Sequence[str],
    reviewer: str,
    as_json: bool,
) -> int:
    if hops is not None and hops < 0:
        raise InputError(f"expected --hops of 0 or more, found {hops}", code="usage")
    wanted = Wanted(tuple(seeds), hops, bundle_id)
    reviewer = reviewer or os.environ.get("OKF_REVIEWER", "").strip()
    verdicts = Verdicts(reviewer, tuple(approved), tuple(flagged), dict(map(acceptance, accepted)))
    decides = bool(approved or flagged or accepted)
    asks = not (as_list or as_json or decides) and sys.stdin.isatty() and sys.stdout.isatty()

    async def job(okf: Okf) -> Checklist:
        if asks:
            return await _ask(okf, wanted, reviewer)
        return await okf.decide(wanted, verdicts) if decides else await okf.review(wanted)

    found = session.run(job, folder, as_json)
    session.print_result(_json(found), _lines(found), as_json)
    return REFUSED if _is_open(found) else DONE


def _is_open(found: Checklist) -> bool:
    return bool(found.count("unreviewed") or _open_risks(found) or found.problems)


def _open_risks(found: Checklist) -> tuple[Finding, ...]:
    """What keeps approved items here: blocking risks that nobody has accepted yet."""
    return tuple(risk for each in found.lines if each.status == "approved" for risk in found.open_risks(each))


# --- at a terminal ---------------------------------------------------------------------------------------------------


async def _ask(okf: Okf, wanted: Wanted, reviewer: str) -> Checklist:
    """Show what is open, one item after the other; each answer is kept at once, so that nothing is lost by leaving."""
    found = await okf.review(wanted)
    reviewer = reviewer or _answer("Who reviews? (OKF_REVIEWER answers this) ")
    skipped: set[str] = set()
    while item := _next(found, skipped):
        screen.show(_shown(found, item))
        word = _answer("[a]pprove, [f]lag, [s]kip or [q]uit? ").casefold()[:1]
        if word == "q":
            break
        if word == "s":
            skipped.add(item.item.path)
        elif word in ("a", "f"):
            found = await okf.decide(wanted, _verdicts(found, item, reviewer, approves=word == "a"))
            skipped.add(item.item.path)  # it was answered, if without a reason: it is asked again the next time
    return found


def _next(found: Checklist, skipped: set[str]) -> ReviewLine | None:
    """The next item without a decision, or approved without a reason for its risks."""
    waiting = (each for each in found.lines if each.item.path not in skipped)
    return next((each for each in waiting if _waits(found, each)), None)


def _waits(found: Checklist, each: ReviewLine) -> bool:
    return each.status == "unreviewed" or (each.status == "approved" and bool(found.open_risks(each)))


def _verdicts(found: Checklist, item: ReviewLine, reviewer: str, *, approves: bool) -> Verdicts:
    """One decision. Whoever approves says of each open risk why it may leave; without a reason it stays open."""
    path = item.item.path
    if not approves:
        return Verdicts(reviewer, flagged=(path,))
    reasons = {each.id: _answer(f"Why may this leave: {each}\n(empty: not yet) ") for each in found.open_risks(item)}
    return Verdicts(reviewer, approved=(path,), accepted={key: why for key, why in reasons.items() if why})


def _answer(question: str) -> str:
    try:
        return input(question).strip()
    except EOFError:
        return "q"


def _shown(found: Checklist, each: ReviewLine) -> Iterator[Line]:
    yield line(bold("─" * 72))
    yield from _item(found, each)
    yield line()
    shown = each.text[:_SHOWN_CHARS] or f"({each.bytes:,} bytes that are no text)"
    yield from (line("  │ ", text) for text in shown.split("\n"))
    if len(each.text) > _SHOWN_CHARS:
        yield line(dim(f"  … and {len(each.text) - _SHOWN_CHARS:,} characters more: read them in {each.item.path}"))


# --- lists -----------------------------------------------------------------------------------------------------------


def _json(found: Checklist) -> dict[str, Any]:
    return {
        "id": found.review.id,
        "title": found.review.title,
        "seeds": list(found.review.seeds),
        "hops": found.review.hops,
        "counts": {status: found.count(status) for status in ("approved", "unreviewed", "flagged")},
        "items": [_item_json(found, each) for each in found.lines],
        "publications": [asdict(each) for each in found.review.publications],
        "withheld": list(found.withheld),
        "problems": list(found.problems),
    }


def _item_json(found: Checklist, each: ReviewLine) -> dict[str, Any]:
    decision = each.decision
    return {
        "id": each.item.path,
        "kind": each.item.kind,
        "status": each.status,
        "note": _note(each),
        "why": list(each.item.why),
        "leaves_as": each.leaves_as,
        "bytes": each.bytes,
        "sha256": each.sha256,
        "reviewer": decision.reviewer if decision else "",
        "reviewed_at": decision.at if decision else "",
        "risks": [_risk_json(found, finding) for finding in each.findings],
    }


def _risk_json(found: Checklist, finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "kind": finding.kind,
        "severity": finding.severity,
        "line": finding.line,
        "sample": finding.sample,
        "reason": finding.reason,
        "accepted": found.review.reasons.get(finding.id, ""),
    }


def _note(each: ReviewLine) -> str:
    if each.is_changed:
        return "changed"
    return "" if each.decision else "new"


def _lines(found: Checklist) -> Iterator[Line]:
    review = found.review
    yield line(bold(review.id), f": {review.title}, from {', '.join(review.seeds)}, links followed: {review.hops}")
    for each in found.lines:
        yield from _item(found, each)
    yield from (line(bad("  problem: "), problem) for problem in found.problems)
    if found.withheld:
        places = ", ".join(found.withheld)
        yield line(dim(f"names of files that stay are taken out at {places}; give the link other words to keep some"))
    for done in found.review.publications:
        yield line(dim(f"published {done.version} to {done.feed} at {done.at}, sha256:{done.sha256[:12]}…"))
    counts = ", ".join(f"{found.count(status)} {status}" for status in ("approved", "unreviewed", "flagged"))
    risks = len(_open_risks(found))
    yield line(counts, wary(f"; {risks} blocking risks of approved items are not accepted") if risks else "")
    if after := _next_step(found):
        yield line(dim(f"  next: {after}"))


def _next_step(found: Checklist) -> str:
    review = found.review
    begin = f"okf review {shlex.join(review.seeds)} --id {review.id}"
    if found.count("unreviewed"):
        return f"{begin} --approve ITEM … --flag ITEM … --reviewer NAME, or without them on a terminal"
    if risks := _open_risks(found):
        return f"{begin} --accept {risks[0].id}='why it may leave' … --reviewer NAME, or --flag the item, or mend it"
    if found.problems:
        return ""
    version = next_version(each.version for each in review.releases)
    return f"okf publish --id {review.id} --version {version} --to FEED, or okf export DIR --reviewed …"


def _item(found: Checklist, each: ReviewLine) -> Iterator[Line]:
    note = _note(each)
    state = f"{each.status}{f' ({note})' if note and each.status != 'flagged' else ''}"
    yield line(_STYLES[each.status](f"{state:<22}"), f" {each.item.kind:<10} ", bold(each.item.path))
    leaves = f", leaves as {each.leaves_as}" if each.leaves_as and each.leaves_as != each.item.path else ""
    yield line(dim(f"    {'; '.join(each.item.why[:3])}{leaves}"))
    for finding in each.findings:
        why = found.review.reasons.get(finding.id)
        yield line(wary("    risk: "), str(finding), dim(f" accepted: {why}") if why else "")
