"""Builds the web reader into `wasm/dist/reader`, unless that was built from the same sources.

python wasm/build/reader.py
"""

from __future__ import annotations

import fcntl
import hashlib
import subprocess
from pathlib import Path

WASM = Path(__file__).parents[1]
DIST = WASM / "dist"
OUT = DIST / "reader"
SOURCES = ("reader", "ui", "runtime", "build/worker.mjs", "package-lock.json", "../core/okf_edge/__init__.py")


def build() -> Path:
    """The folder of the page. Several processes may ask at once."""
    DIST.mkdir(exist_ok=True)
    with (DIST / ".reader-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp, digest = DIST / ".reader-sources", _digest()
        if not (OUT / "index.html").is_file() or not stamp.is_file() or stamp.read_text() != digest:
            vite = WASM / "node_modules" / ".bin" / "vite"
            subprocess.run(
                [vite, "build", "--config", "reader/vite.config.ts", "--logLevel", "warn"], cwd=WASM, check=True
            )
            stamp.write_text(digest)
    return OUT


def _digest() -> str:
    digest = hashlib.sha256()
    for source in SOURCES:
        root = WASM / source
        for path in sorted([root] if root.is_file() else root.rglob("*")):
            if path.is_file():
                digest.update(f"{path.resolve().relative_to(WASM.parent)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    build()
