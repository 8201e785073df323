"""Every `okf …` that the handbook shows exists, with its options; and what can run here runs."""

from __future__ import annotations

from typing import Any

import pytest
import typer

from okf_edge_cli.parser import app
from tests.floors.handbook import CommandLine, command_lines

ROOT_COMMAND: Any = typer.main.get_command(app)
LINES = tuple(command_lines())
SHOWN = tuple(line for line in LINES if not line.mentioned)
MENTIONED = tuple(line for line in LINES if line.mentioned)


def found(words: tuple[str, ...]) -> tuple[Any, list[str]]:
    """The command that these words name, and the words that are left for it."""
    command, rest = ROOT_COMMAND, list(words[1:])
    while rest and rest[0] in getattr(command, "commands", {}):
        command = command.commands[rest.pop(0)]
    return command, rest


@pytest.mark.parametrize("line", SHOWN, ids=str)
def test_a_shown_command_line_is_accepted_as_it_stands(line: CommandLine) -> None:
    command, rest = found(line.words)
    if rest == ["--version"]:
        return
    assert not getattr(command, "commands", {}), f"{line} names no command"
    command.make_context("okf", rest)


@pytest.mark.parametrize("line", MENTIONED, ids=str)
def test_a_mentioned_command_exists_with_its_options(line: CommandLine) -> None:
    command, rest = found(line.words)
    options = {name for parameter in command.params for name in parameter.opts}
    assert command is not ROOT_COMMAND or rest == ["--version"], f"{line} names no command"
    assert {word for word in rest if word.startswith("-")} <= options
