"""The built reader as a site of this machine, and bundles to open in it."""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from browser.site import Site, site
from browser.webdriver import Browser, Engine, browser
from okf_edge.app import Config, Okf, Ports
from okf_edge.bundles.export import ExportOptions
from okf_edge.errors import RiskError
from okf_edge.inmemory.files import MemoryTree
from okf_edge.inmemory.progress import RecordedProgress
from okf_edge.inmemory.system import ManualClock, SeededEntropy
from okf_edge.ports import Models
from okf_edge_native.disk import DiskTree
from okf_edge_native.duckdb_engine import DuckdbSql
from tests.browser.reader.reading import Reader

REPOSITORY = Path(__file__).parents[3]
WASM = REPOSITORY / "wasm"

Export = Callable[..., bytes]


@pytest.fixture(scope="session")
def reader_page() -> Path:
    """The page, built from its sources."""
    sys.path.insert(0, str(WASM / "build"))
    import reader  # type: ignore[import-not-found]

    return Path(reader.build())


@pytest.fixture(scope="session")
def handbook(export: Export) -> bytes:
    """Our own handbook in English, as a bundle with an index by words."""
    root = REPOSITORY / "bundles" / "handbook"
    pages = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.md")}
    return export("okf-edge.handbook", pages={name: data for name, data in pages.items() if not name.startswith("zh/")})


@pytest.fixture(scope="session")
def export(tmp_path_factory: pytest.TempPathFactory) -> Export:
    """Exports pages as a bundle archive, as `okf export` does on a machine without models."""

    def exported(
        bundle_id: str, version: str = "1.0.0", *, pages: Mapping[str, bytes], title: str = "", risky: bool = False
    ) -> bytes:
        ports = Ports(
            tree=MemoryTree(dict(pages)),
            spare=lambda: DiskTree(tmp_path_factory.mktemp("spare")),
            engine=DuckdbSql,
            models=NoModels(),
            clock=ManualClock(),
            entropy=SeededEntropy(1),
            progress=RecordedProgress(),
        )
        okf, options = Okf(ports, Config("notes")), ExportOptions(bundle_id, version, title=title)
        try:
            return asyncio.run(okf.export(options)).archive
        except RiskError as error:
            if not risky:
                raise
            ids = re.findall(r"\[([0-9a-f]{12})\]", "\n".join(error.issues))
            return asyncio.run(okf.export(replace(options, accepted=dict.fromkeys(ids, "a test")))).archive

    return exported


class NoModels(Models):
    async def specs(self) -> tuple[()]:
        return ()


@pytest.fixture
def page_folder(reader_page: Path, tmp_path: Path) -> Path:
    """A copy of the page, to which a test may add files."""
    return Path(shutil.copytree(reader_page, tmp_path / "page"))


@pytest.fixture
def served(page_folder: Path, engine_dist: Path) -> Iterator[Site]:
    """The page and its engine on this machine."""
    with site({"/": page_folder, "/engine/": engine_dist / "assets"}) as here:
        yield here


@contextmanager
def reading(engine: Engine, url: str, dark: bool = False) -> Iterator[Reader]:
    """A browser with an empty profile that has opened the reader, as wide as a phone."""
    with browser(engine, dark=dark) as window:
        window.resize(400, 800)
        yield Reader(window, url)


@pytest.fixture(params=["chromium", "webkit"])
def reader(request: pytest.FixtureRequest, served: Site) -> Iterator[Reader]:
    with reading(request.param, served.url) as opened:
        opened.open()
        yield opened


@pytest.fixture
def chromium_reader(served: Site) -> Iterator[Reader]:
    """For what only one browser lets a test do, or what depends on no engine."""
    with reading("chromium", served.url) as opened:
        opened.open()
        yield opened


__all__ = ["Browser", "Export", "reading"]
