"""`okf`: argv in, rendering out, one exit code.

Rules:
1. An error is a message with a code and a hint, never a stack trace; OKF_DEBUG=1 shows the trace of a defect.
2. `okf --version` loads nothing but the version.
3. A reader that closed its pipe is no error: the process ends quietly with 0. An output that is full is one.
4. Streams that the caller closed lead nowhere, so that no file takes their place.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn, TextIO

_REPORT = "Run it again with OKF_DEBUG=1 and report the trace."


def run() -> NoReturn:
    """Run the command line of this process and exit."""
    argv = sys.argv[1:]
    _open_streams()
    if argv in (["--version"], ["-V"]):
        from okf_edge import __version__

        sys.stdout.write(f"okf {__version__}\n")
        if _let_go(sys.stdout):
            sys.exit(0)
        from okf_edge_cli.commands import FAILED

        sys.exit(FAILED)
    sys.exit(_guarded(argv))


def _open_streams() -> None:
    """Open what is closed, in the order of the descriptors: each open takes the lowest that is free."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


def _guarded(argv: list[str]) -> int:
    from okf_edge_cli import commands

    try:
        return _run(argv)
    except KeyboardInterrupt:
        return commands.INTERRUPTED
    except BrokenPipeError:
        return commands.DONE
    finally:
        _let_go(sys.stdout)
        _let_go(sys.stderr)


def _let_go(stream: TextIO) -> bool:
    """Write what is left, or drop it, since the interpreter would complain at its exit; whether it was written."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return False
    return True


def _run(argv: list[str]) -> int:
    from okf_edge.errors import OkfError
    from okf_edge_cli import commands, screen
    from okf_edge_cli.exits import exit_code

    screen.prepare()
    try:
        return _done(argv)
    except OkfError as error:
        screen.show_error(error, "--json" in argv)
        return exit_code(error)
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except Exception as error:
        if os.environ.get("OKF_DEBUG"):
            raise
        found = f"{type(error).__name__}: {error}"
        defect = OkfError(f"okf failed in a way that it should not: {found}", code="defect", hint=_REPORT)
        screen.show_error(defect, "--json" in argv)
        return commands.DEFECT


def _done(argv: list[str]) -> int:
    from okf_edge_cli import screen
    from okf_edge_cli.parser import HelpError, job_of

    try:
        code = job_of(argv)()
    except HelpError as help:
        screen.show([screen.line(help.text)], sys.stderr if help.code else sys.stdout)
        return help.code
    with screen.writing(sys.stdout):
        return code
