"""What is remembered of calls on disk: changed by one process at a time, and removed when it means nothing any more."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import time
from pathlib import Path

import pytest

from okf_edge.limits import LIMITS
from okf_edge_native import calls
from okf_edge_native.calls import FileLedger


async def remember(ledger: FileLedger, key: str) -> None:
    await ledger.change(key, lambda kept: ({"at": 1.0}, None))


def entries(folder: Path) -> list[Path]:
    return sorted((folder / "calls").glob("*.json"))


def count_up(folder: str, times: int) -> None:
    ledger = FileLedger(folder)
    for _ in range(times):
        asyncio.run(ledger.change("k", lambda kept: ({"n": (kept or {"n": 0})["n"] + 1}, None)))


def test_processes_change_an_entry_one_after_the_other(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=count_up, args=(str(tmp_path), 30)) for _ in range(2)]
    for each in writers:
        each.start()
    for each in writers:
        each.join(60)
    assert asyncio.run(FileLedger(str(tmp_path)).change("k", lambda kept: (kept, kept))) == {"n": 60}


async def test_what_is_old_is_removed_again_and_again_as_long_as_a_process_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = FileLedger(str(tmp_path))
    for day in range(3):
        await remember(ledger, f"old-{day}")
        assert len(entries(tmp_path)) == 1
        old = time.time() - 3 * LIMITS.idempotency_seconds
        os.utime(entries(tmp_path)[0], (old, old))
        later = time.monotonic() + (day + 1) * (LIMITS.idempotency_seconds + 1)
        monkeypatch.setattr(calls.time, "monotonic", lambda later=later: later)
    assert (tmp_path / "calls/lock").exists()


async def test_an_entry_that_another_process_removes_meanwhile_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await remember(FileLedger(str(tmp_path)), "gone")
    whole = os.scandir

    def scandir(path: str):
        found = list(whole(path))
        for each in found:
            if each.name.endswith(".json"):
                Path(each.path).unlink()
        return contextlib.nullcontext(found)

    monkeypatch.setattr(calls.os, "scandir", scandir)
    await remember(FileLedger(str(tmp_path)), "new")
    assert len(entries(tmp_path)) == 1
