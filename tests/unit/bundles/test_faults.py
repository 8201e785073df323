"""A fault at every single step of an installation: the tree is old or new, the registry agrees, a retry works."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from bundle_kit import make_bundle, put
from okf_edge.bundles.install import recover, rollback, uninstall
from okf_edge.bundles.registry import REGISTRY, installed
from okf_edge.errors import NotFoundError, OkfError, UnavailableError
from okf_edge.inmemory.files import MemoryTree
from okf_edge.inmemory.system import ManualClock

FOLDER = "Library/ada.harbour/"
KEPT = ".okf/previous/ada.harbour/"
Work = Callable[[MemoryTree, ManualClock], Awaitable[object]]


class FaultyTree(MemoryTree):
    """Fails at the n-th change: once, like a full disk, or from then on, like a killed process.

    `after` lets the change happen and fails then, as when a process dies between a rename and its return.
    `devices` are 2 where `.okf` lies on another one than the rest, and nothing is renamed from one to the other.
    """

    def __init__(
        self, base: MemoryTree, at: int, *, killed: bool, after: bool, can_exchange: bool, devices: int
    ) -> None:  # fmt: skip
        super().__init__(base.files)
        self._at, self._killed, self._after, self._can_exchange = at, killed, after, can_exchange
        self._devices = devices
        self._nested = False
        self.changes = 0

    async def write(self, path: str, data: bytes) -> None:
        await self._change(lambda: MemoryTree.write(self, path, data))

    async def create(self, path: str, data: bytes) -> None:
        await self._change(lambda: MemoryTree.create(self, path, data))

    async def rename(self, old: str, new: str) -> None:
        if self._devices == 2 and old.startswith(".okf/") != new.startswith(".okf/"):
            if not any(path.startswith(f"{old}/") for path in self.files):
                raise NotFoundError(f"expected a folder at {old}, found none")
            raise UnavailableError("expected one device, found two", code="other-device")
        await self._change(lambda: MemoryTree.rename(self, old, new))

    async def exchange(self, one: str, other: str) -> bool:
        if not self._can_exchange:
            return False
        await self._change(lambda: self._exchange(one, other))
        return True

    async def _exchange(self, one: str, other: str) -> None:
        await MemoryTree.exchange(self, one, other)

    async def remove(self, path: str) -> None:
        await self._change(lambda: MemoryTree.remove(self, path))

    async def stage(self) -> str:
        await self._change(self._nothing)
        return await MemoryTree.stage(self)

    async def _nothing(self) -> None:
        pass

    async def _change(self, work: Callable[[], Awaitable[None]]) -> None:
        if self._nested:
            await work()
            return
        self.changes += 1
        if self.changes == self._at and self._after:
            await self._do(work)
        if self.changes == self._at or (self._killed and self.changes > self._at):
            raise UnavailableError("expected room on the disk, found none")
        await self._do(work)

    async def _do(self, work: Callable[[], Awaitable[None]]) -> None:
        self._nested = True
        try:
            await work()
        finally:
            self._nested = False


async def installed_state(tree: MemoryTree) -> tuple[dict[str, bytes], list[tuple[str, str]]]:
    """What a reader sees: the folder of the bundle, and the registry."""
    folder = {path: data for path, data in tree.files.items() if path.startswith(FOLDER)}
    return folder, [(each.id, each.version) for each in await installed(tree)]


async def copy_of(tree: MemoryTree) -> MemoryTree:
    return MemoryTree(tree.files)


async def first_install(tree: MemoryTree, clock: ManualClock) -> object:
    return await put(tree, await make_bundle("1.0.0"), clock)


async def update(tree: MemoryTree, clock: ManualClock) -> object:
    return await put(tree, await make_bundle("2.0.0", {"new.md": b"---\ntype: Note\n---\nNew.\n"}), clock)


async def removal(tree: MemoryTree, clock: ManualClock) -> object:
    return await uninstall(tree, "ada.harbour", clock=clock)


async def going_back(tree: MemoryTree, clock: ManualClock) -> object:
    """A rollback; once it is done there is nothing to do, since a second one would undo it."""
    if [each.version for each in await installed(tree)] == ["2.0.0"]:
        await rollback(tree, "ada.harbour", clock=clock)
    return None


@pytest.mark.parametrize("devices", [1, 2])
@pytest.mark.parametrize("can_exchange", [False, True], ids=["renames", "exchanges"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("killed", [False, True], ids=["fails-once", "killed"])
@pytest.mark.parametrize("work", [first_install, update, removal, going_back])
async def test_a_fault_at_any_step_leaves_old_or_new_and_a_retry_works(
    work: Work, killed: bool, after: bool, can_exchange: bool, devices: int
):
    old = MemoryTree({"note.md": b"mine"})
    if work is not first_install:
        await first_install(old, ManualClock())
    if work is going_back:
        await update(old, ManualClock())
    new = await copy_of(old)
    await work(new, ManualClock())
    outcomes = [await installed_state(old), await installed_state(new)]

    is_replaced = work in (update, going_back)
    replaced = {path.removeprefix(FOLDER): data for path, data in outcomes[0][0].items()} if is_replaced else {}

    at, seen = 0, []
    while True:
        at += 1
        clock = ManualClock()
        faulty = FaultyTree(old, at, killed=killed, after=after, can_exchange=can_exchange, devices=devices)
        try:
            await work(faulty, clock)
            finished = True
        except OkfError:
            finished = False
        if faulty.changes < at:
            break
        tree = await copy_of(faulty)
        if can_exchange:
            folder, _ = await installed_state(tree)
            assert folder in [outcome[0] for outcome in outcomes], f"seen by a reader after a fault at step {at}"
        clock.advance(60)
        tree = FaultyTree(tree, 0, killed=False, after=False, can_exchange=can_exchange, devices=devices)
        await recover(tree, clock)
        state = await installed_state(tree)
        assert state in outcomes, f"after a fault at step {at}"
        seen.append(outcomes.index(state))
        assert tree.files["note.md"] == b"mine"
        await retry(tree, work, clock, outcomes[1], replaced)
        assert not finished or state == outcomes[1]
    assert at > 8
    assert set(seen) == {0, 1}


class SmallTree(MemoryTree):
    """Holds no more bytes than it was made with, and `spare` ones; what is removed makes room."""

    def __init__(self, base: MemoryTree, spare: int = 0) -> None:
        super().__init__(base.files)
        self._most = sum(map(len, base.files.values())) + spare

    async def write(self, path: str, data: bytes) -> None:
        self._require_room(path, data)
        await MemoryTree.write(self, path, data)

    async def create(self, path: str, data: bytes) -> None:
        self._require_room(path, data)
        await MemoryTree.create(self, path, data)

    def _require_room(self, path: str, data: bytes) -> None:
        if sum(len(each) for name, each in self.files.items() if name != path) + len(data) > self._most:
            raise UnavailableError("expected room on the disk, found none", code="disk-full")


@pytest.mark.parametrize("work", [first_install, update])
async def test_a_full_disk_leaves_the_old_version_and_nothing_of_the_new(work: Work):
    old = MemoryTree({"note.md": b"mine"})
    if work is update:
        await first_install(old, ManualClock())
    whole = await copy_of(old)
    await work(whole, ManualClock())
    needed = sum(map(len, whole.files.values())) - sum(map(len, old.files.values()))
    for spare in range(0, needed + 4000, 40):
        tree, clock = SmallTree(old, spare), ManualClock()
        try:
            await work(tree, clock)
            break
        except OkfError as error:
            assert error.code == "disk-full"
        clock.advance(60)
        await recover(tree, clock)
        assert await installed_state(tree) == await installed_state(old), f"with {spare} bytes to spare"
        left = {path for path in tree.files if not path.startswith(".okf/locks/")}
        assert left <= set(old.files), f"with {spare} bytes to spare"
    assert await installed_state(tree) == await installed_state(whole)


async def test_a_bundle_can_be_removed_from_a_full_disk():
    tree = MemoryTree()
    pages = {f"page{number}.md": b"---\ntype: Note\n---\n" for number in range(300)}
    await put(tree, await make_bundle("1.0.0", pages), ManualClock())
    full, clock = SmallTree(tree), ManualClock()
    clock.advance(60)
    await uninstall(full, "ada.harbour", clock=clock)
    assert await installed_state(full) == ({}, [])


async def test_local_edits_are_kept_on_a_full_disk_too():
    tree = MemoryTree()
    await first_install(tree, ManualClock())
    tree.put(f"{FOLDER}tides.md", b"mine")
    full = SmallTree(tree)
    with pytest.raises(OkfError) as refusal:
        await uninstall(full, "ada.harbour", clock=ManualClock())
    assert refusal.value.code == "local-edits"
    assert full.files == tree.files


async def retry(tree: MemoryTree, work: Work, clock: ManualClock, wanted: object, replaced: dict[str, bytes]) -> None:
    try:
        await work(tree, clock)
    except OkfError as error:
        assert error.code == "not-found", "only a removal that was done already may refuse"
    state = await installed_state(tree)
    assert state == wanted
    left = [path for path in tree.files if path.startswith(".okf/") and not path.startswith((".okf/locks/", KEPT))]
    assert left == [REGISTRY]
    assert not [path for path in tree.files if path.startswith("Library/.")]
    kept = {path.removeprefix(KEPT): data for path, data in tree.files.items() if path.startswith(KEPT)}
    assert kept == replaced
