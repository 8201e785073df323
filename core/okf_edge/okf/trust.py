"""Who acted, and how far that lifts a concept's trust (specification sections 5.3 and 7)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

TrustTier = Literal["unverified", "machine-confirmed", "human-reviewed"]
ActorKind = Literal["human", "process", "agent", "unknown"]


@dataclass(frozen=True, slots=True)
class Actor:
    """Who or what acted. `kind` is "human" only for `human:<id>` with an id (section 7)."""

    raw: str
    kind: ActorKind


@dataclass(frozen=True, slots=True)
class Verification:
    by: Actor
    at: datetime | None


_PREFIXES: dict[str, ActorKind] = {"human": "human", "process": "process"}
_AGENT = re.compile(r"[^\s:/]+/\S+")


def actor_of(value: Any) -> Actor | None:
    """The actor that a field names; None when it names none. `human:` without an id is nobody in particular."""
    text = value.strip() if isinstance(value, str) else ""
    if not text:
        return None
    prefix, colon, name = text.partition(":")
    if colon and prefix in _PREFIXES:
        return Actor(text, _PREFIXES[prefix] if name.strip() else "unknown")
    return Actor(text, "agent" if _AGENT.fullmatch(text) else "unknown")


def tier_of(verified: Iterable[Verification]) -> TrustTier:
    """The tier that verifications claim. It is a claim until a signature says whose claim it is."""
    kinds = {verification.by.kind for verification in verified}
    if "human" in kinds:
        return "human-reviewed"
    return "machine-confirmed" if kinds else "unverified"
