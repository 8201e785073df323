"""Archives that lie are refused with the reason, before anything is unpacked or at the first undeclared byte."""

from __future__ import annotations

import io
import random
import struct
import tracemalloc
import zipfile
import zlib

import pytest

from okf_edge.bundles.archive import open_archive
from okf_edge.bundles.zip_writer import write_archive
from okf_edge.errors import OkfError
from okf_edge.limits import Limits
from zip_lab import DEVICE, DIRECTORY, LINK, Entry, build, deflated

PAGE = b"---\ntype: Note\n---\nThe harbour floods at spring tide.\n" * 20
INDEX = Entry(b"index.md", b"# All\n")
END = b"PK\x05\x06" + bytes(18)


def refusal(data: bytes, limits: Limits | None = None) -> str:
    """The reason why an archive can't be taken; an empty text when all of it was read."""
    try:
        archive = open_archive(data, limits or Limits())
        for path in archive.sizes:
            archive.read(path)
    except OkfError as error:
        assert error.message
        return error.code
    return ""


def descriptor(data: bytes, *, signature: bytes = b"PK\x07\x08", crc: int | None = None) -> bytes:
    return signature + struct.pack("<III", zlib.crc32(data) if crc is None else crc, len(deflated(data)), len(data))


NAMES = {
    b"../evil.md": "unsafe-path",
    b"a/../../evil.md": "unsafe-path",
    b"a/./b.md": "unsafe-path",
    b"/etc/passwd": "unsafe-path",
    b"//server/share/x.md": "unsafe-path",
    b"\\\\server\\share\\x.md": "unsafe-path",
    b"..\\evil.md": "unsafe-path",
    b"a\\b.md": "unsafe-path",
    b"C:\\x.md": "unsafe-path",
    b"C:x.md": "unsafe-path",
    b"a//b.md": "unsafe-path",
    b".git/hooks/post-checkout": "reserved-path",
    b".GIT/config": "reserved-path",
    b".git./config": "reserved-path",
    b"sub/.obsidian/plugins/x/main.js": "reserved-path",
    b".okf/bundles.json": "reserved-path",
    b"nul.md": "unportable-name",
    b"sub/CON": "unportable-name",
    b"com1.txt": "unportable-name",
    "COM¹.md".encode(): "unportable-name",
    b"a.md.": "unportable-name",
    b"a.md ": "unportable-name",
    b"dir./a.md": "unportable-name",
    b" a.md": "unportable-name",
    b"a.md:stream": "unportable-name",
    b"what?.md": "unportable-name",
    b"a\nb.md": "unportable-name",
    b"a\0.md": "unportable-name",
    "a\u202egnp.md".encode(): "unportable-name",
    "a\u200bb.md".encode(): "unportable-name",
    ("記" * 120 + ".md").encode(): "path-too-long",
    b"n" * 250 + b".md": "path-too-long",
    b"d/" * 90 + b"a.md": "path-too-deep",
    b"": "unsafe-path",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_is_not_safe_everywhere_is_refused(name):
    assert refusal(build([INDEX, Entry(name)])) == NAMES[name]


@pytest.mark.parametrize(
    "name", ["a b.md", "Größe.md", "会议/周报.md", "C#.md", "v1.2.md", "100%.md", "👩‍💻.md", "می‌خواهم.md"]
)
def test_a_name_of_any_script_that_is_safe_is_read_exactly(name):
    archive = open_archive(build([INDEX, Entry(name.encode(), PAGE)]))
    assert archive.read(name) == PAGE


@pytest.mark.parametrize(
    "names",
    [
        [b"Note.md", b"note.md"],
        ["é.md".encode(), "e\u0301.md".encode()],
        [b"a.md", b"a.md"],
        [b"x", b"x"],
        [b"x", b"x/y.md"],
        [b"x/y.md", b"X"],
        [b"Dir/a.md", b"dir/b.md"],
        ["é/a.md".encode(), "e\u0301/b.md".encode()],
        ["ß.md".encode(), b"SS.md"],
    ],
)
def test_names_that_one_system_would_take_for_one_file_are_refused(names):
    assert refusal(build([Entry(name) for name in names])) == "name-collision"


def test_a_file_and_a_named_directory_of_one_name_are_refused():
    assert refusal(build([Entry(b"x"), Entry(b"X/", b"", attributes=DIRECTORY)])) == "name-collision"


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (Entry(b"leak.md", b"../../secret.txt", attributes=LINK), "non-regular-entry"),
        (Entry(b"dev.md", attributes=DEVICE), "non-regular-entry"),
        (Entry(b"pipe.md", attributes=0o010666 << 16), "non-regular-entry"),
        (Entry(b"reparse.md", attributes=0x400), "non-regular-entry"),
        (Entry(b"dir.md", attributes=DIRECTORY), "non-regular-entry"),
        (Entry(b"file/", attributes=0o100644 << 16), "non-regular-entry"),
        (Entry(b"dir/", b"hidden", attributes=DIRECTORY), "non-regular-entry"),
        (Entry("文".encode("shift-jis") + b".md", flags=0), "name-not-utf8"),
        (Entry("café.md".encode("latin-1"), flags=0), "name-not-utf8"),
        (Entry(b"bad\xff.md", flags=0x800), "name-not-utf8"),
        (Entry(b"a2.md", local_name=b"../evil.md"), "header-mismatch"),
        (Entry(b"a.md", local_flags=0x800), "header-mismatch"),
        (Entry(b"a.md", flags=1), "encrypted"),
        (Entry(b"a.md", flags=0x41), "encrypted"),
        (Entry(b"a.md", extra=struct.pack("<HH7s", 0x9901, 7, b"\2\0AE\3\0\0"), method=99), "encrypted"),
        (Entry(b"a.md", method=12), "unsupported-method"),
        (Entry(b"a.md", method=93), "unsupported-method"),
        (Entry(b"a.md", method=9), "unsupported-method"),
        (Entry(b"a.md", method=0, size=3), "header-mismatch"),
        (Entry(b"a.md", extra=struct.pack("<HH", 1, 16)), "bad-extra-field"),
        (Entry(b"a.md", extra=struct.pack("<HHQQ", 1, 16, 1, 1)), "header-mismatch"),
        (Entry(b"a64.md", PAGE, central_zip64=True), "unsupported-zip64"),
        (Entry(b"a.md", extra=struct.pack("<HHBI", 0x7075, 9, 1, 0) + b"b.md"), "header-mismatch"),
        (Entry(b"a.md", PAGE, descriptor=descriptor(PAGE, crc=1)), "header-mismatch"),
        (Entry(b"a.md", PAGE, crc=1), "hash-mismatch"),
        (Entry(b"a.md", PAGE, raw=deflated(PAGE)[:-4]), "hash-mismatch"),
        (Entry(b"a.md", PAGE, raw=deflated(PAGE) + b"hidden"), "hash-mismatch"),
        (Entry(b"a.md", PAGE, raw=b"\xff" * 40), "hash-mismatch"),
        (Entry(b"a.md", PAGE, size=10), "size-mismatch"),
        (Entry(b"a.md", PAGE, size=100_000), "size-mismatch"),
        (Entry(b"a.md", packed_size=1 << 30), "header-mismatch"),
        (Entry(b"a.md", offset=1 << 30), "header-mismatch"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name.decode("latin-1"),
)
def test_an_entry_that_lies_is_refused_with_the_reason(entry, reason):
    assert refusal(build([INDEX, entry])) == reason


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (build([INDEX, Entry(b"a.md")], suffix=bytes(2264)), "trailing-data"),
        (build([INDEX, Entry(b"a.md")], suffix=bytes(200_000)), "trailing-data"),
        (build([INDEX, Entry(b"a.md")], comment_bytes=500), "bad-end-record"),
        (build([INDEX, Entry(b"a.md")], prefix=b"#!/bin/sh\n"), "leading-data"),
        (build([INDEX, Entry(b"a.md")], prefix=b"#!/bin/sh\n", shift=10), "leading-data"),
        (build([INDEX, Entry(b"a.md")], between=b"hidden"), "hidden-data"),
        (build([INDEX, Entry(b"a.md")], suffix=END), "bad-end-record"),
        (build([INDEX, Entry(b"a.md")], comment=b"x" + END), "bad-end-record"),
        (build([INDEX, Entry(b"a.md")], count=1), "bad-central-directory"),
        (build([INDEX, Entry(b"a.md")], count=3), "bad-central-directory"),
        (build([INDEX, Entry(b"a.md")])[:150], "truncated"),
        (build([INDEX, Entry(b"a.md")])[:-3], "truncated"),
        (b"", "not-a-zip"),
        (b"Rar!\x1a\x07" + bytes(100), "not-a-zip"),
    ],
)
def test_an_archive_whose_parts_do_not_fit_is_refused_with_the_reason(data, reason):
    assert refusal(data) == reason


