"""The JSON of every command is frozen: scripts read it. A key that goes or changes its type is a breaking change."""

from __future__ import annotations

import zipfile
from typing import Any

import pytest

from okf_edge_cli.commands import COMMANDS
from tests.e2e.test_plugin_install import listing, release
from tests.service_stand_in import standing_in

CONCEPT = "---\ntype: Note\ntitle: Heron\ndescription: d\n---\n\n# Place\n\nThe heron nests by the weir.\n"
PAGE = "---\ntype: Note\nstale_after: 2020-01-01\nsources: [/birds/heron.md, /gone.md]\n---\n\n# P\n"
OWL = "---\ntype: Note\n---\n\nWrites to jo.merganser@quayworks-zq7.org.\n"
BUNDLE = {
    "id": "str",
    "version": "str",
    "title": "str",
    "kind": "str",
    "path": "str",
    "origin": "str",
    "installed_at": "str",
    "content_digest": "str",
    "signature": "str",
    "signer": "str",
    "feed": "str",
    "previous": "str",
    "index": "str",
    "embedder": "str",
    "left_out": [],
}
MODEL = {
    "id": "str",
    "digest": "str",
    "dims": "int",
    "max_tokens": "int",
    "bytes": "int",
    "scripts": ["str"],
    "at_hand": "bool",
    "place": "str",
}
STATUS = {
    "place": "str",
    "found": "int",
    "read": "int",
    "concepts": "int",
    "chunks": "int",
    "bytes": "int",
    "embedder": "str",
    "pipeline": "str",
    "writer": "str",
    "unusable": "str",
    "changes": {"added": "int", "touched": "int", "removed": "int"},
    "problems": [{"path": "str", "line": "NoneType", "rule": "str", "message": "str", "fix": "str"}],
    "skipped": [{"path": "str", "reason": "str"}],
}
CANDIDATE = {
    "path": "str",
    "title": "str",
    "heading": "str",
    "lines": ["int"],
    "text": "str",
    "score": "float",
    "confidence": "float",
    "tier": "str",
    "kb": "str",
    "bundle": "str",
    "version": "str",
    "uri": "str",
    "trust": "str",
    "fresh": "bool",
    "why": ["str"],
}
CHANGE = {"outcome": "str", "snapshot": "int"}
OFFERED = {"id": "str", "version": "str", "title": "str", "description": "str", "bytes": "int"}
FEED = {"name": "str", "url": "str", "root": "str", "confirmed": "bool"}
TOKEN: Any = {
    "name": "str",
    "id": "str",
    "scopes": ["str"],
    "kbs": ["str"],
    "allow": ["str"],
    "deny": [],
    "created": "str",
    "expires": "str",
    "valid": "bool",
}

