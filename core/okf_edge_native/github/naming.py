"""Where an archive of a feed lies among releases: its key as a tag and the name of an asset, and back.

    targets/ada.harbour/<sha256>.ada.harbour-1.0.0.okf.zip
    tag    ada.harbour/ada.harbour-1.0.0
    asset  <sha256>.ada.harbour-1.0.0.okf.zip

GitHub renames assets whose names hold other characters than letters, digits, points and hyphens. Such a character, and
a point at either end, is written as `_` and the hexadecimal number of each of its bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from okf_edge.errors import InputError

ASSETS = "targets/"
_PLAIN = re.compile(rb"[A-Za-z0-9.-]")
_DIGEST = re.compile(r"[0-9a-f]{64}\.")
_ESCAPED = re.compile(r"_([0-9A-F]{2})")
_SUFFIX = ".okf.zip"


@dataclass(frozen=True, slots=True)
class Place:
    """Where one archive lies."""

    key: str
    tag: str
    name: str

    @property
    def title(self) -> str:
        return _decoded(self.tag.rpartition("/")[2])

    @property
    def is_prerelease(self) -> bool:
        """Whether the version says so: `1.0.0-rc.1`, not `1.0.0+build-7`."""
        folder, _, rest = self.tag.partition("/")
        version = _decoded(rest).removeprefix(f"{_decoded(folder)}-").partition("+")[0]
        return "-" in version


def place_of(key: str) -> Place:
    """Raises InputError: no key of an archive."""
    folder, _, name = key.removeprefix(ASSETS).rpartition("/")
    if not folder or "/" in folder or not name:
        raise InputError(f"expected targets/<id>/<archive>, found {key[:200]!r}", code="bad-name")
    release = _DIGEST.sub("", name, count=1).removesuffix(_SUFFIX)
    return Place(key, f"{_encoded(folder)}/{_encoded(release)}", _encoded(name))


def key_of(tag: str, asset: str) -> str:
    """The key of an asset; empty when it is none that a feed wrote."""
    folder, slash, _ = tag.partition("/")
    key = f"{ASSETS}{_decoded(folder)}/{_decoded(asset)}"
    try:
        place = place_of(key)
    except InputError:
        return ""
    return key if slash and (place.tag, place.name) == (tag, asset) else ""


def _encoded(text: str) -> str:
    parts = [bytes([byte]) for byte in text.encode()]
    last = len(parts) - 1
    plain = (_PLAIN.fullmatch(part) and not (part == b"." and at in (0, last)) for at, part in enumerate(parts))
    return "".join(part.decode() if ok else f"_{part[0]:02X}" for part, ok in zip(parts, plain, strict=True))


def _decoded(text: str) -> str:
    raw = _ESCAPED.sub(lambda found: bytes([int(found[1], 16)]).decode("latin-1"), text)
    return raw.encode("latin-1", "replace").decode(errors="replace")
