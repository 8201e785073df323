"""`okf publish` and `okf yank`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from okf_edge.app import Okf
from okf_edge.app.publishing import Publisher, Receipt, publish_archive
from okf_edge.bundles.export import ExportOptions
from okf_edge.errors import InputError
from okf_edge.feed import publish as feeds
from okf_edge.feed.keys import SslibVerifier
from okf_edge.feed.publish import Change
from okf_edge.feed.writer import Writer
from okf_edge_cli import session
from okf_edge_cli.commands import DONE
from okf_edge_cli.exporting import acceptance
from okf_edge_cli.keys import keyring
from okf_edge_cli.screen import Line, bold, dim, good, line, wary
from okf_edge_native.compose import open_store, store_address
from okf_edge_native.sources import read_archive
from okf_edge_native.system import SystemClock


def publish(
    source: str,
    feed: str,
    bundle_id: str,
    version: str,
    title: str,
    embedder: str,
    accepted: Sequence[str],
    dry: bool,
    as_json: bool,
) -> int:
    reasons = dict(map(acceptance, accepted))
    options = ExportOptions(id=bundle_id, version=version, title=title, accepted=reasons)
    is_folder = Path(source).is_dir()
    if is_folder and not (bundle_id and version):
        raise InputError("expected --id and --version of a source folder", code="usage", hint="Or publish an archive.")

    async def job(okf: Okf) -> Receipt:
        archive = (await okf.export(options, embedder)).archive if is_folder else await read_archive(source)
        to = Publisher(open_store(store_address(feed)), keyring(), SslibVerifier(), SystemClock())
        return await publish_archive(to, archive, accepted=reasons, is_rebuilt=is_folder, dry=dry)

    receipt = session.run(job, source if is_folder else ".", as_json)
    session.print_result(_receipt_json(receipt), _receipt_lines(receipt), as_json)
    return DONE


def yank(bundle_id: str, version: str, reason: str, feed: str, as_json: bool) -> int:
    async def job(okf: Okf) -> Change:
        writer = Writer(open_store(store_address(feed)), keyring(), SslibVerifier())
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
    release = receipt.release
    return {
        **change_json(receipt.change),
        "dry_run": receipt.dry,
        "id": release.id,
        "version": release.version,
        "sha256": release.sha256,
        "bytes": release.bytes,
        "content_digest": release.content_digest,
        "root": f"sha256:{receipt.pin}",
        "written": list(receipt.written),
    }


def _receipt_lines(receipt: Receipt) -> Iterator[Line]:
    release = receipt.release
    words = {"done": "published ", "waiting": "sent ", "unchanged": "published already: "}
    word = "would publish " if receipt.dry else words[receipt.change.outcome]
    yield line(good(word), bold(f"{release.id}@{release.version}"), f", {release.bytes:,} bytes")
    yield line(dim(f"  sha256:{release.sha256}"))
    yield from (line(dim(f"  wrote {key}")) for key in receipt.written)
    yield from (line(wary("  risk: "), str(finding)) for finding in receipt.findings)
    if not receipt.dry:
        yield from change_lines(receipt.change)
