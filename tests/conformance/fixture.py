"""A server with the tools, pages and prompts that the public conformance suite asks for, on our own dispatcher.

    python -m tests.conformance.fixture PORT

What the suite looks at passes the product's code: the HTTP endpoint with its checks, the envelopes and versions of both
eras, the pipeline with consent, errors, and how results are stamped. Only the contents are of the fixture: tools that
our pipeline can run are tools of a catalogue, and the rest (images, foreign addresses, questions of other kinds than
consent, of which the product has none) is answered beside them.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import socket
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import uvicorn

from okf_edge.errors import NotFoundError
from okf_edge.policy.authenticate import Grant, Token, new_token
from okf_edge.policy.call import Result
from okf_edge.policy.caller import SCOPES, Caller
from okf_edge.tools import inputs, results
from okf_edge.tools.catalogue import TOOLS
from okf_edge.tools.host import World
from okf_edge.tools.service import Service
from okf_edge.tools.tool import Tool
from okf_edge_native.mcp import protocol
from okf_edge_native.mcp.http import Endpoint, Settings
from okf_edge_native.mcp.protocol import Fault, Json, Protocol, envelope_version
from okf_edge_native.system import SystemClock, SystemEntropy
from tests.tool_kit import FolderHost, folder_of, service_of

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
KEY = b"of the fixture"


async def say(world: World, asked: inputs.Nothing) -> Result:
    return Result({}, "This is a simple text response for testing.")


async def fail(world: World, asked: inputs.Nothing) -> Result:
    raise NotFoundError("This tool intentionally returns an error for testing")


async def agreed(world: World, asked: inputs.Nothing) -> Result:
    return Result({}, "state-ok")


class Nothing(inputs.Input):
    confirm: str = ""


def tool(name: str, does: Any, takes: Any = inputs.Nothing, **more: Any) -> Tool:
    return Tool(name, name, "Of the conformance suite.", "read", takes, results.KbList, does, on_base=False, **more)


CATALOGUE = (
    *TOOLS,
    tool("test_simple_text", say),
    tool("test_error_handling", fail),
    tool("test_input_required_result_request_state", agreed, Nothing, confirms=True),
    tool("test_input_required_result_tampered_state", agreed, Nothing, confirms=True),
)


def text(said: str) -> Json:
    return {"type": "text", "text": said}


def image() -> Json:
    return {"type": "image", "data": PNG, "mimeType": "image/png"}


def embedded(uri: str, said: str, kind: str = "text/plain") -> Json:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": said}}


CONTENTS: Mapping[str, list[Json]] = {
    "test_logging_tool": [text("Nothing was logged to you.")],
    "test_image_content": [image()],
    "test_audio_content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}],
    "test_embedded_resource": [embedded("test://embedded-resource", "This is an embedded resource content.")],
    "test_multiple_content_types": [
        text("Multiple content types test:"),
        image(),
        embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ],
}
RESOURCES: Mapping[str, Json] = {
    "test://static-text": {
        "mimeType": "text/plain",
        "text": "This is the content of the static text resource.",
    },
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
    "test://template/123/data": {
        "mimeType": "application/json",
        "text": '{"id":"123","templateTest":true,"data":"Data for ID: 123"}',
    },
}
SCHEMA_2020_12: Json = {
    "name": "json_schema_2020_12_tool",
    "description": "Tool with JSON Schema 2020-12 features",
    "inputSchema": json.loads((Path(__file__).parent / "schema-2020-12.json").read_text()),
}


def question(key: str, said: str, name: str) -> Json:
    schema = {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}
    return {key: {"method": "elicitation/create", "params": {"message": said, "requestedSchema": schema}}}


def sampling(key: str, said: str) -> Json:
    message = {"role": "user", "content": text(said)}
    return {key: {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 100}}}


ROOTS: Json = {"client_roots": {"method": "roots/list", "params": {}}}
ROUNDS: Mapping[str, list[Json]] = {
    "test_input_required_result_elicitation": [question("user_name", "What is your name?", "name")],
    "test_streaming_elicitation": [question("user_name", "What is your name?", "name")],
    "test_input_required_result_sampling": [sampling("capital_question", "What is the capital of France?")],
    "test_input_required_result_list_roots": [ROOTS],
    "test_input_required_result_multiple_inputs": [
        {**question("user_name", "What is your name?", "name"), **sampling("greeting", "Generate a greeting"), **ROOTS}
    ],
    "test_input_required_result_multi_round": [
        question("step1", "Step 1: What is your name?", "name"),
        question("step2", "Step 2: What is your favorite color?", "color"),
    ],
    "test_input_required_result_capabilities": [
        {**question("user_name", "What is your name?", "name"), **sampling("greeting", "Generate a greeting")}
    ],
    "test_input_required_result_prompt": [
        question("user_context", "What context should the prompt use?", "context"),
    ],
}
"""What each asks, round by round, before it is complete."""

NEEDS = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}


class Fixture(Protocol):
    """The product's dispatcher, with what the suite asks for beside the tools of its catalogue."""

    async def _list_tools(self, caller: Caller, params: Json) -> Json:
        told = await super()._list_tools(caller, params)
        names = [*CONTENTS, *(name for name in ROUNDS if not name.endswith("prompt")), "test_missing_capability"]
        empty = {"type": "object", "additionalProperties": False}
        more = [{"name": name, "description": "Of the conformance suite.", "inputSchema": empty} for name in names]
        return {"tools": [*told["tools"], *more, SCHEMA_2020_12]}

    async def _call_tool(self, caller: Caller, params: Json) -> Json:
        name = params.get("name", "")
        if name in CONTENTS:
            return {"content": CONTENTS[name]}
        if name in ROUNDS:
            return asked(name, params) or {"content": [text(f"Hello, {json.dumps(params['inputResponses'])}")]}
        if name == "test_missing_capability" and "sampling" not in capabilities(params):
            raise Fault(
                protocol.MISSING_CAPABILITY,
                "Missing required client capability",
                {"requiredCapabilities": {"sampling": {}}},
            )
        return await super()._call_tool(caller, params)

    async def _list_resources(self, caller: Caller, params: Json) -> Json:
        told = await super()._list_resources(caller, params)
        more = [{"uri": uri, "name": uri, "mimeType": each["mimeType"]} for uri, each in RESOURCES.items()]
        return {"resources": [*told["resources"], *more]}

    async def _read_resource(self, caller: Caller, params: Json) -> Json:
        uri = params.get("uri", "")
        return (
            {"contents": [{"uri": uri, **RESOURCES[uri]}]}
            if uri in RESOURCES
            else await super()._read_resource(caller, params)
        )

    async def _get_prompt(self, caller: Caller, params: Json) -> Json:
        name, arguments = params.get("name", ""), params.get("arguments", {})
        said = {
            "test_simple_prompt": lambda: [text("This is a simple prompt for testing.")],
            "test_prompt_with_arguments": lambda: [
                text("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'".format(**arguments))
            ],
            "test_prompt_with_embedded_resource": lambda: [
                embedded(arguments["resourceUri"], "Embedded resource content for testing."),
                text("Please process the embedded resource above."),
            ],
            "test_prompt_with_image": lambda: [image(), text("Please analyze the image above.")],
            "test_input_required_result_prompt": lambda: [text("With your context.")],
        }
        if name not in said:
            return await super()._get_prompt(caller, params)
        question = asked(name, params) if name in ROUNDS else None
        return question or {"messages": [{"role": "user", "content": each} for each in said[name]()]}


