"""Moves a bundle into, out of or between versions of its folder so that a kill at any step can be repaired.

The steps, all under the lock:
1. write the journal: which bundle, what the registry will say, whether a folder was there
2. rename the old folder away (when there was one)
3. rename the staged folder into place (not when uninstalling)
4. write the registry: the commit point
5. remove the old folder, then the journal

`repair` reads the journal that a killed process left. If the registry says what the journal wanted, it finishes step 5;
otherwise it undoes 3 and 2. So the tree is the old one or the new one, and the registry agrees.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from okf_edge.bundles.edits import files_below
from okf_edge.bundles.registry import (
    LIBRARY,
    InstalledBundle,
    Registry,
    bundle_from,
    plain_bundle,
    read_registry,
    write_registry,
)
from okf_edge.errors import NotFoundError
from okf_edge.ports import FileTree
from okf_edge.state import corrupt, read_state, write_state

JOURNAL = ".okf/swap.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Swap:
    """What one change is about to do. `wanted` is the new registry entry, None to uninstall."""

    id: str
    wanted: InstalledBundle | None
    had_folder: bool

    @property
    def live(self) -> str:
        return f"{LIBRARY}/{self.id}"

    @property
    def backup(self) -> str:
        return f".okf/backups/{self.id}"


async def carry_out(tree: FileTree, registry: Registry, swap: Swap, stage: str | None) -> None:
    """Do the steps. The lock is held and `repair` has run."""
    await _write_journal(tree, swap)
    if swap.had_folder:
        await tree.rename(swap.live, swap.backup)
    if stage is not None:
        await tree.rename(stage, swap.live)
    changed = registry.without(swap.id) if swap.wanted is None else registry.with_bundle(swap.wanted)
    await write_registry(tree, changed)
    await _finish(tree, swap)


async def repair(tree: FileTree) -> None:
    """Finish or undo what a killed process left half done. The lock is held."""
    swap = await _read_journal(tree)
    if swap is None:
        return
    registry = await read_registry(tree)
    if registry.bundles.get(swap.id) == swap.wanted:
        await _finish(tree, swap)
    else:
        await _undo(tree, swap)


async def _finish(tree: FileTree, swap: Swap) -> None:
    with suppress(NotFoundError):
        await tree.remove(swap.backup)
    await tree.remove(JOURNAL)


async def _undo(tree: FileTree, swap: Swap) -> None:
    has_backup = bool(await files_below(tree, swap.backup))
    if has_backup or not swap.had_folder:
        await _discard(tree, swap.live)
    if has_backup:
        await tree.rename(swap.backup, swap.live)
    await tree.remove(JOURNAL)


async def _discard(tree: FileTree, folder: str) -> None:
    """Take a folder out of sight in one step, then remove it: a half-removed bundle is never seen."""
    if await files_below(tree, folder):
        stage = await tree.stage()
        await tree.rename(folder, f"{stage}/discarded")
        await tree.remove(stage)


async def _write_journal(tree: FileTree, swap: Swap) -> None:
    wanted = None if swap.wanted is None else plain_bundle(swap.wanted)
    state = {"format": FORMAT, "id": swap.id, "had_folder": swap.had_folder, "wanted": wanted}
    await write_state(tree, JOURNAL, state)


async def _read_journal(tree: FileTree) -> Swap | None:
    state = await read_state(tree, JOURNAL, FORMAT)
    if state is None:
        return None
    bundle_id, had_folder, wanted = state.get("id"), state.get("had_folder"), state.get("wanted")
    if not isinstance(bundle_id, str) or not isinstance(had_folder, bool):
        raise corrupt(JOURNAL, "does not say which bundle it is about")
    return Swap(bundle_id, None if wanted is None else bundle_from(JOURNAL, bundle_id, wanted), had_folder)
