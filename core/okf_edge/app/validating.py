"""Reads a folder for its conformance check: every markdown file, and the names of all others."""

from __future__ import annotations

from contextlib import suppress

from okf_edge.errors import NotFoundError
from okf_edge.limits import LIMITS
from okf_edge.okf.conformance import Report, check, is_hidden
from okf_edge.ports import FileTree
from okf_edge.workspace import layout, leftovers


async def check_folder(tree: FileTree) -> Report:
    """Check a folder as one bundle. Links are never followed, dependency folders never entered.

    A note that a sync service has not downloaded is there, so that links to it are whole.

    Raises: NotFoundError: no such folder. UnavailableError, TooLargeError: a file can't be read, so no verdict is due.
    """
    files: dict[str, bytes] = {}
    others: list[str] = []
    for entry in await tree.list(_enter):
        if placeholder := leftovers.not_downloaded(entry.path):
            others.append(placeholder)
        elif entry.kind == "file" and not is_hidden(entry.path):
            if layout.is_note(entry.path):
                with suppress(NotFoundError):  # gone since the folder was listed
                    files[entry.path] = await tree.read(entry.path, LIMITS.note_bytes)
            else:
                others.append(entry.path)
    return check(files, others)


def _enter(folder: str) -> bool:
    name = folder.rpartition("/")[2]
    return not leftovers.is_hidden(name) and name not in leftovers.DEPENDENCY_FOLDERS
