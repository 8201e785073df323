"""The table of commands, and what the parser makes of it."""

from __future__ import annotations

import inspect
from importlib import import_module

import pytest

from okf_edge.errors import InputError
from okf_edge_cli.commands import ANYWHERE, COMMANDS, DONE, Command
from okf_edge_cli.parser import HelpError, job_of

each_command = pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)


@each_command
def test_a_command_runs_a_function_that_takes_exactly_its_arguments(command: Command) -> None:
    module, _, function = command.runs.partition(":")
    parameters = inspect.signature(getattr(import_module(f"okf_edge_cli.{module}"), function)).parameters
    assert list(parameters) == [argument.name for argument in command.handed_over]


@each_command
def test_a_command_exits_zero_when_done_and_keeps_to_its_own_codes(command: Command) -> None:
    assert DONE in command.exits
    assert not command.exits.keys() & ANYWHERE.keys()


SERVERS = ("mcp", "mcp serve", "reader")
"""What speaks a protocol or serves pages instead of printing a result."""


@pytest.mark.parametrize("command", [each for each in COMMANDS if each.name not in SERVERS], ids=lambda each: each.name)
def test_every_command_can_print_json(command: Command) -> None:
    assert [argument for argument in command.arguments if argument.flags == ("--json",)]


def test_the_words_of_a_question_need_no_quotes_and_may_surround_options() -> None:
    asked = job_of(["query", "how", "do", "--lexical", "pears", "-k", "3", "--tag", "a", "--tag", "b"]).keywords
    assert asked["question"] == ["how", "do", "pears"]
    assert (asked["k"], asked["tags"], asked["types"], asked["lexical"]) == (3, ["a", "b"], [], True)


def test_what_follows_two_dashes_is_a_question_whatever_it_looks_like() -> None:
    assert job_of(["query", "--", "--json"]).keywords["question"] == ["--json"]


def test_a_flag_is_never_guessed_from_its_beginning() -> None:
    with pytest.raises(InputError, match="--lex"):
        job_of(["query", "x", "--lex"])


def test_a_parsed_command_line_leaves_no_trace_in_the_next() -> None:
    job_of(["query", "x", "--tag", "a"])
    assert job_of(["query", "x"]).keywords["tags"] == []


@pytest.mark.parametrize("argv", [["query", "x", "--help"], ["-h"], ["model", "-h"], []])
def test_help_is_told_apart_from_commands(argv: list[str]) -> None:
    with pytest.raises(HelpError, match="usage: okf"):
        job_of(argv)
