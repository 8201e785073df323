"""JSON-RPC of the Model Context Protocol: one message in, one out, of both eras, over no transport in particular.

A request whose `_meta` names a protocol version is of the stateless era (2026-07-28) and answered by its rules alone;
any other is of the handshake era (to 2025-11-25). Nothing is remembered between two requests.

Source: the specifications of 2025-11-25 and 2026-07-28.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from okf_edge import __version__
from okf_edge.errors import NotFoundError, OkfError, PolicyError
from okf_edge.policy.call import CONFIRM, Result
from okf_edge.policy.caller import Caller
from okf_edge.retrieval.visible import visible
from okf_edge.tools import prompts, resources
from okf_edge.tools.catalogue import INSTRUCTIONS
from okf_edge.tools.service import Service
from okf_edge_native.mcp import consent

Json = dict[str, Any]
Handler = Callable[[Caller, Json], Awaitable[Json]]

MODERN = ("2026-07-28",)
HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
VERSIONS = (*MODERN, *HANDSHAKE)

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION, RESOURCE_NOT_FOUND = -32020, -32021, -32022, -32002

MOST_COMPLETIONS = 100
"""As the protocol bounds them."""

_META = "io.modelcontextprotocol/"
VERSION_KEY, CAPABILITIES_KEY = f"{_META}protocolVersion", f"{_META}clientCapabilities"
_SERVER = {"name": "okf-edge", "title": "okf-edge", "version": __version__}
_CAPABILITIES: Json = {"tools": {}, "resources": {}, "prompts": {}, "completions": {}}
_OURS = "okf-edge/"
_CACHED = frozenset(
    {"server/discover", "tools/list", "resources/list", "resources/templates/list", "resources/read", "prompts/list"}
)


class Fault(Exception):
    """An error of the protocol, as JSON-RPC tells it."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


class _Asked(Exception):
    """A call that waits for what its client is asked."""

    def __init__(self, question: Json, state: str) -> None:
        self.requests = {consent.KEY: {"method": consent.METHOD, "params": question}}
        self.state = state


