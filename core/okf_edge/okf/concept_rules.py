"""What a concept's frontmatter should hold (specification sections 4, 5, 7, 10 and 13)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from okf_edge.okf.concept import status_of, text_of
from okf_edge.okf.document import Diagnostic, Document
from okf_edge.okf.freshness import instant
from okf_edge.okf.rules import finding
from okf_edge.okf.trust import actor_of

ATTESTED_COMPUTATION = "Attested Computation"

_TEXT_FIELDS = ("title", "description", "resource")
_STALE_RULES = {"naive": "OKF-S02", "junk": "OKF-S03", "date": "OKF-S04"}


def check_concept(document: Document) -> Iterator[Diagnostic]:
    """Every deviation of a concept's frontmatter."""
    checked = _Checked(document)
    for check in (_type, _texts, _tags, _sources, _generated, _verified, _lifecycle, _legacy, _computation):
        yield from check(checked)


class _Checked:
    """A document's fields, and findings at their lines."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.values = document.frontmatter

    def found(self, rule: str, key: str, detail: str = "") -> Diagnostic:
        return finding(rule, self.document.path, self.document.frontmatter_lines.get(key, 1), detail)

    def entries(self, key: str) -> list[Any]:
        value = self.values.get(key)
        return value if isinstance(value, list) else [] if value is None else [value]


def _type(checked: _Checked) -> Iterator[Diagnostic]:
    value = checked.values.get("type")
    if isinstance(value, list | Mapping):
        yield checked.found("OKF-T03" if value else "OKF-T01", "type")
    elif isinstance(value, bool | int | float):
        yield checked.found("OKF-T02", "type", f"`{text_of(value)}`")
    elif not text_of(value):
        yield checked.found("OKF-T01", "type")


def _texts(checked: _Checked) -> Iterator[Diagnostic]:
    for key in _TEXT_FIELDS:
        if isinstance(checked.values.get(key), list | Mapping):
            yield checked.found("OKF-T05", key, f"`{key}`")


def _tags(checked: _Checked) -> Iterator[Diagnostic]:
    value = checked.values.get("tags")
    if value is not None and not (isinstance(value, list) and all(isinstance(tag, str) for tag in value)):
        yield checked.found("OKF-T04", "tags")


def _sources(checked: _Checked) -> Iterator[Diagnostic]:
    value = checked.values.get("sources")
    if value is not None and not isinstance(value, list):
        yield checked.found("OKF-P01", "sources")
    for number, entry in enumerate(value if isinstance(value, list) else [], 1):
        if not isinstance(entry, Mapping):
            yield checked.found("OKF-P01", "sources", f"entry {number}")
            continue
        if not text_of(entry.get("resource")):
            yield checked.found("OKF-P02", "sources", f"entry {number}")
        yield from _instant(checked, "sources", "last_modified", entry.get("last_modified"))
        yield from _window(checked, "sources", entry.get("usage_window"))
    yield from _window(checked, "usage_window", checked.values.get("usage_window"))


def _generated(checked: _Checked) -> Iterator[Diagnostic]:
    value = checked.values.get("generated")
    if value is None:
        return
    if not isinstance(value, Mapping) or not actor_of(value.get("by")):
        yield checked.found("OKF-P06", "generated")
    if isinstance(value, Mapping):
        yield from _event(checked, "generated", value)


def _verified(checked: _Checked) -> Iterator[Diagnostic]:
    for number, entry in enumerate(checked.entries("verified"), 1):
        if not isinstance(entry, Mapping) or not actor_of(entry.get("by")):
            yield checked.found("OKF-P07", "verified", f"entry {number}")
        if isinstance(entry, Mapping):
            yield from _event(checked, "verified", entry)


def _event(checked: _Checked, key: str, value: Mapping[str, Any]) -> Iterator[Diagnostic]:
    actor = actor_of(value.get("by"))
    if actor and actor.kind == "unknown":
        yield checked.found("OKF-P08", key, f"`{actor.raw}`")
    yield from _instant(checked, key, "at", value.get("at"))


def _window(checked: _Checked, key: str, value: Any) -> Iterator[Diagnostic]:
    if isinstance(value, Mapping):
        for edge in ("from", "to"):
            yield from _instant(checked, key, edge, value.get(edge))


def _instant(checked: _Checked, key: str, name: str, value: Any) -> Iterator[Diagnostic]:
    if instant(value).kind not in ("instant", "absent"):
        yield checked.found("OKF-P09", key, f"`{name}: {text_of(value) or type(value).__name__}`")


def _lifecycle(checked: _Checked) -> Iterator[Diagnostic]:
    status = checked.values.get("status")
    if status is not None and not status_of(status):
        yield checked.found("OKF-S01", "status", f"`{text_of(status)}`")
    stale_after = checked.values.get("stale_after")
    rule = _STALE_RULES.get(instant(stale_after).kind)
    if rule:
        yield checked.found(rule, "stale_after", f"`{text_of(stale_after)}`")


def _legacy(checked: _Checked) -> Iterator[Diagnostic]:
    if "timestamp" in checked.values and "generated" not in checked.values:
        yield checked.found("OKF-P04", "timestamp")


def _computation(checked: _Checked) -> Iterator[Diagnostic]:
    if text_of(checked.values.get("type")) != ATTESTED_COMPUTATION:
        return
    if not text_of(checked.values.get("runtime")):
        yield checked.found("OKF-A01", "type")
    for number, parameter in enumerate(checked.entries("parameters"), 1):
        if not isinstance(parameter, Mapping) or not text_of(parameter.get("name")):
            yield checked.found("OKF-A04", "parameters", f"entry {number}")
