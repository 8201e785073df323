"""What publishing costs a creator, what following a feed costs a reader, and what a hostile archive costs anybody."""

from __future__ import annotations

import asyncio
import functools
import sys
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from okf_edge.app.reviewing import Verdicts, Wanted
from tests.bench import corpus, synthetic
from tests.bench.processes import median_of, okf, run
from tests.bench.rows import Row
from tests.zip_lab import Entry, build

PAGES = 1_000
CREATOR = "bench"
BUNDLE = f"{CREATOR}.pages"
MODEL = "minilm-l6"
CONTENT_MB = 96
_MB = 1024 * 1024


def publication(work: Path) -> Iterator[Row]:
    """A source tree and a reviewed base of the same pages, to a feed in a folder; their vectors are cached."""
    shelf = _shelf(work)
    tree = corpus.write_pages(work / "published", PAGES)
    base = _reviewed(work / "reviewed")
    synthetic.build_index(tree, MODEL)
    for name, version, options in (
        ("source tree", "1.0", [str(tree), "--id", BUNDLE]),
        ("reviewed base", "2.0", ["--dir", str(base), "--id", f"{CREATOR}.base"]),
    ):
        costs = []
        for number in range(4):
            costs.append(okf("publish", *options, "--to", shelf, "--version", f"{version}.{number}", "--json"))
        cpu_s = sorted(cost.cpu_s for cost in costs[1:])[1]
        note = f"{max(cost.peak_mb for cost in costs):.0f} MB; made-up vectors, cached"
        yield Row(f"publish {PAGES:,} pages of a {name}", cpu_s, "s CPU", 6.0, note=note)


def following(work: Path) -> Iterator[Row]:
    """A check without news over HTTP, by a reader of one bundle among the releases of `publication`."""
    shelf = _shelf(work)
    source = corpus.write_pages(work / "followed", 3)
    okf("publish", source, "--id", f"{CREATOR}.small", "--version", "1.0.0", "--to", shelf)
    reader = work / "reader"
    reader.mkdir()
    okf("init", reader)
    with _served(shelf) as (address, sent):
        okf("feed", "trust", address, "--dir", reader, "--name", "bench")
        okf("install", f"{CREATOR}.small", "--feed", "bench", "--dir", reader)
        sent.clear()
        okf("check-updates", "--dir", reader)
        yield Row("update check without news, fetched", sum(sent) / 1024, "KB", 40)
        yield Row("update check without news", median_of(3, "check-updates", "--dir", reader).cpu_s, "s CPU", 0.5)


def taking_in(work: Path) -> Iterator[Row]:
    """Verify and install of large content: pages in proportion, the rest attachments that can't be packed."""
    rate, content = _taken_in(large_archive(work / "large"), work / "taken")
    yield Row("verify and install, content", rate, "MB/s CPU", 60, at_least=True, note=f"{content:.0f} MB")
    rate, content = _taken_in(_texts(work / "texts"), work / "texts-taken")
    yield Row("verify and install, pages alone", rate, "MB/s CPU", note=f"{content:.0f} MB of pages of 12 KB")


def _taken_in(archive: Path, work: Path) -> tuple[float, float]:
    """Megabytes a second of processor time, without what any command costs; and how many there were."""
    content = sum(each.file_size for each in zipfile.ZipFile(archive).infolist()) / _MB
    costs = []
    for number in range(3):
        base = work / str(number)
        base.mkdir(parents=True)
        okf("init", base)
        start = okf("list", "--dir", base).cpu_s
        costs.append(okf("install", archive, "--dir", base).cpu_s - start)
    return content / sorted(costs)[1], content


def hostile_archives(work: Path) -> Iterator[Row]:
    """Peak memory above that of refusing an empty file, of the worst that an archive can do, refused or not."""
    ground = _refusal(work, "empty.okf.zip", b"").peak_mb
    for name, data in _hostile().items():
        cost = _refusal(work, f"{name}.okf.zip", data)
        note = f"{len(data) / 1024:,.0f} KB archive"
        yield Row(f"hostile archive, {name}, memory above base", max(0.0, cost.peak_mb - ground), "MB", 64, note=note)


