"""How well whole tools rank, asked as a person asks them: `python -m tests.bench.tool_quality`.

The notes are pulseboard's, each with a type, which some tools want. A ranking is the order in which a tool first names
the notes in what it prints. Ours is hybrid search with the multilingual model.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from okf_edge import __version__
from okf_edge_native import compose
from tests.bench import metrics, sets
from tests.bench.cached_vectors import CachedModels
from tests.bench.product import indexed
from tests.bench.quality import BUILD, Judged, Measure, judge, judgements, measured, ndcgs, request_of
from tests.bench.rows import beside, keep, read
from tests.bench.sets import RetrievalSet
from tests.bench.tools import TOOLS, Tool, ask, prepare

SET = "pulseboard"
TOO_SLOW = {"basic-memory"}
"""It takes 20 s of processor time for a question."""

HEAD = b"---\n"


@dataclass(frozen=True, slots=True)
class Row:
    """One tool over the set; `unanswerable_refused` of the questions that nothing answers get no note named."""

    tool: str
    version: str
    ndcg: Measure
    recall: Measure
    unanswerable: int
    unanswerable_refused: int
    lead: metrics.Lead | None


def typed(data: bytes) -> bytes:
    """A note with a type."""
    if not data.startswith(HEAD):
        return HEAD + b"type: Note\n" + HEAD + data
    head, _, body = data.removeprefix(HEAD).partition(b"\n---")
    kind = b"" if re.search(rb"^type:", head, re.M) else b"type: Note\n"
    return HEAD + kind + head + b"\n---" + body


def named(printed: str, paths: Iterable[str]) -> list[str]:
    """The paths in the order in which they are first named, with or without the ending."""
    stems = {path.removesuffix(".md"): path for path in paths}
    longest = "|".join(map(re.escape, sorted(stems, key=len, reverse=True)))
    found = re.findall(rf"(?<![\w-])({longest})(?![\w-])", printed)
    return [stems[stem] for stem in dict.fromkeys(found)]


def of_tool(tool: Tool, data: RetrievalSet) -> list[Judged]:
    """Raises RuntimeError: it failed."""
    tool.environment.make()
    with tempfile.TemporaryDirectory(prefix="okf-tools-") as work:
        pages, home = Path(work, "pages"), Path(work, "home")
        for path, note in data.notes.items():
            place = pages / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(note)
        home.mkdir()
        prepare(tool, pages, home)
        answers = [(one, _printed(tool, pages, home, one.text)) for one in data.questions]
    rankings = ((one, named(printed, data.notes)) for one, printed in answers)
    return [judge(SET, one, paths, not paths) for one, paths in rankings]


def _printed(tool: Tool, pages: Path, home: Path, question: str) -> str:
    """What it prints; some fail where nothing matches."""
    try:
        return ask(tool, pages, home, question, tool.ten).output
    except RuntimeError as error:
        if "no match" not in str(error).lower():
            raise
        return ""


async def ours(data: RetrievalSet) -> list[Judged]:
    models = CachedModels(compose.shelf(), BUILD / "bench-cache")
    async with indexed(data.notes, models, data.embedder) as product:
        answers = [await product.ask(request_of(one, "hybrid")) for one in data.questions]
    return judgements(SET, data.questions, answers)


def row_of(tool: str, version: str, found: Sequence[Judged], hybrid: Sequence[Judged] | None) -> Row:
    unanswerable = [one for one in found if one.ndcg is None]
    return Row(
        tool,
        version,
        measured(ndcgs(found)),
        measured([one.recall for one in found if one.recall is not None]),
        len(unanswerable),
        sum(one.refused for one in unanswerable),
        metrics.lead(ndcgs(hybrid), ndcgs(found)) if hybrid else None,
    )


def shown(row: Row) -> str:
    lead = (
        f"{row.lead.mean:+.3f} [{row.lead.low:+.3f}, {row.lead.high:+.3f}] p={row.lead.chance:.3f}" if row.lead else ""
    )
    return (
        f"{row.tool:16} nDCG@10 {row.ndcg.mean:.3f} R@10 {row.recall.mean:.3f} "
        f"refused {row.unanswerable_refused} of {row.unanswerable}  {lead}"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    known = [tool for tool in TOOLS if tool.name not in TOO_SLOW]
    parser.add_argument("--tools", nargs="*", choices=[tool.name for tool in known])
    given = parser.parse_args(arguments)
    if not sets.CORPORA.is_dir():
        print(f"expected the public corpora at {sets.CORPORA}, found none", file=sys.stderr)
        return 2
    data = sets.load(SET)
    data = replace(data, notes={path: typed(note) for path, note in data.notes.items()})
    hybrid = asyncio.run(ours(data))
    rows = [row_of("okf-edge hybrid", __version__, hybrid, None)]
    for tool in known:
        if given.tools is None or tool.name in given.tools:
            try:
                rows.append(row_of(tool.name, tool.version, of_tool(tool, data), hybrid))
            except RuntimeError as error:
                print(f"{tool.name}: {str(error)[-300:]}", file=sys.stderr)
    print("\n".join(map(shown, rows)))
    keep("tool_quality", beside(read("tool_quality"), [asdict(row) for row in rows], "tool"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
