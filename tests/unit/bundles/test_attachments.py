"""Attachments tell what they hold beside their picture."""

from __future__ import annotations

import base64
import random
import struct
import zlib

import pytest

from okf_edge.bundles.risks import scan

TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


def found(path: str, data: bytes) -> set[tuple[str, str]]:
    return {(each.kind, each.severity) for each in scan({path: data})}


def exif(order: str, *, with_position: bool) -> bytes:
    """A TIFF structure with one GPS directory."""
    mark = b"II*\x00" if order == "<" else b"MM\x00*"
    tag = 2 if with_position else 0
    gps = struct.pack(f"{order}HHHIII", 1, tag, 5, 3, 100, 0)
    return mark + struct.pack(f"{order}IHHHIII", 8, 1, 0x8825, 4, 1, 26, 0) + gps


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(
    ("path", "before"),
    [("a.jpg", b"\xff\xd8\xff\xe1\x00\x40Exif\x00\x00"), ("a.png", PNG + b"\x00\x00\x00\x30eXIf"), ("a.tif", b""),
     ("a.heic", b"\x00\x00\x00\x18ftypheic\x00\x00Exif\x00\x00")],
)  # fmt: skip
def test_a_photo_that_tells_where_it_was_taken_stops_an_export(path: str, before: bytes, order: str):
    assert ("position", "blocking") in found(path, before + exif(order, with_position=True) + bytes(50))
    assert ("position", "blocking") not in found(path, before + exif(order, with_position=False) + bytes(50))


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


XMP = b'<x:xmpmeta><rdf:Description exif:GPSLatitude="51,30.5N" exif:GPSLongitude="0,7.6W"/></x:xmpmeta>'
PICTURE = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bytes(13))
PROFILE = b"\nexif\n  100\n" + exif("<", with_position=True).hex().encode() + b"\n"


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("a.jpg", b"\xff\xd8\xff\xe1\x00\x80http://ns.adobe.com/xap/1.0/\x00" + XMP),
        ("a.png", PICTURE + chunk(b"iTXt", b"XML:com.adobe.xmp\x00\x00\x00\x00\x00" + XMP)),
        ("a.png", PICTURE + chunk(b"iTXt", b"XML:com.adobe.xmp\x00\x01\x00\x00\x00" + zlib.compress(XMP))),
        ("a.png", PICTURE + chunk(b"zTXt", b"Raw profile type exif\x00\x00" + zlib.compress(PROFILE))),
        ("a.mp4", b"\x00\x00\x00\x20ftypmp42moovudta\xa9xyz\x00\x12\x15\xc7+51.5074-000.1278/"),
        ("a.mov", b"\x00\x00\x00\x14ftypqt  location.ISO6709\x00+48.8577+002.2950+035.000/\x00"),
    ],
)
def test_a_position_is_found_in_every_place_where_one_is_kept(path: str, data: bytes):
    assert ("position", "blocking") in found(path, data)
    page = b"# x\n\n![x](data:image/png;base64," + base64.b64encode(data) + b")\n"
    assert ("position", "blocking") in found("a.md", page)
    assert ("position", "blocking") in found("a.canvas", b'{"nodes":[{"text":"' + page.replace(b"\n", b" ") + b'"}]}')


@pytest.mark.parametrize("kind", [b"tEXt", b"zTXt", b"iTXt"])
def test_the_texts_of_a_png_are_read_packed_or_not(kind: bytes):
    start = {b"tEXt": b"Comment\x00", b"zTXt": b"Comment\x00\x00", b"iTXt": b"Comment\x00\x01\x00\x00\x00"}[kind]
    text = TOKEN.encode() if kind == b"tEXt" else zlib.compress(TOKEN.encode())
    whole = PICTURE + chunk(kind, start + text) + chunk(b"IEND", b"")
    assert ("credential", "blocking") in found("a.png", whole)
    for end in range(len(whole)):
        found("a.png", whole[:end])


def test_a_text_of_a_png_that_unpacks_to_a_gigabyte_costs_no_more_than_its_share():
    bomb = zlib.compress(bytes(64 * 1024 * 1024))
    assert found("a.png", PICTURE + chunk(b"zTXt", b"Comment\x00\x00" + bomb)) == set()


def test_damaged_positions_are_nothing():
    whole = b"\xff\xd8Exif\x00\x00" + exif("<", with_position=True)
    for end in range(len(whole)):
        found("a.jpg", whole[:end])


@pytest.mark.parametrize("encoding", ["ascii", "utf-16-le"])
def test_keys_and_addresses_inside_of_a_binary_file_are_found(encoding: str):
    inside = f"Author: ada.lovelace@weirworks.com and token {TOKEN} here".encode(encoding)
    kinds = {kind for kind, severity in found("a.png", PNG + bytes(9) + inside + bytes(9)) if severity == "blocking"}
    assert {"e-mail", "credential"} <= kinds


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_text_in_another_encoding_is_read(encoding: str):
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    assert ("credential", "blocking") in found("a.txt", mark + f"key {TOKEN}".encode(encoding))


@pytest.mark.parametrize("suffix", ["zip", "pdf", "docx"])
def test_what_is_packed_is_told(suffix: str):
    assert ("packed file", "warning") in found(f"a.{suffix}", b"PK\x03\x04\x00" + bytes(50))


def test_pictures_and_noise_are_nothing():
    chance = random.Random(5)
    for size in (1_000, 300_000, 3_000_000):
        assert found("a.png", PNG + chance.randbytes(size)) == set()
