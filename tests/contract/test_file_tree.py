"""The contract of FileTree over memory and a real disk; then what only a disk can go wrong with."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from okf_edge.contracts import FileTreeContract, clauses
from okf_edge.errors import AlreadyExistsError, NotFoundError, OkfError, UnavailableError
from okf_edge.inmemory import MemoryTree
from okf_edge.ports import FileTree
from okf_edge_native import atomic
from okf_edge_native.disk import DiskTree


@pytest.fixture(params=["memory", "disk"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> FileTree:
    return MemoryTree() if request.param == "memory" else DiskTree(tmp_path)


@pytest.mark.parametrize("clause", clauses(FileTreeContract))
async def test_the_contract_is_kept(clause: str, tree: FileTree) -> None:
    await getattr(FileTreeContract(), clause)(tree)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A folder with links of every kind that lead out of it, in it and round it."""
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/note.md").write_text("secret")
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "real.md").write_text("real")
    for name, target in (("out.md", "../secret.txt"), ("in.md", "real.md"), ("round", ".."), ("away", "../outside")):
        (vault / name).symlink_to(target)
    return vault


async def test_links_are_listed_and_never_followed(vault: Path) -> None:
    tree = DiskTree(vault)
    kinds = {entry.path: entry.kind for entry in await tree.list()}
    assert kinds == {"away": "link", "in.md": "link", "out.md": "link", "real.md": "file", "round": "link"}


@pytest.mark.parametrize("path", ["out.md", "away/note.md", "round/secret.txt", "round/vault/real.md"])
async def test_nothing_is_read_through_a_link(vault: Path, path: str) -> None:
    with pytest.raises(NotFoundError):
        await DiskTree(vault).read(path, 100)


@pytest.mark.parametrize("verb", ["write", "create"])
async def test_nothing_is_written_through_a_linked_directory(vault: Path, verb: str) -> None:
    with pytest.raises(OkfError):
        await getattr(DiskTree(vault), verb)("away/new.md", b"x")
    assert [path.name for path in (vault / "../outside").iterdir()] == ["note.md"]


async def test_a_write_over_a_link_replaces_the_link_and_spares_its_target(vault: Path) -> None:
    await DiskTree(vault).write("out.md", b"mine")
    assert (vault / "../secret.txt").read_text() == "secret"
    assert (vault / "out.md").read_text() == "mine"


async def test_removing_a_linked_directory_spares_its_target(vault: Path) -> None:
    await DiskTree(vault).remove("away")
    assert (vault / "../outside/note.md").read_text() == "secret"
    with pytest.raises(NotFoundError):
        await DiskTree(vault).remove("round/secret.txt")


async def test_a_root_that_is_a_link_is_its_target(vault: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(vault)
    assert await DiskTree(tmp_path / "alias").read("real.md") == b"real"


async def test_a_missing_root_is_not_found_and_is_made_by_the_first_write(tmp_path: Path) -> None:
    tree = DiskTree(tmp_path / "new")
    with pytest.raises(NotFoundError):
        await tree.list()
    await tree.write("a.md", b"x")
    assert [entry.path for entry in await tree.list()] == ["a.md"]


@pytest.mark.parametrize("root", ["file", "file/below"])
async def test_a_root_that_can_not_be_made_is_named(tmp_path: Path, root: str) -> None:
    (tmp_path / "file").write_text("in the way")
    tree = DiskTree(tmp_path / root)
    for wanted in (tree.stage(), tree.write("a.md", b"x"), tree.create("a.md", b"x")):
        with pytest.raises(UnavailableError) as caught:
            await wanted
        assert str(tmp_path / root) in caught.value.message
        assert caught.value.hint


async def test_a_pipe_is_never_replaced_by_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.zip")
    with pytest.raises(AlreadyExistsError):
        await DiskTree(tmp_path).write("pipe.zip", b"x")
    assert (tmp_path / "pipe.zip").is_fifo()


async def test_a_pipe_is_listed_as_other_and_reading_it_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    tree = DiskTree(tmp_path)
    assert [entry.kind for entry in await tree.list()] == ["other"]
    with pytest.raises(NotFoundError):
        await tree.read("pipe.md", 100)


async def test_a_directory_that_cannot_be_read_costs_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("locked"):
            raise PermissionError(errno.EACCES, "denied", path)
        return scandir(path)

    (tmp_path / "locked").mkdir()
    (tmp_path / "a.md").write_text("x")
    monkeypatch.setattr(os, "scandir", refuse)
    found = [(entry.path, entry.kind) for entry in await DiskTree(tmp_path).list()]
    assert found == [("a.md", "file"), ("locked", "other")]


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "disk-full"),
        (errno.EDQUOT, "disk-full"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "permission-denied"),
        (errno.EIO, "unavailable"),
    ],
)
@pytest.mark.parametrize("verb", ["write", "create"])
async def test_a_failing_disk_is_named_and_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, code: str, verb: str
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    (tmp_path / "old.md").write_text("old")
    monkeypatch.setattr(os, "fsync", fail)
    path = "old.md" if verb == "write" else "new.md"
    with pytest.raises(UnavailableError) as caught:
        await getattr(DiskTree(tmp_path), verb)(path, b"new")
    assert caught.value.code == code
    assert caught.value.hint
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("old.md", "old")]


