"""From argv to the function that it asks for. Only the parser of the one command is built: a question is in a hurry."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, NoReturn

from okf_edge.errors import InputError
from okf_edge.paths import is_unicode
from okf_edge_cli.commands import ANYWHERE, COMMANDS, DONE, GROUPS, KB, USAGE, Argument, Command

Job = Callable[[], int]

ANY = "*"
"""The value of an option that was given without one."""

_HELP = ("-h", "--help")
_PLACES = {"DIR", "PATH", "FILE", "SOURCE", "FEED", "URL", "CONCEPT"}
"""How arguments are shown that name something on a disk, whose name may be any bytes."""


class HelpError(Exception):
    """Not a command but a text to show, and the exit code to show it with."""

    def __init__(self, text: str, code: int = DONE) -> None:
        super().__init__(text)
        self.text = text
        self.code = code


def job_of(argv: Sequence[str]) -> Job:
    """What a command line asks for, ready to run.

    Raises: InputError: it asks for nothing that there is. HelpError: it asks for help, or for nothing at all.
    """
    name, rest = _split(argv)
    command = next((each for each in COMMANDS if each.name == name), None)
    if command is None:
        raise _no_command(name, rest)
    parser = _Parser(command)
    arguments = vars(parser.parse_args(rest) if "--" in rest else parser.parse_intermixed_args(rest))  # it loses "--"
    _require_places(command, arguments)
    _require_text(command, arguments)
    module, _, name = command.runs.partition(":")
    function = getattr(import_module(f"okf_edge_cli.{module}"), name)
    kb = arguments.pop("kb") if KB in command.arguments else ""
    return partial(_in_base, function, kb, **arguments) if kb else partial(function, **arguments)


def _require_places(command: Command, arguments: Mapping[str, Any]) -> None:
    """Raises: InputError: a place is empty, as a variable of the shell that is not set leaves it."""
    for argument in command.arguments:
        if argument.shown in _PLACES - {"CONCEPT"} and argument.default is None and arguments[argument.name] == "":
            named = argument.flags[0] if argument.flags else argument.shown
            raise InputError(
                f"expected a place after {named}, found nothing" if argument.flags else f"{named} is empty",
                code="usage",
                hint="Name a folder; `.` is the present one.",
            )


def _require_text(command: Command, arguments: Mapping[str, Any]) -> None:
    """Raises: InputError: an argument that names nothing on a disk has bytes that are no UTF-8."""
    for argument in command.arguments:
        value = arguments[argument.name]
        text = "".join(value) if isinstance(value, list) else value
        if argument.shown not in _PLACES and isinstance(text, str) and not is_unicode(text):
            raise InputError(
                f"expected {argument.shown} in UTF-8, found other bytes", code="usage", hint="Check the terminal."
            )


def _in_base(function: Callable[..., int], kb: str, folder: str | None, **arguments: Any) -> int:
    """Run a command in the folder that the name of a knowledge base stands for."""
    from okf_edge_cli.bases import folder_of

    return function(folder=folder_of(kb, folder), **arguments)


def _split(argv: Sequence[str]) -> tuple[str, list[str]]:
    """The name of the command, of one word or two, and what follows it."""
    words = 2 if argv and argv[0] in GROUPS and len(argv) > 1 and not argv[1].startswith("-") else 1
    return " ".join(argv[:words]), list(argv[words:])


def _no_command(name: str, rest: Sequence[str]) -> Exception:
    if name in _HELP or (name in GROUPS and (not rest or rest[0] in _HELP)):
        return HelpError(help_of(name), DONE if name in _HELP or rest else USAGE)
    if not name:
        return HelpError(help_of(""), USAGE)
    return InputError(f"there is no command {name!r}", code="usage", hint=f"{_near(name)}See `okf --help`.")


def _near(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, [command.name for command in COMMANDS], 3, cutoff=0.5)
    return f"Near it: {', '.join(near)}. " if near else ""


def help_of(group: str) -> str:
    """The help of the whole, or of one group of commands."""
    prefix = f"{group} " if group in GROUPS else ""
    listed = [command for command in COMMANDS if command.name.startswith(prefix)]
    lines = [f"  {command.name.removeprefix(prefix):<16} {command.summary}" for command in listed]
    about = GROUPS.get(group, "Ask curated markdown, and ship it as verified bundles.")
    more = f"`okf {prefix}COMMAND --help` tells more." + ("" if prefix else " `okf --version` prints the version.")
    return "\n".join([f"usage: okf {prefix}COMMAND ...", "", about, "", *lines, "", more])


class _Parser(ArgumentParser):
    """The parser of one command, whose complaints are our errors."""

    def __init__(self, command: Command) -> None:
        super().__init__(
            prog=f"okf {command.name}",
            description=command.summary,
            epilog=_exits(command),
            formatter_class=RawDescriptionHelpFormatter,
            add_help=False,
            allow_abbrev=False,
        )
        for argument in command.arguments:
            self.add_argument(*argument.flags or [argument.name], **_settings(argument))
        self.add_argument(*_HELP, action="help", help="show this message")

    def print_help(self, file: object = None) -> NoReturn:
        raise HelpError(self.format_help().rstrip())

    def error(self, message: str) -> NoReturn:
        known = ", ".join(flag for action in self._actions for flag in action.option_strings[:1])
        taken = f"It takes {known}. " if message.startswith("unrecognized") else ""
        raise InputError(message, code="usage", hint=f"{taken}See `{self.prog} --help`.")


def _settings(argument: Argument) -> dict[str, Any]:
    """One argument in argparse's words."""
    settings: dict[str, Any] = {"help": argument.help}
    if argument.flags:
        settings |= {"dest": argument.name, **({"required": True} if argument.required else {})}
    if argument.takes == "nothing":
        return {**settings, "action": "store_true"}
    settings |= {"metavar": argument.shown, "default": argument.default}
    if argument.takes == "number":
        settings["type"] = int
    if argument.takes == "texts":
        several = {"action": "append"} if argument.flags else {"nargs": "*" if argument.may_be_absent else "+"}
        return {**settings, **several, "default": []}
    if argument.may_be_absent:
        settings |= {"nargs": "?", **({"const": ANY} if argument.flags else {})}
    return settings


def _exits(command: Command) -> str:
    codes = {**command.exits, **ANYWHERE}
    return "exit codes:\n" + "\n".join(f"  {code:<4} {meaning}" for code, meaning in sorted(codes.items()))
