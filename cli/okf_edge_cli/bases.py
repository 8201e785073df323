"""`okf kb add|list|remove|use`, and what `--kb` means."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from okf_edge.errors import AlreadyExistsError, InputError
from okf_edge.workspace.registry import EVERY, problem_of
from okf_edge_cli import session
from okf_edge_cli.commands import DONE
from okf_edge_cli.screen import Line, bold, dim, good, line, wary
from okf_edge_native import bases, compose
from okf_edge_native.bases import Registered
from okf_edge_native.preferences import AUTOMATIC, choose_kb


def add(name: str, folder: str | None, force: bool, as_json: bool) -> int:
    _require_name(name)
    path = _meant(name) if folder is None else compose.existing_folder(folder)
    may_move = force or _agrees(name, path, as_json)
    new = asyncio.run(bases.change(lambda registry: registry.with_base(name, path, may_move)))
    others = [each for each in new.names_of(path) if each != name]
    added = Registered(name, path, bases.state_of(path))
    value = {**_described(added), "also": others}
    session.print_result(value, _added_lines(added, others), as_json)
    return DONE


def list_bases(as_json: bool) -> int:
    found = asyncio.run(bases.registered())
    session.print_result({"bases": [_described(each) for each in found]}, _list_lines(found), as_json)
    return DONE


def remove(name: str, as_json: bool) -> int:
    path = asyncio.run(bases.registry()).path_of(name)
    asyncio.run(bases.change(lambda registry: registry.without(name)))
    value = {"name": name, "path": path}
    session.print_result(value, [line(good("forgotten "), bold(name), dim("  its files stay as they are"))], as_json)
    return DONE


def use(name: str, as_json: bool) -> int:
    registry = asyncio.run(bases.registry())
    chosen = "" if name == AUTOMATIC and name not in registry.bases else name
    if chosen:
        registry.path_of(chosen)
    asyncio.run(choose_kb(chosen))
    told = line("tool calls that name no base mean ", bold(chosen or "the only one there is"))
    session.print_result({"use": chosen or AUTOMATIC}, [told], as_json)
    return DONE


def folder_of(kb: str, folder: str | None) -> str:
    """The folder of a registered base. Raises InputError, NotFoundError."""
    if folder not in (None, "."):
        raise InputError("expected a folder or --kb, found both", code="usage")
    if kb == EVERY:
        raise InputError(f"--kb '{EVERY}' asks all bases, and only `okf query` can", code="usage", hint="Name one.")
    return asyncio.run(bases.folder_of(kb))


def _require_name(name: str) -> None:
    """Raises InputError: it can't be a name; a path in its place is told how it is given one."""
    problem = problem_of(name)
    if problem:
        plain = name.strip("/").rpartition("/")[2].lower()
        hint = f"Give it one: `okf kb add {plain} {name}`." if Path(name).is_dir() and not problem_of(plain) else ""
        raise InputError(f"the name {name!r} {problem}", code="bad-name", hint=hint or "Take another name.")


def _meant(name: str) -> str:
    """The folder of a name that came alone: that of the name here, unless here is a knowledge base already."""
    here = compose.current_folder()
    is_named = bases.state_of(here) != "ok" and Path(here, name).is_dir()
    return compose.existing_folder(f"{here}/{name}" if is_named else here)


def _agrees(name: str, path: str, as_json: bool) -> bool:
    """Whether a name may change its folder: whoever sits at the terminal is asked."""
    try:
        asyncio.run(bases.registry()).with_base(name, path)
    except AlreadyExistsError as error:
        if as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise
        if session.asked(f"{error.message}. Let it stand for {path}? [y/N] ").lower() not in ("y", "yes"):
            raise
        return True
    return False


def _described(base: Registered) -> dict[str, Any]:
    return {"name": base.name, "path": base.path, "state": base.state}


def _added_lines(added: Registered, others: Sequence[str]) -> Iterator[Line]:
    yield line(good("registered "), bold(added.name), f"  {added.path}")
    if others:
        yield line(dim(f"  the same folder is also called {', '.join(others)}"))
    if added.state != "ok":
        yield line(wary("  note: "), f"it {bases.REASONS[added.state]}")


def _list_lines(found: Sequence[Registered]) -> Iterator[Line]:
    for base in found:
        state = good("ok") if base.state == "ok" else wary(base.state)
        yield line(bold(f"{base.name:<16}"), " ", state, f"  {base.path}")
    if not found:
        yield line(dim("no knowledge base is registered: `okf kb add NAME DIR`"))