def test_entries_that_share_bytes_are_refused():
    shared = build([INDEX, Entry(b"a.md", PAGE), Entry(b"b.md", PAGE, offset=0)])
    assert refusal(shared) in {"header-mismatch", "overlapping-entries"}
    assert refusal(_quoting_bomb()) == "overlapping-entries"


@pytest.mark.parametrize(
    "data",
    [
        build([INDEX, Entry(b"a.md", PAGE, descriptor=descriptor(PAGE))]),
        build([INDEX, Entry(b"a.md", PAGE, descriptor=descriptor(PAGE, signature=b""))]),
        build([INDEX, Entry(b"a.md", PAGE, zip64=True)]),
        build([INDEX, Entry(b"a.md", PAGE, method=0)]),
        build([INDEX, Entry(b"d/", b"", attributes=DIRECTORY), Entry(b"d/a.md", PAGE)]),
        build([INDEX, Entry(b"a.md", PAGE)], comment=b"0123456789abcdef0123456789abcdef01234567"),
        build([INDEX, Entry(b"a.md", b"")]),
    ],
)
def test_what_honest_archivers_write_is_read(data):
    assert refusal(data) == ""


def test_all_bad_names_are_told_at_once():
    with pytest.raises(OkfError) as caught:
        open_archive(build([Entry(b"../a.md"), Entry(b"nul"), Entry(b"ok.md")]))
    assert len(caught.value.issues) == 2


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(archive_bytes=100), "too-large"),
        (Limits(archive_entries_count=2), "too-many-entries"),
        (Limits(archive_file_bytes=100), "too-large"),
        (Limits(archive_total_bytes=1000), "too-large"),
        (Limits(archive_ratio=2, archive_ratio_floor_bytes=10), "suspicious-ratio"),
    ],
)
def test_each_limit_refuses_what_is_beyond_it(limits, reason):
    data = build([INDEX, Entry(b"a.md", PAGE), Entry(b"b.md", PAGE)])
    assert refusal(data) == ""
    assert refusal(data, limits) == reason


