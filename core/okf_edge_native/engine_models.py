"""Which models go along with an engine: into a vault, or onto a site."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from okf_edge.errors import InputError
from okf_edge_native.webview import ENGINE, Files

MODEL = "model:"
LIST = ENGINE + "manifest.json"


def chosen_models(listed: Sequence[dict[str, Any]], models: Collection[str]) -> tuple[str, ...]:
    """The ids to bring, of those that an engine's list of files has; all when none is named.

    Raises: InputError: the list has no such model.
    """
    available = sorted({each["part"].removeprefix(MODEL) for each in listed if each["part"].startswith(MODEL)})
    if unknown := set(models) - set(available):
        found = ", ".join(available) or "none"
        raise InputError(f"expected models of {found}, found {', '.join(sorted(unknown))}", code="unknown-model")
    return tuple(each for each in available if not models or each in models)


def without_other_models(listed: Sequence[dict[str, Any]], chosen: Collection[str]) -> list[dict[str, Any]]:
    """The files of the engine and of these models."""
    return [each for each in listed if not each["part"].startswith(MODEL) or each["part"].removeprefix(MODEL) in chosen]


@dataclass(frozen=True, slots=True)
class FewerModels:
    """The files of a reader whose engine brings only some models: a site of one language needs no more."""

    files: Files
    listing: bytes
    left_out: frozenset[str]

    def names(self) -> list[str]:
        return [name for name in self.files.names() if name not in self.left_out]

    def read(self, name: str) -> bytes | None:
        if name == LIST:
            return self.listing
        return None if name in self.left_out else self.files.read(name)


def with_models(files: Files, models: Collection[str]) -> Files:
    """The files with these models only; all as they are when none is named. Raises as `chosen_models`."""
    if not models:
        return files
    manifest = json.loads(files.read(LIST) or b"{}")
    kept = without_other_models(manifest["assets"], chosen_models(manifest["assets"], models))
    listing = json.dumps(manifest | {"assets": kept}, indent=1).encode() + b"\n"
    left_out = _chunks(manifest["assets"]) - _chunks(kept)
    return FewerModels(files, listing, left_out)


def _chunks(listed: Sequence[dict[str, Any]]) -> frozenset[str]:
    return frozenset(ENGINE + chunk["file"] for asset in listed for chunk in asset["chunks"])
