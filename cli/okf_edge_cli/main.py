"""`okf`: argv in, rendering out, one exit code.

Rules:
1. An error is a message with a code and a hint, never a stack trace; OKF_DEBUG=1 shows the trace of a defect.
2. `okf --version` loads nothing but the version.
3. A reader that closed its pipe is no error: the process ends quietly with 0.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

_REPORT = "Run it again with OKF_DEBUG=1 and report the trace."


def run() -> NoReturn:
    """Run the command line of this process and exit."""
    argv = sys.argv[1:]
    if argv in (["--version"], ["-V"]):
        from okf_edge import __version__

        print(f"okf {__version__}")
        sys.exit(0)
    sys.exit(_guarded(argv))


def _guarded(argv: list[str]) -> int:
    from okf_edge_cli import commands

    try:
        return _run(argv)
    except KeyboardInterrupt:
        return commands.INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter complains at its exit
        return commands.DONE


def _run(argv: list[str]) -> int:
    from okf_edge.errors import OkfError
    from okf_edge_cli import commands, screen
    from okf_edge_cli.exits import exit_code
    from okf_edge_cli.parser import HelpError, job_of

    screen.prepare()
    try:
        return job_of(argv)()
    except HelpError as help:
        print(help.text, file=sys.stderr if help.code else sys.stdout, flush=True)
        return help.code
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
