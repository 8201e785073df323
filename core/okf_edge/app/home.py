"""Where the index of a folder's own notes lies.

Rules:
1. It lies in the folder's `.okf/`; when the folder can't be written, in the spare place that the host offers.
2. An index in the spare place wins while it is there: it was made because the folder could not be written.
"""

from __future__ import annotations

from contextlib import suppress

from okf_edge.app.ports import Ports
from okf_edge.errors import NotFoundError, OkfError
from okf_edge.ports import FileTree
from okf_edge.workspace import layout

UNWRITABLE = frozenset({"read-only", "permission-denied"})
"""Codes of errors after which another place is worth trying; a full disk is not among them."""


async def home_of_index(ports: Ports) -> FileTree | None:
    """The tree that holds the index of the folder, or None when there is none."""
    with suppress(OkfError):  # no spare place, hence nothing in it
        spare = ports.spare()
        await spare.stat(layout.INDEX)
        return spare
    with suppress(NotFoundError):
        await ports.tree.stat(layout.INDEX)
        return ports.tree
    return None