LIMITED = """
import asyncio, resource, sys
from okf_edge.errors import OkfError
from okf_edge_native.disk import DiskTree
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    asyncio.run(DiskTree(sys.argv[1]).write("old.md", b"x" * 5000))
except OkfError as error:
    print(error.code)
"""


def test_a_file_that_the_system_cuts_short_is_not_published(tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text("old")
    run = subprocess.run([sys.executable, "-c", LIMITED, tmp_path], capture_output=True, text=True, check=True)
    assert run.stdout == "unavailable\n"
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("old.md", "old")]


async def test_a_name_that_no_disk_can_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OkfError) as caught:
        await DiskTree(tmp_path).write("x" * 300, b"x")
    assert caught.value.code == "bad-name"


async def test_a_rewritten_file_keeps_its_permissions(tmp_path: Path) -> None:
    (tmp_path / "key.json").write_text("old")
    (tmp_path / "key.json").chmod(0o600)
    await DiskTree(tmp_path).write("key.json", b"new")
    assert (tmp_path / "key.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("replaces", [False, True], ids=["renamed", "exchanged"])
async def test_nobody_else_enters_a_stage_until_it_is_in_place(tmp_path: Path, replaces: bool) -> None:
    tmp_path.chmod(0o755)
    tree = DiskTree(tmp_path)
    stage = await tree.stage()
    await tree.write(f"{stage}/a.md", b"new")
    assert (tmp_path / stage).stat().st_mode & 0o777 == 0o700
    if replaces:
        await tree.write("done/a.md", b"old")
        await tree.exchange(stage, "done")
    else:
        await tree.rename(stage, "done")
    assert (tmp_path / "done").stat().st_mode & 0o777 == 0o755
    assert await tree.read("done/a.md") == b"new"


async def test_what_a_killed_run_left_is_never_listed_and_is_swept_once_old(tmp_path: Path) -> None:
    tree = DiskTree(tmp_path)
    stage = await tree.stage()
    await tree.write(f"{stage}/a.md", b"x")
    (tmp_path / f"{atomic.TEMPORARY}1").write_text("half")
    assert await tree.list() == []
    old = time.time() - atomic.LEFTOVER_AGE_S - 60
    for left in tmp_path.iterdir():
        os.utime(left, (old, old))
    fresh = await tree.stage()
    assert [each.name for each in tmp_path.iterdir()] == [fresh]


async def test_of_two_renames_onto_one_name_one_wins_and_nothing_is_lost(tmp_path: Path) -> None:
    tree = DiskTree(tmp_path)
    for name in ("one", "two"):
        await tree.write(f"{name}/note.md", name.encode())
    await tree.rename("one", "acme")
    with pytest.raises(AlreadyExistsError):
        await tree.rename("two", "acme")
    assert await tree.read("acme/note.md") == b"one"
    assert await tree.read("two/note.md") == b"two"


async def test_a_disk_without_hard_links_creates_and_moves_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no hard links")

    monkeypatch.setattr(os, "link", refuse)
    await FileTreeContract().create_never_overwrites(DiskTree(tmp_path / "a"))
    await FileTreeContract().rename_moves_files_and_directories_and_never_overwrites(DiskTree(tmp_path / "b"))
