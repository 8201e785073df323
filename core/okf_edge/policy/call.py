"""A call of a tool, and the tool as the pipeline sees it: what it needs, not what it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal, Protocol

from okf_edge.policy.caller import Caller, Scope
from okf_edge.policy.parse import canonical

Kind = Literal["read", "write"]

KEY = "idempotency_key"
CONFIRM = "confirm"
ASIDE = frozenset({KEY, CONFIRM})
"""Arguments that say how to run a call, not what it does: they are no part of its fingerprint."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool found or did: structured content, the same in short for people, and notes for programs."""

    content: Mapping[str, Any]
    text: str
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Call:
    """Which tool is called by whom, with which arguments, as they came. `declines`: the person said no to it."""

    caller: Caller
    tool: str
    arguments: Mapping[str, Any]
    declines: bool = False

    @property
    def fingerprint(self) -> str:
        """Equal for calls that would do the same."""
        told = {name: value for name, value in self.arguments.items() if name not in ASIDE}
        return sha256(canonical([self.tool, told])).hexdigest()

    def aside(self, name: str) -> str:
        """An argument that says how to run it; empty when there is none."""
        value = self.arguments.get(name)
        return value if isinstance(value, str) else ""


class Guarded(Protocol):
    """A tool behind the pipeline. `whole_base` tools are not for callers who see a part; `local_only` ones not for
    callers over a network; `confirms` ones ask first."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> Kind: ...
    @property
    def scope(self) -> Scope: ...
    @property
    def whole_base(self) -> bool: ...
    @property
    def local_only(self) -> bool: ...
    @property
    def confirms(self) -> bool: ...

    def validated(self, arguments: Mapping[str, Any]) -> Any:
        """The arguments as the tool reads them. Raises InputError with all that is wrong."""

    async def run(self, caller: Caller, checked: Any) -> Result: ...
