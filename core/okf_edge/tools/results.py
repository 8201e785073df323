"""What tools return, where no report or answer of the product has that shape already."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

Untrusted = Literal["untrusted"]


class Output(BaseModel):
    model_config = ConfigDict(extra="forbid")


class KbLine(Output):
    """`place` is told only to whoever runs the server; `problem` says why a base can't be asked."""

    name: str
    default: bool
    problem: str
    place: str


class KbList(Output):
    kbs: list[KbLine]


class ReadPage(Output):
    """`lines` are 1-based and inclusive; `cut` tells how many lines of the page or section come after these."""

    kb: str
    path: str
    uri: str
    title: str
    heading: str
    lines: tuple[int, int]
    content: Untrusted = "untrusted"
    tier: str
    bundle: str
    trust: str
    fresh: bool
    text: str
    cut: int
    cursor: str


class BundleLine(Output):
    id: str
    version: str
    title: str
    signature: str
    index: str


class BundleList(Output):
    kb: str
    content: Untrusted = "untrusted"
    bundles: list[BundleLine]


class NeighbourLine(Output):
    """`cites`: the page that links names the other as its source."""

    path: str
    title: str
    line: int
    cites: bool


class NeighbourList(Output):
    kb: str
    path: str
    content: Untrusted = "untrusted"
    links: list[NeighbourLine]
    linked_from: list[NeighbourLine]
    cut: int


class Captured(Output):
    kb: str
    path: str
    title: str


class Synced(Output):
    kb: str
    written: list[str]
    left: list[str]
    recorded: int
    notes: list[str]


class Registered(Output):
    name: str
    place: str
    created: list[str]


class Installed(Output):
    kb: str
    id: str
    version: str
    outcome: str
    notes: list[str]


class Offer(Output):
    feed: str
    id: str
    version: str
    title: str
    description: str
    bytes: int
    signer: str


class Offers(Output):
    kb: str
    content: Untrusted = "untrusted"
    bundles: list[Offer]
    troubles: list[str]
    cut: int


class Standing(Output):
    """`offered` is a newer version, `yanked` why the installed one was withdrawn; empty when neither is so."""

    id: str
    version: str
    offered: str
    yanked: str
    trouble: str


class Standings(Output):
    kb: str
    content: Untrusted = "untrusted"
    bundles: list[Standing]


class Updated(Output):
    updated: list[Installed]
