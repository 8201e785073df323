"""`registry.json` in the person's configuration: short names of knowledge bases, and the folders that they stand for.

Rules:
1. Names and paths are checked when they are written and when they are read: a hand may have edited the file.
2. A corrupt registry is an error that names the file and says what is wrong; it is never written over.
3. A name never changes its folder unasked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from okf_edge.errors import AlreadyExistsError, InputError, NotFoundError
from okf_edge.ports import FileTree
from okf_edge.state import State, corrupt, read_state, write_state

FILE = "registry.json"
FORMAT = 1

EVERY = "*"
"""In place of a name: all bases."""

RESERVED = frozenset({EVERY, "all"})
_LISTED = 12
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class Registry:
    """Absolute paths of knowledge bases by name. `unknown` are keys of the file that we do not know, and keep."""

    bases: Mapping[str, str] = field(default_factory=dict)
    unknown: Mapping[str, Any] = field(default_factory=dict)

    def path_of(self, name: str) -> str:
        """Raises: NotFoundError: no such name; the hint lists those that there are."""
        if name not in self.bases:
            known = sorted(self.bases) if len(self.bases) <= _LISTED else get_close_matches(name, self.bases, _LISTED)
            hint = f"There are: {', '.join(known)}." if known else "See `okf kb list`, or register one: `okf kb add`."
            raise NotFoundError(f"no knowledge base is called {name!r}", code="no-base", hint=hint)
        return self.bases[name]

    def with_base(self, name: str, path: str, force: bool = False) -> Registry:
        """Raises: InputError: the name can't be one. AlreadyExistsError: it stands for another folder; see `force`."""
        problem = problem_of(name)
        if problem:
            raise InputError(f"the name {name!r} {problem}", code="bad-name", hint="Take another name.")
        old = self.bases.get(name, path)
        if old != path and not force:
            raise AlreadyExistsError(
                f"{name} stands for {old}, not for {path}",
                code="base-elsewhere",
                hint="Take another name, or pass --force to let it stand for the new folder.",
            )
        return replace(self, bases={**self.bases, name: path})

    def without(self, name: str) -> Registry:
        self.path_of(name)
        return replace(self, bases={each: path for each, path in self.bases.items() if each != name})

    def names_of(self, path: str) -> tuple[str, ...]:
        return tuple(sorted(name for name, each in self.bases.items() if each == path))


def problem_of(name: str) -> str:
    """Why a text can't be the name of a base; empty when it can."""
    if name in RESERVED:
        return "is reserved: it means all bases"
    if not _NAME.fullmatch(name):
        return "is no name: expected up to 64 of a-z, 0-9, - and _, beginning with a letter or digit"
    return ""


async def read_registry(tree: FileTree) -> Registry:
    """The registry; empty when there is none. Raises StateFileError, NewerFormatError."""
    state = await read_state(tree, FILE, FORMAT)
    if state is None:
        return Registry()
    listed = state.get("bases")
    if not isinstance(listed, dict):
        raise corrupt(FILE, f"has bases {type(listed).__name__}, expected an object")
    bases = {name: _checked_path(name, entry) for name, entry in listed.items()}
    return Registry(bases, {key: value for key, value in state.items() if key not in ("format", "bases")})


async def write_registry(tree: FileTree, registry: Registry) -> None:
    await write_state(tree, FILE, state_of(registry))


def state_of(registry: Registry) -> State:
    bases = {name: {"path": path} for name, path in sorted(registry.bases.items())}
    return {"format": FORMAT, **registry.unknown, "bases": bases}


def _checked_path(name: str, entry: Any) -> str:
    problem = problem_of(name)
    path = entry.get("path") if isinstance(entry, dict) else None
    if not problem and not (isinstance(path, str) and path and "\0" not in path):
        problem = "has no path"
    if problem:
        raise corrupt(FILE, f"has an entry that can't be used: {name!r} {problem}")
    return str(path)
