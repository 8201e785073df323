"""The names of a knowledge base on disk (DESIGN section 5), and what a path's place in it means.

Rules:
1. A folder is a knowledge base when one of `MARKERS` is in it; any other folder can be queried all the same.
2. Tiers follow from the place: compiled folders are the agent's, `Library/<bundle-id>/` is a bundle's, the rest is
   the person's.
"""

from __future__ import annotations

from typing import Literal

Tier = Literal["agent", "user", "bundle"]

GUIDE = "KNOWLEDGE.md"
SCHEMA = "SCHEMA.md"
BASES_INDEX = "INDEX.base"
COMPILED = ("entities", "concepts", "comparisons", "queries")
LIBRARY = "Library"

STATE = ".okf"
MANIFEST = f"{STATE}/manifest.json"
BUNDLES = f"{STATE}/bundles.json"
INDEX = f"{STATE}/index.duckdb"
IGNORE = f"{STATE}/.gitignore"
COMPILED_RECORD = f"{STATE}/compiled.json"
MANAGED = f"{STATE}/managed.json"
INBOX = "inbox"

MARKERS = (MANIFEST, BUNDLES, ".knowlery")
"""What makes a folder a knowledge base: our manifest, installed bundles, or the state folder of Knowlery."""

BUNDLE_MANIFESTS = ("okf-bundle.json", "knowlery-bundle.json")

NOTE_SUFFIXES = (".md", ".markdown")

SYSTEM_FILES = frozenset({GUIDE, SCHEMA, "log.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md"})
"""Files at the root that steer people and agents; they are instructions and records, not knowledge."""

RESERVED_NAMES = frozenset({"index.md", "log.md"})
"""Listings and logs of an OKF directory (OKF v0.2 sections 8 and 9), at every level of it."""


def is_note(path: str) -> bool:
    return path.casefold().endswith(NOTE_SUFFIXES)


def bundle_folder(path: str) -> str:
    """The name of the folder below `Library/` that holds `path`, or an empty string."""
    head, _, rest = path.partition("/")
    name, slash, _ = rest.partition("/")
    return name if head == LIBRARY and slash else ""


def tier_of(path: str) -> Tier:
    """Whose a note is that lies in no bundle."""
    return "agent" if path.partition("/")[0] in COMPILED else "user"
