"""Checks of what was read: frontmatter, body, links, anchors, tags, freshness, trust, conformance."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from datetime import datetime
from pathlib import Path

from okf_edge.okf.document import Diagnostic
from okf_edge.okf.freshness import is_stale
from okf_edge.okf.tags import matches
from tests.cases.suite import Spec
from tests.cases.vault import Vault


def frontmatter(vault: Vault, spec: Spec) -> None:
    """`fm`: a key has a value, or (`…_or_diagnostic`) a diagnostic says on which line it could not be read."""
    document = vault.document(spec["path"])
    found = document.frontmatter.get(spec["key"])
    if "equals_or_diagnostic" in spec:
        located = [each for each in document.diagnostics if each.line]
        assert found == spec["equals_or_diagnostic"] or located, f"{spec['key']} is {found!r} and nothing says why"
    elif "contains" in spec:
        assert spec["contains"] in found
    elif "absent" in spec:
        assert spec["key"] not in document.frontmatter
    else:
        assert found == spec["equals"]


def frontmatter_text(vault: Vault, spec: Spec) -> None:
    """`fm_text`: a value spelled as its author typed it."""
    found = vault.document(spec["path"]).frontmatter[spec["key"]]
    assert isinstance(found, str)
    assert found == spec["equals"]


def frontmatter_of_all(vault: Vault, spec: Spec) -> None:
    """`fm_all`: the same values in several notes."""
    for path in spec["paths"]:
        found = vault.document(path).frontmatter
        assert {key: found.get(key) for key in spec["equals"]} == spec["equals"], path


def body_without(vault: Vault, spec: Spec) -> None:
    for path in _paths(spec):
        assert spec["text"] not in vault.document(path).body, path


def body_with(vault: Vault, spec: Spec) -> None:
    for path in _paths(spec):
        assert spec["text"] in vault.document(path).body, path


def diagnostic(vault: Vault, spec: Spec) -> None:
    """`diagnostic`: the words appear in what is reported about the file."""
    said = " ".join(f"{each.rule} {each.message} {each.fix}" for each in vault.document(spec["path"]).diagnostics)
    words = spec.get("mentions", [])
    assert said
    assert [word for word in ([words] if isinstance(words, str) else words) if word not in said] == []


def links(vault: Vault, spec: Spec) -> None:
    """`links`: the notes and files that a note's links mean."""
    found = vault.links(spec["path"])
    targets = {resolution.path for _, resolution in found if resolution.path}
    if "resolved" in spec:
        assert targets == set(spec["resolved"])
    if "resolved_superset" in spec:
        assert targets >= set(spec["resolved_superset"])
    if "resolved_superset_any" in spec:
        assert any(targets >= set(wanted) for wanted in spec["resolved_superset_any"]), targets
    if "resolved_or_diagnostic" in spec:
        located = [each for each in vault.document(spec["path"]).diagnostics if each.line]
        assert targets >= set(spec["resolved_or_diagnostic"]) or located
    written = {link.target for link, _ in found} | {link.inner for link, _ in found}
    assert written & set(spec.get("not_links", [])) == set()
    for status in ("missing", "ambiguous", "attachment"):
        if status in spec:
            assert {link.target for link, resolution in found if resolution.status == status} == set(spec[status])


def broken(vault: Vault, spec: Spec) -> None:
    """`broken`: the links of all notes (or of one) that mean nothing here, as typed."""
    paths = [spec["path"]] if "path" in spec else [*vault.documents]
    found = [link.target for path in paths for link, meant in vault.links(path) if meant.status == "missing"]
    assert sorted(found) == sorted(spec["equals"])


def link_count(vault: Vault, spec: Spec) -> None:
    """`links_count`: how many of a note's links resolve."""
    assert len([1 for _, meant in vault.links(spec["path"]) if meant.path]) == spec["equals"]


def anchors_missing(vault: Vault, spec: Spec) -> None:
    """`anchor_missing`: links whose note is there and whose heading or block is not."""
    found = [link.inner for link, meant in vault.links(spec["path"]) if meant.status == "anchor-missing"]
    assert found == spec["equals"]


def distinct(vault: Vault, spec: Spec) -> None:
    """`distinct`: files stay files of their own, and each is what its exact name resolves to."""
    assert set(spec["paths"]) <= set(vault.documents)
    meant = {_nfc(link.target): resolution.path for path in vault.documents for link, resolution in vault.links(path)}
    for path in spec["paths"]:
        assert meant.get(_nfc(path.rpartition("/")[2].removesuffix(".md")), path) == path


