"""Checks of notes as they leave: standard markdown with the same graph and nothing that was meant to stay."""

from __future__ import annotations

from typing import Any

from okf_edge.okf.publish import meaning_by, standard_body
from tests.cases.suite import Spec
from tests.cases.vault import Vault

Edge = tuple[str, str, str]


def body_without(vault: Vault, spec: Spec) -> None:
    """`export_body_not_contains`: a text of the note is no part of what leaves."""
    assert spec["text"] not in _exported_body(vault, spec["path"])


def body_with(vault: Vault, spec: Spec) -> None:
    assert spec["text"] in _exported_body(vault, spec["path"])


async def same_graph(vault: Vault, spec: Spec) -> None:
    """`export_roundtrip_graph`: read back, the exported notes link to the same notes and places."""
    exported = await _exported(vault)
    assert _edges(exported) == _edges(vault) != []


async def valid_links(vault: Vault, spec: Spec) -> None:
    """`export_links_valid`: what leaves has markdown links only, absolute, and each of them resolves."""
    exported = await _exported(vault)
    for path in exported.documents:
        for link, meant in exported.links(path):
            assert link.form == "markdown"
            assert link.target.startswith("/") or not link.target
            assert meant.status == "resolved", link.inner
    tables = [line for path in exported.documents for line in exported.document(path).body.splitlines() if "|" in line]
    assert len({line.replace(r"\|", "").count("|") for line in tables}) <= 1, "a link broke its table row"


def _exported_body(vault: Vault, path: str) -> str:
    return standard_body(vault.document(path), meaning_by(vault.resolver, path))


async def _exported(vault: Vault) -> Vault:
    """The notes as they leave, in a folder of their own."""
    folder = vault.folder / "exported"
    for path in vault.documents:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(_exported_body(vault, path))
    return await Vault.at(folder)


def _edges(vault: Vault) -> list[Edge]:
    """Which note points to which place of which note; a place is told by its first line's words, not by its number."""
    found = [(path, meant) for path in vault.documents for _, meant in vault.links(path) if meant.path]
    return sorted((path, meant.path, _place(vault, meant)) for path, meant in found)


def _place(vault: Vault, meant: Any) -> str:
    text = vault.document(meant.path).text
    return text[meant.place.start : meant.place.end].strip().split("\n")[0] if meant.place else ""


CHECKS = {
    "export_body_not_contains": body_without,
    "export_body_contains": body_with,
    "export_roundtrip_graph": same_graph,
    "export_links_valid": valid_links,
}
