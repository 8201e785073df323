"""One tool: what callers are told of it, what the pipeline must know, and the function that does it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError

from okf_edge.errors import InputError
from okf_edge.policy.call import Kind, Result
from okf_edge.policy.caller import Caller, Scope
from okf_edge.tools.host import World

Does = Callable[[World, Any], Awaitable[Result]]
_UNTOLD = frozenset({"title", "additionalProperties", "default"})


@dataclass(frozen=True, slots=True)
class Tool:
    """`output` names what fixes its result: a schema file of the core, or the model of it."""

    name: str
    title: str
    description: str
    scope: Scope
    takes: type[BaseModel]
    output: str | type[BaseModel]
    does: Does
    kind: Kind = "read"
    on_base: bool = True
    federated: bool = False
    whole_base: bool = False
    local_only: bool = False
    confirms: bool = False
    is_open: bool = False

    def validated(self, arguments: Mapping[str, Any]) -> BaseModel:
        """Raises: InputError: with everything that is wrong, and nothing of what was passed."""
        try:
            return self.takes.model_validate(arguments)
        except ValidationError as error:
            issues = [f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {each['msg']}" for each in error.errors()]
            raise InputError(
                f"{self.name} can't be called like this: {'; '.join(issues)}", code="bad-arguments", issues=issues
            ) from error

    def listed(self) -> Mapping[str, Any]:
        """The tool as `tools/list` tells it."""
        return _listed(self)


@cache
def _listed(tool: Tool) -> Mapping[str, Any]:
    """Made once: a schema takes milliseconds."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": {**_lean(tool.takes.model_json_schema()), "additionalProperties": False},
        "annotations": {
            "readOnlyHint": tool.kind == "read",
            "destructiveHint": tool.confirms,
            "idempotentHint": tool.kind == "read",
            "openWorldHint": tool.is_open,
        },
    }


@dataclass(frozen=True, slots=True)
class Bound:
    """A tool with its world, as the pipeline takes it."""

    tool: Tool
    world: World

    @property
    def name(self) -> str:
        return self.tool.name

    @property
    def kind(self) -> Kind:
        return self.tool.kind

    @property
    def scope(self) -> Scope:
        return self.tool.scope

    @property
    def whole_base(self) -> bool:
        return self.tool.whole_base

    @property
    def local_only(self) -> bool:
        return self.tool.local_only

    @property
    def confirms(self) -> bool:
        return self.tool.confirms

    def validated(self, arguments: Mapping[str, Any]) -> Any:
        return self.tool.validated(arguments)

    async def run(self, caller: Caller, checked: Any) -> Result:
        return await self.tool.does(self.world, checked)


def _lean(schema: Any) -> Any:
    """A schema without what tells a model nothing: titles that repeat names, and bounds of texts."""
    if isinstance(schema, dict):
        properties = schema.get("properties")
        kept = {name: _lean(value) for name, value in schema.items() if name not in _UNTOLD and name != "properties"}
        if properties is not None:
            kept["properties"] = {name: _lean(value) for name, value in properties.items()}
        return {name: value for name, value in kept.items() if name not in ("maxLength", "minLength", "maxItems")}
    return [_lean(each) for each in schema] if isinstance(schema, list) else schema