def tags(vault: Vault, spec: Spec) -> None:
    found = vault.tags(spec["path"])
    if "equals" in spec:
        assert sorted(map(_nfc, found)) == sorted(map(_nfc, spec["equals"]))
    assert set(spec.get("must_include", [])) <= set(found)
    assert set(spec.get("must_not_include", spec.get("not_tags", []))) & set(found) == set()


def tag_query(vault: Vault, spec: Spec) -> None:
    """`tag_query`: the notes that a tag finds, children included."""
    query = spec["tag"].lstrip("#")
    found = {path for path in vault.documents if any(matches(tag, query) for tag in vault.tags(path))}
    assert set(spec.get("must_include", [])) <= found
    assert set(spec.get("must_not_include", [])) & found == set()
    if "equals" in spec:
        assert found == set(spec["equals"])


def stale(vault: Vault, spec: Spec) -> None:
    """`stale`: whether a note is stale at an instant, or its `stale_after` is ignored with a word about it."""
    concept = vault.concept(spec["path"])
    is_ignored = concept.stale_after is None and any("stale_after" in said for said in _said(vault, spec["path"]))
    is_late = is_stale(concept.stale_after, datetime.fromisoformat(spec.get("now", LATE)))
    if isinstance(spec["equals"], bool):
        assert is_late is spec["equals"]
    else:
        assert is_ignored
        assert not is_late


LATE = "2026-11-30T12:00:00Z"
"""Now, for a check that does not say when it is."""

STALE_IN_ZONE = """
import asyncio, json, sys
from datetime import datetime
from pathlib import Path
from okf_edge.okf.freshness import is_stale
from tests.cases.vault import Vault
vault = asyncio.run(Vault.at(Path(sys.argv[1])))
now = datetime.fromisoformat("2026-09-23T22:45:00Z")
print(json.dumps({path: is_stale(vault.concept(path).stale_after, now) for path in sorted(vault.documents)}))
"""


def same_in_any_zone(vault: Vault, spec: Spec) -> None:
    """`tz_invariant`: freshness is the same whatever time zone the machine is in."""
    repository = Path(__file__).parents[2]
    command = [sys.executable, "-c", STALE_IN_ZONE, str(vault.root)]
    answers = [
        subprocess.run(command, env=os.environ | {"TZ": zone}, cwd=repository, capture_output=True, check=True).stdout
        for zone in spec["tzs"]
    ]
    assert len(set(answers)) == 1
    assert json.loads(answers[0])


def trust_tier(vault: Vault, spec: Spec) -> None:
    assert vault.concept(spec["path"]).trust == spec["equals"]


def validation(vault: Vault, spec: Spec) -> None:
    """`okf_validate`: whether a file breaks conformance; its bundle is the top folder of its path."""
    from okf_edge.okf.conformance import check

    folder, _, path = spec["path"].rpartition("/")
    root = vault.root / folder
    files = {each.relative_to(root).as_posix(): each.read_bytes() for each in root.rglob("*") if each.is_file()}
    about = [each for each in check(files).findings if each.path == path or not path]
    assert (not [each for each in about if each.severity == "error"]) is spec["ok"], about
    assert set(spec.get("rules", [])) <= {each.rule for each in about}


def _said(vault: Vault, path: str) -> list[str]:
    """What is reported about one note, by whichever module reads the field."""
    from okf_edge.okf.conformance import check

    found: list[Diagnostic] = [*vault.document(path).diagnostics, *check({path: vault.bytes_of(path)}).findings]
    return [f"{each.message} {each.fix}" for each in found]


def _paths(spec: Spec) -> list[str]:
    return spec["paths"] if "paths" in spec else [spec["path"]]


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


CHECKS = {
    "fm": frontmatter,
    "fm_text": frontmatter_text,
    "fm_all": frontmatter_of_all,
    "body_not_contains": body_without,
    "body_contains": body_with,
    "diagnostic": diagnostic,
    "links": links,
    "broken": broken,
    "links_count": link_count,
    "anchor_missing": anchors_missing,
    "distinct": distinct,
    "tags": tags,
    "tag_query": tag_query,
    "stale": stale,
    "tz_invariant": same_in_any_zone,
    "trust_tier": trust_tier,
    "okf_validate": validation,
}