def _hostile() -> Mapping[str, bytes]:
    zeros = bytes(40 * _MB)
    page = b"---\ntype: Note\n---\nx\n"
    many = [Entry(f"p{number}.md".encode(), page) for number in range(19_000)]
    return {
        "bomb": build([Entry(f"{number}.md".encode(), zeros) for number in range(12)]),
        "lying size": build([Entry(b"a.md", zeros, size=10)]),
        "19,000 entries": build(many),
        "one name 19,000 times": build([Entry(b"a.md", page) for _ in range(19_000)]),
        "long names": build([Entry(f"{'x' * 60_000}{number}.md".encode(), page) for number in range(100)]),
        "manifest without end": build([Entry(b"okf-bundle.json", b"[" * (4 * _MB), method=0)]),
    }


def _refusal(work: Path, name: str, data: bytes):
    path = work / name
    path.write_bytes(data)
    return run([sys.executable, "-c", _VERIFY, str(path)])


_VERIFY = """
import sys
from okf_edge_cli.main import run
sys.argv, sys.stdout = ["okf", "verify", sys.argv[1], "--json"], sys.stderr
try:
    run()
except SystemExit as end:
    sys.exit(0 if end.code in (0, 1) else 3)  # verified or refused; anything else is a defect
"""


def _shelf(work: Path) -> Path:
    shelf = work / "shelf"
    if not shelf.exists():
        okf("feed", "init", shelf)
        okf("feed", "add-creator", shelf, CREATOR)
    return shelf


def _reviewed(folder: Path) -> Path:
    """A base of which every page was approved, with an index of made-up vectors."""
    corpus.write_pages(folder / "concepts", PAGES)
    for path in folder.rglob("*.md"):
        path.write_text(path.read_text().replace("](/area", "](/concepts/area"))
    links = "\n".join(f"- [{number}](/concepts/{corpus.page_path(number)})" for number in range(PAGES))
    (folder / "concepts/hub.md").write_text(f"---\ntype: Concept\ntitle: Hub\n---\n\n{links}\n")

    async def approve() -> None:
        base = synthetic.okf_with(folder)
        await base.init()
        wanted = Wanted(("concepts/hub.md",), 1, f"{CREATOR}.base")
        found = await base.review(wanted)
        paths = tuple(line.item.path for line in found.lines)
        risks = {each.id: "made up" for line in found.lines for each in line.findings if each.severity == "blocking"}
        await base.decide(wanted, Verdicts("bench", paths, (), risks))

    asyncio.run(approve())
    synthetic.build_index(folder, MODEL)
    return folder


def large_archive(folder: Path) -> Path:
    """An archive of content that is hardly packed: pages, an index, and images of made-up bytes."""
    corpus.write_pages(folder, 200)
    pieces = 24
    for number in range(pieces):
        block = bytes((number * 131 + at * 7919 + (at >> 8) * 31) & 0xFF for at in range(65_536))
        (folder / f"photo-{number:02}.png").write_bytes(b"\x89PNG\r\n\x1a\n" + block * (CONTENT_MB * 16 // pieces))
    synthetic.build_index(folder, MODEL)
    archive = folder.with_name("large.okf.zip")
    okf("export", folder, "--id", f"{CREATOR}.large", "--version", "1.0.0", "--out", archive)
    return archive


def _texts(folder: Path) -> Path:
    corpus.write_pages(folder, 800, sections=8)
    archive = folder.with_name("texts.okf.zip")
    okf(
        "export", folder, "--id", f"{CREATOR}.texts", "--version", "1.0.0", "--out", archive,
        environment={"OKF_HOME": str(folder.with_name("no-models"))},
    )  # fmt: skip
    return archive


@contextmanager
def _served(folder: Path) -> Iterator[tuple[str, list[int]]]:
    """The folder on a web server, and the sizes of what was sent from it."""
    sent: list[int] = []

    class Served(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def copyfile(self, source, outputfile) -> None:
            data = source.read()
            sent.append(len(data))
            outputfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Served, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", sent
    finally:
        server.shutdown()
        server.server_close()
