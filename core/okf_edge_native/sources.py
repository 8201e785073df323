"""What a person names to install or verify: an archive, a folder or a URL."""

from __future__ import annotations

import os

from okf_edge.errors import InputError, NotFoundError
from okf_edge.limits import LIMITS
from okf_edge.ports import FileTree
from okf_edge_native.disk import DiskTree
from okf_edge_native.github import GITHUB


async def open_source(source: str) -> bytes | FileTree:
    """The bytes of an archive on disk, behind a URL or of a repository on GitHub, or the tree of a folder.

    Raises: NotFoundError, InputError, TooLargeError, UnavailableError.
    """
    if source.startswith(("http://", "https://")):
        from okf_edge_native.http import fetch

        return (await fetch(source, LIMITS.archive_bytes)).data
    if source.startswith(GITHUB) and not os.path.exists(source):
        from okf_edge_native.github.archives import archive_at

        return await archive_at(source)
    return DiskTree(source) if os.path.isdir(source) else await read_archive(source)


async def read_archive(path: str) -> bytes:
    """The bytes of an archive on disk. Raises NotFoundError, InputError, TooLargeError, UnavailableError."""
    folder, name = os.path.split(os.path.realpath(path))
    if os.path.isdir(path) or not name:
        raise InputError(f"expected an archive, found a folder: {path}", code="no-archive", hint="Name a file.")
    if not os.path.exists(path):
        raise NotFoundError(f"no file or folder at {path}", code="no-archive", hint="Check the path.")
    return await DiskTree(folder).read(name, LIMITS.archive_bytes)