def capabilities(params: Json) -> Json:
    found = params.get("_meta", {}).get(protocol.CAPABILITIES_KEY) if envelope_version(params) else {}
    return found if isinstance(found, dict) else {}


def asked(name: str, params: Json) -> Json | None:
    """The next round of questions; None when all were answered."""
    answers = params.get("inputResponses", {})
    if not isinstance(answers, dict):
        raise Fault(protocol.INVALID_PARAMS, "inputResponses must be an object")
    state = params.get("requestState", "")
    if state and state not in map(state_of, range(3)):
        raise Fault(protocol.INVALID_PARAMS, "requestState is not ours")
    can = capabilities(params)
    for number, requests in enumerate(ROUNDS[name]):
        meant = {key: each for key, each in requests.items() if NEEDS[each["method"]] in can}
        is_over = state in map(state_of, range(number + 2, 3)) or (
            meant and all(isinstance(answers.get(key), dict) for key in meant)
        )
        if not is_over:
            return {"resultType": "input_required", "inputRequests": meant, "requestState": state_of(number + 1)}
    return None


def state_of(number: int) -> str:
    return f"{number}.{hmac.digest(KEY, str(number).encode(), 'sha256').hex()}"


def served(folder: Path) -> Any:
    """The ASGI application, which gives each request a token that the suite can't send."""
    place = folder_of(folder / "river", {"KNOWLEDGE.md": "# Guide\n", "concepts/weir.md": "# Weir\n\nOpens at dawn.\n"})
    service = service_of(FolderHost(folder, {"river": place}))
    clock = SystemClock()
    guards = type(service.guards)(
        service.guards.ledger, service.guards.log, service.guards.log_key, clock, SystemEntropy()
    )
    shown, token = new_token(Grant("suite", frozenset(SCOPES)), (), SystemEntropy(), clock.now())

    async def tokens() -> tuple[Token, ...]:
        return (token,)

    endpoint = Endpoint(
        Service(service.host, guards, CATALOGUE), tokens, Settings(scopes=frozenset(SCOPES)), speaks=Fixture
    )

    async def application(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], (b"authorization", f"Bearer {shown}".encode())]}
        await endpoint(scope, receive, send)

    return application


def main() -> None:
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    with tempfile.TemporaryDirectory() as folder:
        config = uvicorn.Config(served(Path(folder)), log_level="error", lifespan="on", ws="none")
        print(listener.getsockname()[1], flush=True)
        asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))


if __name__ == "__main__":
    main()
