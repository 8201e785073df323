"""`.okf/feeds.json`: which feeds a knowledge base follows, by name: an address and a pinned root each, no more.

The file may arrive by a sync service or a colleague. So it is no proof: a pin takes effect on a device only once it was
confirmed there (`kept`), and trusted metadata is never in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from okf_edge.errors import InputError, NotFoundError
from okf_edge.ports import FileTree
from okf_edge.state import corrupt, read_state, write_state

FEEDS = ".okf/feeds.json"
FORMAT = 1

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PIN = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Subscription:
    """A feed that is followed. `root` is the sha256 of the root that trust starts from, in hex."""

    name: str
    url: str
    root: str


async def read_subscriptions(tree: FileTree) -> dict[str, Subscription]:
    """All feeds by name. Raises StateFileError, NewerFormatError."""
    feeds = (await _state(tree)).get("feeds", {})
    if not isinstance(feeds, dict):
        raise corrupt(FEEDS, f"has feeds {type(feeds).__name__}, expected an object")
    return {name: _subscription(name, raw) for name, raw in sorted(feeds.items())}


async def subscribe(tree: FileTree, subscription: Subscription) -> None:
    """Follow a feed, or follow it elsewhere from now on."""
    state = await _state(tree)
    feeds = {**state.get("feeds", {}), subscription.name: {"url": subscription.url, "root": subscription.root}}
    await write_state(tree, FEEDS, {**state, "format": FORMAT, "feeds": feeds})


def chosen(subscriptions: Mapping[str, Subscription], name: str) -> Subscription:
    """Raises: NotFoundError (`no-feed`): no feed of that name is followed."""
    if name in subscriptions:
        return subscriptions[name]
    if not subscriptions:
        raise NotFoundError(
            "expected a feed that is followed here, found none",
            code="no-feed",
            hint="Follow one: okf feed trust URL, or the folder of a feed.",
        )
    raise NotFoundError(
        f"expected a feed that is followed here, found none called {name!r}",
        code="no-feed",
        hint=f"Followed: {', '.join(subscriptions)}. Follow one with `okf feed trust`.",
    )


def pin_from(text: str) -> str:
    """The digest in `sha256:…`, in hex. Raises InputError."""
    pin = text.removeprefix("sha256:").lower()
    if not _PIN.fullmatch(pin):
        raise InputError(f"expected sha256: and 64 hex digits, found {text[:80]!r}", code="bad-digest")
    return pin


def feed_name(url: str, wanted: str = "") -> str:
    """A name for a feed: the one wanted, else made of its address. Raises InputError: a bad name."""
    if wanted:
        if not _NAME.fullmatch(wanted):
            raise InputError(f"expected a name such as 'main' (a-z, 0-9, '-'), found {wanted[:80]!r}", code="bad-name")
        return wanted
    parts = urlsplit(url)
    last = parts.path.rstrip("/").rpartition("/")[2] or parts.hostname or ""
    return "-".join(re.findall(r"[a-z0-9]+", last.lower())) or f"feed-{sha256(url.encode()).hexdigest()[:8]}"


async def _state(tree: FileTree) -> dict[str, Any]:
    return await read_state(tree, FEEDS, FORMAT) or {}


def _subscription(name: str, raw: object) -> Subscription:
    if not isinstance(raw, dict) or not all(isinstance(raw.get(key), str) for key in ("url", "root")):
        raise corrupt(FEEDS, f"has no url and root for {name!r}")
    if not _PIN.fullmatch(raw["root"]) or not _NAME.fullmatch(name):
        raise corrupt(FEEDS, f"has a root that is no sha256, or a bad name, for {name!r}")
    return Subscription(name, raw["url"], raw["root"])
