"""`okf query` and `okf read`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from okf_edge.errors import InputError
from okf_edge.retrieval.answer import Answer, Candidate, to_json
from okf_edge.retrieval.request import Filters, SearchRequest
from okf_edge_cli import session
from okf_edge_cli.commands import DONE
from okf_edge_cli.screen import Line, Span, bad, bold, dim, good, line, wary

EVERY = "*"
"""The `--kb` that means all bases."""

EVIDENCE_LINES = 8
"""Of one candidate, for people; `--json` has all of it."""

LIKELY = 0.5
"""The confidence from which a place is quoted for people. The others are named below, so that they drown no answer."""


def query(
    question: Sequence[str],
    folder: str | None,
    kb: str,
    remote: str,
    k: int,
    types: Sequence[str],
    tags: Sequence[str],
    paths: Sequence[str],
    lexical: bool,
    dense: bool,
    explain: bool,
    embedder: str,
    as_json: bool,
) -> int:
    request = SearchRequest(
        " ".join(question),
        k=k,
        filters=Filters(tuple(types), tuple(tags), tuple(paths)),
        lexical=lexical or not dense,
        dense=dense or not lexical,
        explain=explain,
    )
    answer = (
        _of_service(remote, request, kb, folder, embedder)
        if remote
        else _of_folders(request, kb, folder, embedder, as_json)
    )
    shown = _with_bases(answer) if kb == EVERY else answer
    session.print_result(to_json(answer) if as_json else None, answer_lines(shown), as_json)
    return DONE


def _of_folders(request: SearchRequest, kb: str, folder: str | None, embedder: str, as_json: bool) -> Answer:
    if kb == EVERY and folder is None:
        return session.run_all(request, embedder, as_json)
    place = folder_of(kb, folder) if kb else folder
    return session.run(lambda okf: okf.query(request, embedder), place, as_json)


def _of_service(name: str, request: SearchRequest, creator: str, folder: str | None, embedder: str) -> Answer:
    from okf_edge_cli import remoting  # a question about a folder does not wait for it

    if folder is not None or embedder:
        raise InputError(
            "expected --remote without --dir and --embedder, found both", code="usage", hint="A service has its own."
        )
    return remoting.ask(name, request, creator)


def folder_of(kb: str, folder: str | None) -> str:
    from okf_edge_cli import bases  # a question about a folder does not wait for it

    return bases.folder_of(kb, folder)


def _with_bases(answer: Answer) -> Answer:
    """For people, each place of many bases begins with the name of its own."""
    candidates, near = (
        tuple(replace(each, path=f"{each.kb}: {each.path}") for each in found)
        for found in (answer.candidates, answer.near)
    )
    return replace(answer, candidates=candidates, near=near)


def read(concept: str, folder: str | None, as_json: bool) -> int:
    from okf_edge.app.shown import reading_json  # a question does not wait for it

    reading = session.run(lambda okf: okf.read(concept), folder, as_json)
    if as_json or sys.stdout.isatty():
        session.print_result(reading_json(reading), (line(text) for text in reading.text.splitlines()), as_json)
    else:
        sys.stdout.write(reading.text)
    return DONE


def answer_lines(answer: Answer) -> Iterator[Line]:
    """An answer for people: the verdict and its reason, then each place with its evidence and why it counts."""
    verdict = good("ok") if answer.verdict == "ok" else bad("no confident match")
    yield line(verdict, f": {answer.reason}")
    numbered = list(enumerate(answer.candidates, 1))
    for number, candidate in numbered:
        if _is_quoted(number, candidate):
            yield from _candidate(number, candidate)
    yield from _named("less likely:", [each for each in numbered if not _is_quoted(*each)])
    yield from _named("nearest, but not an answer:", list(enumerate(answer.near, 1)))
    yield from _footer(answer)


def _is_quoted(number: int, candidate: Candidate) -> bool:
    return number == 1 or candidate.confidence >= LIKELY


def _named(heading: str, places: Sequence[tuple[int, Candidate]]) -> Iterator[Line]:
    if places:
        yield line()
        yield line(dim(heading))
    for number, candidate in places:
        yield line(dim(f"{number:>3}. "), _place(candidate), dim(f"  {_name(candidate)} ({candidate.confidence:.2f})"))


def _candidate(number: int, candidate: Candidate) -> Iterator[Line]:
    yield line()
    yield line(dim(f"{number}. "), _place(candidate), "  ", _name(candidate))
    lines = [text for text in candidate.text.splitlines() if text.strip()]
    yield from (line(dim("   | "), text) for text in lines[:EVIDENCE_LINES])
    if len(lines) > EVIDENCE_LINES:
        yield line(dim(f"   | … {len(lines) - EVIDENCE_LINES} more lines"))
    yield line("   ", *_standing(candidate))
    if candidate.why:
        yield line("   ", dim("why: "), "; ".join(candidate.why))


def _place(candidate: Candidate) -> Span:
    first, last = candidate.lines
    return bold(f"{candidate.path}:{first}-{last}")


def _name(candidate: Candidate) -> str:
    title, heading = candidate.title, candidate.heading
    is_said = heading == title or heading.startswith(f"{title} > ")
    return heading if is_said else " > ".join(filter(None, (title, heading)))


def _standing(candidate: Candidate) -> Iterator[Span]:
    source = f"{candidate.bundle}@{candidate.version}" if candidate.bundle else candidate.tier
    claimed = f"{candidate.trust} (claimed)" if candidate.bundle else candidate.trust
    yield Span(f"confidence {candidate.confidence:.2f} · {source} · {claimed} · ")
    yield Span("fresh") if candidate.fresh else wary("stale")


def _footer(answer: Answer) -> Iterator[Line]:
    coverage = answer.coverage
    problems = f", {coverage.problems} with problems: `okf index status` names them" if coverage.problems else ""
    yield line()
    yield line(dim(f"searched {coverage.read} of {coverage.found} notes ({coverage.mode}){problems}"))
    if coverage.note:
        yield line(wary("note: "), coverage.note)
    if answer.explain is not None:
        trace = json.dumps({"timings": answer.timings, **answer.explain}, ensure_ascii=False, indent=2)
        yield from chain([line(), line(bold("explain"))], (line(text) for text in trace.splitlines()))