SHAPES = {
    "feed init": {"feed": "str", "root": "str"},
    "feed key": {"public_key": "str", "key_id": "str"},
    "feed add-creator": CHANGE,
    "publish": {
        **CHANGE,
        "dry_run": "bool",
        "id": "str",
        "version": "str",
        "sha256": "str",
        "bytes": "int",
        "content_digest": "str",
        "root": "str",
        "title": "str",
        "audience": "str",
        "written": ["str"],
        "files": [{"path": "str", "kind": "str", "bytes": "int", "sha256": "str"}],
        "dependencies": [],
        "risks": [],
        "unsettled": [],
        "notes": ["str"],
    },
    "feed status": {
        "root": "str",
        "roles": [{"role": "str", "version": "int", "expires": "str", "threshold": "int", "keys": ["str"]}],
        "bundles": "int",
        "releases": "int",
    },
    "feed trust": FEED,
    "feed list": {"feeds": [FEED]},
    "search-feed": {
        "bundles": [
            {
                "feed": "str",
                "id": "str",
                "version": "str",
                "title": "str",
                "description": "str",
                "bytes": "int",
                "signer": "str",
            }
        ],
        "troubles": [],
    },
    "check-updates": {
        "bundles": [{"id": "str", "version": "str", "feed": "str", "offered": "str", "yanked": "str", "trouble": "str"}]
    },
    "update": {"updated": [{"outcome": "str", "bundle": BUNDLE, "notes": []}]},
    "rollback": {"bundle": BUNDLE},
    "yank": {"id": "str", "version": "str", "reason": "str", **CHANGE},
    "feed rotate": CHANGE,
    "feed refresh": CHANGE,
    "init": {"name": "str", "agent": "str", "adopted": "bool", "created": ["str"], "kept": ["str"], "notes": []},
    "sync": {"written": ["str"], "left": [], "recorded": "int", "notes": []},
    "stale": {
        "counts": {
            "pages": "int",
            "citations": "int",
            "recorded": "int",
            "unknown": "int",
            "stale": "int",
            "uncooked": "int",
            "dangling": "int",
            "ignored": "int",
        },
        "stale": [{"path": "str", "title": "str", "changed": [], "stale_after": "str"}],
        "uncooked": [{"path": "str", "title": "str", "sha256": "str"}],
        "dangling": [{"page": "str", "line": "int", "cited": "str", "not_downloaded": "bool"}],
    },
    "health": {
        "score": "int",
        "passes": "int",
        "healthy": "bool",
        "found": "int",
        "read": "int",
        "checks": [{"topic": "str", "good": "int", "total": "int", "points": "int", "earned": "float", "words": "str"}],
        "findings": [{"topic": "str", "path": "str", "line": "NoneType", "message": "str", "fixable": "bool"}],
        "wanted": [],
        "absent_folders": [],
        "lacking_by_type": {"Note": {"description": "int"}},
        "skipped": {"symbolic-link": "int", "system-file": "int"},
        "mended": [],
        "left": [],
    },
    "map": {
        "name": "str",
        "groups": [
            {
                "folder": "str",
                "pages": [{"path": "str", "title": "str", "type": "str", "description": "str", "updated": "str"}],
            }
        ],
        "folders": [{"folder": "str", "notes": "int"}],
        "hubs": [{"path": "str", "title": "str", "linked_from": "int"}],
        "bundles": [],
        "counts": {
            "compiled": "int",
            "notes": "int",
            "bundles": "int",
            "stale": "int",
            "uncooked": "int",
            "inbox": "int",
        },
    },
    "capture": {"path": "str", "title": "str"},
    "watch": {"event": "str", "path": "str", "stale": []},
    "kb add": {"name": "str", "path": "str", "state": "str", "also": []},
    "kb list": {"bases": [{"name": "str", "path": "str", "state": "str"}]},
    "kb use": {"use": "str"},
    "kb remove": {"name": "str", "path": "str"},
    "query": {
        "verdict": "str",
        "reason": "str",
        "content": "str",
        "terms": ["str"],
        "candidates": [CANDIDATE],
        "near": [],
        "coverage": {"read": "int", "found": "int", "problems": "int", "mode": "str", "note": "str"},
        "timings": "timings",
    },
    "read": {"path": "str", "title": "str", "heading": "str", "lines": ["int"], "content": "str", "text": "str"},
    "index build": {
        **STATUS,
        "built": {"concepts": "int", "chunks": "int", "embedded": "int", "reused": "int", "unread": {}},
    },
    "index status": STATUS,
    "validate": {
        "specification": "str",
        "conformant": "bool",
        "notes": "int",
        "read": "int",
        "troubled": "int",
        "counts": {"error": "int", "advice": "int", "info": "int"},
        "findings": [
            {
                "rule": "str",
                "severity": "str",
                "path": "str",
                "line": "int",
                "message": "str",
                "fix": "str",
                "section": "str",
                "spec_is_silent": "bool",
            }
        ],
    },
    "export": {
        "id": "str",
        "version": "str",
        "title": "str",
        "file": "str",
        "bytes": "int",
        "sha256": "str",
        "content_digest": "str",
        "files": "int",
        "concepts": "int",
        "chunks": "int",
        "embedder": "str",
        "local": "bool",
        "risks": [],
        "notes": ["str"],
    },
    "review": {
        "id": "str",
        "title": "str",
        "seeds": ["str"],
        "hops": "int",
        "counts": {"approved": "int", "unreviewed": "int", "flagged": "int"},
        "items": [
            {
                "id": "str",
                "kind": "str",
                "status": "str",
                "note": "str",
                "why": ["str"],
                "leaves_as": "str",
                "bytes": "int",
                "sha256": "str",
                "reviewer": "str",
                "reviewed_at": "str",
                "risks": [
                    {
                        "id": "str",
                        "kind": "str",
                        "severity": "str",
                        "line": "int",
                        "sample": "str",
                        "reason": "str",
                        "accepted": "str",
                    }
                ],
            }
        ],
        "publications": [],
        "withheld": [],
        "problems": [],
    },
    "diff": {
        "old": "str",
        "new": "str",
        "counts": {"added": "int", "removed": "int", "changed": "int", "renamed": "int"},
        "changes": [
            {
                "path": "str",
                "change": "str",
                "title": "str",
                "was": "str",
                "fields": [],
                "sections": [],
                "added_lines": "int",
                "removed_lines": "int",
            }
        ],
    },
    "verify": {
        "kind": "str",
        "id": "str",
        "version": "str",
        "files": "int",
        "content_digest": "str",
        "signature": "str",
        "index": "str",
        "local": "bool",
        "left_out": [],
        "notes": [],
    },
    "install": {"outcome": "str", "bundle": BUNDLE, "notes": []},
    "list": {"bundles": [BUNDLE]},
    "uninstall": {"bundle": BUNDLE},
    "mcp config": {"client": "str", "file": "str", "block": "str"},
    "token create": {**TOKEN, "token": "str"},
    "token list": {"tokens": [TOKEN]},
    "token revoke": TOKEN,
    "audit verify": {"path": "str", "lines": "int", "problem": "str"},
    "audit tail": {"records": []},
    "remote add": {"name": "str", "url": "str", "token": "bool", "root": "str", "problem": "str"},
    "remote list": {"remotes": [{"name": "str", "url": "str", "token": "bool"}]},
    "remote remove": {"name": "str", "url": "str"},
    "remote deploy-check": {
        "url": "str",
        "ok": "bool",
        "checks": [{"check": "str", "state": "str", "found": "str", "fix": "str"}],
    },
    "bundle-site": {
        "folder": "str",
        "root": "str",
        "expires": "str",
        "files": "int",
        "bytes": "int",
        "bundles": [OFFERED],
    },
    "plugin install": {
        "vault": "str",
        "folder": "str",
        "version": "str",
        "models": ["str"],
        "files": "int",
        "bytes": "int",
        "written": "int",
        "removed": "int",
    },
    "model list": {"use": "str", "models": [MODEL]},
    "model use": {"use": "str"},
    "model info": MODEL,
}


