"""Files that a program could run: they are part of a bundle's account, and never written to a disk.

A bundle is knowledge. A file that a double click, a browser or a preview pane would execute has no place in a vault
that syncs to every device of a person. Source code that only a named interpreter runs (`.py`, `.sql`: the attesters
of OKF v0.2 section 10) is text, and stays.
"""

from __future__ import annotations

import re

_RUNNABLE = re.compile(
    r"""app | apk | bat | bin | cmd | com | command | cpl | csh | deb | desktop | dll | dmg | dylib | exe | gadget | hta
      | inf | ipa | iso | jar | js | jse | ksh | lnk | mjs | cjs | msc | msi | msp | mst | pif | pkg | ps1 | psd1 | psm1
      | reg | rpm | scf | scr | sct | sh | bash | zsh | fish | so | sys | tool | url | vb | vbe | vbs | wasm | workflow
      | ws | wsc | wsf | wsh | xbap | xll | docm | dotm | xlsm | xltm | pptm | potm | xlam
    """,
    re.VERBOSE,
)
_PAGES = frozenset({"htm", "html", "xhtml", "xht", "shtml", "mht", "mhtml", "svgz"})
_MARKUP = frozenset({"svg", "xml", "xsl", "xslt"})
_MAGIC = (
    (b"MZ", "a Windows program"),
    (b"\x7fELF", "a Linux program"),
    (b"#!", "a script"),
    (b"\xca\xfe\xba\xbe", "a macOS program or Java class"),
    (b"\xcf\xfa\xed\xfe", "a macOS program"),
    (b"\xce\xfa\xed\xfe", "a macOS program"),
    (b"\xfe\xed\xfa\xce", "a macOS program"),
    (b"\xfe\xed\xfa\xcf", "a macOS program"),
)
_ACTIVE_MARKUP = re.compile(
    rb"""<\s*(?:[\w-]+:)?(?:script|foreignObject|iframe|embed|object|handler|link|meta|base|form)\b
       | [\s"'/]on[a-z]+\s*=                          # event handlers
       | (?:java|vb)script\s*:
       | (?:href|src)\s*=\s*["']?\s*(?:data:text/html|data:image/svg|https?:|//|file:)
       | @import | url\(\s*["']?\s*(?:https?:|//)
       | <!ENTITY | <\?xml-stylesheet
    """,
    re.IGNORECASE | re.VERBOSE,
)


def active_content(path: str, data: bytes) -> str:
    """Why a file is active, in words; empty when it is not."""
    suffix = path.rpartition(".")[2].casefold() if "." in path.rpartition("/")[2] else ""
    if _RUNNABLE.fullmatch(suffix):
        return f"a .{suffix} file can be run by a double click"
    if suffix in _PAGES:
        return f"a .{suffix} file can run scripts in a browser"
    if suffix == "md":
        return ""
    for magic, kind in _MAGIC:
        if data.startswith(magic) and suffix not in {"py", "sql", "txt"}:
            return f"it is {kind}"
    if suffix in _MARKUP or b"<svg" in data[:1024].lower():
        return "it is markup with scripts, events or outside references" if is_active_markup(data) else ""
    return "it is a web page" if data[:512].lstrip().lower().startswith((b"<!doctype html", b"<html")) else ""


def is_active_markup(data: bytes) -> bool:
    """Whether SVG or HTML text has anything that runs or loads, in any encoding that a browser reads."""
    plain = data.replace(b"\0", b"")  # UTF-16 spells ASCII with zeros between
    decoded = re.sub(rb"&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));?", _character, plain, flags=re.IGNORECASE)
    return any(_ACTIVE_MARKUP.search(text) for text in (plain, decoded))


def _character(found: re.Match[bytes]) -> bytes:
    code = int(found[1], 16) if found[1] else int(found[2])
    return bytes([code]) if code < 128 else b"?"