class Protocol:
    """Answers messages from a service. Args: ask: how the client is asked something, where it can be."""

    def __init__(self, service: Service, ask: consent.Ask | None = None) -> None:
        self._service = service
        self._ask = ask
        shared: dict[str, Handler] = {
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
            "resources/list": self._list_resources,
            "resources/templates/list": self._list_templates,
            "resources/read": self._read_resource,
            "prompts/list": self._list_prompts,
            "prompts/get": self._get_prompt,
            "completion/complete": self._complete,
        }
        self._modern = {**shared, "server/discover": self._discover}
        self._handshake = {**shared, "initialize": self._initialize, "ping": self._ping}

    def asking(self, ask: consent.Ask | None) -> Protocol:
        """The same protocol on a connection whose client can be asked, or can't."""
        return type(self)(self._service, ask)

    async def answer(self, message: Any, caller: Caller) -> Json | None:
        """The reply to a message; None for a notification. Nothing that a message holds makes it raise."""
        if not _is_request(message):
            return None if _is_notification(message) else failure(None, Fault(INVALID_REQUEST, "not a request"))
        request_id, method = message["id"], message["method"]
        try:
            params = message.get("params", {})
            if not isinstance(params, dict):
                raise Fault(INVALID_PARAMS, "params must be an object")
            result = await self._dispatch(method, params, caller)
        except Fault as fault:
            return failure(request_id, fault)
        except OkfError as error:
            return failure(request_id, _fault_of(error))
        return {"jsonrpc": "2.0", "id": request_id, "result": result}

    async def _dispatch(self, method: str, params: Json, caller: Caller) -> Json:
        is_modern = envelope_version(params) is not None
        if is_modern:
            _require_envelope(params)
        handler = (self._modern if is_modern else self._handshake).get(method)
        if handler is None:
            raise Fault(METHOD_NOT_FOUND, "method not found", {"method": visible(method)[:100]})
        result = await handler(caller, params)
        return _stamped(method, result) if is_modern else result

    async def _initialize(self, caller: Caller, params: Json) -> Json:
        asked = params.get("protocolVersion")
        if not isinstance(asked, str):
            raise Fault(INVALID_PARAMS, "protocolVersion must be a text")
        version = asked if asked in HANDSHAKE else HANDSHAKE[0]
        return {
            "protocolVersion": version,
            "capabilities": _CAPABILITIES,
            "serverInfo": _SERVER,
            "instructions": INSTRUCTIONS,
        }

    async def _discover(self, caller: Caller, params: Json) -> Json:
        return {"supportedVersions": list(VERSIONS), "capabilities": _CAPABILITIES, "instructions": INSTRUCTIONS}

    async def _ping(self, caller: Caller, params: Json) -> Json:
        return {}

    async def _list_tools(self, caller: Caller, params: Json) -> Json:
        _no_cursor(params)
        return {"tools": [tool.listed() for tool in self._service.tools(caller)]}

    async def _call_tool(self, caller: Caller, params: Json) -> Json:
        name, arguments = _text(params, "name"), params.get("arguments") or {}
        if not isinstance(arguments, dict):
            raise Fault(INVALID_PARAMS, "arguments must be an object")
        try:
            return _told(await self._run(caller, name, arguments, params))
        except _Asked as asked:
            return {"resultType": "input_required", "inputRequests": asked.requests, "requestState": asked.state}
        except OkfError as error:
            if self._service.tool(name) is None:
                raise Fault(INVALID_PARAMS, f"Unknown tool: {visible(name)[:64]}") from error
            return _failed(error)

    async def _run(self, caller: Caller, name: str, arguments: Json, params: Json) -> Result:
        """The call, with the consent that it needs where the client can ask its person for it."""
        is_modern = envelope_version(params) is not None
        by_result = is_modern and consent.can_ask(params["_meta"].get(CAPABILITIES_KEY))
        reply = _reply(params) if by_result else consent.Reply()
        if reply.state and reply.agrees is not None:
            arguments = {**arguments, CONFIRM: reply.state}
        try:
            return await self._service.call(caller, name, arguments, declines=reply.agrees is False)
        except PolicyError as error:
            tool = self._service.tool(name)
            if error.code != "confirmation-required" or tool is None:
                raise
            question = consent.question(tool.title, arguments)
            if by_result and reply.state and reply.agrees:
                raise Fault(INVALID_PARAMS, "requestState is not that of this call, or was used before") from error
            if by_result:
                raise _Asked(question, error.details[CONFIRM]) from error
            if self._ask is None or is_modern:
                raise
            agrees = consent.agreement(await self._ask(consent.METHOD, question)) is True
            confirmed = {**arguments, CONFIRM: error.details[CONFIRM]}
            return await self._service.call(caller, name, confirmed, declines=not agrees)

    async def _list_resources(self, caller: Caller, params: Json) -> Json:
        _no_cursor(params)
        found = await self._service.resources(caller)
        return {"resources": [{"uri": each.uri, "name": each.name, "mimeType": each.type} for each in found]}

    async def _list_templates(self, caller: Caller, params: Json) -> Json:
        _no_cursor(params)
        template = {
            "uriTemplate": resources.TEMPLATE,
            "name": "page",
            "description": "A compiled page, a page of an installed bundle, KNOWLEDGE.md, or `map`. Untrusted data.",
            "mimeType": "text/markdown",
        }
        return {"resourceTemplates": [template]}

    async def _read_resource(self, caller: Caller, params: Json) -> Json:
        uri = _text(params, "uri")
        try:
            content = await self._service.resource(caller, uri)
        except NotFoundError as error:
            code = INVALID_PARAMS if envelope_version(params) else RESOURCE_NOT_FOUND
            raise Fault(code, visible(error.message), {"uri": uri, "code": error.code, "hint": error.hint}) from error
        return {"contents": [{"uri": uri, "mimeType": content.type, "text": content.text}]}

    async def _list_prompts(self, caller: Caller, params: Json) -> Json:
        _no_cursor(params)
        return {
            "prompts": [
                {
                    "name": prompt.name,
                    "description": prompt.description,
                    "arguments": [{"name": name, "required": must} for name, must in prompt.arguments.items()],
                }
                for prompt in prompts.listed()
            ]
        }

    async def _get_prompt(self, caller: Caller, params: Json) -> Json:
        arguments = params.get("arguments") or {}
        if not isinstance(arguments, dict) or not all(isinstance(value, str) for value in arguments.values()):
            raise Fault(INVALID_PARAMS, "arguments must be an object of texts")
        text = prompts.text_of(_text(params, "name"), arguments)
        return {"messages": [{"role": "user", "content": _said(text)}]}

    async def _complete(self, caller: Caller, params: Json) -> Json:
        reference, argument = params.get("ref"), params.get("argument")
        if not isinstance(reference, dict) or not isinstance(argument, dict):
            raise Fault(INVALID_PARAMS, "ref and argument must be objects")
        context = params.get("context")
        chosen = context.get("arguments") if isinstance(context, dict) else None
        kb = chosen.get("kb", "") if isinstance(chosen, dict) else ""
        name = argument.get("name")
        is_ours = name == "kb" or (name == "path" and reference.get("type") == "ref/resource")
        values = (
            await self._service.completions(caller, str(name), str(argument.get("value", "")), str(kb))
            if is_ours
            else []
        )
        shown = values[:MOST_COMPLETIONS]
        return {"completion": {"values": shown, "total": len(values), "hasMore": len(values) > len(shown)}}


