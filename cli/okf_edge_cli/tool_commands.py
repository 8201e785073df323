"""The commands that serve tools to agents, and those that say who may call and who did."""

from __future__ import annotations

from okf_edge_cli.command import DONE, JSON, REFUSED, Argument, Command, option, switch

SERVED_FOLDER = option("folder", "--dir", "DIR", "a folder to serve beside the registered bases", None)
DEFAULT_KB = option(
    "kb", "--kb", "NAME", "the base of calls that name none [default: OKF_KB, that of `okf kb use`, or the only one]"
)
TOOL_COMMANDS = (
    Command(
        "mcp",
        "serve the tools to the client that started it, over standard input and output",
        "serving:stdio",
        (
            SERVED_FOLDER,
            DEFAULT_KB,
            switch("read_only", "--read-only", "offer no tool that writes"),
        ),
        {DONE: "the client closed its end"},
    ),
    Command(
        "mcp serve",
        "serve the tools over HTTP to callers with a token",
        "serving:serve",
        (
            SERVED_FOLDER,
            DEFAULT_KB,
            Argument("port", "the port [default: 8765]", ("--port",), "number", "PORT"),
            option("host", "--host", "ADDRESS", "where to listen [default: 127.0.0.1]", "127.0.0.1"),
            option("token_file", "--token-file", "FILE", "a file with one more token that is accepted"),
            Argument("allowed", "what tokens may do beside read; repeatable", ("--allow",), "texts", "SCOPE"),
            Argument("hosts", "a name that the server goes by; repeatable", ("--allow-host",), "texts", "NAME"),
            Argument("origins", "whose pages may call; repeatable", ("--allow-origin",), "texts", "ORIGIN"),
            option("issuer", "--issuer", "URL", "whose tokens (JWT) are accepted too"),
            option("resource", "--resource", "URL", "what the server is called from outside, in those tokens"),
            switch("log", "--log", "write a line of JSON for each call to standard error"),
            Argument(
                "metrics", "serve Prometheus metrics at this port of the loopback", ("--metrics",), "number", "PORT"
            ),
            switch("trace", "--trace", "send OpenTelemetry spans where the OTEL_ variables say"),
        ),
        {DONE: "it was told to stop"},
    ),
    Command(
        "mcp config",
        "print the block that a client's settings take",
        "serving:config",
        (
            Argument("client", "claude-code, claude-desktop, codex, cursor, opencode or vscode", shown="CLIENT"),
            SERVED_FOLDER,
            DEFAULT_KB,
            option("url", "--url", "URL", "of a server that runs, in place of one that the client starts"),
            JSON,
        ),
    ),
    Command(
        "kb use",
        "choose the base of tool calls that name none",
        "bases:use",
        (Argument("name", "its name, or `auto` for the only one there is", shown="NAME"), JSON),
    ),
    Command(
        "token create",
        "make a token for a caller of `okf mcp serve`; it is shown once",
        "access:create_token",
        (
            Argument("name", "what to call it", shown="NAME"),
            Argument("scopes", "read, capture, manage, install or publish; repeatable", ("--scope",), "texts", "SCOPE"),
            Argument("kbs", "only this knowledge base, or ids that begin so; repeatable", ("--only",), "texts", "NAME"),
            Argument("allow", "only pages of this path rule; repeatable", ("--allow-path",), "texts", "RULE"),
            Argument("deny", "no page of this path rule; repeatable", ("--deny-path",), "texts", "RULE"),
            option("expires", "--expires", "DAYS", "e.g. 90d [default: never]"),
            JSON,
        ),
    ),
    Command("token list", "the tokens, and what each allows", "access:list_tokens", (JSON,)),
    Command(
        "token revoke",
        "refuse a token from now on",
        "access:revoke_token",
        (Argument("name", "its name", shown="NAME"), JSON),
    ),
    Command(
        "audit verify",
        "whether the log of calls is whole",
        "access:verify_log",
        (JSON,),
        {DONE: "whole", REFUSED: "changed, cut or damaged"},
    ),
    Command(
        "audit tail",
        "the last calls",
        "access:tail_log",
        (Argument("count", "how many [default: 20]", ("-n",), "number", "N"), JSON),
    ),
)
