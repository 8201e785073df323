"""What keeping a base costs: reports on 10,000 pages that cite each other, and one question over three bases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from okf_edge.workspace.layout import COMPILED
from tests.bench import corpus
from tests.bench.processes import median_of, okf
from tests.bench.rows import Row

PAGES = 10_000
CITED_BY_A_PAGE = 3
BASES = 3
QUESTION = "How is an archive verified before it is installed?"


def reports(work: Path) -> Iterator[Row]:
    """`okf stale`, `health` and `map` after the first scan, and that scan."""
    base = _base(work / "kept", PAGES)
    yield Row(f"first report on {PAGES:,} pages", okf("stale", "--dir", base, "--json").cpu_s, "s CPU")
    okf("sync", "--dir", base, "--json")
    for command in ("stale", "health", "map"):
        options = ("--passes", "0") if command == "health" else ()
        cost = median_of(3, command, "--dir", base, "--json", *options)
        yield Row(f"okf {command}, {PAGES:,} pages", cost.cpu_s, "s CPU", 1.5)
        yield Row(f"okf {command}, {PAGES:,} pages, memory", cost.peak_mb, "MB", 400)


def federation(work: Path) -> Iterator[Row]:
    home = {"OKF_HOME": str(work / "federation-home")}
    for number in range(BASES):
        folder = corpus.write_pages(work / f"member{number}", 1_000)
        okf("init", folder)
        okf("kb", "add", f"member{number}", folder, environment=home)
        okf("query", QUESTION, "--dir", folder, "--lexical", environment=home)
    one, all_of_them = (_median_query(kb, home) for kb in ("member0", "*"))
    note = f"{one:.2f} and {all_of_them:.2f} s CPU"
    yield Row(f"question over {BASES} × 1,000 pages, over one base", all_of_them / one, "×", 2.0, note=note)


def _median_query(kb: str, home: dict[str, str]) -> float:
    costs = [okf("query", QUESTION, "--kb", kb, "--lexical", "--json", environment=home).cpu_s for _ in range(4)]
    return sorted(costs[1:])[1]


def _base(folder: Path, count: int) -> Path:
    """A knowledge base of which half the pages are compiled, each from three of the other half."""
    notes = count // 2
    corpus.write_pages(folder / "Notes", notes)
    okf("init", folder)
    for number in range(count - notes):
        place = folder / COMPILED[number % len(COMPILED)] / f"page {number}.md"
        cited = [corpus.page_path((number * CITED_BY_A_PAGE + at) % notes) for at in range(CITED_BY_A_PAGE)]
        sources = "".join(f"  - resource: /Notes/{path}\n" for path in cited)
        head = f"---\ntype: Concept\ntitle: Page {number}\ndescription: About {number}.\nsources:\n{sources}---\n"
        text = (
            f"What the notes say of {number}. See [[page {(number + 1) % notes}]] and [[page {(number * 7) % notes}]]."
        )
        place.write_text(f"{head}\n# Page {number}\n\n{text}\n")
    return folder