@pytest.fixture(scope="module")
def lines() -> dict[str, list[str]]:
    """A command line for each command, in an order in which they can run."""
    return {
        "init": ["init", "base", "--json"],
        "stale": ["stale", "--dir", "base", "--json"],
        "health": ["health", "--dir", "base", "--json"],
        "sync": ["sync", "--dir", "base", "--json"],
        "map": ["map", "--dir", "base", "--json"],
        "watch": ["watch", "--dir", "base", "--for", "1", "--json"],
        "kb add": ["kb", "add", "birds", "base", "--json"],
        "kb list": ["kb", "list", "--json"],
        "kb use": ["kb", "use", "birds", "--json"],
        "kb remove": ["kb", "remove", "birds", "--json"],
        "index build": ["index", "build", "--dir", "base", "--json"],
        "index status": ["index", "status", "--dir", "base", "--json"],
        "query": ["query", "heron nests", "--dir", "base", "--json"],
        "read": ["read", "heron", "--dir", "base", "--json"],
        "validate": ["validate", "base", "--json"],
        "export": ["export", "source", "--id", "acme.birds", "--version", "1.0.0", "--out", "b.zip", "--json"],
        "review": ["review", "birds/owl", "--id", "acme.birds", "--dir", "base", "--list", "--json"],
        "diff": ["diff", "b.zip", "other", "--json"],
        "verify": ["verify", "b.zip", "--json"],
        "install": ["install", "b.zip", "--dir", "base", "--json"],
        "list": ["list", "--dir", "base", "--json"],
        "uninstall": ["uninstall", "acme.birds", "--dir", "base", "--json"],
        "capture": ["capture", "a thought", "--dir", "base", "--json"],
        "mcp config": ["mcp", "config", "claude-code", "--dir", "base", "--json"],
        "token create": ["token", "create", "laptop", "--only", "lab", "--allow-path", "birds", "--json"],
        "token list": ["token", "list", "--json"],
        "token revoke": ["token", "revoke", "laptop", "--json"],
        "audit verify": ["audit", "verify", "--json"],
        "audit tail": ["audit", "tail", "--json"],
        "model list": ["model", "list", "--json"],
        "model use": ["model", "use", "auto", "--json"],
        "model info": ["model", "info", "minilm-l6", "--json"],
    }


