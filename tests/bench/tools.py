"""Whole tools that do our users' job, on the same pages: `python -m tests.bench.tools`.

Each lives in an environment of its own under `.build/tools`, made when absent, with a copy of the pages and a home of
its own, since some write into both. A question is a whole process, as a person runs it. Stopped at ten minutes or 4 GB.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from okf_edge import __version__
from tests.bench import corpus
from tests.bench.environments import Environment
from tests.bench.processes import OKF, Cost, Limits, run
from tests.bench.rows import beside, keep, read

LIMITS = Limits(seconds=600, mb=4096)
SIZES = (1_000, 10_000)
QUESTIONS = 5
SAID_CHARS = 160


@dataclass(frozen=True, slots=True)
class Tool:
    """How a tool is installed, told of the pages and asked. `{pages}` and `{question}` stand for themselves.

    It runs in the pages' folder. Without `index` it has none and reads the pages at each question. `ten` is given with
    a question that at least ten pages are wanted for.
    """

    name: str
    version: str
    ask: tuple[str, ...]
    index: tuple[tuple[str, ...], ...] = ()
    ten: tuple[str, ...] = ()
    npm: tuple[str, ...] = ()

    @property
    def environment(self) -> Environment:
        return Environment(self.name, self.npm or (f"{self.name}=={self.version}",), is_npm=bool(self.npm))


TOOLS = (
    Tool("okf-parser", "0.48.2", ("okf-parser", "search", "{pages}", "{question}"), ten=("--limit", "40")),
    Tool("okflib", "0.5.0", ("okflib", "-C", "{pages}", "query", "{question}"), ten=("--limit", "10")),
    Tool("okfsmith", "0.12.1", ("okfsmith", "search", "{pages}", "{question}", "--format", "json")),
    Tool(
        "brainpick",
        "0.8.7",
        ("brainpick", "search", "{question}"),
        (("brainpick", "init"), ("brainpick", "compile", "--only", "t1")),
        ten=("--limit", "10"),
    ),
    Tool(
        "basic-memory",
        "0.24.1",
        ("basic-memory", "tool", "search-notes", "{question}"),
        (("basic-memory", "project", "add", "bench", "{pages}"), ("basic-memory", "reindex", "--search")),
    ),
    Tool(
        "qmd",
        "2.8.3",
        ("qmd", "search", "{question}"),
        (("qmd", "collection", "add", "{pages}", "--name", "bench"),),
        ten=("-n", "10"),
        npm=("node@22", "@tobilu/qmd@2.8.3"),
    ),
)
"""By words all of them: with nothing but package indexes at hand, none of them gets a model."""


@dataclass(frozen=True, slots=True)
class Used:
    """What a tool cost. `index_s` is 0 where there is no index; `low_s` and `high_s` are the spread of a question."""

    tool: str
    version: str
    pages: int
    index_s: float
    index_mb: float
    peak_mb: float
    query_s: float
    low_s: float
    high_s: float
    query_mb: float


@dataclass(frozen=True, slots=True)
class Stopped:
    """A tool that failed, or needed more than its limits: `stopped` is what it said."""

    tool: str
    version: str
    pages: int
    stopped: str


def measure(tool: Tool, pages: Path, count: int, home: Path) -> Used:
    """Raises RuntimeError: it failed, or needed more than its limits."""
    before = _bytes(pages) + _bytes(home)
    indexing = prepare(tool, pages, home)
    index_mb = (_bytes(pages) + _bytes(home) - before) / 1e6
    ask(tool, pages, home, corpus.questions(1)[0])
    asked = [ask(tool, pages, home, question) for question in corpus.questions(QUESTIONS, seed=2)]
    times = sorted(cost.cpu_s for cost in asked)
    return Used(
        tool.name, tool.version, count, sum(cost.cpu_s for cost in indexing), index_mb,
        max((cost.peak_mb for cost in indexing), default=0), statistics.median(times), times[0], times[-1],
        max(cost.peak_mb for cost in asked),
    )  # fmt: skip


def prepare(tool: Tool, pages: Path, home: Path) -> list[Cost]:
    """Let it index the pages."""
    return [_run(tool, command, pages, home) for command in tool.index]


def ask(tool: Tool, pages: Path, home: Path, question: str, more: tuple[str, ...] = ()) -> Cost:
    """One question; `more` is given with it."""
    return _run(tool, (*tool.ask, *more), pages, home, question)


def _run(tool: Tool, command: Sequence[str], pages: Path, home: Path, question: str = "") -> Cost:
    given = [part.format(pages=pages, question=question) for part in command[1:]]
    environment = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "OKF_HOME": str(home / "okf")}
    if tool is OURS:
        return run([str(OKF), *given], environment, LIMITS, folder=pages)
    return run(
        [str(tool.environment.programs / command[0]), *given],
        environment | {"PATH": f"{tool.environment.programs}:{os.environ['PATH']}"},
        LIMITS,
        folder=pages,
    )


OURS = Tool(
    "okf-edge lexical",
    __version__,
    ("okf", "query", "{question}", "--dir", "{pages}", "--lexical", "--json"),
    (("okf", "index", "build", "--dir", "{pages}", "--json"),),
)


def _bytes(folder: Path) -> int:
    return sum(os.lstat(path).st_size for path in folder.rglob("*") if not path.is_dir())


def shown(found: Sequence[Used | Stopped]) -> Iterator[str]:
    yield "tool              pages  index s  index MB  peak MB  query s [lowest, highest]  query MB  × ours"
    ours = next((each.query_s for each in found if isinstance(each, Used) and each.tool == OURS.name), None)
    for each in found:
        if isinstance(each, Stopped):
            yield f"{each.tool:16} {each.pages:6,} {each.stopped}"
            continue
        spread = f"{each.query_s:.2f} [{each.low_s:.2f}, {each.high_s:.2f}]"
        yield (
            f"{each.tool:16} {each.pages:6,} {each.index_s:8.1f} {each.index_mb:9.1f} {each.peak_mb:8.0f} {spread:>26} "
            f"{each.query_mb:9.0f}" + (f" {each.query_s / ours:7.2f}" if ours else "")
        )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", nargs="*", type=int, default=list(SIZES))
    parser.add_argument("--tools", nargs="*", choices=[tool.name for tool in (OURS, *TOOLS)])
    given = parser.parse_args(arguments)
    tools = [tool for tool in (OURS, *TOOLS) if given.tools is None or tool.name in given.tools]
    for count in given.pages:
        found = [measured(tool, count) for tool in tools]
        print("\n".join(shown(found)), flush=True)
        rows = beside(read("tools"), [asdict(each) for each in found], "tool", "pages")
        keep("tools", sorted(rows, key=lambda row: row["pages"]))
    return 0


def measured(tool: Tool, count: int) -> Used | Stopped:
    """In an environment, with pages and a home of its own."""
    with tempfile.TemporaryDirectory(prefix="okf-tools-") as work:
        home = Path(work, "home")
        home.mkdir()
        try:
            if tool is not OURS:
                tool.environment.make()
            return measure(tool, corpus.write_pages(Path(work, "pages"), count), count, home)
        except RuntimeError as error:
            return Stopped(tool.name, tool.version, count, str(error).strip().splitlines()[-1][:SAID_CHARS])


if __name__ == "__main__":
    raise SystemExit(main())
