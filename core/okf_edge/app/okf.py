"""`Okf`: the use cases of one folder. Features know nothing of each other; they meet here.

Modules that only some use cases need are imported where they are used: a question must not wait for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from okf_edge.app.ports import Config, Ports

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from okf_edge.app.base import Built
    from okf_edge.app.bundle_index import BundleIndexer
    from okf_edge.app.comparing import Compared, Side
    from okf_edge.app.feeds import Feeds
    from okf_edge.app.lifecycle import Repaired, Synced
    from okf_edge.app.publishing import Receipt
    from okf_edge.app.reading import Reading
    from okf_edge.app.reviewing import Checklist, Verdicts, Wanted
    from okf_edge.app.status import Status
    from okf_edge.app.viewing import Contents, View
    from okf_edge.bundles.export import Exported, ExportOptions
    from okf_edge.bundles.install import Installation, InstallOptions
    from okf_edge.bundles.registry import InstalledBundle
    from okf_edge.bundles.verify import Verified
    from okf_edge.okf.conformance import Report
    from okf_edge.okf.notes import Notes
    from okf_edge.ports import FileTree
    from okf_edge.retrieval.answer import Answer
    from okf_edge.retrieval.request import SearchRequest
    from okf_edge.workspace.agents import Agent
    from okf_edge.workspace.capture import Captured
    from okf_edge.workspace.health import Health
    from okf_edge.workspace.orientation import Orientation
    from okf_edge.workspace.setup import Setup
    from okf_edge.workspace.staleness import Staleness
    from okf_edge.workspace.watching import Event


class Okf:
    """The use cases of one folder, over its ports."""

    def __init__(self, ports: Ports, config: Config) -> None:
        self._ports = ports
        self._config = config

    async def is_base(self) -> bool:
        """Whether the folder was made a knowledge base by `init`."""
        from okf_edge.workspace.identity import identify

        return (await identify(self._ports.tree, self._config.folder_name)).is_base

    async def init(self, name: str | None = None, agent: Agent | None = None) -> Setup:
        """Make the folder a knowledge base; what is there stays as it is. Running it twice changes nothing.

        Args: agent: whom to generate skills and rules for; None keeps what was chosen.
        """
        from okf_edge.workspace.setup import set_up

        return await set_up(self._ports.tree, name, self._config.folder_name, self._ports.clock.now(), agent)

    async def sync(self) -> Synced:
        """Bring skills, rules and generated blocks up to date, and record what pages were compiled from."""
        from okf_edge.app.lifecycle import synchronise

        return await synchronise(self._ports, self._config)

    async def stale(self) -> Staleness:
        """Which pages lag behind their sources, which notes no page cites, which citations lead nowhere."""
        from okf_edge.app.lifecycle import stale

        return await stale(self._ports)

    async def health(self) -> Health:
        """How well the folder is kept, with a score that explains itself."""
        from okf_edge.app.lifecycle import health

        return await health(self._ports, self._config)

    async def repair(self) -> Repaired:
        """Mend what is safe, and tell the health after it."""
        from okf_edge.app.lifecycle import repair

        return await repair(self._ports, self._config)

    async def map(self) -> Orientation:
        """What the folder holds: groups, pages, bundles, counts."""
        from okf_edge.app.lifecycle import orientation

        return await orientation(self._ports, self._config)

    def watch(self, sleep: Callable[[float], Awaitable[object]]) -> AsyncIterator[Event]:
        """Every change of a note as it is seen, with index and reports kept current."""
        from okf_edge.app.watching import watch

        return watch(self._ports, self._config, sleep)

    async def capture(self, text: str, title: str = "", origin: str = "") -> Captured:
        """Keep a text as a note in the inbox."""
        from okf_edge.workspace.capture import capture

        return await capture(self._ports.tree, text, title, origin, self._ports.clock.now())

    async def query(self, request: SearchRequest, embedder: str = "") -> Answer:
        """Answer a question from the folder and its installed bundles, or refuse and say why.

        Args: embedder: the model that the folder's index has to be built with; empty for any.
        """
        from okf_edge.app.asking import ask

        return await ask(self._ports, self._config, request, embedder)

    async def build_index(self, embedder: str = "") -> Built:
        """Build the index of the folder's notes anew."""
        from okf_edge.app.asking import scan_own
        from okf_edge.app.base import build_base

        return await build_base(self._ports, await scan_own(self._ports), embedder)

    async def index_status(self) -> Status:
        """What is indexed, how, what changed since, and what could not be read."""
        from okf_edge.app.status import status_of

        return await status_of(self._ports)

    async def read(self, wanted: str) -> Reading:
        """A concept, or the section of it after `#`, by its path, its name or its `okf://` address."""
        from okf_edge.app.reading import read_concept

        return await read_concept(self._ports.tree, wanted)

    async def page(self, path: str) -> View:
        """A page of an installed bundle with its links both ways, by its path in the folder."""
        from okf_edge.app.viewing import view_page

        return await view_page(self._ports, path)

    async def contents(self, bundle_id: str) -> Contents:
        """What an installed bundle holds."""
        from okf_edge.app.viewing import contents_of

        return await contents_of(self._ports, bundle_id)

    async def list_bundles(self) -> tuple[InstalledBundle, ...]:
        """The installed bundles by id, those that Knowlery installed among them."""
        from okf_edge.app.lifecycle import installed_bundles

        return await installed_bundles(self._ports)

    async def validate(self) -> Report:
        """Whether the folder conforms to OKF, and every way in which it deviates."""
        from okf_edge.app.validating import check_folder

        return await check_folder(self._ports.tree)

    async def export(self, options: ExportOptions, embedder: str = "") -> Exported:
        """Compile the folder into a bundle archive with its index inside; nothing is written.

        Args: embedder: the model for its index; empty lets the content decide.
        """
        from okf_edge.bundles.export import export_bundle
        from okf_edge.okf.notes import Notes

        ports, notes = self._ports, Notes()
        indexer = self._indexer(ports.spare, embedder, notes)
        return await export_bundle(ports.tree, options, indexer=indexer, progress=ports.progress, notes=notes)

    async def review(self, wanted: Wanted) -> Checklist:
        """What would leave with some pages, item by item, and what was decided about it."""
        from okf_edge.app.reviewing import checklist

        return await checklist(self._ports, self._config, wanted)

    async def decide(self, wanted: Wanted, verdicts: Verdicts) -> Checklist:
        """Record a person's decisions about what would leave; the checklist after it."""
        from okf_edge.app.reviewing import decide

        return await decide(self._ports, self._config, wanted, verdicts)

    async def export_reviewed(
        self, options: ExportOptions, embedder: str = "", seeds: Sequence[str] = ()
    ) -> Exported:  # fmt: skip
        """Compile what was approved under the id of the options into a bundle archive; nothing is written.

        Args: seeds: the pages to start from; none for those that the review started from.
        """
        from okf_edge.app.reviewing import export_reviewed

        return await export_reviewed(self._ports, self._config, options, embedder, seeds)

    async def record_release(self, exported: Exported) -> None:
        """Remember what a reviewed version that was written holds: the next one's log tells what changed since."""
        from okf_edge.app.reviewing import record_release

        await record_release(self._ports, exported)

    async def record_publication(self, receipt: Receipt, feed: str) -> Receipt:
        """Keep the receipt of a publication beside the review of what was published."""
        from okf_edge.app.reviewing import record_publication

        return await record_publication(self._ports, receipt, feed)

    async def install(self, source: bytes | FileTree, options: InstallOptions, sha256: str = "") -> Installation:
        """Install a bundle from an archive's bytes or a folder; all of it is verified before any of it is written.

        Args: sha256: the digest that the archive, or its content, must have; empty for any.
        """
        from dataclasses import replace

        from okf_edge.app.contents import opened
        from okf_edge.bundles.install import install

        ports = self._ports
        contents = await opened(source)
        return await install(
            ports.tree,
            contents,
            replace(options, sha256=sha256),
            clock=ports.clock,
            indexer=self._indexer(lambda: ports.tree),
            progress=ports.progress,
        )

    async def compare(self, old: Side, new: Side) -> Compared:
        """What changed between two versions of a bundle, concept by concept."""
        from okf_edge.app.comparing import compare

        return await compare(self._ports.tree, old, new)

    async def uninstall(self, bundle_id: str, force: bool = False) -> InstalledBundle:
        """Remove a bundle with its folder; `force` loses local edits in it."""
        from okf_edge.bundles.install import uninstall

        return await uninstall(self._ports.tree, bundle_id, clock=self._ports.clock, force=force)

    async def verify(self, archive: bytes, sha256: str = "", rebuild: bool = False) -> Verified:
        """Verify an archive without writing anything; `rebuild` also proves that its index was made from its text."""
        from okf_edge.bundles.verify import verify_archive

        return await verify_archive(archive, sha256=sha256, indexer=self._indexer(self._ports.spare), rebuild=rebuild)

    @property
    def feeds(self) -> Feeds:
        """What has to do with feeds that the folder follows."""
        from okf_edge.app.feeds import Feeds

        return Feeds(self._ports, lambda: self._indexer(lambda: self._ports.tree))

    def _indexer(self, scratch: Callable[[], FileTree], wanted: str = "", notes: Notes | None = None) -> BundleIndexer:
        from okf_edge.app.bundle_index import BundleIndexer

        return BundleIndexer(self._ports, scratch, wanted, notes)