def failure(request_id: Any, fault: Fault) -> Json:
    """The JSON-RPC message of an error."""
    error: Json = {"code": fault.code, "message": fault.message}
    return {"jsonrpc": "2.0", "id": request_id, "error": error if fault.data is None else {**error, "data": fault.data}}


def envelope_version(params: Any) -> Any:
    """The protocol version that a request of the stateless era names; None for one of the handshake era."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta.get(VERSION_KEY) if isinstance(meta, dict) else None


def unsupported(version: Any) -> Fault:
    named = visible(version)[:32] if isinstance(version, str) else ""
    return Fault(UNSUPPORTED_VERSION, "Unsupported protocol version", {"supported": list(MODERN), "requested": named})


def _require_envelope(params: Json) -> None:
    version = envelope_version(params)
    if not isinstance(params["_meta"].get(CAPABILITIES_KEY), dict):
        raise Fault(INVALID_PARAMS, f"params._meta must have {CAPABILITIES_KEY}")
    if not isinstance(version, str):
        raise Fault(INVALID_PARAMS, "the protocol version must be a text")
    if version not in MODERN:
        raise unsupported(version)


def _is_request(message: Any) -> bool:
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        return False
    return isinstance(message.get("id"), str | int) and not isinstance(message.get("id"), bool)


def _is_notification(message: Any) -> bool:
    """Also a reply, which nobody here waits for."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return False
    is_reply = "id" in message and ("result" in message or "error" in message) and "method" not in message
    return is_reply or ("id" not in message and isinstance(message.get("method"), str))


def _stamped(method: str, result: Mapping[str, Any]) -> Json:
    """A result as the stateless era wants it: complete, who says so, and for how long it may be kept."""
    meta = {**result.get("_meta", {}), f"{_META}serverInfo": _SERVER}
    kept = {"ttlMs": 0, "cacheScope": "private"} if method in _CACHED else {}
    return {"resultType": "complete", **result, **kept, "_meta": meta}


def _reply(params: Json) -> consent.Reply:
    try:
        return consent.reply_in(params)
    except ValueError as error:
        raise Fault(INVALID_PARAMS, str(error)) from error


def _told(result: Result) -> Json:
    """A result of a tool."""
    told: Json = {"content": [_said(result.text)], "structuredContent": dict(result.content), "isError": False}
    return {**told, "_meta": {f"{_OURS}{key}": value for key, value in result.meta.items()}} if result.meta else told


def _failed(error: OkfError) -> Json:
    """An error of a tool, which its caller can read and act on."""
    told: Json = {"code": error.code, "message": visible(error.message), "hint": visible(error.hint)}
    if error.issues:
        told["issues"] = [visible(issue) for issue in error.issues]
    if isinstance(error, PolicyError) and error.details:
        told["details"] = error.details
    text = f"{error.code}: {told['message']}" + (f"\n{told['hint']}" if error.hint else "")
    return {"content": [_said(text)], "structuredContent": {"error": told}, "isError": True}


def _fault_of(error: OkfError) -> Fault:
    is_known = isinstance(error, NotFoundError | PolicyError)
    return Fault(
        INVALID_PARAMS if is_known else INTERNAL_ERROR, visible(error.message), {"code": error.code, "hint": error.hint}
    )


def _said(text: str) -> Json:
    return {"type": "text", "text": text}


def _text(params: Json, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str) or not value:
        raise Fault(INVALID_PARAMS, f"{name} must be a text")
    return value


def _no_cursor(params: Json) -> None:
    """Lists are of one page, so every cursor is a foreign one."""
    if params.get("cursor") is not None:
        raise Fault(INVALID_PARAMS, "there is no such cursor")
