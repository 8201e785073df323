"""The questions of the hard set, and where each pages' folder lies. PROTOCOL.md says how they were made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import yaml

from tests.floors.handbook import ROOT as HANDBOOK

HERE = Path(__file__).parent
BUNDLES: dict[str, Path] = {
    "handbook": HANDBOOK,
    "ferries": HERE / "pages/ferries",
    "seedbank": HERE / "pages/seedbank",
}
"""Source trees by the first part of a gold's path."""

Half = Literal["dev", "test"]
HALVES: tuple[Half, ...] = ("dev", "test")
ANSWERABLE = ("paraphrase", "cross", "multihop", "lookup")
UNANSWERABLE = ("near-miss", "off-topic")


@dataclass(frozen=True, slots=True)
class HardQuestion:
    """One question. `path` and `quote` are the passage that answers it, `via` the page from which a link leads there.

    All three are empty where nothing answers.
    """

    id: str
    kind: str
    lang: str
    text: str
    path: str = ""
    quote: str = ""
    via: str = ""

    @property
    def is_answerable(self) -> bool:
        return bool(self.path)


def questions(half: Half) -> tuple[HardQuestion, ...]:
    raw = yaml.safe_load((HERE / f"questions-{half}.yaml").read_text("utf-8"))
    return tuple(
        HardQuestion(item["id"], item["kind"], item["lang"], item["question"], **item.get("gold", {}), via=_via(item))
        for item in raw
    )


def _via(item: dict[str, str]) -> str:
    return item.get("via", "")


def page(path: str) -> Path:
    """The file of a page, by the path that a search over all bundles gives it."""
    bundle, _, name = path.partition("/")
    return BUNDLES[bundle] / name
