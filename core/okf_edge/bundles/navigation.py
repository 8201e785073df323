"""`agent-index.json`: every concept of a bundle with its links both ways, for agents that read one file first.

The shape is that of Knowlery's file of the same name, so that its readers find bundle pages by it. Ages are not in it:
they would be wrong on the day after the export.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from okf_edge.okf.concept import Concept

_EPOCH = "1970-01-01T00:00:00Z"


def agent_index(
    title: str,
    created: str,
    okf_version: str,
    concepts: Mapping[str, Concept],
    links: Mapping[str, Sequence[str]],
    domains: Mapping[str, str],
) -> bytes:
    """The file's bytes. `links` are the paths to which each concept leads, `domains` what it says it belongs to."""
    backlinks: dict[str, list[str]] = defaultdict(list)
    for path in sorted(links):
        for target in links[path]:
            backlinks[target].append(path)
    plain = {
        "schemaVersion": 1,
        "okfVersion": okf_version,
        "generatedAt": created or _EPOCH,
        "title": title,
        "entrypoint": "index.md",
        "concepts": [
            _described(concepts[path], backlinks[path], links.get(path, ()), domains.get(path, ""))
            for path in sorted(concepts)
            if not path.startswith("references/")
        ],
        "groups": {
            "byType": _grouped({path: each.type for path, each in concepts.items()}),
            "byDomain": _grouped({path: domains.get(path, "") for path in concepts}),
        },
        "stale": [],
        "unresolvedLinks": [],
        "rawSources": [
            {"path": path, "title": concepts[path].title, "citedBy": [_id(each) for each in backlinks[path]]}
            for path in sorted(concepts)
            if path.startswith("references/")
        ],
    }
    return (json.dumps(plain, ensure_ascii=False, indent=1) + "\n").encode()


def _described(
    concept: Concept, backlinks: Sequence[str], outlinks: Sequence[str], domain: str
) -> dict[str, Any]:  # fmt: skip
    optional = {
        "description": concept.description,
        "domain": domain,
        "tags": list(concept.tags),
        "status": concept.status,
        "timestamp": concept.generated_at.isoformat() if concept.generated_at else "",
        "sources": [source.resource for source in concept.sources],
    }
    return {
        "id": _id(concept.path),
        "path": concept.path,
        "type": concept.type,
        "title": concept.title,
        **{key: value for key, value in optional.items() if value},
        "daysSinceUpdate": None,
        "backlinks": [_id(path) for path in backlinks],
        "outlinks": [_id(path) for path in outlinks],
    }


def _grouped(names: Mapping[str, str]) -> dict[str, list[str]]:
    """The concepts of each name, by path; those without one are in no group."""
    groups: dict[str, list[str]] = defaultdict(list)
    for path in sorted(names):
        if names[path]:
            groups[names[path]].append(_id(path))
    return dict(sorted(groups.items()))


def _id(path: str) -> str:
    return path.removesuffix(".md")
