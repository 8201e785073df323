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
    """`bases` are the names of those that may be used, None for all. `is_local` is whoever started the process.

    Where bases are made of bundles (`Base.bundles`), a name is as many first segments of ids as it has: `ada` is all
    that ada publishes, `ada.notes` the bundle of that id and those whose ids go on after a dot.
    """

    name: str
    scopes: frozenset[str]
    bases: frozenset[str] | None = None
    rules: PathRules = EVERYTHING
    is_local: bool = False

    def may_use(self, base: str) -> bool:
        return self.bases is None or base in self.bases

    def may_use_bundle(self, bundle_id: str) -> bool:
        """Whether the id begins with the segments of a name."""
        return self.bases is None or any(_begins(bundle_id, each) for each in self.bases)

    def may_use_some_of(self, creator: str) -> bool:
        """Whether a bundle of the creator can be among those that may be used."""
        return self.bases is None or any(_begins(each, creator) for each in self.bases)


def _begins(bundle_id: str, first: str) -> bool:
    """Whole segments count: `ada.notes` begins neither with `ad` nor with `ada.note`."""
    return f"{bundle_id}.".startswith(f"{first}.")


def scopes_of(names: Iterable[str]) -> frozenset[str]:
    """Raises: InputError: one is no scope."""
    found = frozenset(names)
    unknown = sorted(found - set(SCOPES))
    if unknown:
        raise InputError(f"expected scopes among {', '.join(SCOPES)}, found {', '.join(unknown)}", code="bad-scope")
    return found
