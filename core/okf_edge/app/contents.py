"""What is to be installed, opened for its checks."""

from __future__ import annotations

from okf_edge.bundles.contents import Contents, open_bytes, open_folder
from okf_edge.ports import FileTree


async def opened(source: bytes | FileTree) -> Contents:
    """The contents of an archive or folder. Raises BundleError and its kinds: it is no bundle that can be read."""
    return open_bytes(source) if isinstance(source, bytes) else await open_folder(source)
