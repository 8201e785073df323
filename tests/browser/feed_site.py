"""A site of bundles with its signed feed, as `okf bundle-site` writes it; its page and engine may lie elsewhere."""

from __future__ import annotations

import asyncio
from pathlib import Path

from okf_edge_native.keyring import FileKeyring
from okf_edge_native.site import Written, write_site
from okf_edge_native.webview import Site


class FeedSite:
    def __init__(self, folder: Path, keys: Path, page: Site | None = None) -> None:
        """Args: page: the reader; without it there is only the feed, below `feed/`."""
        self.folder = folder
        self._keys = FileKeyring(str(keys), protect=lambda name: "", unlock=lambda name: "")
        self._page = page or Site(_NoFiles())

    def write(self, archive: bytes) -> Written:
        """Publish a bundle; the site is made by the first."""
        return asyncio.run(write_site(str(self.folder), [archive], self._page, self._keys, "By the sea", {}))


class _NoFiles:
    def names(self) -> list[str]:
        return []

    def read(self, name: str) -> bytes | None:
        return None
