"""`okf diff`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from okf_edge.app import Okf
from okf_edge.app.comparing import Compared, Side
from okf_edge.bundles.diff import Change, plain_change, shown_value
from okf_edge.bundles.names import problems_of_bundle_id
from okf_edge_cli import session
from okf_edge_cli.commands import DONE
from okf_edge_cli.screen import Line, bad, bold, dim, good, line, wary
from okf_edge_native.sources import open_source

_STYLES = {"added": good, "removed": bad, "changed": wary, "renamed": wary}


def diff(old: str, new: str, feed: str, folder: str | None, as_json: bool) -> int:
    bundles = [each for each in (old, new) if not Path(each).exists() and not problems_of_bundle_id(_id_of(each))]

    async def side(okf: Okf, named: str) -> Side:
        """A file or folder of that name comes before a bundle that is installed, or, with a version, in a feed."""
        if named not in bundles:
            return await open_source(named)
        return named if _id_of(named) == named else await okf.feeds.archive_of(named, feed)

    async def job(okf: Okf) -> Compared:
        return await okf.compare(await side(okf, old), await side(okf, new))

    found = session.run(job, folder, as_json)
    counts = {kind: sum(each.kind == kind for each in found.changes) for kind in _STYLES}
    value = {
        "old": found.old,
        "new": found.new,
        "counts": counts,
        "changes": [plain_change(each) for each in found.changes],
    }
    session.print_result(value, _lines(found, counts), as_json)
    return DONE


def _id_of(named: str) -> str:
    return named.partition("@")[0]


def _lines(found: Compared, counts: dict[str, int]) -> Iterator[Line]:
    yield line(bold(f"{found.old or 'old'} → {found.new or 'new'}"))
    for each in found.changes:
        yield from _change(each)
    told = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    yield line(told or "no concept differs")


def _change(each: Change) -> Iterator[Line]:
    title = f"  {each.title}" if each.title else ""
    was = dim(f" was {each.was}") if each.was else ""
    yield line(_STYLES[each.kind](f"{each.kind:<8}"), " ", bold(each.path), dim(title), was)
    for field in each.fields:
        yield line(f"    {field.key}: {shown_value(field.old)} → {shown_value(field.new)}")
    if each.added_lines or each.removed_lines:
        sections = f" in {', '.join(each.sections)}" if each.sections else ""
        yield line(f"    +{each.added_lines} −{each.removed_lines} lines", dim(sections))
