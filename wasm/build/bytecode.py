"""Archives with bytecode in the place of source, so that no device compiles Python. Pyodide itself runs this.

Rules:
1. Bytecode is taken as it is: there is no source beside it to compare it with.
2. The standard library goes without docstrings and assertions; packages keep theirs, as dataclasses and contracts use
   them.
"""

from __future__ import annotations

import importlib.util
import marshal
import zipfile
from pathlib import Path

EPOCH = (1980, 1, 1, 0, 0, 0)
STDLIB = "python_stdlib.zip"
UNCHECKED = (1).to_bytes(4, "little") + bytes(8)
"""Of a bytecode file's head: known by a hash that nobody compares."""


def compile_archives(source: str, target: str) -> None:
    """Write every archive of one folder into the other."""
    for path in sorted(Path(source).iterdir()):
        _compile_archive(path, Path(target) / path.name, is_stdlib=path.name == STDLIB)


def _compile_archive(source: Path, target: Path, is_stdlib: bool) -> None:
    with zipfile.ZipFile(source) as read, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as made:
        for name in read.namelist():
            data = read.read(name)
            if name.endswith(".py"):
                is_bare = is_stdlib and not name.startswith("_pyodide/")  # which copies its docstrings
                name, data = f"{name}c", _bytecode(name, data, 2 if is_bare else 0)
            made.writestr(zipfile.ZipInfo(name, EPOCH), data)


def _bytecode(name: str, source: bytes, level: int) -> bytes:
    code = compile(source, name, "exec", dont_inherit=True, optimize=level)
    return importlib.util.MAGIC_NUMBER + UNCHECKED + marshal.dumps(code)
