"""What is fetched once: the engine, and each model."""

from __future__ import annotations

import json
from collections.abc import Iterator

from browser.bench.given import Given
from tests.bench.rows import Row

BOUNDS_MB = {"engine": 16.0, "model:minilm-l6": 22.0}


def rows(given: Given) -> Iterator[Row]:
    manifest = json.loads((given.dist / "assets" / "manifest.json").read_text())
    sizes: dict[str, float] = {}
    for asset in manifest["assets"]:
        part = asset["part"] if asset["part"].startswith("model:") else "engine"
        sizes[part] = sizes.get(part, 0) + sum(chunk["bytes"] for chunk in asset["chunks"]) / 1e6
    for part, size in sizes.items():
        yield Row(f"download of {part}", size, "MB", BOUNDS_MB.get(part))
