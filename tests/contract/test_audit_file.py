"""The log of calls on disk: whoever changes its files without the key is seen, at once and after later calls."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Callable
from pathlib import Path

import pytest

from okf_edge.policy import audit
from okf_edge.policy.audit import Record, Verified
from okf_edge_native.calls import FileAuditLog, audit_key

RECORD = Record("2026-01-01T00:00:00Z", "owner", "query", "notes", "", "done", "", 1.0, 2)


def write(folder: Path, count: int) -> None:
    key = audit_key(str(folder))
    log = FileAuditLog(str(folder), key)

    async def all_of_them() -> None:
        for _ in range(count):
            await log.append(lambda last: audit.line_of(RECORD, last, key))

    asyncio.run(all_of_them())


def verified(folder: Path) -> Verified:
    key = audit_key(str(folder))
    log = FileAuditLog(str(folder), key)
    return audit.verify(asyncio.run(log.lines()), asyncio.run(log.head()), key)


def test_a_log_is_whole_before_its_first_line_and_after_many(tmp_path: Path) -> None:
    assert verified(tmp_path) == Verified(0)
    write(tmp_path, 3)
    write(tmp_path, 2)
    assert verified(tmp_path) == Verified(5)


def test_processes_that_write_at_once_make_one_chain(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=write, args=(tmp_path, 40)) for _ in range(2)]
    for each in writers:
        each.start()
    for each in writers:
        each.join(60)
    assert verified(tmp_path) == Verified(80)


def cut(folder: Path, count: int) -> list[bytes]:
    log = folder / "audit.jsonl"
    kept = log.read_bytes().splitlines(keepends=True)[:count]
    log.write_bytes(b"".join(kept))
    return kept


def cut_both(folder: Path) -> None:
    """The note says what the last line that is left says, under every seal that was at hand."""
    seal = (folder / "audit.head").read_bytes().split()[-1]
    last = cut(folder, 3)[-1].strip()
    (folder / "audit.head").write_bytes(last + b" " + seal + b"\n")


def cut_with_a_plain_note(folder: Path) -> None:
    (folder / "audit.head").write_bytes(cut(folder, 3)[-1])


def empty_both(folder: Path) -> None:
    cut(folder, 0)
    (folder / "audit.head").write_bytes(b"")


def remove_both(folder: Path) -> None:
    (folder / "audit.jsonl").unlink()
    (folder / "audit.head").unlink()


def remove_the_note(folder: Path) -> None:
    (folder / "audit.head").unlink()


def edit(folder: Path) -> None:
    log = folder / "audit.jsonl"
    log.write_bytes(log.read_bytes().replace(b"owner", b"other", 1))


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: cut(folder, 3),
        lambda folder: cut(folder, 0),
        cut_both, cut_with_a_plain_note, empty_both, remove_both, remove_the_note, edit,
    ],
)  # fmt: skip
def test_every_change_of_its_files_is_seen_and_no_later_call_hides_it(
    tmp_path: Path, change: Callable[[Path], object]
) -> None:
    write(tmp_path, 5)
    change(tmp_path)
    assert verified(tmp_path).problem
    write(tmp_path, 2)
    assert verified(tmp_path).problem


def test_the_last_lines_are_found_without_reading_the_rest(tmp_path: Path) -> None:
    log = FileAuditLog(str(tmp_path), audit_key(str(tmp_path)))
    assert log.tail(3) == []
    write(tmp_path, 40)
    lines = asyncio.run(log.lines())
    assert [log.tail(count) for count in (1, 3, 40, 100)] == [lines[-1:], lines[-3:], lines, lines]
