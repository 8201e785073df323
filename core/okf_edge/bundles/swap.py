"""Moves a bundle into, out of or between versions of its folder so that a kill at any step can be repaired.

The steps, all under the lock:
1. write the journal: which bundle, and what the registry will say
2. put the staged folder in place of the old one: both swap names in one step where the host can, else the old one is
   renamed away and the new one renamed in; to uninstall, it is renamed away
3. write the registry: the commit point; where it can't be written, the old folder is put back
4. keep the old folder as the one backup when a version was replaced, else remove it; then remove the journal

`repair` reads the journal that a killed process left. Folders arrive whole, by one rename, so when the wanted one is in
place (or gone, if that was wanted) it goes on with step 3; otherwise it puts the old one back. Either way the tree is
the old or the new one, and the registry agrees.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from okf_edge.bundles.digest import digest_of
from okf_edge.bundles.edits import files_below
from okf_edge.bundles.names import problems_of_bundle_id
from okf_edge.bundles.registry import (
    LIBRARY,
    InstalledBundle,
    Registry,
    bundle_from,
    plain_bundle,
    read_registry,
    write_registry,
)
from okf_edge.errors import AlreadyExistsError, NotFoundError, OkfError, UnavailableError
from okf_edge.limits import LIMITS
from okf_edge.ports import FileTree
from okf_edge.state import corrupt, read_state, write_state

JOURNAL = ".okf/swap.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Swap:
    """What one change is about to do. `wanted` is the new registry entry, None to uninstall; `stage` its folder.

    `keeps` tells that the replaced folder becomes the backup that a rollback goes back to.
    """

    id: str
    wanted: InstalledBundle | None = None
    stage: str = ""
    keeps: bool = False

    @property
    def live(self) -> str:
        return f"{LIBRARY}/{self.id}"

    @property
    def backup(self) -> str:
        """Where the old folder waits for the new one: beside it, so that it gets there by one rename."""
        return f"{LIBRARY}/.leaving-{self.id}"

    @property
    def kept(self) -> str:
        return f".okf/previous/{self.id}"

    @property
    def leaving(self) -> str:
        """Where the old folder waits while the one that was kept before is removed. No id has a single segment."""
        return f".okf/previous/leaving/{self.id}"


async def carry_out(tree: FileTree, swap: Swap) -> None:
    """Do the steps. The lock is held and `repair` has run."""
    await _write_journal(tree, swap)
    exchanged = await _put_in_place(tree, swap)
    try:
        await _register(tree, swap)
    except OkfError:
        with suppress(OkfError):  # then the journal stays, and `repair` decides
            await _put_back(tree, swap, exchanged)
        raise
    await _finish(tree, swap)


async def _put_in_place(tree: FileTree, swap: Swap) -> bool:
    """Step 2; whether both folders swapped names."""
    has_folder = bool(await files_below(tree, swap.live))
    if not has_folder:
        with suppress(NotFoundError):
            await tree.remove(swap.live)  # what is left of a folder whose files were deleted
    if has_folder and swap.wanted and await tree.exchange(swap.stage, swap.live):
        return True
    if has_folder:
        await tree.rename(swap.live, swap.backup)
    if swap.wanted:
        await tree.rename(swap.stage, swap.live)
    return False


async def _put_back(tree: FileTree, swap: Swap, exchanged: bool) -> None:
    """Undo step 2, unless the registry was written all the same. Nothing of this needs room on the disk."""
    if await _is_registered(tree, swap):
        return
    if exchanged:
        await tree.exchange(swap.stage, swap.live)
    elif swap.wanted:
        await tree.rename(swap.live, swap.stage)
    if await files_below(tree, swap.backup):
        await tree.rename(swap.backup, swap.live)
    await tree.remove(JOURNAL)


async def repair(tree: FileTree) -> None:
    """Finish or undo what a killed process left half done. The lock is held."""
    swap = await _read_journal(tree)
    if swap is None:
        return
    if await _is_in_place(tree, swap):
        await _finish(tree, swap)
        return
    if await files_below(tree, swap.backup):
        await tree.rename(swap.backup, swap.live)
    if swap.stage:
        await _remove(tree, swap.stage)
    await tree.remove(JOURNAL)


async def discard(tree: FileTree, stage: str) -> None:
    """Remove a stage that is not put in place; while a journal names it, that is for `repair`."""
    with suppress(OkfError):
        swap = await _read_journal(tree)
        if swap is None or swap.stage != stage:
            await tree.remove(stage)


async def _is_in_place(tree: FileTree, swap: Swap) -> bool:
    if swap.wanted is None:
        return not await files_below(tree, swap.live)
    try:
        manifest = await tree.read(swap.wanted.manifest_path, LIMITS.manifest_bytes)
    except NotFoundError:
        return False
    return digest_of(manifest).sha256 == swap.wanted.manifest_sha256


async def _finish(tree: FileTree, swap: Swap) -> None:
    await _register(tree, swap)
    await _put_away(tree, swap)
    await tree.remove(JOURNAL)


async def _register(tree: FileTree, swap: Swap) -> None:
    if not await _is_registered(tree, swap):
        await write_registry(tree, _changed(await read_registry(tree), swap))


async def _is_registered(tree: FileTree, swap: Swap) -> bool:
    registry = await read_registry(tree)
    return _changed(registry, swap) == registry


def _changed(registry: Registry, swap: Swap) -> Registry:
    return registry.without(swap.id) if swap.wanted is None else registry.with_bundle(swap.wanted)


async def _put_away(tree: FileTree, swap: Swap) -> None:
    """Keep the old folder or remove it, wherever the swap left it."""
    for old in filter(None, (swap.backup, swap.stage)):
        if swap.keeps:
            await _move(tree, old, swap.leaving)
        await _remove(tree, old)
    if swap.wanted is None or await files_below(tree, swap.leaving):
        await _remove(tree, swap.kept)
    if await files_below(tree, swap.leaving):
        await tree.rename(swap.leaving, swap.kept)


async def _move(tree: FileTree, old: str, new: str) -> None:
    """Rename a folder that may be gone. Where `.okf` lies on another device it is copied, and stays until that is done:
    a copy that was begun is made again.
    """
    try:
        await tree.rename(old, new)
    except NotFoundError:
        return
    except (AlreadyExistsError, UnavailableError) as error:
        if error.code not in ("already-exists", "other-device"):
            raise
        for path in await files_below(tree, old):
            await tree.write(f"{new}/{path}", await tree.read(f"{old}/{path}"))


async def _remove(tree: FileTree, path: str) -> None:
    with suppress(NotFoundError):
        await tree.remove(path)


async def _write_journal(tree: FileTree, swap: Swap) -> None:
    wanted = None if swap.wanted is None else plain_bundle(swap.wanted)
    state = {"format": FORMAT, "id": swap.id, "wanted": wanted, "stage": swap.stage, "keeps": swap.keeps}
    await write_state(tree, JOURNAL, state)


async def _read_journal(tree: FileTree) -> Swap | None:
    state = await read_state(tree, JOURNAL, FORMAT)
    if state is None:
        return None
    bundle_id, wanted, stage = state.get("id"), state.get("wanted"), state.get("stage")
    if not isinstance(bundle_id, str) or problems_of_bundle_id(bundle_id) or not isinstance(stage, str):
        raise corrupt(JOURNAL, "does not say which bundle it is about")
    return Swap(
        bundle_id,
        None if wanted is None else bundle_from(JOURNAL, bundle_id, wanted),
        stage,
        state.get("keeps") is True,
    )
