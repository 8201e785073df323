"""The commands about services that others run, or that you run in your own account."""

from __future__ import annotations

from okf_edge_cli.command import DONE, JSON, REFUSED, Argument, Command, option

SERVICE_URL = Argument("url", "its address, e.g. https://example.org", shown="URL")
REMOTE_COMMANDS = (
    Command(
        "remote add",
        "give a service a name, and keep the token for it",
        "remoting:add",
        (
            SERVICE_URL,
            option("name", "--name", "NAME", "what to call it [default: by its address]"),
            option("token_file", "--token-file", "FILE", "the file that holds the token, or - for standard input"),
            option("token_variable", "--token-env", "VARIABLE", "the environment variable that holds the token"),
            JSON,
        ),
        {DONE: "added: it answers, and takes the token"},
    ),
    Command("remote list", "the services that have a name", "remoting:list_remotes", (JSON,)),
    Command(
        "remote remove",
        "forget a service and its token",
        "remoting:remove",
        (Argument("name", "the name", shown="NAME"), JSON),
    ),
    Command(
        "remote deploy-check",
        "look at a service as its operator would, and tell what to do about what is wrong",
        "remoting:deploy_check",
        (Argument("url", "its address, or its name here", shown="URL"), JSON),
        {DONE: "nothing is wrong", REFUSED: "something is wrong: each finding tells what to do"},
    ),
)
