"""`okf plugin install`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from okf_edge_cli import session
from okf_edge_cli.commands import DONE
from okf_edge_cli.screen import Line, bold, dim, good, line
from okf_edge_native.plugin import Equipped, equip


def install(vault: str, assets: str, models: Sequence[str], config: str, as_json: bool) -> int:
    """Put the Obsidian plugin and its engine into a vault."""
    equipped = equip(vault, assets, models or (), config)
    session.print_result({"vault": vault, **asdict(equipped)}, _lines(equipped), as_json)
    return DONE


def _lines(equipped: Equipped) -> Iterator[Line]:
    yield line(good("plugin "), bold(equipped.version), f" in {equipped.folder}")
    models = ", ".join(equipped.models) or "none: by words only"
    yield line(
        f"  {equipped.files} files, {equipped.bytes:,} bytes; {equipped.written} written, {equipped.removed} removed"
    )
    yield line(f"  models: {models}")
    yield line(
        dim("  let your sync carry the folder to your phone; then, in Obsidian's settings, under community plugins,")
    )
    yield line(dim("  turn OKF Edge on"))
