"""`Feeds`: the use cases of one folder that have to do with feeds it follows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from okf_edge.app import subscribing
from okf_edge.app.bundle_index import BundleIndexer
from okf_edge.app.ports import Ports
from okf_edge.app.subscribing import Catalogue, Standing
from okf_edge.bundles import install as bundles
from okf_edge.bundles.contents import Contents
from okf_edge.bundles.install import Installation, InstallOptions
from okf_edge.bundles.registry import InstalledBundle
from okf_edge.feed.client import first_pin
from okf_edge.feed.subscriptions import Subscription


class Feeds:
    """The feeds of one folder, over its ports."""

    def __init__(self, ports: Ports, indexer: Callable[[], BundleIndexer]) -> None:
        self._ports = ports
        self._indexer = indexer

    async def root_at(self, url: str) -> str:
        """The digest of the first root of the feed at an address, for a person to compare. Nothing is followed yet."""
        return await first_pin(self._ports.open_store(url))

    async def trust(self, url: str, root: str = "", name: str = "") -> Subscription:
        """Follow a feed, and confirm it on this device.

        Args: root: the digest that its root must have; empty takes the first root as it is found now.
        """
        return await subscribing.trust_feed(self._ports, url, root, name)

    async def followed(self) -> tuple[tuple[Subscription, bool], ...]:
        """The feeds that are followed, each with whether this device has confirmed it."""
        return await subscribing.followed(self._ports)

    async def search(self, words: Sequence[str], feed: str = "") -> Catalogue:
        """The newest release of each bundle that has all the words in its id, title or description."""
        return await subscribing.search_feed(self._ports, words, feed)

    async def install(self, wanted: str, feed: str, options: InstallOptions) -> tuple[Installation, ...]:
        """Install `id` or `id@range` from a feed, and before it what it needs."""
        return await subscribing.install_from_feed(self._ports, self._install, wanted, feed, options)

    async def archive_of(self, wanted: str, feed: str = "") -> bytes:
        """The verified archive of `id@version`, or of the newest within `id@range`."""
        return await subscribing.archive_of(self._ports, wanted, feed)

    async def check_updates(self) -> tuple[Standing, ...]:
        """How every bundle that came from a feed stands there now."""
        return await subscribing.check_updates(self._ports)

    async def update(self, bundle_ids: Sequence[str], options: InstallOptions) -> tuple[Installation, ...]:
        """Update these bundles, or all, to what their feeds offer."""
        return await subscribing.update(self._ports, self._install, bundle_ids, options)

    async def rollback(self, bundle_id: str, force: bool = False) -> InstalledBundle:
        """Go back to the version that the last update replaced."""
        return await bundles.rollback(self._ports.tree, bundle_id, clock=self._ports.clock, force=force)

    async def _install(self, contents: Contents, options: InstallOptions) -> Installation:
        ports = self._ports
        return await bundles.install(
            ports.tree, contents, options, clock=ports.clock, indexer=self._indexer(), progress=ports.progress
        )
