"""Writes `okf-edge-webview-<version>.zip` from what `make web` built: reader, plugin, engine, models, for `--assets`.

    python wasm/build/release.py FOLDER

The same files give the same bytes. `okf_edge_native/webview.py` says what lies where in it.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import okf_edge

DIST = Path(__file__).parents[1] / "dist"
PARTS = ("assets", "obsidian", "reader")
EPOCH = (1980, 1, 1, 0, 0, 0)


def release(out: Path) -> Path:
    """The archive in a folder; it appears whole."""
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"okf-edge-webview-{okf_edge.__version__}.zip"
    unfinished = target.with_suffix(".part")
    with zipfile.ZipFile(unfinished, "w") as archive:
        for part in PARTS:
            for path in sorted(each for each in (DIST / part).rglob("*") if each.is_file()):
                archive.writestr(_entry(path), path.read_bytes())
    unfinished.replace(target)
    return target


def _entry(path: Path) -> zipfile.ZipInfo:
    """Chunks are compressed already."""
    entry = zipfile.ZipInfo(path.relative_to(DIST).as_posix(), EPOCH)
    entry.compress_type = zipfile.ZIP_STORED if entry.filename.startswith("assets/") else zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


if __name__ == "__main__":
    print(release(Path(sys.argv[1])))
