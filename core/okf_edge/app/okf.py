"""`Okf`: the use cases of one folder. Features know nothing of each other; they meet here.

Modules that only some use cases need are imported where they are used: a question must not wait for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from okf_edge.app.ports import Config, Ports

if TYPE_CHECKING:
    from okf_edge.app.reading import Reading
    from okf_edge.bundles.registry import InstalledBundle
    from okf_edge.workspace.setup import Setup


class Okf:
    """The use cases of one folder, over its ports."""

    def __init__(self, ports: Ports, config: Config) -> None:
        self._ports = ports
        self._config = config

    async def init(self, name: str | None = None) -> Setup:
        """Make the folder a knowledge base; what is there stays as it is. Running it twice changes nothing."""
        from okf_edge.workspace.setup import set_up

        return await set_up(self._ports.tree, name, self._config.folder_name, self._ports.clock.now())

    async def read(self, wanted: str) -> Reading:
        """A concept, or the section of it after `#`, by its path, its name or its `okf://` address."""
        from okf_edge.app.reading import read_concept

        return await read_concept(self._ports.tree, wanted)

    async def list_bundles(self) -> tuple[InstalledBundle, ...]:
        """The installed bundles, by id."""
        from okf_edge.bundles.registry import read_registry

        registry = await read_registry(self._ports.tree)
        return tuple(registry.bundles[bundle_id] for bundle_id in sorted(registry.bundles))
