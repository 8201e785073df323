"""What a document means as an OKF concept: its frontmatter families, normalised and typed.

Source: OKF v0.2 sections 4, 5, 7 and 10, with the v0.1 fallbacks of section 13.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

TrustTier = Literal["unverified", "machine-confirmed", "human-reviewed"]
Status = Literal["draft", "stable", "deprecated"]


@dataclass(frozen=True, slots=True)
class Actor:
    """Who or what acted. `kind` is "human" only for `human:<id>` with an id (section 7)."""

    raw: str
    kind: Literal["human", "process", "agent", "unknown"]


@dataclass(frozen=True, slots=True)
class Verification:
    by: Actor
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Source:
    """One material that a concept derives from (section 5.1)."""

    resource: str
    id: str = ""
    title: str = ""
    author: str = ""
    usage_count: int | None = None
    last_modified: datetime | None = None


@dataclass(frozen=True, slots=True)
class Concept:
    """The meaning of one concept document. Absent text fields are empty strings; instants are aware or None."""

    path: str
    type: str
    title: str
    description: str = ""
    resource: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    status: Status = "stable"
    sources: tuple[Source, ...] = ()
    generated_by: Actor | None = None
    generated_at: datetime | None = None
    verified: tuple[Verification, ...] = ()
    trust: TrustTier = "unverified"
    stale_after: datetime | None = None
