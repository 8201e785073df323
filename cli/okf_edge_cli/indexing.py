"""`okf index build|status`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from okf_edge.app import Okf
from okf_edge.app.base import Built
from okf_edge.app.shown import status_json
from okf_edge.app.status import Status
from okf_edge.okf.document import Diagnostic
from okf_edge.workspace.scan import LEFT_OUT_BY_DESIGN
from okf_edge_cli import session
from okf_edge_cli.commands import DONE
from okf_edge_cli.screen import Line, bold, dim, good, line, wary

SHOWN = 20
"""Problems shown to people; `--json` has all of them."""

NAMED = 3
"""Files named of each kind that is not searched."""


def build(folder: str | None, embedder: str, as_json: bool) -> int:
    async def job(okf: Okf) -> tuple[Built, Status]:
        built = await okf.build_index(embedder)
        return built, await okf.index_status()

    built, status = session.run(job, folder, as_json)
    session.print_result(_built_json(built, status), _built_lines(built, status), as_json)
    return DONE


def status(folder: str | None, as_json: bool) -> int:
    found = session.run(lambda okf: okf.index_status(), folder, as_json)
    session.print_result(status_json(found), _status_lines(found), as_json)
    return DONE


def _built_json(built: Built, status: Status) -> dict[str, Any]:
    report = built.report
    return {
        **status_json(status),
        "built": {
            "concepts": report.concepts,
            "chunks": report.chunks,
            "embedded": report.embedded,
            "reused": report.reused,
            "unread": built.unread,
        },
    }


def _built_lines(built: Built, status: Status) -> Iterator[Line]:
    report = built.report
    means = (
        f"by words and by meaning ({built.embedder})" if built.embedder else "by words; no suitable model is at hand"
    )
    yield line(good("indexed "), bold(f"{report.concepts} notes"), f" in {report.chunks} chunks, {means}")
    if built.embedder:
        yield line(dim(f"  {report.embedded} texts embedded, {report.reused} reused"))
    yield from (line(wary("  unread "), f"{path}: {reason}") for path, reason in built.unread.items())
    yield from _coverage_lines(status)


def _status_lines(status: Status) -> Iterator[Line]:
    index = status.index
    if index is None:
        yield line(wary("no index"), f": {status.unusable or 'it is built at the first question'}")
    else:
        means = f"words and meaning ({index.embedder})" if index.embedder else "words"
        where = "in the folder" if status.place == "folder" else "in your cache: the folder can't be written"
        yield line(bold(f"{index.concepts} notes"), f", {index.chunks} chunks, {status.index_bytes:,} bytes, {where}")
        yield line(dim(f"  searched by {means}; {index.writer}, {index.pipeline}"))
        changes = status.changes
        yield line(f"  since then: {changes.added} added, {changes.touched} touched, {changes.removed} removed")
    yield from _coverage_lines(status)


def _coverage_lines(status: Status) -> Iterator[Line]:
    troubled = {problem.path for problem in status.problems}
    yield line(f"{status.read} of {status.found} notes read, {len(troubled)} with problems")
    yield from (_problem_line(problem) for problem in status.problems[:SHOWN])
    if len(status.problems) > SHOWN:
        yield line(dim(f"  … and {len(status.problems) - SHOWN} more: --json has them all"))
    for reason in sorted({skip.reason for skip in status.skipped} - LEFT_OUT_BY_DESIGN):
        yield _skip_line(reason, [skip.path for skip in status.skipped if skip.reason == reason])


def _problem_line(problem: Diagnostic) -> Line:
    place = f"{problem.path}:{problem.line}" if problem.line else problem.path
    return line("  ", bold(place), f" {problem.rule} {problem.message}. ", dim(problem.fix))


def _skip_line(reason: str, paths: Sequence[str]) -> Line:
    more = f", and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    return line("  not searched: ", bold(f"{len(paths)} {reason}"), f" ({', '.join(paths[:NAMED])}{more})")
