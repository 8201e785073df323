"""What is to be installed, opened for its checks."""

from __future__ import annotations

from okf_edge.bundles.contents import Contents, open_folder, open_zip
from okf_edge.bundles.verify import require_digest
from okf_edge.errors import InputError
from okf_edge.ports import FileTree


async def opened(source: bytes | FileTree, sha256: str) -> Contents:
    """The contents of an archive or folder.

    Raises: DigestMismatchError: the archive has not the digest `sha256`. InputError: a folder can't have one.
    """
    if isinstance(source, bytes):
        require_digest(source, sha256)
        return open_zip(source)
    if sha256:
        raise InputError(
            "expected an archive to compare with the digest, found a folder",
            code="bad-digest",
            hint="Verify archives; a folder has no bytes of its own.",
        )
    return await open_folder(source)
