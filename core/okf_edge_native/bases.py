"""The person's knowledge bases by name, on this machine."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from okf_edge.errors import NotFoundError, StateFileError
from okf_edge.workspace.layout import MARKERS
from okf_edge.workspace.registry import FILE, Registry, read_registry, write_registry
from okf_edge_native.disk import DiskTree
from okf_edge_native.locks import changing
from okf_edge_native.places import config_place

State = Literal["ok", "not-set-up", "missing"]

REASONS: Mapping[State, str] = {
    "not-set-up": "is not set up: run `okf init` in it",
    "missing": "is missing: its folder is not there",
}

_LONGEST_MOMENT_NS = 2_000_000_000
"""FAT keeps time to two seconds."""

_UNTOLD: tuple[int, ...] = (-1,)


@dataclass(frozen=True, slots=True)
class Registered:
    """A name, the folder that it stands for, and whether that can be asked."""

    name: str
    path: str
    state: State


async def registry() -> Registry:
    """Raises: StateFileError: it is corrupt, and was left as it is. UnavailableError: no home is known."""
    place = config_place()
    try:
        found = await read_registry(DiskTree(place))
    except StateFileError as error:
        raise StateFileError(error.message.replace(FILE, f"{place}/{FILE}", 1), hint=error.hint) from error
    relative = [name for name, path in found.bases.items() if not os.path.isabs(path)]
    if relative:
        raise StateFileError(
            f"{place}/{FILE} has a relative path for {', '.join(relative)}, expected absolute ones",
            hint="Correct the paths, or remove the entries.",
        )
    return found


async def change(decide: Callable[[Registry], Registry]) -> Registry:
    """Replace the registry by what is made of it; nobody else changes it in between. Raises what `decide` raises."""
    with changing(FILE):
        old = await registry()
        new = decide(old)
        if new != old:
            await write_registry(DiskTree(config_place()), new)
    return new


async def registered() -> list[Registered]:
    """Every base by name."""
    return _looked_at(await registry())


class Watched:
    """The registered bases for a process that looks again and again: the registry is read when its file is another."""

    def __init__(self) -> None:
        self._registry, self._stamp = Registry(), _UNTOLD

    async def registered(self) -> list[Registered]:
        stamp = _stamp_of(f"{config_place()}/{FILE}")
        if stamp != self._stamp or stamp is _UNTOLD:
            self._registry, self._stamp = await registry(), stamp
        return _looked_at(self._registry)


async def folder_of(name: str) -> str:
    """The folder that a name stands for. Raises NotFoundError: no such name, or its folder is gone."""
    path = (await registry()).path_of(name)
    if state_of(path) == "missing":
        raise NotFoundError(
            f"the folder of {name} is not there: {path}",
            code="no-folder",
            hint=f"Bring it back, or run `okf kb remove {name}`.",
        )
    return path


def _looked_at(found: Registry) -> list[Registered]:
    return [Registered(name, path, state_of(path)) for name, path in sorted(found.bases.items())]


def _stamp_of(path: str) -> tuple[int, ...]:
    """What tells one content of a file from another; the same for every absent one.

    It tells nothing while the file is so new that it can change once more within what its file system calls one moment.
    """
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return ()
    except OSError:
        return _UNTOLD
    if time.time_ns() - status.st_mtime_ns < _LONGEST_MOMENT_NS:
        return _UNTOLD
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def state_of(path: str) -> State:
    if not os.path.isdir(path):
        return "missing"
    return "ok" if any(os.path.exists(f"{path}/{marker}") for marker in MARKERS) else "not-set-up"
