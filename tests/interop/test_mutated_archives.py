"""Archives changed at random: nothing is written outside, and what lies on the disk is what our reader and others read.

Zip archives are compared with the standard library's reader, `unzip` and fflate, tarballs with the standard library's;
each is installed into a real folder.
"""

from __future__ import annotations

import base64
import io
import json
import random
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
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

NODE = Path(__file__).parents[1] / "node"
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
    whole = {path: await contents.read(path) for path in contents.sizes}
    require_equal(others(data), whole, seed)
    ours = {path: each for path, each in whole.items() if path not in (INDEX_FILE, MANIFEST)}
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


@pytest.mark.parametrize("batch", BATCHES)
async def test_unzip_and_fflate_read_in_a_mutated_zip_what_we_read(batch: int, tmp_path: Path) -> None:
    taken = {}
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        data = mutated_zip(random.Random(seed))
        with suppress(OkfError):
            contents = open_bytes(data)
            taken[seed] = {path: await contents.read(path) for path in contents.sizes}
            (tmp_path / f"{seed}.zip").write_bytes(data)
    assert taken, "of a hundred some are harmless"
    unpacked = by_fflate(tmp_path)
    for seed, ours in taken.items():
        require_equal(unpacked[f"{seed}.zip"], ours, seed)
        require_equal(by_unzip(tmp_path / f"{seed}.zip"), ours, seed)


def require_equal(theirs: dict[str, bytes], ours: dict[str, bytes], seed: int) -> None:
    """What another reader finds is what we do, but for what is hidden and for the folder around everything."""
    shown = {path: each for path, each in theirs.items() if not is_hidden(path)}
    prefix = next((path.partition("/")[0] + "/" for path in shown), "") if set(shown) != set(ours) else ""
    assert {path.removeprefix(prefix): each for path, each in shown.items()} == ours, seed


def by_unzip(archive: Path) -> dict[str, bytes]:
    folder = archive.with_suffix("")
    command = ["unzip", "-qq", "-o", str(archive), "-d", str(folder)]
    ended = subprocess.run(command, env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}, capture_output=True, timeout=60)
    assert ended.returncode in (0, 1), ended.stderr  # 1: it warned
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def by_fflate(folder: Path) -> dict[str, dict[str, bytes]]:
    """Of all archives of a folder."""
    command = ["node", str(NODE / "unzipped.mjs"), str(folder)]
    told = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)
    return {
        name: {path: base64.b64decode(data) for path, data in (files or {}).items()} for name, files in told.items()
    }


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
        entry.central_zip64 = chance.random() < 0.05
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
