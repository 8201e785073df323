"""Results of use cases as plain data: what `--json` prints and what a page gets from its worker.

Reports have theirs in `workspace.reports`, pages of bundles in `viewing`, answers in `retrieval.answer`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from okf_edge.app.reading import Reading
    from okf_edge.app.status import Status
    from okf_edge.app.subscribing import Catalogue, Standing
    from okf_edge.bundles.install import Installation
    from okf_edge.bundles.registry import InstalledBundle
    from okf_edge.bundles.verify import Verified
    from okf_edge.feed.subscriptions import Subscription
    from okf_edge.okf.document import Diagnostic

Json = dict[str, Any]


def reading_json(reading: Reading) -> Json:
    return {
        "path": reading.path,
        "title": reading.title,
        "heading": reading.heading,
        "lines": list(reading.lines),
        "content": "untrusted",
        "text": reading.text,
    }


def bundle_json(bundle: InstalledBundle) -> Json:
    return {
        "id": bundle.id,
        "version": bundle.version,
        "title": bundle.title,
        "kind": bundle.kind,
        "path": bundle.path,
        "origin": bundle.origin,
        "installed_at": bundle.installed_at,
        "content_digest": bundle.content_digest,
        "signature": bundle.signature,
        "signer": bundle.signer,
        "feed": bundle.feed,
        "previous": bundle.previous.version if bundle.previous else "",
        "index": bundle.index_origin,
        "embedder": bundle.index.embedder if bundle.index else "",
        "left_out": list(bundle.left_out),
    }


def installation_json(done: Installation) -> Json:
    return {"outcome": done.outcome, "bundle": bundle_json(done.bundle), "notes": list(done.notes)}


def verified_json(verified: Verified, rebuilt: bool) -> Json:
    manifest = verified.manifest
    return {
        "kind": verified.kind,
        "id": manifest.id if manifest else verified.knowlery.id if verified.knowlery else "",
        "version": manifest.version if manifest else verified.knowlery.version if verified.knowlery else "",
        "files": len(verified.digests),
        "content_digest": verified.content_digest,
        "signature": verified.signature,
        "index": "rebuilt-equal" if rebuilt else "not-compared" if manifest and manifest.index else "none",
        "local": bool(manifest and manifest.local),
        "left_out": list(verified.left_out),
        "notes": list(verified.notes),
    }


def subscription_json(found: Subscription, confirmed: bool) -> Json:
    return {"name": found.name, "url": found.url, "root": f"sha256:{found.root}", "confirmed": confirmed}


def catalogue_json(found: Catalogue) -> Json:
    releases = [
        {
            "feed": offer.feed,
            "id": offer.release.id,
            "version": offer.release.version,
            "title": offer.release.title,
            "description": offer.release.description,
            "bytes": offer.release.bytes,
            "signer": offer.release.signer,
        }
        for offer in found.offers
    ]
    return {"bundles": releases, "troubles": list(found.troubles)}


def standing_json(each: Standing) -> Json:
    return {
        "id": each.bundle.id,
        "version": each.bundle.version,
        "feed": each.bundle.feed,
        "offered": each.offered,
        "yanked": each.yanked,
        "trouble": each.trouble,
    }


def status_json(status: Status) -> Json:
    index = status.index
    return {
        "place": status.place,
        "found": status.found,
        "read": status.read,
        "concepts": index.concepts if index else 0,
        "chunks": index.chunks if index else 0,
        "bytes": status.index_bytes,
        "embedder": index.embedder if index else "",
        "pipeline": index.pipeline if index else "",
        "writer": index.writer if index else "",
        "unusable": status.unusable,
        "changes": {
            "added": status.changes.added,
            "touched": status.changes.touched,
            "removed": status.changes.removed,
        },
        "problems": [_problem(problem) for problem in status.problems],
        "skipped": [{"path": skip.path, "reason": skip.reason} for skip in status.skipped],
    }


def _problem(problem: Diagnostic) -> Json:
    return {
        "path": problem.path,
        "line": problem.line,
        "rule": problem.rule,
        "message": problem.message,
        "fix": problem.fix,
    }
