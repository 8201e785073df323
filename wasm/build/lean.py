"""Python's archives as they are shipped: wheels and standard library without what no browser imports, as bytecode, and
uncompressed, as whoever ships them packs the whole.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import zipfile
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

BUILD = Path(__file__).parent
EPOCH = (1980, 1, 1, 0, 0, 0)
UNUSED = re.compile(
    r"/$|/ed25519/test_|^pydantic/(v1|mypy)|/test_cases\.py$|\.pyi$|\.dist-info/(RECORD$|sboms/)"
    r"|^okf_edge_(cli|lambda|native)/"
    # of the standard library: tools for developers, servers, clients of protocols, twins of what is compiled in
    r"|^(_pyrepl|ctypes|ensurepip|idlelib|multiprocessing|unittest|wsgiref|xmlrpc)/|^http/(server|cookiejar)\.py"
    r"|^(_?pydoc\w*|_pyio|_pydatetime|bdb|cProfile|compileall|doctest|ftplib|imaplib|mailbox|modulefinder|optparse|pdb"
    r"|pickletools|plistlib|poplib|profile|pstats|smtplib|socketserver|tabnanny|timeit|trace|wave|zipapp)\.py"
    r"|^snowballstemmer/(?!__init__|among|basestemmer|english)"
    r"|^encodings/(big5|cp(?!437|1252)|euc_|gb|hp_|hz|iso2022|iso8859_(?!1\.)|johab|koi8|kz|mac_|palmos|ptcp|shift|tis)"
)
"""Data of tests, interfaces of old versions and of type checkers, other hosts, old encodings,
languages that are not stemmed. Licences stay."""
OTHER_STEMMERS = re.compile(rb"^.*\b(?!EnglishStemmer)[A-Z][A-Za-z]*Stemmer\b.*\n", re.MULTILINE)
"""Lines of snowballstemmer that name what is left out of it."""


def lean(archives: Sequence[Path], target: Path, cache: Path) -> None:
    """Write the archives as they are shipped into `target`. `cache` keeps each as long as its source is the same."""
    cache.mkdir(exist_ok=True)
    rules = b"".join((BUILD / name).read_bytes() for name in ("lean.py", "bytecode.py"))
    kept = {path: cache / hashlib.sha256(rules + path.read_bytes()).hexdigest()[:16] / path.name for path in archives}
    new = [path for path, place in kept.items() if not place.is_file()]
    with TemporaryDirectory() as source, TemporaryDirectory(dir=cache) as made:
        for path in new:
            _without_unused(path, Path(source) / path.name)
        if new:
            subprocess.run(["node", str(BUILD / "bytecode.mjs"), source, made], check=True)
        for path in new:
            kept[path].parent.mkdir(exist_ok=True)
            (Path(made) / path.name).replace(kept[path])
    for place in kept.values():
        shutil.copyfile(place, target / place.name)


def _without_unused(archive: Path, target: Path) -> None:
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as made:
        for name in sorted(source.namelist()):
            if not UNUSED.search(name):
                data = source.read(name)
                if name == "snowballstemmer/__init__.py":
                    data = OTHER_STEMMERS.sub(b"", data)
                made.writestr(zipfile.ZipInfo(name, EPOCH), data)
