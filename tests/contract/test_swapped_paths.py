"""What is verified is what is installed: paths and files that are exchanged while an installation is at work.

A folder on the way becomes a link that leads out before each single step; files of a source change once they were
verified. Nothing is written outside, and what is in place is the old version or the new one.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bundle_kit import LineIndexer, make_bundle
from okf_edge.bundles.contents import open_folder, open_zip
from okf_edge.bundles.install import InstallOptions, install
from okf_edge.errors import DigestMismatchError, OkfError
from okf_edge.inmemory.progress import RecordedProgress
from okf_edge.inmemory.system import ManualClock
from okf_edge_native import disk
from okf_edge_native.atomic import STAGE
from okf_edge_native.disk import DiskTree

PAGE = b"---\ntype: Note\n---\n\nTides.\n"
OLD, NEW = {"tides.md": PAGE, "d/more.md": PAGE}, {"new.md": PAGE, "d/more.md": PAGE + b"More.\n"}
STEPS = ("write", "create", "rename", "replace", "exchange", "remove", "read", "list")
OTHERS = ("stage", "Library", "Library/ada.harbour/d", ".okf", ".okf/locks")
PLACES = ("stage/d", "Library/ada.harbour", *(pytest.param(each, marks=pytest.mark.slow) for each in OTHERS))


class Swapping(DiskTree):
    """Before the n-th step, and ever again, a folder is moved away and a link that leads out stands in its place."""

    def __init__(self, root: Path, place: str, at: int) -> None:
        super().__init__(root)
        self._swapped, self._step, self.count = place, at, 0
        for name in STEPS:
            setattr(self, name, self._after_swap(getattr(self, name)))

    def _after_swap(self, step):
        async def taken(*arguments, **options):
            self.count += 1
            if self.count >= self._step:
                self._swap()
            return await step(*arguments, **options)

        return taken

    def _swap(self) -> None:
        root = Path(self.root)
        stages = [each.name for each in root.glob(f"{STAGE}*") if each.is_dir()]
        place = root / self._swapped.replace("stage", stages[0] if stages else "none", 1)
        if place.is_dir() and not place.is_symlink():
            place.rename(root.parent / f"moved{self.count}")
            place.symlink_to(root.parent / "outside", target_is_directory=True)


async def put(tree: DiskTree, version: str, pages: dict[str, bytes]) -> None:
    contents = open_zip(await make_bundle(version, pages))
    options = InstallOptions("harbour.okf.zip")
    await install(
        tree, contents, options, clock=ManualClock(), indexer=LineIndexer(), progress=RecordedProgress()
    )  # fmt: skip


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(each.relative_to(folder)): each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file()}


@pytest.mark.parametrize("place", PLACES)
async def test_a_folder_that_becomes_a_link_at_any_step_leads_nothing_out(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk.atomic.os, "fsync", lambda descriptor: None)
    at = finished = 0
    while not finished:
        at += 1
        ground = tmp_path / f"at{at}"
        (ground / "outside").mkdir(parents=True)
        (ground / "outside/note.md").write_bytes(b"mine")
        (ground / "base").mkdir()
        await put(DiskTree(ground / "base"), "1.0.0", OLD)
        tree = Swapping(ground / "base", place, at)
        try:
            await put(tree, "2.0.0", NEW)
        except OkfError as error:
            assert error.message
        assert files_of(ground / "outside") == {"note.md": b"mine"}, f"swapped before step {at}"
        live = ground / "base/Library/ada.harbour"
        if not (live.is_symlink() or live.parent.is_symlink() or (live / "d").is_symlink()):
            found = files_of(live)
            assert {path: found.get(path) for path in OLD} == OLD or {path: found.get(path) for path in NEW} == NEW
        finished = tree.count < at
        shutil.rmtree(ground)
    assert at > 10


async def test_a_source_folder_that_changes_after_it_was_verified_is_not_installed(tmp_path: Path) -> None:
    source, base = tmp_path / "source", tmp_path / "base"
    source.mkdir()
    base.mkdir()
    (source / "a.md").write_bytes(PAGE)

    class Changing(DiskTree):
        async def stage(self) -> str:
            (source / "a.md").write_bytes(PAGE + b"Another text.\n")
            return await super().stage()

    contents = await open_folder(DiskTree(source))
    with pytest.raises(DigestMismatchError):
        await install(
            Changing(base), contents, InstallOptions("source", "ada.source", "1.0.0"), clock=ManualClock(),
            indexer=None, progress=RecordedProgress(),
        )  # fmt: skip
    assert not (base / "Library").exists()
