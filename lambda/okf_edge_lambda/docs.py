"""The contract of the HTTP side as a page, made from its OpenAPI description. It loads nothing from anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

_HEAD = (
    "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
    "<title>{title}</title><style>body{{font:16px/1.5 system-ui;max-width:50em;margin:2em auto;padding:0 1em}}"
    "code{{font-family:ui-monospace,monospace}}</style><h1>{title} {version}</h1><p>{description}</p>"
    "<p>Agents speak the Model Context Protocol at <code>/mcp</code>. The same for machines: "
    "<a href=openapi.json>openapi.json</a>.</p>"
)


def page(described: Mapping[str, Any]) -> str:
    """HTML: each route with its method, what it does, its parameters, the fields of its body, and its answers."""
    info = {name: escape(str(value)) for name, value in described["info"].items()}
    routes = (
        "".join(_route(method, path, told, described))
        for path, methods in described["paths"].items()
        for method, told in methods.items()
    )
    return _HEAD.format(**info) + "".join(routes)


def _route(method: str, path: str, told: Mapping[str, Any], described: Mapping[str, Any]) -> Iterator[str]:
    yield f"<h2><code>{method.upper()} {escape(path)}</code></h2>"
    yield f"<p>{escape(told.get('description') or told.get('summary', ''))}</p>"
    fields = [(each["name"], each.get("in", "")) for each in told.get("parameters", ())]
    fields += [(name, "body") for name in _body(told, described)]
    yield from _listed("Takes", [f"<code>{escape(name)}</code> ({escape(place)})" for name, place in fields])
    answers = [f"{escape(code)}: {escape(each.get('description', ''))}" for code, each in told["responses"].items()]
    yield from _listed("Answers", answers)


def _body(told: Mapping[str, Any], described: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of the JSON that the route takes; none where it takes none."""
    schema = told.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    name = schema.get("$ref", "").rpartition("/")[2]
    fields: Mapping[str, Any] = (
        described.get("components", {}).get("schemas", {}).get(name, schema).get("properties", {})
    )
    return fields


def _listed(title: str, items: list[str]) -> Iterator[str]:
    if items:
        yield f"<p>{title}</p><ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"
