"""`okf bundle-site`: a static site of the web reader and chosen bundles, with a signed feed of them.

    index.html, …     the reader
    engine/           what it runs on
    feed/             the feed: the bundles, and the metadata that their readers verify
    site.json         what the site offers first, and the digest of the feed's root

Rules:
1. Doing it again renews the site: newer versions are added to its feed, whose root stays.
2. What the page needs is written before the page that needs it, so that a site that is served meanwhile works.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from okf_edge.app.publishing import Publisher, let_in, publish_archive
from okf_edge.bundles.manifest import Manifest
from okf_edge.bundles.verify import verify_archive
from okf_edge.errors import BundleError, InputError, NotFoundError, UnavailableError
from okf_edge.feed import publish as feeds
from okf_edge.feed.holding import held_by
from okf_edge.feed.keys import Keyring, SslibVerifier
from okf_edge.feed.names import creator_of
from okf_edge.feed.trusted import creators_of
from okf_edge.feed.writer import Writer
from okf_edge_native.atomic import write_whole
from okf_edge_native.compose import open_store
from okf_edge_native.system import SystemClock
from okf_edge_native.webview import START, Site

FEED = "feed/"
OFFERS = "site.json"
_LAST = ("sw.js", START)
"""Written after all that they name."""


@dataclass(frozen=True, slots=True)
class Offered:
    """One bundle that a site offers, as `site.json` names it."""

    id: str
    version: str
    title: str
    description: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Written:
    """What was made: the bundles, the digest of the feed's root, until when its signatures hold, and how many files of
    the reader."""

    offered: tuple[Offered, ...]
    root: str
    expires: datetime
    files: int
    bytes: int


async def write_site(
    folder: str, archives: Sequence[bytes], site: Site, keyring: Keyring, title: str, accepted: Mapping[str, str]
) -> Written:
    """Make a site in a folder, or renew the one that is there.

    Raises: InputError: the folder holds something else. What publishing a bundle raises; UnavailableError.
    """
    manifests = await _manifests(archives)
    root = _home(folder)
    writer = Writer(open_store(str(root / FEED)), keyring, SslibVerifier())
    pin = await _feed(writer)
    pairs = zip(manifests, archives, strict=True)
    offered = tuple([await _publish(writer, manifest, archive, accepted) for manifest, archive in pairs])
    await feeds.refresh_feed(writer, SystemClock().now())
    sizes = _write_page(root, site)
    state = {"title": title, "feed": FEED, "root": pin, "bundles": [asdict(each) for each in offered]}
    _put(root / OFFERS, (json.dumps(state, ensure_ascii=False, indent=1) + "\n").encode())
    return Written(offered, pin, await _expiry(writer), len(sizes), sum(sizes))


async def _expiry(writer: Writer) -> datetime:
    """When the first signature of the feed ends: from then on nothing new can be installed from it."""
    holding = await held_by(writer.store, writer.verifier)
    assert holding.targets and holding.snapshot and holding.timestamp, "a feed that was just written is whole"
    ends = [holding.root.signed.expires, holding.targets.signed.expires, holding.snapshot.expires]
    ends += [holding.timestamp.expires, *(each.signed.expires for each in holding.creators.values())]
    return min(ends)


def _home(folder: str) -> Path:
    """The folder of the site. One that holds other things is left alone."""
    root = Path(folder).absolute()
    if root.is_file():
        raise InputError(f"expected a folder for the site, found a file: {folder}", code="usage", hint="Name another.")
    if root.is_dir() and any(root.iterdir()) and not (root / FEED).is_dir():
        raise InputError(
            f"expected an empty folder, or a site made before, found other files in {folder}",
            code="not-empty",
            hint="Name a folder that is not there yet.",
        )
    try:
        (root / FEED).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnavailableError(f"{folder} can't be written: {error}", hint="Name another folder.") from error
    return root


async def _feed(writer: Writer) -> str:
    """The digest of the root of the site's feed, which is made when there is none."""
    try:
        holding = await held_by(writer.store, writer.verifier)
    except NotFoundError:
        holding = None
    if holding is None or holding.timestamp is None:
        return await feeds.create_feed(writer, 1, 1, SystemClock().now())
    return await feeds.pin_of(writer)


async def _manifests(archives: Sequence[bytes]) -> list[Manifest]:
    """What the archives say of themselves, once each was verified: before anything is written."""
    manifests = [(await verify_archive(archive)).manifest for archive in archives]
    found = [manifest for manifest in manifests if manifest is not None]
    if len(found) < len(manifests):
        raise BundleError(
            "expected bundles with our manifest, found one without", code="no-manifest", hint="Export it: okf export."
        )
    return found


async def _publish(writer: Writer, manifest: Manifest, archive: bytes, accepted: Mapping[str, str]) -> Offered:
    """Put one bundle into the feed; its creator is let in first."""
    creator = creator_of(manifest.id)
    holding = await held_by(writer.store, writer.verifier)
    if holding.targets is None or creator not in creators_of(holding.targets.signed):
        key = (await writer.keyring.create()).public_key
        await let_in(writer, creator, [key], SystemClock().now())
    to = Publisher(writer.store, writer.keyring, writer.verifier, SystemClock())
    release = (await publish_archive(to, archive, accepted=accepted)).release
    return Offered(release.id, release.version, release.title, release.description, release.bytes)


def _write_page(root: Path, site: Site) -> list[int]:
    """The reader's files, each whole; sizes as they are written."""
    paths = [path for path in site.paths() if path != OFFERS]
    ordered = [*(path for path in paths if path not in _LAST), *(path for path in _LAST if path in paths)]
    return [_put(root / path, site.read(path) or b"") for path in ordered]


def _put(target: Path, data: bytes) -> int:
    """Write a file unless it is there already, as it should be."""
    try:
        if not (target.is_file() and target.stat().st_size == len(data) and target.read_bytes() == data):
            target.parent.mkdir(parents=True, exist_ok=True)
            write_whole(os.fspath(target), data, flush=False)
    except OSError as error:
        raise UnavailableError(
            f"{target} can't be written: {error}", hint="Free some space, then run it again."
        ) from error
    return len(data)
