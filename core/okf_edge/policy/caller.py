"""Who calls, and what they may: scopes, knowledge bases, pages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from okf_edge.errors import InputError
from okf_edge.policy.rules import EVERYTHING, PathRules

Scope = Literal["read", "capture", "manage", "install", "publish"]

SCOPES: tuple[Scope, ...] = ("read", "capture", "manage", "install", "publish")
"""What may be granted: to read, to keep notes in the inbox, to set up and sync bases, to install bundles, and to
publish bundles to a service."""


@dataclass(frozen=True, slots=True)
class Caller:
    """`bases` are the names of those that may be used, None for all. `is_local` is whoever started the process."""

    name: str
    scopes: frozenset[str]
    bases: frozenset[str] | None = None
    rules: PathRules = EVERYTHING
    is_local: bool = False

    def may_use(self, base: str) -> bool:
        return self.bases is None or base in self.bases


def scopes_of(names: Iterable[str]) -> frozenset[str]:
    """Raises: InputError: one is no scope."""
    found = frozenset(names)
    unknown = sorted(found - set(SCOPES))
    if unknown:
        raise InputError(f"expected scopes among {', '.join(SCOPES)}, found {', '.join(unknown)}", code="bad-scope")
    return found
