"""`.okf/compiled.json`: which bytes of its sources each page was compiled from.

`okf sync` keeps it. A page whose own bytes are new was written since the last time, so what its sources are now is what
it was compiled from; a page that is as it was keeps its record, however its sources changed. The file belongs into
version control and into sync: with it, a clone or an unzip that scrambled every file time changes no verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from okf_edge.limits import LIMITS
from okf_edge.okf.freshness import format_instant
from okf_edge.ports import FileTree
from okf_edge.state import State, corrupt, read_state
from okf_edge.workspace import layout

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Record:
    """One page as it was compiled: its own sha256, when that was recorded, and the sha256 of each cited file."""

    sha256: str
    at: str
    sources: Mapping[str, str]


Records = Mapping[str, Record]


async def read_records(tree: FileTree) -> dict[str, Record]:
    """All records by page; none when there is no file. Raises StateFileError, NewerFormatError."""
    state = await read_state(tree, layout.COMPILED_RECORD, FORMAT, LIMITS.facts_bytes)
    if state is None:
        return {}
    pages = state.get("pages")
    if not isinstance(pages, dict):
        raise corrupt(layout.COMPILED_RECORD, f"has pages {type(pages).__name__}, expected an object")
    return {path: _record(path, entry) for path, entry in pages.items()}


def state_of(records: Records) -> State:
    """The records as they are written, pages and sources in path order so that diffs stay small."""
    pages = {
        path: {"sha256": record.sha256, "at": record.at, "sources": dict(sorted(record.sources.items()))}
        for path, record in sorted(records.items())
    }
    return {"format": FORMAT, "pages": pages}


def recorded(
    pages: Mapping[str, str], cited: Mapping[str, Mapping[str, str]], known: Records, now: datetime
) -> dict[str, Record]:
    """The records as they should be now. Equal input gives the records that are known, to the byte.

    Args:
        pages: the sha256 of each page that cites, by path.
        cited: of each such page, the sha256 of every file that it cites and that is there.
    """
    return {path: _renewed(sha256, cited.get(path, {}), known.get(path), now) for path, sha256 in pages.items()}


def _renewed(sha256: str, cited: Mapping[str, str], known: Record | None, now: datetime) -> Record:
    if known is None or known.sha256 != sha256:
        return Record(sha256, format_instant(now), cited)
    missing = {path: digest for path, digest in cited.items() if path not in known.sources}
    return Record(sha256, known.at, {**known.sources, **missing}) if missing else known


def _record(path: str, entry: Any) -> Record:
    if not isinstance(entry, dict) or not isinstance(entry.get("sources"), dict):
        raise corrupt(layout.COMPILED_RECORD, f"has no usable record of {path}")
    texts = [entry.get("sha256"), entry.get("at"), *entry["sources"].values()]
    if not all(isinstance(text, str) for text in texts):
        raise corrupt(layout.COMPILED_RECORD, f"has no usable record of {path}")
    return Record(entry["sha256"], entry["at"], entry["sources"])
