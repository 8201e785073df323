"""The reports as plain objects: what `--json` prints and tools return. `schemas/` fixes each shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from okf_edge.workspace.agents import BundleLine
from okf_edge.workspace.facts import PageFacts
from okf_edge.workspace.health import Finding, Health
from okf_edge.workspace.orientation import Orientation
from okf_edge.workspace.setup import Setup
from okf_edge.workspace.staleness import Staleness, StalePage

Json = dict[str, Any]


def setup_json(done: Setup) -> Json:
    return {
        "name": done.name,
        "agent": done.agent,
        "adopted": done.adopted,
        "created": list(done.created),
        "kept": list(done.kept),
        "notes": list(done.notes),
    }


def staleness_json(found: Staleness) -> Json:
    return {
        "counts": {
            "pages": found.pages,
            "citations": found.citations,
            "recorded": found.recorded,
            "unknown": found.unknown,
            "stale": len(found.stale),
            "uncooked": len(found.uncooked),
            "dangling": len(found.dangling),
            "ignored": found.ignored,
        },
        "stale": [_stale_page(page) for page in found.stale],
        "uncooked": [{"path": note.path, "title": note.title, "sha256": note.sha256} for note in found.uncooked],
        "dangling": [
            {"page": each.page, "line": each.line, "cited": each.cited, "not_downloaded": bool(each.absent)}
            for each in found.dangling
        ],
    }


def health_json(found: Health, passes: int, mended: Sequence[str] = (), left: Sequence[str] = ()) -> Json:
    """Args: passes: the score from which the base is healthy. mended, left: what repairs did, and could not do."""
    return {
        "score": found.score,
        "passes": passes,
        "healthy": found.score >= passes,
        "found": found.found,
        "read": found.read,
        "checks": [
            {
                "topic": check.topic,
                "good": check.good,
                "total": check.total,
                "points": check.points,
                "earned": check.earned,
                "words": check.words,
            }
            for check in found.checks
        ],
        "findings": [_finding(finding) for finding in found.findings],
        "wanted": [{"name": name, "links": links} for name, links in found.wanted],
        "absent_folders": [{"folder": folder, "links": links} for folder, links in found.absent_folders],
        "lacking_by_type": {kind: dict(fields) for kind, fields in found.by_type.items()},
        "skipped": dict(found.skipped),
        "mended": list(mended),
        "left": list(left),
    }


def orientation_json(found: Orientation) -> Json:
    counts = found.counts
    return {
        "name": found.name,
        "groups": [
            {"folder": group.folder, "pages": [_mapped(page) for page in group.pages]} for group in found.groups
        ],
        "folders": [{"folder": folder, "notes": notes} for folder, notes in found.folders],
        "hubs": [{"path": page.path, "title": page.title, "linked_from": count} for page, count in found.hubs],
        "bundles": [bundle_json(bundle) for bundle in found.bundles],
        "counts": {
            "compiled": counts.compiled,
            "notes": counts.notes,
            "bundles": counts.bundles,
            "stale": counts.stale,
            "uncooked": counts.uncooked,
            "inbox": counts.inbox,
        },
    }


def bundle_json(bundle: BundleLine) -> Json:
    return {"id": bundle.id, "version": bundle.version, "title": bundle.title}


def _stale_page(page: StalePage) -> Json:
    changed = [
        {"path": each.path, "evidence": each.evidence, "then": each.then, "now": each.now} for each in page.changed
    ]
    return {"path": page.path, "title": page.title, "changed": changed, "stale_after": page.stale_after}


def _finding(finding: Finding) -> Json:
    return {
        "topic": finding.topic,
        "path": finding.path,
        "line": finding.line,
        "message": finding.message,
        "fixable": finding.fixable,
    }


def _mapped(page: PageFacts) -> Json:
    return {
        "path": page.path,
        "title": page.title,
        "type": page.type,
        "description": page.description,
        "updated": page.changed,
    }
