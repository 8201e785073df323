"""What the tools ask of their host: the knowledge bases of this machine or service, and how to open one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from okf_edge.app.ports import Ports, Searcher
from okf_edge.errors import InputError
from okf_edge.policy.caller import Caller
from okf_edge.ports import Clock, Entropy, FileTree

EVERY = "*"


@dataclass(frozen=True, slots=True)
class Base:
    """A base under the name that callers use. `problem` says why it can't be asked; empty when it can. `bundles` are
    the ids of what it is made of, where a caller may be let into a part of it; None: it is used whole or not at all."""

    name: str
    place: str
    problem: str = ""
    bundles: Sequence[str] | None = None

    def is_for(self, caller: Caller) -> bool:
        """Whether the caller may use it, or a part of it."""
        return caller.may_use(self.name) if self.bundles is None else any(map(caller.may_use_bundle, self.bundles))

    def offers(self, bundle_id: str, caller: Caller) -> bool:
        """Whether the caller may be told of a bundle that a feed of this base has."""
        return self.bundles is None or caller.may_use_bundle(bundle_id)


class Host(Protocol):
    """Opens what tools work on. Makes no decision about who may."""

    async def bases(self) -> Sequence[Base]: ...

    @property
    def default(self) -> str:
        """The base that a call without one means; empty when it must say."""

    def ports(self, base: Base, caller: Caller) -> Ports:
        """The ports of a base as its caller may see it."""

    def searcher(self, bases: Sequence[Base], absent: Mapping[str, str], caller: Caller) -> Searcher:
        """Who answers questions over bases as their caller may see them; `absent` tells why others can't be asked."""

    def is_single(self, base: Base, path: str) -> bool:
        """Whether a file has no second name by which it could be something outside of the base."""

    async def make(self, name: str, place: str) -> Base:
        """Register a folder under a new name, making it when its parent is there. Raises InputError."""

    async def source(self, named: str) -> bytes | FileTree:
        """What a path or URL of a bundle holds."""


@dataclass(frozen=True, slots=True)
class World:
    """What one call works with: the host, its caller, time and chance. Which bases there are is looked up once."""

    host: Host
    caller: Caller
    clock: Clock
    entropy: Entropy
    _known: list[tuple[Base, ...]] = field(default_factory=list, repr=False, compare=False)

    async def known(self) -> tuple[Base, ...]:
        """The bases that the caller may use."""
        if not self._known:
            self._known.append(tuple(base for base in await self.host.bases() if base.is_for(self.caller)))
        return self._known[0]

    async def base(self, named: str) -> Base:
        """The base that a call means. Raises InputError: none is meant, or it can't be asked."""
        known = await self.known()
        name = named or meant(self.host.default, known)
        found = next((base for base in known if base.name == name), None)
        if found is None:
            there = ", ".join(base.name for base in known) or "none; register one with `okf kb add`"
            raise InputError(
                f"no knowledge base is called {name!r}"
                if name
                else "expected the name of a knowledge base, found none",
                code="no-base",
                hint=f"There are: {there}.",
            )
        if found.problem:
            raise InputError(f"{found.name} {found.problem}", code="base-unusable")
        return found


def meant(default: str, known: Sequence[Base]) -> str:
    """The base of a call that names none: the configured one, else the only one, else empty."""
    if default and any(base.name == default for base in known):
        return default
    return known[0].name if len(known) == 1 else ""
