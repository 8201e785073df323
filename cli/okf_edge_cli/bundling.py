"""`okf install`, `list` and `uninstall`; `okf export` and `verify`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from okf_edge.bundles.registry import InstalledBundle
from okf_edge_cli import session
from okf_edge_cli.commands import DONE
from okf_edge_cli.screen import Line, bold, dim, line


def list_bundles(folder: str | None, as_json: bool) -> int:
    bundles = session.run(lambda okf: okf.list_bundles(), folder, as_json)
    session.print_result({"bundles": [described(bundle) for bundle in bundles]}, _list_lines(bundles), as_json)
    return DONE


def described(bundle: InstalledBundle) -> dict[str, Any]:
    """An installed bundle as JSON, the same wherever it is shown."""
    return {
        "id": bundle.id,
        "version": bundle.version,
        "title": bundle.title,
        "kind": bundle.kind,
        "path": bundle.path,
        "origin": bundle.origin,
        "installed_at": bundle.installed_at,
        "content_digest": bundle.content_digest,
        "signature": bundle.signature,
        "index": bundle.index_origin,
        "embedder": bundle.index.embedder if bundle.index else "",
        "left_out": list(bundle.left_out),
    }


def _list_lines(bundles: Sequence[InstalledBundle]) -> Iterator[Line]:
    if not bundles:
        yield line("no bundles are installed")
    for bundle in bundles:
        yield line(bold(f"{bundle.id}@{bundle.version}"), f"  {bundle.title}")
        signature = "unsigned" if bundle.signature == "absent" else "signed"
        yield line(dim(f"  {bundle.path}  from {bundle.origin}  {signature}, index {bundle.index_origin}"))
