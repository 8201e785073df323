"""Faults of the operating system at every single call of an installation on a real disk.

A full disk, missing permission, another device, a failing device: the tree is the old or the new one, the registry
agrees, and the next attempt works.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bundle_kit import LineIndexer, make_bundle
from okf_edge.bundles.contents import open_zip
from okf_edge.bundles.install import InstallOptions, install, recover, rollback, uninstall
from okf_edge.bundles.registry import installed
from okf_edge.errors import OkfError
from okf_edge.inmemory.progress import RecordedProgress
from okf_edge.inmemory.system import ManualClock
from okf_edge.ports import FileTree
from okf_edge_native import disk
from okf_edge_native.disk import DiskTree

CALLS = ("open", "fdopen", "fsync", "link", "mkdir", "makedirs", "rename", "replace", "unlink", "rmdir")
CODES = {"full": errno.ENOSPC, "refused": errno.EACCES, "other-device": errno.EXDEV, "broken": errno.EIO}
FOLDER = "Library/ada.harbour"
PAGE = b"---\ntype: Note\n---\n\nNew.\n"
Work = Callable[[FileTree], Awaitable[object]]


class Faults:
    """Lets the calls of the system pass, but for the n-th, or all from the n-th on."""

    def __init__(self, at: int, code: int, *, lasting: bool) -> None:
        self.at, self.code, self.lasting = at, code, lasting
        self.count = 0

    def wrap(self, real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            self.count += 1
            if self.count == self.at or (self.lasting and self.count > self.at):
                raise OSError(self.code, os.strerror(self.code), str(arguments[0]))
            return real(*arguments, **options)

        return call


@contextmanager
def failing(monkeypatch: pytest.MonkeyPatch, faults: Faults, can_exchange: bool) -> Iterator[None]:
    with monkeypatch.context() as patch:
        for name in CALLS:
            patch.setattr(os, name, faults.wrap(getattr(os, name)))
        if not can_exchange:
            patch.setattr(disk, "exchange", lambda one, other: False)
        yield


async def put(tree: FileTree, version: str) -> None:
    pages = {"tides.md": PAGE} if version == "1.0.0" else {"new.md": PAGE, "d/more.md": PAGE}
    options = InstallOptions("harbour.okf.zip")
    contents = open_zip(await make_bundle(version, pages))
    await install(
        tree, contents, options, clock=ManualClock(), indexer=LineIndexer(), progress=RecordedProgress()
    )  # fmt: skip


async def first(tree: FileTree) -> None:
    await put(tree, "1.0.0")


async def update(tree: FileTree) -> None:
    await put(tree, "2.0.0")


async def removal(tree: FileTree) -> None:
    await uninstall(tree, "ada.harbour", clock=ManualClock())


async def going_back(tree: FileTree) -> None:
    if [each.version for each in await installed(tree)] == ["2.0.0"]:
        await rollback(tree, "ada.harbour", clock=ManualClock())


BEFORE: dict[Work, tuple[Work, ...]] = {first: (), update: (first,), removal: (first,), going_back: (first, update)}


async def state_of(root: Path) -> tuple[dict[str, bytes], list[str]]:
    folder = root / FOLDER
    files = {str(each.relative_to(folder)): each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file()}
    return files, [each.version for each in await installed(DiskTree(root))]


async def prepared(root: Path, work: Work) -> None:
    root.mkdir()
    (root / "note.md").write_bytes(b"mine")
    for step in BEFORE[work]:
        await step(DiskTree(root))


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(
    ("work", "step"),
    [
        pytest.param(update, 9, id="update-sample"),
        *(pytest.param(work, 1, id=work.__name__, marks=pytest.mark.slow) for work in BEFORE),
    ],
)
async def test_a_fault_of_the_system_at_any_call_leaves_old_or_new_and_a_retry_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: Work, step: int, code: str, lasting: bool
) -> None:
    await prepared(tmp_path / "old", work)
    await prepared(tmp_path / "new", work)
    await work(DiskTree(tmp_path / "new"))
    outcomes = [await state_of(tmp_path / "old"), await state_of(tmp_path / "new")]
    at = 1
    while True:
        root = tmp_path / f"at{at}"
        await prepared(root, work)
        faults = Faults(at, CODES[code], lasting=lasting)
        failed = False
        with failing(monkeypatch, faults, can_exchange=at % 2 == 0):
            try:
                await work(DiskTree(root))
            except OkfError:
                failed = True
        clock = ManualClock()
        clock.advance(3_600)
        await recover(DiskTree(root), clock)
        state = await state_of(root)
        assert state in outcomes, f"after a fault at call {at}"
        assert failed or state == outcomes[1], f"a fault at call {at} was passed over"
        assert (root / "note.md").read_bytes() == b"mine"
        if state == outcomes[0] and work is not removal:
            _expire_locks(root)
            await work(DiskTree(root))
            assert await state_of(root) == outcomes[1], f"retry after a fault at call {at}"
        if faults.count < at:
            break
        at += step
    assert at > 20


def _expire_locks(root: Path) -> None:
    """What a killed process held is free after a while."""
    for lock in (root / ".okf/locks").glob("*"):
        lock.unlink()