def test_a_bomb_is_refused_and_costs_little_memory():
    zeros = bytes(40 * 1024 * 1024)
    honest = build([INDEX, Entry(b"a.md", zeros)])
    lying = build([INDEX, Entry(b"a.md", zeros, size=500)])
    many = build([INDEX, *(Entry(b"%d.md" % number, zeros[: 1 << 20]) for number in range(100))])
    nested = build([INDEX, Entry(b"inner.zip", honest * 3, method=0)])
    del zeros
    tracemalloc.start()
    assert refusal(honest) == "suspicious-ratio"
    assert refusal(lying) == "size-mismatch"
    assert refusal(many) == "suspicious-ratio"
    assert refusal(nested) == ""
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 1024 * 1024


def test_a_file_is_unpacked_piece_by_piece():
    data = write_archive([("big.bin", random.Random(7).randbytes(6 * 1024 * 1024))])
    archive = open_archive(data)
    tracemalloc.start()
    archive.digest("big.bin")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1024 * 1024


def test_what_is_written_is_read_by_us_and_by_the_standard_library():
    files = {"a.md": PAGE, "会议.md": b"", "d/b.bin": random.Random(1).randbytes(5000)}
    data = write_archive(files.items())
    ours = open_archive(data)
    theirs = zipfile.ZipFile(io.BytesIO(data))
    assert theirs.testzip() is None
    assert {path: ours.read(path) for path in ours.sizes} == files == {n: theirs.read(n) for n in theirs.namelist()}


def test_writing_twice_gives_the_same_bytes():
    files = [("a.md", PAGE), ("b.md", b"x")]
    assert write_archive(files) == write_archive(files)


@pytest.mark.parametrize("batch", [*range(3), *(pytest.param(n, marks=pytest.mark.slow) for n in range(3, 100))])
def test_a_mutated_archive_is_refused_or_read_as_the_standard_library_reads_it(batch):
    """No difference between readers: what we accept, the standard library reads to the same names and bytes."""
    for seed in range(batch * 100, batch * 100 + 100):
        data = _mutated(random.Random(seed))
        try:
            archive = open_archive(data)
            found = {path: archive.read(path) for path in archive.sizes}
        except OkfError:
            continue
        theirs = zipfile.ZipFile(io.BytesIO(data))
        assert found == {info.filename: theirs.read(info) for info in theirs.infolist() if not info.is_dir()}, seed
        assert not any(".." in path.split("/") or path.startswith("/") for path in found), seed


def _mutated(chance: random.Random) -> bytes:
    entries = [INDEX, Entry(b"a/b.md", PAGE), Entry(b"c.md", PAGE, method=0), Entry("é.md".encode(), b"x" * 99)]
    data = bytearray(build(entries, comment=b"note" if chance.random() < 0.3 else b""))
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data))
        kind = chance.randrange(5)
        if kind == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            data[at] = chance.choice((0, 0xFF, 0x2E, 0x2F, 0x5C, chance.randrange(256)))
        elif kind == 2:
            data[at:at] = chance.randbytes(chance.randint(1, 9))
        elif kind == 3:
            del data[at : at + chance.randint(1, 9)]
        else:
            other = chance.randrange(len(data))
            data[at : at + 8] = data[other : other + 8]
    return bytes(data)


def _quoting_bomb() -> bytes:
    """The second entry lies inside the stored data of the first, so its bytes count twice (after D. Fifield)."""
    inner = Entry(b"b.md", PAGE)
    quoted = build([inner])
    quoted = quoted[: quoted.index(b"PK\x01\x02")]
    return build([Entry(b"a.md", quoted, method=0), Entry(b"b.md", PAGE, offset=30 + len(b"a.md"))])
