"""Every `okf …` that the handbook shows exists, with its options; and what can run here runs."""

from __future__ import annotations

import pytest

from okf_edge_cli.commands import COMMANDS, GROUPS
from okf_edge_cli.parser import job_of
from tests.floors.handbook import CommandLine, command_lines

LINES = tuple(command_lines())
SHOWN = tuple(line for line in LINES if not line.mentioned)
MENTIONED = tuple(line for line in LINES if line.mentioned)


@pytest.mark.parametrize("line", SHOWN, ids=str)
def test_a_shown_command_line_is_accepted_as_it_stands(line: CommandLine) -> None:
    if line.words[1:] != ("--version",):
        job_of(line.words[1:])


@pytest.mark.parametrize("line", MENTIONED, ids=str)
def test_a_mentioned_command_exists_with_its_options(line: CommandLine) -> None:
    words = list(line.words[1:])
    if words == ["--version"]:
        return
    depth = 2 if words[0] in GROUPS and len(words) > 1 else 1
    name = " ".join(words[:depth])
    command = next((command for command in COMMANDS if command.name == name), None)
    assert command or name in GROUPS, f"{line} names no command"
    options = {flag for argument in (command.arguments if command else ()) for flag in argument.flags}
    assert {word for word in words if word.startswith("-")} <= options
