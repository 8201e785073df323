"""Tarballs install like archives, and hostile ones are refused before anything is unpacked."""

from __future__ import annotations

import gzip
import io
import tarfile

import pytest

from okf_edge.bundles.contents import open_bytes
from okf_edge.bundles.digest import digest_of
from okf_edge.errors import ArchiveError
from okf_edge.limits import Limits

PAGE = b"---\ntype: Note\n---\n\nTides.\n"


def tarball(files: dict[str, bytes], form: int = tarfile.PAX_FORMAT, packs: bool = True, **pax: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz" if packs else "w", format=form, pax_headers=pax or None) as tar:
        for path, data in files.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return out.getvalue()


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
@pytest.mark.parametrize("packs", [True, False])
async def test_every_form_of_tarball_gives_its_files(form, packs):
    long = f"{'a' * 60}/{'b' * 60}.md"
    files = {"index.md": b"# x\n", long: PAGE, "empty.md": b"", "灌溉.md": PAGE} if form != tarfile.USTAR_FORMAT else {
        "index.md": b"# x\n", long: PAGE
    }  # fmt: skip
    data = tarball(files, form, packs)
    contents = open_bytes(data)
    assert {path: await contents.read(path) for path in contents.sizes} == files
    assert contents.archive_sha256 == digest_of(data).sha256


async def test_a_source_archive_of_a_host_loses_wrapper_and_dot_folders():
    files = {
        f"birds-1.0/{path}": PAGE for path in ("index.md", "owl.md", ".github/x.md", ".vscode/y.md", ".git/config")
    }
    contents = open_bytes(tarball(files, comment="0" * 40))
    assert list(contents.sizes) == ["index.md", "owl.md"]


def test_a_tarball_that_promises_its_files_keeps_what_must_not_be_there():
    with pytest.raises(ArchiveError) as caught:
        open_bytes(tarball({"okf-bundle.json": b"{}", ".git/config": b"x"}))
    assert caught.value.code == "reserved-path"


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_refuse_the_whole(kind):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        entry = tarfile.TarInfo("a.md")
        entry.type, entry.linkname = kind, "/etc/passwd"
        tar.addfile(entry)
    with pytest.raises(ArchiveError) as caught:
        open_bytes(out.getvalue())
    assert caught.value.code == "non-regular-entry"


@pytest.mark.parametrize("path", ["../a.md", "/etc/a.md", "a/../../b.md", "C:/a.md", "con.md"])
def test_names_are_checked_as_in_any_archive(path):
    with pytest.raises(ArchiveError):
        open_bytes(tarball({path: PAGE}))


def test_one_file_twice_is_refused():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for _ in range(2):
            tar.addfile(tarfile.TarInfo("a.md"))
    with pytest.raises(ArchiveError) as caught:
        open_bytes(out.getvalue())
    assert caught.value.code == "name-collision"


@pytest.mark.parametrize("cut", [30, 100, -30])
def test_a_cut_or_damaged_tarball_is_refused(cut):
    with pytest.raises(ArchiveError):
        open_bytes(tarball({"a.md": PAGE * 50})[:cut])
    with pytest.raises(ArchiveError):
        open_bytes(gzip.compress(b"no tar at all" * 100))


def test_a_bomb_stops_at_the_limits():
    bomb = tarball({"a.md": b"\0" * 3_000_000})
    with pytest.raises(ArchiveError) as caught:
        open_bytes(bomb)
    assert caught.value.code == "suspicious-ratio"
    with pytest.raises(ArchiveError) as caught:
        open_bytes(tarball({"a.md": PAGE * 99}), Limits(archive_file_bytes=1000))
    assert caught.value.code == "too-large"
    with pytest.raises(ArchiveError) as caught:
        open_bytes(tarball({f"{number}.md": b"" for number in range(5)}), Limits(archive_entries_count=3))
    assert caught.value.code == "too-many-entries"
