"""What every part of the bench is given: the built engine, the browsers, and installed bundles of any size."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from browser.engines import PageEngine, page_engine
from browser.webdriver import Browser, Engine, browser
from okf_edge.app import Okf
from okf_edge.app.ports import Config
from okf_edge.bundles.export import ExportOptions
from okf_edge.bundles.install import InstallOptions
from okf_edge.embedding.models import MINILM
from okf_edge.inmemory import MemoryModels
from okf_edge_native.compose import ports_of
from tests.bench import corpus, synthetic

CHUNKS_PER_SECTION = 2
CARRY = "for (const path of arguments[0]) await okf.trees.base.write(path, await bytesAt(`/files/base/${path}`));"


@dataclass(frozen=True, slots=True)
class Given:
    """`dist` is `wasm/dist`; `work` is a folder of this run."""

    dist: Path
    work: Path
    engines: tuple[Engine, ...]

    def base(self, chunks: int) -> Path:
        """A folder in which a bundle of about so many chunks is installed, with made-up vectors."""
        folder = self.work / f"base-{chunks}"
        if not folder.exists():
            folder.mkdir()
            archive = _archive(self.work / f"source-{chunks}", chunks)
            asyncio.run(native(folder).install(archive, InstallOptions("notes.okf.zip")))
        return folder

    @contextmanager
    def page(self, engine: Engine) -> Iterator[tuple[Browser, PageEngine]]:
        """A page with an engine that is off, in a browser with an empty profile."""
        with browser(engine) as window, page_engine(window, self.dist) as page:
            yield window, page


def native(folder: Path) -> Okf:
    return Okf(ports_of(str(folder), True), Config("base"))


def carried(page: PageEngine, base: Path) -> None:
    """Put a base into the page as it is."""
    paths = [path.relative_to(base).as_posix() for path in base.rglob("*") if path.is_file()]
    shutil.copytree(base, page.files / "base", dirs_exist_ok=True)
    page.window.script(
        "for (const path of arguments[0]) await okf.trees.base.write(path, await bytesAt(`/files/base/${path}`));",
        paths,
    )


def questions(count: int) -> list[str]:
    return corpus.questions(count)


def _archive(source: Path, chunks: int) -> bytes:
    sections = max(1, chunks // 1_000)
    corpus.write_pages(source, chunks // (sections * CHUNKS_PER_SECTION), sections=sections)
    okf = synthetic.okf_with(source, MemoryModels(synthetic.MadeUpEmbedder(MINILM.spec)))
    options = ExportOptions(id="bench.notes", version="1.0.0")
    return asyncio.run(okf.export(options, MINILM.id)).archive
