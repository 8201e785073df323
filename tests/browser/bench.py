"""`make bench-web`: what the WebView costs in Chromium and WebKit, each figure with its bound.

Times are those that the page sees. Native times are taken beside them, in the same minute. Memory is the anonymous part
of the page's process; a busy machine stretches times, so ratios tell more than seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

REPOSITORY = Path(__file__).parents[2]
sys.path[:0] = [str(REPOSITORY / "tests"), str(REPOSITORY / "wasm" / "build")]

from browser.engines import PageEngine, call, page_engine  # noqa: E402
from browser.webdriver import Browser, browser  # noqa: E402
from okf_edge.app import Okf  # noqa: E402
from okf_edge.app.ports import Config  # noqa: E402
from okf_edge.bundles.export import ExportOptions  # noqa: E402
from okf_edge.bundles.install import InstallOptions  # noqa: E402
from okf_edge.retrieval.request import SearchRequest  # noqa: E402
from okf_edge_native.compose import ports_of, shelf  # noqa: E402

QUESTIONS = ("how are vectors kept", "who may open the vault", "what stops the pump at low water", "why was it refused")
BOUNDS = {
    "first lexical answer, s": (6.0, 9.0),
    "and to the first hybrid answer, s": (3.0, 5.0),
    "lexical memory, MB": (250, 400),
    "hybrid memory, MB": (350, 550),
    "warm hybrid p50, ms": (80, 200),
    "warm hybrid p50 over native": (4, None),
    "indexing 1,000 notes, s": (60, 60),
}
NOTES = 1_000
WORDS = re.findall(
    r"\w+",
    "pump water pressure valve vault key lock treaty harbour tide signal vector index page bundle feed root refused "
    "accepted signed stale fresh reader writer question answer model token chunk heading table archive",
)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--engine", choices=["chromium", "webkit"], action="append")
    arguments.add_argument("--chunks", type=int, default=1_000)
    given = arguments.parse_args()
    import assets

    dist = assets.build(shelf().folder).parent
    rows = [*_downloads(dist)]
    with TemporaryDirectory() as scratch:
        archive = _archive(Path(scratch), given.chunks)
        for engine in given.engine or ["chromium", "webkit"]:
            rows += _measured(engine, dist, archive, Path(scratch))
    for name, value, bound in rows:
        print(f"{name:<58} {value:>9.1f}  {f'<= {bound:g}' if bound else ''}")


def _downloads(dist: Path) -> Iterator[tuple[str, float, float | None]]:
    manifest = json.loads((dist / "assets" / "manifest.json").read_text())
    sizes: dict[str, float] = {}
    for asset in manifest["assets"]:
        stored = sum(chunk["bytes"] for chunk in asset["chunks"]) / 1e6
        part = asset["part"] if asset["part"].startswith("model:") else "engine"
        sizes[part] = sizes.get(part, 0) + stored
    bounds = {"engine": 16.0, "model:minilm-l6": 22.0}
    yield from ((f"download of {part}, MB", size, bounds.get(part)) for part, size in sizes.items())


def _measured(engine: Any, dist: Path, archive: Path, scratch: Path) -> Iterator[tuple[str, float, float | None]]:
    with browser(engine) as window, page_engine(window, dist) as page:
        found = {**_start(window, page, archive), **_warm(page, archive, scratch)}
    with browser(engine) as window, page_engine(window, dist) as page:
        found |= _indexing(page)
    for name, value in found.items():
        bounds = BOUNDS.get(name)
        yield f"{engine}: {name}", value, bounds[engine == "webkit"] if bounds else None


def _start(window: Browser, page: PageEngine, archive: Path) -> dict[str, float]:
    """The bundle is installed by one engine; what is timed is another that starts from nothing but its files."""
    call(page, "install", archive, name=archive.name)
    page.terminate()
    start = time.perf_counter()
    call(page, "query", question=QUESTIONS[0], means="words")
    lexical_s = time.perf_counter() - start
    lexical = window.memory()
    start = time.perf_counter()
    mode = call(page, "query", question=QUESTIONS[0])["coverage"]["mode"]
    hybrid_s = time.perf_counter() - start
    assert mode == "hybrid", mode
    return {
        "first lexical answer, s": lexical_s,
        "and to the first hybrid answer, s": hybrid_s,
        "lexical memory, MB": lexical.anonymous,
        "hybrid memory, MB": window.memory().anonymous,
    }


def _warm(page: PageEngine, archive: Path, scratch: Path) -> dict[str, float]:
    """Questions to both hosts in turn, so that both meet the same load."""
    folder = scratch / f"native-{time.time_ns()}"
    folder.mkdir()
    native = Okf(ports_of(str(folder), True), Config("base"))
    asyncio.run(native.install(archive.read_bytes(), InstallOptions(archive.name)))
    here: list[float] = []
    there: list[float] = []
    for round_number in range(6):
        for question in QUESTIONS:
            there.append(page.timed("query", {"question": question})[1])
            start = time.perf_counter()
            asyncio.run(native.query(SearchRequest(question)))
            if round_number:
                here.append((time.perf_counter() - start) * 1000)
    there = there[len(QUESTIONS) :]
    ours, theirs = statistics.median(there), statistics.median(here)
    return {
        "warm hybrid p50, ms": ours,
        "warm hybrid p50 natively, ms": theirs,
        "warm hybrid p50 over native": ours / theirs,
    }


def _indexing(page: PageEngine) -> dict[str, float]:
    """Words only, and the longest time that the page's own thread was held up meanwhile."""
    texts = [_note(number) for number in range(NOTES)]
    page.window.script(
        "const [texts] = arguments; const encoder = new TextEncoder();"
        "await Promise.all(texts.map((text, at) => okf.trees.base.write(`notes/n${at}.md`, encoder.encode(text))));"
        "window.longest = 0; let last = performance.now();"
        "const look = () => { const now = performance.now(); longest = Math.max(longest, now - last); last = now; };"
        "setInterval(look, 1);",
        texts,
    )
    call(page, "bundles")
    page.window.script("window.longest = 0;")
    start = time.perf_counter()
    call(page, "query", question=QUESTIONS[0], means="words")
    spent = time.perf_counter() - start
    return {"indexing 1,000 notes, s": spent, "longest wait of the page, ms": page.window.script("return longest;")}


def _note(number: int) -> str:
    """A page of about two chunks whose words depend on its number."""
    words = [WORDS[(number * 7 + at * (1 + number % 5)) % len(WORDS)] for at in range(220)]
    return f"---\ntype: Note\ntitle: Note {number}\n---\n\n# Note {number}\n\n{' '.join(words)}.\n"


def _archive(scratch: Path, chunks: int) -> Path:
    """A bundle of about so many chunks, with an index by the English model."""
    source = scratch / "source"
    source.mkdir()
    for number in range(chunks // 2):
        (source / f"n{number}.md").write_text(_note(number) + f"\n## Part\n\n{_note(number + 7)[40:]}")
    exported = asyncio.run(
        Okf(ports_of(str(source), True), Config("source")).export(
            ExportOptions(id="bench.notes", version="1.0.0"), "minilm-l6"
        )
    )
    path = scratch / "notes.okf.zip"
    path.write_bytes(exported.archive)
    return path


if __name__ == "__main__":
    main()
