"""`okf plugin install`: puts the Obsidian plugin and its engine into a vault, from where a sync service carries them.

Rules:
1. Everything is proved before anything is written: each chunk by the list of files, the list by the plugin's script.
2. Files appear whole. The manifest comes last, so that a plugin is never newer than its engine.
3. Only files of ours are touched: the person's `data.json` stays, chunks of an earlier engine go.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from okf_edge.errors import BundleError, NotFoundError
from okf_edge_native.atomic import write_whole
from okf_edge_native.engine_models import chosen_models, without_other_models
from okf_edge_native.failures import port_errors
from okf_edge_native.webview import ENGINE, Files, open_files

PLUGIN_ID = "okf-edge"
PLUGIN, ENGINE_FOLDER, LIST = "obsidian/", "engine/", "manifest.json"
SCRIPT, STYLES, MANIFEST = "main.js", "styles.css", "manifest.json"


@dataclass(frozen=True, slots=True)
class Equipped:
    """What lies in the vault now. `written` counts files that were not there already."""

    folder: str
    version: str
    models: tuple[str, ...]
    files: int
    bytes: int
    written: int
    removed: int


def equip(vault: str, assets: str, models: Collection[str], config: str = ".obsidian") -> Equipped:
    """Put the plugin of an archive, or of the checkout, into a vault.

    Args: models: ids of the models to bring; empty for all. config: the folder of the app's settings in the vault.
    Raises: NotFoundError: no vault, or no such assets. InputError: an unknown model. BundleError: damaged files.
    """
    root = _vault(vault, config)
    needed = (PLUGIN + SCRIPT, PLUGIN + STYLES, PLUGIN + MANIFEST, ENGINE + LIST)
    source = open_files(assets, "Obsidian plugin", needed)
    chosen, files = _proved(source, models)
    folder = root / config / "plugins" / PLUGIN_ID
    with port_errors(str(folder)):
        written = sum(_put(folder, name, data) for name, data in files.items())
        removed = _remove_others(folder / ENGINE_FOLDER, {name.removeprefix(ENGINE_FOLDER) for name in files})
    version = json.loads(files[MANIFEST])["version"]
    size = sum(map(len, files.values()))
    return Equipped(str(folder), version, chosen, len(files), size, written, removed)


def _vault(vault: str, config: str) -> Path:
    root = Path(vault)
    if not root.is_dir():
        raise NotFoundError(f"expected a vault, found no folder {vault}", code="no-vault", hint="Name its folder.")
    if not (root / config).is_dir():
        raise NotFoundError(
            f"expected an Obsidian vault, found no {config} in {vault}",
            code="no-vault",
            hint="Open the folder in Obsidian once, then run this again.",
        )
    return root


def _proved(source: Files, models: Collection[str]) -> tuple[tuple[str, ...], Mapping[str, bytes]]:
    """The models, and all files in the order in which they are written, each as it has to be."""
    listing = _read(source, ENGINE + LIST)
    listed: list[dict[str, Any]] = json.loads(listing)["assets"]
    chosen = chosen_models(listed, models)
    wanted = [chunk for asset in without_other_models(listed, chosen) for chunk in asset["chunks"]]
    plugin = {name: _read(source, PLUGIN + name) for name in (SCRIPT, STYLES, MANIFEST)}
    chunks = {ENGINE_FOLDER + chunk["file"]: source.read(ENGINE + chunk["file"]) or b"" for chunk in wanted}
    _require_whole(list(_faults(wanted, chunks, listing, plugin[SCRIPT])))
    return chosen, {**chunks, ENGINE_FOLDER + LIST: listing, **plugin}


def _faults(wanted: list[dict[str, Any]], chunks: Mapping[str, bytes], listing: bytes, script: bytes) -> Iterator[str]:
    for chunk in wanted:
        data = chunks[ENGINE_FOLDER + chunk["file"]]
        if _sha256(data) != chunk["sha256"]:
            yield f"{chunk['file']}: expected {chunk['bytes']} bytes of sha256 {chunk['sha256'][:12]}…, found others"
    if _sha256(listing).encode() not in script:
        yield f"{LIST}: not the list that {SCRIPT} was built with"


def _require_whole(faults: list[str]) -> None:
    if faults:
        raise BundleError(
            f"the engine's files are damaged or not of one build: {'; '.join(faults)}",
            code="hash-mismatch",
            hint="Fetch the archive again, or run `make web` again. Nothing was written.",
        )


def _read(source: Files, name: str) -> bytes:
    data = source.read(name)
    if data is None:
        raise NotFoundError(f"expected {name} in the assets, found none", code="no-assets")
    return data


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _put(folder: Path, name: str, data: bytes) -> bool:
    """Whether the file had to be written. A sync service sees only what changed."""
    target = folder / name
    if target.is_file() and target.stat().st_size == len(data) and target.read_bytes() == data:
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(str(target), data, flush=False)
    return True


def _remove_others(engine: Path, kept: Collection[str]) -> int:
    """Chunks of an earlier engine, or of models that are not wanted any more."""
    others = [path for path in engine.iterdir() if path.is_file() and path.name not in kept]
    for path in others:
        path.unlink()
    return len(others)
