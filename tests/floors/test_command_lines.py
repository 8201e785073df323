"""Every `okf …` that the handbook shows is one that the command line takes, with its options."""

from __future__ import annotations

import pytest

from okf_edge_cli.commands import COMMANDS, GROUPS
from okf_edge_cli.parser import job_of
from tests.floors.handbook import CommandLine, command_lines

LINES = tuple(command_lines())
SHOWN = tuple(line for line in LINES if not line.mentioned)
MENTIONED = tuple(line for line in LINES if line.mentioned)
OPTIONS = {command.name: {flag for each in command.arguments for flag in each.flags} for command in COMMANDS}


def named(words: tuple[str, ...]) -> str:
    """The command, or the group of commands, that these words name; empty when there is none."""
    candidates = (" ".join(words[1:3]), words[1])
    return next((name for name in candidates if name in OPTIONS or name in GROUPS), "")


@pytest.mark.parametrize("line", SHOWN, ids=str)
def test_a_shown_command_line_is_taken_as_it_stands(line: CommandLine) -> None:
    if line.words[1:] != ("--version",):
        assert callable(job_of(line.words[1:]))


@pytest.mark.parametrize("line", MENTIONED, ids=str)
def test_a_mentioned_command_exists_with_its_options(line: CommandLine) -> None:
    if line.words[1:] != ("--version",):
        name = named(line.words)
        assert name, f"{line} names no command"
        assert {word for word in line.words if word.startswith("-")} <= OPTIONS.get(name, set())
