"""Several `okf` processes on one folder, and processes that are killed or interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from e2e.conftest import OKF

INTERRUPTED = 130


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Enough notes that building their index takes a second or two."""
    folder = tmp_path / "many"
    for number in range(1500):
        path = folder / f"area{number % 7}" / f"note{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        words = " ".join(f"word{(number * step) % 977}" for step in range(1, 120))
        path.write_text(f"# Note {number}\n\n{words}. Marker{number}.\n")
    return folder


@pytest.fixture
def started(environment: dict[str, str]) -> Callable[..., subprocess.Popen[str]]:
    def start(*arguments: str | Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [OKF, *map(str, arguments)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    return start


def is_building(folder: Path) -> bool:
    return any(folder.glob(".okf-*/*")) or any(folder.glob(".okf/.okf-*/*"))


def until_building(folder: Path, process: subprocess.Popen[str]) -> None:
    """Wait until a build has staged something; fail when the process ends before."""
    deadline = time.monotonic() + 60
    while not is_building(folder):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_two_first_questions_at_once_both_get_their_answer(many, started):
    processes = [started("query", f"Marker{number}", "--dir", many, "--json") for number in (7, 8)]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert '"verdict": "ok"' in out
    assert not is_building(many)


def test_a_build_does_not_hold_up_a_question(okf, many, started):
    okf("index", "build", "--dir", many)
    building = started("index", "build", "--dir", many)
    until_building(many, building)
    assert okf("query", "Marker7", "--dir", many, "--json").json["verdict"] == "ok"
    _, err = building.communicate(timeout=120)
    assert building.returncode == 0, err


def test_questions_while_notes_change_see_whole_answers(okf, many, started):
    okf("index", "build", "--dir", many)
    for number in range(300):
        (many / f"area{number % 7}" / f"note{number}.md").write_text(f"# Note {number}\n\nRewritten{number}.\n")
    processes = [started("query", f"Rewritten{number}", "--dir", many, "--json") for number in (5, 6, 7)]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert '"verdict": "ok"' in out
    assert okf("index", "status", "--dir", many, "--json").json["changes"] == {"added": 0, "touched": 0, "removed": 0}


@pytest.mark.parametrize("has_index", [False, True])
def test_a_killed_build_leaves_the_old_index_or_none_and_the_next_run_heals(okf, many, started, has_index):
    if has_index:
        okf("index", "build", "--dir", many)
    index = many / ".okf/index.duckdb"
    before = index.read_bytes() if has_index else b""
    process = started("index", "build", "--dir", many)
    until_building(many, process)
    process.kill()
    process.communicate(timeout=60)
    assert (index.read_bytes() if index.exists() else b"") == before
    done = okf("query", "Marker7", "--dir", many, "--json")
    assert (done.code, done.json["verdict"]) == (0, "ok")
    assert okf("index", "status", "--dir", many, "--json").json["read"] == 1500


def test_ctrl_c_ends_quietly_with_130(many, started):
    process = started("index", "build", "--dir", many)
    until_building(many, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (INTERRUPTED, "")
    assert "Traceback" not in err
    assert not (many / ".okf/index.duckdb").exists()
    assert not is_building(many)


def test_two_installs_at_once_leave_one_whole_bundle(okf, tmp_path, started):
    source, base = tmp_path / "source", tmp_path / "base"
    for folder in (source, base):
        folder.mkdir()
    (source / "a.md").write_text("---\ntype: Note\ntitle: A\ndescription: d\n---\n\nThe heron nests here.\n")
    okf("init", base)
    okf("export", source, "--id", "acme.a", "--version", "1.0.0", "--out", tmp_path / "a.okf.zip")
    processes = [started("install", tmp_path / "a.okf.zip", "--dir", base) for _ in range(2)]
    for process in processes:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    assert okf("query", "heron", "--dir", base, "--json").json["verdict"] == "ok"
    assert [each.name for each in (base / "Library").iterdir()] == ["acme.a"]


def test_an_index_moved_by_a_sync_service_is_used_and_checked_by_content(okf, notes, tmp_path):
    okf("index", "build", "--dir", notes)
    for path in notes.rglob("*.md"):
        os.utime(path, (1, 1))
    status = okf("index", "status", "--dir", notes, "--json").json
    assert status["changes"]["touched"] == 4
    answer = okf("query", "russet pears", "--dir", notes, "--json").json
    assert answer["verdict"] == "ok"
