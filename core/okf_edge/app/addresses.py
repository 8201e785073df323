"""The `okf://` addresses of answers: `okf://<knowledge base or bundle>/<path>#<heading>`, each part percent-encoded."""

from __future__ import annotations

from urllib.parse import quote, unquote

SCHEME = "okf://"


def prefix_of(owner: str) -> str:
    """What comes before the path of every address of a knowledge base or bundle."""
    return f"{SCHEME}{quote(owner, safe='')}/"


def parse(address: str) -> tuple[str, str, str] | None:
    """Owner, path and heading of an address; None when it is none."""
    if not address.startswith(SCHEME):
        return None
    place, _, heading = address.removeprefix(SCHEME).partition("#")
    owner, _, path = place.partition("/")
    return unquote(owner), unquote(path), unquote(heading)


def address_of(owner: str, path: str) -> str:
    return f"{prefix_of(owner)}{quote(path)}"
