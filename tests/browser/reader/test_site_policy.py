"""Under a site's policy that lets workers come only from its own files, the reader works as anywhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from browser.site import Site
from browser.webdriver import Engine
from tests.browser.reader.conftest import REPOSITORY, Export, reading

PROFILE = REPOSITORY / "tests/cases/given/cases/MB02/profile.json"
PAGES = {"tides.md": b"---\ntype: Note\ntitle: Tides\n---\n# Tides\n\nThe harbour floods at spring tide.\n"}


@pytest.mark.parametrize("engine", ["chromium", pytest.param("webkit", marks=pytest.mark.slow)])
def test_where_workers_of_blobs_are_refused_the_engine_starts_from_the_sites_own_file(
    served: Site, export: Export, engine: Engine
) -> None:
    served.headers["content-security-policy"] = json.loads(PROFILE.read_text())["csp"]
    with reading(engine, served.url) as reader:
        reader.open()
        reader.install(export("ada.harbour", pages=PAGES, title="Harbour"))
        reader.ask("when does the harbour flood")
        reader.sees(".answer", "spring tide")
        assert served.requests.count("/worker.js") >= 1
        reader.kept_for_offline()
        reader.window.wait_for("!navigator.serviceWorker || caches.match('worker.js').then(Boolean)")
        served.stop()
        reader.open()
        reader.ask("what floods")
        reader.sees(".answer", "spring tide")


def test_a_site_whose_own_file_is_another_is_told_and_nothing_runs(
    served: Site, export: Export, page_folder: Path
) -> None:
    (page_folder / "worker.js").write_text("postMessage(1);")
    served.headers["content-security-policy"] = json.loads(PROFILE.read_text())["csp"]
    with reading("chromium", served.url) as reader:
        reader.open()
        reader.drop(export("ada.harbour", pages=PAGES, title="Harbour"))
        assert "expected worker.js of this engine" in reader.sees(".notice.bad", "worker")
