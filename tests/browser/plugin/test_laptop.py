"""A vault that a computer worked on and a sync carried over: its index is used as it is, its reports are the same."""

from __future__ import annotations

import json
import os
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

from browser.plugin.conftest import OKF
from browser.plugin.phone import Built, new_vault, phone
from browser.plugin.test_plugin import SAMPLED
from browser.webdriver import Browser
from okf_edge_native.models.shelf import ModelShelf

NOTES = {
    "mooring.md": "# Mooring\n\nMy mooring is at berth seven.\n",
    "engine.md": "# Engine\n\nThe diesel needs new oil after a hundred hours.\n",
    "sails.md": "# Sails\n\nThe genoa was patched at the clew.\n",
    "weather.md": "# Weather\n\nA falling barometer brings wind from the south-west.\n",
}
CHANGED = "# Engine\n\nThe impeller was replaced in the spring by a bronze one.\n"


@pytest.fixture
def vault(built: Built, tmp_path: Path) -> Path:
    made = new_vault(tmp_path / "vault", built, with_model=True)
    for name, text in NOTES.items():
        (made / name).write_text(text)
    return made


def okf(vault: Path, models: Path, *arguments: str) -> Any:
    """What the command prints as JSON, run on the computer of the vault's owner."""
    home = vault.parent / "laptop"
    (home / "cache").mkdir(parents=True, exist_ok=True)
    if not (home / "cache/models").exists():
        (home / "cache/models").symlink_to(models)
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "OKF_HOME": str(home)}
    command = [OKF, *arguments, "--json"]
    done = subprocess.run(command, cwd=vault, env=environment, capture_output=True, text=True, timeout=300)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def vectors_in(vault: Path) -> dict[str, int]:
    """How many vectors each file of the cache holds."""
    files = sorted((vault / ".okf/cache").glob("vectors-*"))
    return {path.name: struct.unpack_from("<8s32sII", path.read_bytes())[3] for path in files}


@SAMPLED
def test_an_index_of_a_computer_is_used_as_it_is_and_only_the_changed_note_is_embedded(
    window: Browser, built: Built, vault: Path, models: ModelShelf
) -> None:
    built_there = okf(vault, models.folder, "index", "build")
    kept = vectors_in(vault)
    assert built_there["embedder"] == "minilm-l6" and sum(kept.values()) == len(NOTES)
    with phone(window, built, vault) as thumb:
        thumb.run("search")
        thumb.ask("where is my mooring?")
        assert "berth seven" in thumb.sees("found by words and meaning")
        assert vectors_in(vault) == kept, "nothing changed, so nothing is embedded"

        (vault / "engine.md").write_text(CHANGED)
        thumb.window.script("await hands.app.vault.look('engine.md');")
        thumb.ask("when was the impeller replaced?")
        thumb.sees("a bronze one")
        thumb.sees("found by words and meaning")
        added = {name: count for name, count in vectors_in(vault).items() if name not in kept}
        assert list(added.values()) == [1]


@SAMPLED
def test_upkeep_shows_what_the_computer_would_report_each_finding_a_tap_from_its_page(
    window: Browser, built: Built, vault: Path, models: ModelShelf
) -> None:
    okf(vault, models.folder, "init", ".")
    page = "---\ntype: Guide\ntitle: Running the engine\nsources: [{0}]\n---\n\n# Running the engine\n\nOil. [[{1}]]\n"
    (vault / "concepts/running.md").write_text(page.format("/engine.md", "nowhere"))
    for folder in ("entities", "comparisons"):  # the fourth holds a hidden file alone
        (vault / folder / f"{folder}.md").write_text(page.format("/sails.md", "running"))
    okf(vault, models.folder, "sync")
    (vault / "engine.md").write_text(CHANGED)
    health, stale = okf(vault, models.folder, "health"), okf(vault, models.folder, "stale")
    with phone(window, built, vault) as thumb:
        thumb.run("stale")
        told = thumb.sees(f"{health['score']} of 100")
        for check in health["checks"]:
            assert f"{check['good']}/{check['total']} {check['words']}" in told
        for finding in health["findings"]:
            assert finding["message"] in told
        assert all(each["title"] in told for each in stale["stale"])