def feed_lines() -> list[tuple[str, list[str]]]:
    """A feed with two versions; the first one is installed, updated, gone back to and withdrawn."""
    return [
        ("feed init", ["feed", "init", "shelf", "--json"]),
        ("feed key", ["feed", "key", "--json"]),
        ("feed add-creator", ["feed", "add-creator", "shelf", "acme", "--json"]),
        ("publish", ["publish", "b.zip", "--to", "shelf", "--json"]),
        ("feed status", ["feed", "status", "shelf", "--json"]),
        ("feed trust", ["feed", "trust", "shelf", "--dir", "base", "--json"]),
        ("feed list", ["feed", "list", "--dir", "base", "--json"]),
        ("search-feed", ["search-feed", "--dir", "base", "--json"]),
        ("install", ["install", "acme.birds", "--feed", "--dir", "base", "--json"]),
        ("check-updates", ["check-updates", "--dir", "base", "--json"]),
        ("publish", ["publish", "source", "--id", "acme.birds", "--version", "1.1.0", "--to", "shelf", "--json"]),
        ("update", ["update", "--all", "--dir", "base", "--json"]),
        ("rollback", ["rollback", "acme.birds", "--dir", "base", "--json"]),
        ("yank", ["yank", "acme.birds", "1.0.0", "--reason", "wrong", "--from", "shelf", "--json"]),
        ("feed rotate", ["feed", "rotate", "shelf", "acme", "--json"]),
        ("feed refresh", ["feed", "refresh", "shelf", "--json"]),
    ]


def remote_lines(url: str) -> list[tuple[str, list[str]]]:
    return [
        ("remote add", ["remote", "add", url, "--name", "lab", "--json"]),
        ("remote list", ["remote", "list", "--json"]),
        ("remote deploy-check", ["remote", "deploy-check", "lab", "--json"]),
        ("remote remove", ["remote", "remove", "lab", "--json"]),
    ]


def web_lines() -> list[tuple[str, list[str]]]:
    """What takes the files of the browser from a release."""
    return [
        ("bundle-site", ["bundle-site", "site", "b.zip", "--assets", "web.zip", "--json"]),
        ("plugin install", ["plugin", "install", "--vault", "vault", "--assets", "web.zip", "--json"]),
    ]


def test_every_command_prints_the_object_that_scripts_know(okf, tmp_path, lines):
    for folder in ("base", "source"):
        (tmp_path / folder / "birds").mkdir(parents=True)
        (tmp_path / folder / "birds/heron.md").write_text(CONCEPT)
    (tmp_path / "base/birds/owl.md").write_text(OWL)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/owl.md").write_text(OWL)
    (tmp_path / "base/latin1.md").write_bytes(b"# Caf\xe9\n")
    (tmp_path / "base/concepts").mkdir()
    (tmp_path / "base/concepts/page.md").write_text(PAGE)
    (tmp_path / "base/link.md").symlink_to(tmp_path / "source")
    found = {}
    with zipfile.ZipFile(release(tmp_path / "web.zip", listing(), listing()), "a") as archive:
        archive.writestr("reader/index.html", "<!doctype html><title>reader</title>")
        archive.writestr("reader/site.json", '{"bundles": []}')
    (tmp_path / "vault/.obsidian").mkdir(parents=True)
    for command, line in [*lines.items(), *feed_lines(), *web_lines()]:
        done = okf(*line)
        assert done.code in (0, 1), done.err
        found[command] = shape(done.json)
    with standing_in(tmp_path / "shelf") as service:
        for command, line in remote_lines(service.url):
            found[command] = shape(okf(*line, env={"no_proxy": "127.0.0.1"}).json)
    assert found["install"].pop("needed") == []
    found["query"]["timings"] = "timings"
    assert found == SHAPES


def test_every_command_has_its_shape_frozen_here(lines):
    run = {*lines, *(command for command, _ in (*feed_lines(), *web_lines(), *remote_lines(""))), "model build"}
    servers = {"mcp", "mcp serve", "reader"}  # they speak a protocol or serve pages instead
    assert {*SHAPES, "model build"} == run == {command.name for command in COMMANDS} - servers


def shape(value: Any) -> Any:
    """Types in place of values; of a list, the shape of its first item."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value[:1]]
    return type(value).__name__
