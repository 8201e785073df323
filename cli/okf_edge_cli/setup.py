"""`okf init`."""

from __future__ import annotations

from collections.abc import Iterator

from okf_edge.workspace.setup import Setup
from okf_edge_cli import session
from okf_edge_cli.commands import DONE
from okf_edge_cli.screen import Line, bold, dim, good, line


def init(folder: str, name: str | None, as_json: bool) -> int:
    done = session.run(lambda okf: okf.init(name), folder, as_json)
    value = {"name": done.name, "created": list(done.created), "kept": list(done.kept)}
    session.print_result(value, _lines(done), as_json)
    return DONE


def _lines(done: Setup) -> Iterator[Line]:
    word = "is now a knowledge base" if done.created else "is a knowledge base already; nothing to do"
    yield line(bold(done.name), f" {word}")
    yield from (line("  ", good("created"), f"  {path}") for path in done.created)
    yield from (line("  ", dim("kept"), f"     {path}") for path in done.kept)
