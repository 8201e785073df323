"""Asks a server of the Model Context Protocol once, over its standard input and output, and prints what it says.

    python mcp_ask.py <tool> <arguments as JSON> <command of the server...>

For tools that can be asked in no other way. Needs nothing but the standard library.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import IO, Any

CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


def request(server: subprocess.Popen[str], number: int, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """The answer to one request; what else the server says is passed over."""
    _send(server.stdin, {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters})
    for line in server.stdout or ():
        if line.lstrip().startswith("{") and (said := json.loads(line)).get("id") == number:
            answer: dict[str, Any] = said
            return answer
    raise SystemExit("the server ended without an answer")


def _send(pipe: IO[str] | None, message: dict[str, Any]) -> None:
    if pipe:
        pipe.write(json.dumps(message) + "\n")
        pipe.flush()


def main(tool: str, given: str, *command: str) -> None:
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        request(server, 1, "initialize", CLIENT)
        _send(server.stdin, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        answer = request(server, 2, "tools/call", {"name": tool, "arguments": json.loads(given)})
        server.stdin.close() if server.stdin else None
    print("\n".join(part.get("text", "") for part in answer.get("result", {}).get("content", [])) or answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
