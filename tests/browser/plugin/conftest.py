"""A release of the plugin, and a bundle that a colleague sent."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from browser.plugin.phone import Built, build
from browser.site import Site, site

OKF = Path(sys.executable).parent / "okf"
PAGES = {
    "locks.md": "# Locks\n\n## Gates\n\nThe lock gate is opened twenty minutes before high water.\n",
    "tides.md": "# Tides\n\nSpring tides follow a new or a full moon.\n",
    "boats.md": "# Boats\n\nA hull is painted every second spring.\n",
}
HEADER = "---\ntype: Guide\ntitle: {title}\n---\n\n"

Export = Callable[..., Path]


@pytest.fixture(scope="session")
def built(engine_dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(engine_dist / "assets", tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="session")
def export(tmp_path_factory: pytest.TempPathFactory) -> Export:
    """Makes a bundle archive `ada.harbour` of some pages, by path, indexed by words."""

    def exported(version: str = "1.0.0", **pages: str) -> Path:
        folder = tmp_path_factory.mktemp("bundle")
        for path, text in (PAGES | pages).items():
            header = HEADER.format(title=path.removesuffix(".md").title())
            (folder / "source").mkdir(exist_ok=True)
            (folder / "source" / path).write_text(header + text)
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
        about = ["--id", "ada.harbour", "--version", version, "--title", "Harbour", "--creator", "Ada"]
        command = [OKF, "export", folder / "source", *about, "--out", folder]
        subprocess.run(command, check=True, env=environment, capture_output=True)
        return folder / f"ada.harbour-{version}.okf.zip"

    return exported


@pytest.fixture(scope="session")
def archive(export: Export) -> Path:
    return export()


@pytest.fixture
def published(archive: Path) -> Iterator[Site]:
    """The colleague's web server."""
    with site({"/": archive.parent}) as here:
        yield here
