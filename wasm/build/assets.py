"""Builds the engine of the WebView into `wasm/dist`: its files as they are used, then as chunks with a manifest.

    python wasm/build/assets.py [--models FOLDER]

Rules:
1. Nothing is built again while its sources are the same.
2. A chunk is named after what is stored: other bytes never lie under a known name.
3. `runtime/assets.ts` says what the manifest means.
"""

from __future__ import annotations

import argparse
import fcntl
import gzip
import hashlib
import json
import lzma
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent))

import wheels
from lean import lean

import okf_edge
from okf_edge.embedding.models import MODELS

WASM = Path(__file__).parents[1]
DIST = WASM / "dist"
ENGINE = DIST / "engine"
ASSETS = DIST / "assets"
TESTING = DIST / "testing"
CHUNK_BYTES = 4 * 1024 * 1024
SOURCES = ("wasm/runtime", "wasm/build", "wasm/okf_edge_wasm", "wasm/package-lock.json", "pyproject.toml")
SOURCES += ("core", "cli/okf_edge_cli", "lambda/okf_edge_lambda")
ENCODINGS = {"duckdb.wasm": "xz", "ort.wasm": "xz", ".whl": "xz", ".zip": "xz"}
"""By the end of a file's name; else gzip. Xz takes a third less and five times as long to unpack: it is for what is
large and not waited for first. The page unpacks its worker itself, and knows no xz."""
XZ = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 8 << 20}]
"""The dictionary is memory of the worker."""
STDLIB = "python_stdlib.zip"
PARTS = {"duckdb.wasm": "engine", "ort.wasm": "meaning"}
NOT_SHIPPED = ("pyodide.asm.mjs",)
"""Of the engine's folder: only Node reads it, browsers have it in their worker."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--models", type=Path, help="the folder of models to ship; left out: none")
    build(arguments.parse_args().models)


def build(models: Path | None) -> Path:
    """The folder with the manifest and its chunks. Several processes may ask at once."""
    DIST.mkdir(exist_ok=True)
    with (DIST / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _build_engine()
        _chunk(models)
    return ASSETS


def _build_engine() -> None:
    stamp, digest = ENGINE / ".sources", _digest_of_sources()
    if stamp.is_file() and stamp.read_text() == digest:
        return
    with TemporaryDirectory(dir=DIST) as scratch:
        made = Path(scratch) / "engine"
        made.mkdir()
        archives = [*wheels.wheels(DIST / "wheels"), wheels.own_wheel(Path(scratch)), wheels.PYODIDE / STDLIB]
        lean(archives, made, DIST / "lean")
        (made / "pyodide-lock.json").write_text(wheels.lock_file(sorted(made.glob("*.whl"))))
        linked = wheels.linked(sorted(made.glob("*.whl")), Path(scratch) / "linked")
        subprocess.run(["node", str(WASM / "build" / "bundle.mjs"), str(made), str(TESTING), str(linked)], check=True)
        (made / stamp.name).write_text(digest)
        if ENGINE.exists():
            ENGINE.rename(Path(scratch) / "before")
        made.rename(ENGINE)


def _digest_of_sources() -> str:
    digest = hashlib.sha256()
    for path in sorted(_files(wheels.REPOSITORY / each for each in SOURCES)):
        digest.update(f"{path}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def _files(roots: Iterable[Path]) -> Iterator[Path]:
    for root in roots:
        for path in [root] if root.is_file() else root.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts and "node_modules" not in path.parts:
                yield path


def _chunk(models: Path | None) -> None:
    ASSETS.mkdir(exist_ok=True)
    assets = [_asset(path.name, PARTS.get(path.name, "base"), path) for path in _shipped()]
    for model in MODELS if models else ():
        for file in model.files:
            assert models is not None
            assets.append(_asset(f"{model.id}/{file.name}", f"model:{model.id}", models / model.id / file.name))
    manifest = {"format": 1, "version": okf_edge.__version__, "assets": assets}
    (ASSETS / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    wanted = {chunk["file"] for asset in assets for chunk in asset["chunks"]} | {"manifest.json"}
    for path in ASSETS.iterdir():
        if path.name not in wanted:
            path.unlink()


def _shipped() -> list[Path]:
    return [path for path in sorted(ENGINE.iterdir()) if path.name not in NOT_SHIPPED and not path.name.startswith(".")]


def _asset(name: str, part: str, path: Path) -> dict[str, object]:
    data = path.read_bytes()
    sha256 = hashlib.sha256(data).hexdigest()
    encoding = next((found for end, found in ENCODINGS.items() if name.endswith(end)), "gzip")
    chunks = _cut(data if encoding == "identity" else _packed(data, f"{sha256[:16]}.{encoding}"))
    return {"name": name, "part": part, "bytes": len(data), "sha256": sha256, "encoding": encoding, "chunks": chunks}


def _packed(data: bytes, name: str) -> bytes:
    """The data in the encoding that ends the name, from the last build where that had the same."""
    cache = DIST / "packed" / name
    if not cache.is_file():
        cache.parent.mkdir(exist_ok=True)
        packed = lzma.compress(data, check=lzma.CHECK_CRC32, filters=XZ) if name.endswith("xz") else _gzipped(data)
        unfinished = cache.with_suffix(".part")
        unfinished.write_bytes(packed)
        unfinished.replace(cache)
    return cache.read_bytes()


def _gzipped(data: bytes) -> bytes:
    return gzip.compress(data, 9, mtime=0)


def _cut(stored: bytes) -> list[dict[str, object]]:
    chunks, name = [], hashlib.sha256(stored).hexdigest()[:16]
    for number, start in enumerate(range(0, max(1, len(stored)), CHUNK_BYTES)):
        part = stored[start : start + CHUNK_BYTES]
        path = ASSETS / f"{name}.{number}"
        if not path.is_file() or path.stat().st_size != len(part):
            path.write_bytes(part)
        chunks.append({"file": path.name, "bytes": len(part), "sha256": hashlib.sha256(part).hexdigest()})
    return chunks


if __name__ == "__main__":
    main()
