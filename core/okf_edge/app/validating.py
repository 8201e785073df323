"""Reads a folder for its conformance check: every markdown file, and the names of all others."""

from __future__ import annotations

from okf_edge.errors import NotFoundError
from okf_edge.limits import LIMITS
from okf_edge.okf.conformance import Report, check, is_hidden
from okf_edge.ports import FileTree
from okf_edge.workspace import layout, leftovers


async def check_folder(tree: FileTree) -> Report:
    """Check a folder as one bundle. Links are never followed, dependency folders never entered.

    Raises: NotFoundError: no such folder. UnavailableError, TooLargeError: a file can't be read, so no verdict is due.
    """
    entries = await tree.list(_enter)
    files: dict[str, bytes] = {}
    others: list[str] = []
    for entry in entries:
        if entry.kind != "file" or is_hidden(entry.path):
            continue
        if not layout.is_note(entry.path):
            others.append(entry.path)
            continue
        try:
            files[entry.path] = await tree.read(entry.path, LIMITS.note_bytes)
        except NotFoundError:  # gone since the folder was listed
            continue
    return check(files, others)


def _enter(folder: str) -> bool:
    name = folder.rpartition("/")[2]
    return not leftovers.is_hidden(name) and name not in leftovers.DEPENDENCY_FOLDERS
