"""Archives changed at random: nothing is written outside, and what lies on the disk is what our reader and others read.

Zip archives are compared with the standard library's reader, tarballs too; each is installed into a real folder.
"""

from __future__ import annotations

import io
import random
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from okf_edge.bundles.contents import ZipContents, open_bytes
from okf_edge.bundles.digest import INDEX_FILE, MANIFEST
from okf_edge.bundles.install import InstallOptions, install
from okf_edge.bundles.names import is_hidden
from okf_edge.errors import OkfError
from okf_edge.inmemory.progress import RecordedProgress
from okf_edge.inmemory.system import ManualClock
from okf_edge_native.disk import DiskTree
from tests.zip_lab import DIRECTORY, FILE, LINK, Entry, build

PAGE = b"---\ntype: Note\n---\n\nTides.\n"
NAMES = (
    "a.md", "d/b.md", "d/../c.md", "../out.md", "/etc/x.md", "C:\\x.md", "..\\y.md", "A.md", "d", "d/", "é.md",
    "con.md", "x:y.md", "a//b.md", "./a.md", "x.html", "run.sh", "aux", ".obsidian/plugins/x/main.js",
    ".git/hooks/post-checkout", "okf-index.duckdb", "__MACOSX/a.md", "wrap/index.md", "e\u0301.md", "a.md ",
    "\u202ea.md", "a\0.md",
    "x" * 300 + ".md",
)  # fmt: skip
BATCH = 100
BATCHES = [*range(2), *(pytest.param(number, marks=pytest.mark.slow) for number in range(2, 50))]
"""Of each kind: 5,000 archives in all, a sample of 200 always."""


async def taken_in(data: bytes, ground: Path) -> tuple[ZipContents, dict[str, bytes]] | None:
    """The contents as we read them, and what was written; None when it was refused. Nothing else may change."""
    base = ground / "base"
    shutil.rmtree(ground, ignore_errors=True)
    base.mkdir(parents=True)
    (ground / "outside.md").write_bytes(b"outside")
    (base / "note.md").write_bytes(b"mine")
    try:
        contents = open_bytes(data)
        options = InstallOptions("x.zip", "ada.x", "1.0.0", accept_risks=True, accept_nonconformant=True)
        await install(
            DiskTree(base), contents, options, clock=ManualClock(),
            indexer=None, progress=RecordedProgress(),
        )  # fmt: skip
    except OkfError:
        contents = None
    found = {str(each.relative_to(ground)): each for each in ground.rglob("*") if each.is_symlink() or each.is_file()}
    assert not any(each.is_symlink() for each in found.values())
    own = {path for path in found if path.startswith(("base/Library/ada.x/", "base/.okf/"))}
    assert {path: found[path].read_bytes() for path in found.keys() - own} == {
        "outside.md": b"outside", "base/note.md": b"mine",
    }  # fmt: skip
    written = {
        path.removeprefix("base/Library/ada.x/"): found[path].read_bytes() for path in own if "/Library/" in path
    }
    if contents is None:
        assert not written
        return None
    written.pop(MANIFEST, None)
    return contents, written


async def check(data: bytes, ground: Path, others: Callable[[bytes], dict[str, bytes]], seed: int) -> bool:
    """Whether it was taken in; then all readers must agree."""
    done = await taken_in(data, ground)
    if done is None:
        return False
    contents, written = done
    ours = {path: await contents.read(path) for path in contents.sizes if path not in (INDEX_FILE, MANIFEST)}
    theirs = {path: each for path, each in others(data).items() if not is_hidden(path)}
    prefix = next((path.partition("/")[0] + "/" for path in theirs), "") if set(theirs) != set(contents.sizes) else ""
    assert {path.removeprefix(prefix): each for path, each in theirs.items()} == {
        path: await contents.read(path) for path in contents.sizes
    }, seed
    assert {path: written[path] for path in written} == {path: ours[path] for path in ours if path in written}, seed
    assert all(not path.endswith(".md") for path in ours.keys() - written.keys()), seed
    return True


@pytest.mark.parametrize("batch", BATCHES)
async def test_a_mutated_zip_writes_nothing_outside_and_all_readers_agree(batch: int, tmp_path: Path) -> None:
    taken = 0
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        taken += await check(mutated_zip(random.Random(seed)), tmp_path / "g", by_zipfile, seed)
    assert taken, "of a hundred some are harmless"


@pytest.mark.parametrize("batch", BATCHES)
async def test_a_mutated_tarball_writes_nothing_outside_and_all_readers_agree(batch: int, tmp_path: Path) -> None:
    taken = 0
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        taken += await check(mutated_tar(random.Random(seed)), tmp_path / "g", by_tarfile, seed)
    assert taken, "of a hundred some are harmless"


def by_zipfile(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {each.filename: archive.read(each) for each in archive.infolist() if not each.is_dir()}


def by_tarfile(data: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        members = [each for each in archive.getmembers() if each.isreg()]
        return {each.name.removeprefix("./"): archive.extractfile(each).read() for each in members}


def mutated_zip(chance: random.Random) -> bytes:
    entries = []
    for number in range(chance.randint(1, 4)):
        name = chance.choice(NAMES) if chance.random() < 0.35 else f"p{number}.md"
        entry = Entry(name.encode("utf-8", "surrogatepass"), PAGE + bytes([65 + number]) * chance.randint(0, 40))
        entry.method = chance.choice((0, 8))
        entry.attributes = chance.choice((FILE, FILE, FILE, FILE, FILE, LINK, DIRECTORY))
        if chance.random() < 0.1:
            entry.local_name = b"other.md"
        if chance.random() < 0.1:
            entry.descriptor = chance.randbytes(chance.choice((12, 16)))
        entry.zip64 = chance.random() < 0.1
        entries.append(entry)
    more = chance.choice(
        ({}, {}, {}, {"prefix": b"MZ"}, {"suffix": b"x"}, {"comment": b"PK\x05\x06"}, {"between": b"x"})
    )
    return damaged(build(entries, **more), chance)


def mutated_tar(chance: random.Random) -> bytes:
    out = io.BytesIO()
    form = chance.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT))
    with tarfile.open(fileobj=out, mode=chance.choice(("w:gz", "w")), format=form) as archive:
        for number in range(chance.randint(1, 4)):
            name = chance.choice(NAMES).replace("\0", "") if chance.random() < 0.3 else f"p{number}.md"
            entry = tarfile.TarInfo(name.rstrip("/") if form == tarfile.USTAR_FORMAT and len(name) < 90 else name[:90])
            entry.type = chance.choice((tarfile.REGTYPE,) * 8 + (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE))
            entry.linkname = "../../outside.md"
            data = PAGE + bytes([65 + number]) if entry.isreg() else b""
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return damaged(out.getvalue(), chance)


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Half stay as they are: their structure is what is wrong with them, if anything is."""
    changed = bytearray(data)
    for _ in range(chance.choice((0, 0, 1, 3))):
        at = chance.randrange(len(changed))
        kind = chance.randrange(4)
        if kind == 0:
            changed[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            changed[at:at] = chance.randbytes(chance.randint(1, 9))
        elif kind == 2:
            del changed[at : at + chance.randint(1, 9)]
        else:
            other = chance.randrange(len(changed))
            changed[at : at + 8] = changed[other : other + 8]
    return bytes(changed)
