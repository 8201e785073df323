"""`okf mcp`, `okf mcp serve` and `okf mcp config`."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from okf_edge.errors import InputError
from okf_edge.policy.caller import scopes_of
from okf_edge_cli import session
from okf_edge_cli.commands import DONE
from okf_edge_cli.screen import bold, dim, line

if TYPE_CHECKING:
    from okf_edge.policy.pipeline import Watch
    from okf_edge_native.mcp.host import NativeHost

TOKEN_VARIABLE = "OKF_TOKEN"


def stdio(folder: str | None, kb: str, read_only: bool) -> int:
    from okf_edge_native.mcp.host import service_of
    from okf_edge_native.mcp.protocol import Protocol
    from okf_edge_native.mcp.stdio import serve

    service = service_of(_host(folder, kb), read_only=read_only)
    asyncio.run(serve(Protocol(service)))
    return DONE


def serve(
    folder: str | None,
    kb: str,
    port: int | None,
    host: str,
    token_file: str,
    allowed: Sequence[str],
    hosts: Sequence[str],
    origins: Sequence[str],
    issuer: str,
    resource: str,
    log: bool,
    metrics: int | None,
    trace: bool,
) -> int:
    from okf_edge_native.mcp import serve as server
    from okf_edge_native.mcp.http import Settings

    if bool(issuer) != bool(resource):
        raise InputError("expected --issuer and --resource together, found one", code="usage")
    known = server.KnownTokens(token_file)
    issued = server.issuer_of(issuer, resource.rstrip("/")) if issuer else None
    asyncio.run(issued.ready() if issued else server.ready(known))
    watch = _watch(log, metrics, trace)
    place = _host(folder, kb)
    bound = server.bind(host, 8765 if port is None else port)
    scopes = scopes_of([*allowed, "read"])
    settings = Settings(scopes, server.hosts_of(bound, hosts), frozenset(origins), resource.rstrip("/"), issuer)
    print(f"okf mcp: {bound.url}  tokens with {', '.join(sorted(scopes))}  Ctrl-C stops", file=sys.stderr, flush=True)
    server.serve(bound, place, known, settings, issued, watch)
    return DONE


def _host(folder: str | None, kb: str) -> NativeHost:
    """The bases of this machine, with the one that a call means when it names none."""
    from okf_edge_native.mcp.host import NativeHost
    from okf_edge_native.preferences import read_preferences

    host = NativeHost(folder, kb)
    host.default = host.default or asyncio.run(read_preferences()).kb
    return host


def _watch(log: bool, metrics: int | None, trace: bool) -> Watch | None:
    """Who is told of each call."""
    if not (log or metrics is not None or trace):
        return None
    from okf_edge_native import telemetry

    watches = [telemetry.log_lines(sys.stderr)] if log else []
    watches += [telemetry.metrics(metrics)] if metrics is not None else []
    return telemetry.together([*watches, *([telemetry.spans()] if trace else [])])


def config(client: str, folder: str | None, kb: str, url: str, as_json: bool) -> int:
    """Print the block that a client's settings take."""
    if client not in CLIENTS:
        raise InputError(
            f"expected a client among {', '.join(CLIENTS)}, found {client!r}",
            code="unknown-client",
            hint="Most others take the block of claude-desktop.",
        )
    place, text = _remote(client, url) if url else _local(client, _arguments(folder, kb))
    lines = [line(dim("# "), bold(place)), *map(line, text.splitlines())]
    session.print_result({"client": client, "file": place, "block": text}, lines, as_json)
    return DONE


def _arguments(folder: str | None, kb: str) -> list[str]:
    chosen = ["--dir", str(Path(folder).absolute())] if folder else []
    return ["mcp", *chosen, *(["--kb", kb] if kb else [])]


def _command() -> str:
    """The program as a client finds it, which may have another PATH: this very one, else that of the PATH."""
    started = Path(sys.argv[0])
    is_program = started.stem in ("okf", "okf-edge") and started.is_file() and os.access(started, os.X_OK)
    return str(started.absolute()) if is_program else shutil.which("okf") or "okf"


def _local(client: str, arguments: Sequence[str]) -> tuple[str, str]:
    command = _command()
    if client == "codex":
        return CLIENTS[client], f"[mcp_servers.okf]\ncommand = {json.dumps(command)}\nargs = {json.dumps([*arguments])}"
    if client == "opencode":
        return CLIENTS[client], _block("mcp", {"type": "local", "command": [command, *arguments]})
    if client == "vscode":
        return CLIENTS[client], _block("servers", {"type": "stdio", "command": command, "args": [*arguments]})
    return CLIENTS[client], _block("mcpServers", {"command": command, "args": [*arguments]})


def _remote(client: str, url: str) -> tuple[str, str]:
    """The block of a server over HTTP; the token stays in the environment where the client can read it from there."""
    if client == "codex":
        entry = f'[mcp_servers.okf]\nurl = {json.dumps(url)}\nbearer_token_env_var = "{TOKEN_VARIABLE}"'
        return CLIENTS[client], entry
    if client == "opencode":
        return CLIENTS[client], _block("mcp", {"type": "remote", "url": url, "headers": _bearer("{env:%s}")})
    if client == "vscode":
        return CLIENTS[client], _block("servers", {"type": "http", "url": url, "headers": _bearer("${env:%s}")})
    if client == "claude-desktop":
        raise InputError(
            "claude-desktop starts local servers only from its settings", code="usage", hint="Leave out --url."
        )
    spelled = "${env:%s}" if client == "cursor" else "${%s}"
    kind = {} if client == "cursor" else {"type": "http"}
    return CLIENTS[client], _block("mcpServers", {**kind, "url": url, "headers": _bearer(spelled)})


def _bearer(spelled: str) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {spelled % TOKEN_VARIABLE}"}


def _block(key: str, entry: Mapping[str, object]) -> str:
    return json.dumps({key: {"okf": entry}}, indent=2, ensure_ascii=False)


CLIENTS = {
    "claude-code": ".mcp.json in the project",
    "claude-desktop": "claude_desktop_config.json",
    "codex": "~/.codex/config.toml",
    "cursor": ".cursor/mcp.json",
    "opencode": "opencode.json",
    "vscode": ".vscode/mcp.json",
}
"""Where each client keeps its settings."""
