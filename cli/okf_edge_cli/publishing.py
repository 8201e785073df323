"""`okf publish` and `okf yank`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from okf_edge.app import Okf
from okf_edge.app.publishing import Consent, Publisher, Receipt, publish_archive, publish_exported
from okf_edge.bundles.export import ExportOptions
from okf_edge.bundles.manifest import Creator
from okf_edge.bundles.risks import Finding
from okf_edge.errors import InputError
from okf_edge.feed import publish as feeds
from okf_edge.feed.keys import SslibVerifier
from okf_edge.feed.publish import Change
from okf_edge.feed.writer import Writer
from okf_edge.workspace.layout import MARKERS, is_note
from okf_edge_cli import session
from okf_edge_cli.commands import DONE
from okf_edge_cli.exporting import acceptance, dependency, finding_json
from okf_edge_cli.keys import keyring
from okf_edge_cli.screen import Line, bold, dim, good, line, wary
from okf_edge_native.compose import audience_of, feed_address, is_web, open_store, service_store, store_address
from okf_edge_native.sources import read_archive
from okf_edge_native.system import SystemClock


def publish(
    sources: Sequence[str],
    folder: str | None,
    feed: str,
    bundle_id: str,
    version: str,
    title: str,
    description: str,
    creator: str,
    creator_url: str,
    licence: str,
    languages: Sequence[str],
    needs: Sequence[str],
    embedder: str,
    accepted: Sequence[str],
    public: bool,
    dry: bool,
    as_json: bool,
) -> int:
    reasons = dict(map(acceptance, accepted))
    options = ExportOptions(
        id=bundle_id,
        version=version,
        title=title,
        description=description,
        creator=Creator(creator, creator_url),
        licence=licence,
        languages=tuple(languages),
        dependencies=tuple(map(dependency, needs)),
        accepted=reasons,
    )
    what = _what(sources, folder)
    if what.kind != "archive" and not version:
        raise InputError(
            "expected --version of what is exported", code="usage", hint="Or publish an archive, which states its own."
        )
    if what.kind == "tree" and not bundle_id:
        raise InputError("expected --id of a source folder", code="usage", hint="For example: --id acme.handbook")

    async def job(okf: Okf) -> Receipt:
        to = await _publisher(feed, reasons, _consent(feed, public, as_json))
        if what.kind == "archive":
            return await publish_archive(to, await read_archive(what.place), accepted=reasons, dry=dry)
        if what.kind == "tree":
            exported = await okf.export(options, embedder)
            return await publish_exported(to, exported, accepted=reasons, dry=dry)
        exported = await okf.export_reviewed(options, embedder, what.seeds)
        receipt = await publish_exported(
            to, exported, accepted=reasons, dry=dry, before=lambda: okf.record_release(exported)
        )
        return receipt if dry else await okf.record_publication(receipt, _shown(feed))

    receipt = session.run(job, "." if what.kind == "archive" else what.place or None, as_json)
    session.print_result(_receipt_json(receipt), _receipt_lines(receipt), as_json)
    return DONE


def _shown(feed: str) -> str:
    """The address without what somebody may have written into it to be let in."""
    if "://" not in feed:
        return feed
    parts = urlsplit(feed)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()


class _What(NamedTuple):
    """What is to be published: an archive or a source folder at a place, or reviewed pages of the base there."""

    kind: Literal["archive", "tree", "base"]
    place: str
    seeds: tuple[str, ...] = ()


def _what(sources: Sequence[str], folder: str | None) -> _What:
    only = sources[0] if len(sources) == 1 else ""
    if only and Path(only).is_dir():
        is_base = any((Path(only) / mark).exists() for mark in (*MARKERS, _REVIEWS))
        return _What("base" if is_base else "tree", only)
    if only.casefold().endswith(".zip") or (Path(only).is_file() and not is_note(only)):
        return _What("archive", only)
    return _What("base", folder or "", tuple(sources))


def _consent(feed: str, public: bool, as_json: bool) -> Consent:
    def ask(risks: Sequence[Finding]) -> Mapping[str, str] | None:
        can_ask = not as_json and sys.stdin.isatty() and sys.stdout.isatty()
        if not can_ask:
            return {} if public else None
        if not public and session.asked(f"Everybody can read {feed}. Publish there? [y/N] ").casefold()[:1] != "y":
            return None
        return {
            each.id: session.asked(f"Why may everybody read this: {each}\n(empty: they may not) ") for each in risks
        }

    return ask


async def _publisher(feed: str, accepted: Mapping[str, str], consent: Consent) -> Publisher:
    """Where to publish to, and who can read it there. A service keeps the conditions of writes: it is not tried out."""
    store = service_store(feed, accepted) if is_web(feed) else open_store(store_address(feed))
    audience = await audience_of(store)
    return Publisher(store, keyring(), SslibVerifier(), SystemClock(), is_web(feed), audience, consent)


def yank(bundle_id: str, version: str, reason: str, feed: str, as_json: bool) -> int:
    async def job(okf: Okf) -> Change:
        writer = Writer(open_store(await feed_address(feed)), keyring(), SslibVerifier())
        return await feeds.yank(writer, bundle_id, version, reason, SystemClock().now())

    change = session.run(job, ".", as_json)
    lines = [line(good("withdrawn "), bold(f"{bundle_id}@{version}"), f": {reason}"), *change_lines(change)]
    session.print_result({"id": bundle_id, "version": version, "reason": reason, **change_json(change)}, lines, as_json)
    return DONE


def change_json(change: Change) -> dict[str, Any]:
    return {"outcome": change.outcome, "snapshot": change.snapshot}


def change_lines(change: Change) -> Iterator[Line]:
    if change.outcome == "waiting":
        yield line(wary("  waiting: "), "it is in force once the feed's owner has run `okf feed refresh`")
    else:
        yield line(dim(f"  in force with snapshot {change.snapshot}"))


def _receipt_json(receipt: Receipt) -> dict[str, Any]:
    release, manifest = receipt.release, receipt.manifest
    return {
        **change_json(receipt.change),
        "dry_run": receipt.dry,
        "id": release.id,
        "version": release.version,
        "title": release.title,
        "sha256": release.sha256,
        "bytes": release.bytes,
        "content_digest": release.content_digest,
        "root": f"sha256:{receipt.pin}",
        "audience": receipt.audience,
        "written": list(receipt.written),
        "files": [
            {"path": each.path, "kind": each.kind, "bytes": each.bytes, "sha256": each.sha256}
            for each in manifest.files
        ],
        "dependencies": [{"id": each.id, "version": each.version} for each in manifest.dependencies],
        "risks": [finding_json(each) for each in receipt.findings],
        "unsettled": [each.id for each in receipt.unsettled],
        "notes": list(receipt.notes),
    }


def _receipt_lines(receipt: Receipt) -> Iterator[Line]:
    release = receipt.release
    words = {"done": "published ", "waiting": "sent ", "unchanged": "published already: "}
    word = "would publish " if receipt.dry else words[receipt.change.outcome]
    yield line(good(word), bold(f"{release.id}@{release.version}"), f", {release.bytes:,} bytes")
    yield line(dim(f"  sha256:{release.sha256}"))
    yield line(dim(f"  {_READERS[receipt.audience]}"))
    if receipt.dry:
        yield from (
            line(f"  {each.kind:<10} {each.path}", dim(f"  {each.bytes:,} bytes")) for each in receipt.manifest.files
        )
    yield from (line(dim(f"  {'would write' if receipt.dry else 'wrote'} {key}")) for key in receipt.written)
    yield from (line(wary("  risk: "), str(finding)) for finding in receipt.findings)
    yield from (line(wary("  note: "), note) for note in receipt.notes)
    if receipt.unsettled:
        yield line(wary("  open: "), f"{len(receipt.unsettled)} risks are to be accepted once more for a public feed")
    if not receipt.dry:
        yield from change_lines(receipt.change)


_READERS = {
    "private": "those who were let in can read it there",
    "public": "everybody can read it there",
    "unknown": "who can read it there is decided by whoever keeps the place",
}
_REVIEWS = ".okf/reviews"
