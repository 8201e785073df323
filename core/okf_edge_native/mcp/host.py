"""The knowledge bases of this machine as tools see them, and the service over them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from okf_edge.app.federation import Federation, Member
from okf_edge.app.ports import Ports
from okf_edge.app.view import seen_by
from okf_edge.errors import AlreadyExistsError, InputError
from okf_edge.policy.caller import Caller
from okf_edge.policy.deadline import Timed
from okf_edge.policy.parse import canonical
from okf_edge.policy.pipeline import Guards, Watch
from okf_edge.ports import FileTree
from okf_edge.tools.host import Base
from okf_edge.tools.service import Service
from okf_edge_native import bases, compose
from okf_edge_native.calls import FileAuditLog, FileLedger, audit_key
from okf_edge_native.disk import DiskTree
from okf_edge_native.places import cache_place, config_place, state_place
from okf_edge_native.system import SystemClock, SystemEntropy

_NOT_IN_NAMES = re.compile(r"[^a-z0-9_-]+")


class NativeHost:
    """A `Host` of the registered bases, and of one folder that a server was started for.

    Adapters live as long as the process, so that a model is loaded once.
    """

    def __init__(self, folder: str | None = None, default: str = "") -> None:
        self._folder = compose.existing_folder(folder) if folder is not None else None
        self.default = default or (_name_of(self._folder) if self._folder else os.environ.get("OKF_KB", ""))
        self._ports: dict[str, Ports] = {}
        self._bases = bases.Watched()

    async def bases(self) -> Sequence[Base]:
        known = await self._bases.registered()
        found = [Base(each.name, each.path, bases.REASONS.get(each.state, "")) for each in known]
        if self._folder and all(base.name != _name_of(self._folder) for base in found):
            is_there = os.path.isdir(self._folder)
            found.append(Base(_name_of(self._folder), self._folder, "" if is_there else bases.REASONS["missing"]))
        return found

    def ports(self, base: Base, caller: Caller) -> Ports:
        whole = self._ports.get(base.place)
        if whole is None:
            whole = replace(compose.ports_of(base.place, True), progress=Timed(SystemClock()))
            self._ports[base.place] = whole
        return seen_by(whole, caller.rules.admits, _spare_of(base, caller)) if caller.rules else whole

    def searcher(self, bases: Sequence[Base], absent: Mapping[str, str], caller: Caller) -> Federation:
        return Federation([Member(base.name, self.ports(base, caller)) for base in bases], absent)

    def is_single(self, base: Base, path: str) -> bool:
        try:
            return os.lstat(f"{base.place}/{path}").st_nlink == 1
        except OSError:
            return False

    async def make(self, name: str, place: str) -> Base:
        """Register an existing folder, or a new one in an existing folder, under a name that nothing has."""
        if not os.path.isabs(place):
            raise InputError(f"expected an absolute path, found {place!r}", code="path-outside")
        registry = await bases.registry()
        if name in registry.bases:
            raise AlreadyExistsError(f"{name} is a knowledge base already", code="base-elsewhere", hint="Take another.")
        path = _real(place)
        _require_apart(path, [*registry.bases.values()])
        registry.with_base(name, path)
        if not os.path.isdir(path):
            compose.existing_folder(os.path.dirname(path))
            os.mkdir(path)
        await bases.change(lambda registry: registry.with_base(name, path))
        return Base(name, path)

    async def source(self, named: str) -> bytes | FileTree:
        from okf_edge_native.sources import open_source

        return await open_source(named)


def service_of(
    host: NativeHost, *, read_only: bool = False, watch: Watch | None = None, seconds: float | None = None
) -> Service:
    """The service of this machine: claims and log in the user's state folder.

    Args: watch: is told of each call. seconds: how long one may run.
    """
    place = state_place()
    key = audit_key(place)
    guards = Guards(
        FileLedger(place),
        FileAuditLog(place, key),
        key,
        SystemClock(),
        SystemEntropy(),
        read_only=read_only,
        seconds=seconds,
    )
    return Service(host, replace(guards, watch=watch) if watch else guards)


def _name_of(folder: str) -> str:
    """A name that a folder goes by while it is not registered."""
    plain = _NOT_IN_NAMES.sub("-", compose.shown_name(folder).lower()).strip("-_")
    return plain[:64] or "notes"


def _real(place: str) -> str:
    """The path with the real one of what is above it; a link in the last place is refused."""
    parent, name = os.path.split(os.path.abspath(place))
    path = os.path.join(os.path.realpath(parent), name)
    if os.path.islink(path):
        raise InputError(f"expected a folder, found a link: {place}", code="no-folder")
    return path


def _require_apart(path: str, others: Sequence[str]) -> None:
    """Refuse a folder that holds, or lies in, our own places or another base."""
    for other in (*map(os.path.realpath, others), config_place(), state_place(), cache_place()):
        if path != other and os.path.commonpath([path, other]) in (path, other):
            raise InputError(f"{path} overlaps with {other}", code="base-elsewhere", hint="Take another folder.")


def _spare_of(base: Base, caller: Caller) -> Callable[[], FileTree]:
    """Where what is derived for callers with these rules goes."""
    rules = canonical([base.place, caller.rules.allow, caller.rules.deny])
    key = sha256(rules).hexdigest()[:24]
    return lambda: DiskTree(f"{cache_place()}/views/{key}")
