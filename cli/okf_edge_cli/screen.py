"""Where lines, JSON and errors go, and what a terminal is spared.

Rules:
1. Results go to stdout, everything else to stderr.
2. Text from notes never reaches a terminal as control characters, nor as characters that reorder or hide text.
3. Colour only on a terminal, and not under NO_COLOR or TERM=dumb; rich is imported only then.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TextIO

from okf_edge.errors import OkfError, UnavailableError

_CONTROLS = (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)
_SAFE = {code: "\ufffd" for code in _CONTROLS if code not in (0x09, 0x0A)}


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line in one style, e.g. `bold` or `dim`, in rich's words."""

    text: str
    style: str = ""


Line = tuple[Span, ...]


def line(*parts: str | Span) -> Line:
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts)


def bold(text: str) -> Span:
    return Span(text, "bold")


def dim(text: str) -> Span:
    return Span(text, "dim")


def good(text: str) -> Span:
    return Span(text, "bold green")


def bad(text: str) -> Span:
    return Span(text, "bold red")


def wary(text: str) -> Span:
    return Span(text, "yellow")


def prepare() -> None:
    """Make both streams take any text: UTF-8, and stray bytes of file names as `\\udcXX`, which JSON reads back."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def show(lines: Iterable[Line], stream: TextIO | None = None) -> None:
    stream = stream or sys.stdout
    with writing(stream):
        if wants_colour(stream):
            _show_coloured(lines, stream)
        else:
            stream.writelines("".join(span.text.translate(_SAFE) for span in each) + "\n" for each in lines)


def show_json(value: Any, stream: TextIO | None = None) -> None:
    """Write one JSON object and a newline."""
    stream = stream or sys.stdout
    with writing(stream):
        stream.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


@contextmanager
def writing(stream: TextIO) -> Iterator[None]:
    """Flush what the block writes. Raises: UnavailableError: a full disk. BrokenPipeError: nobody reads any more."""
    try:
        yield
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UnavailableError(f"the output could not be written: {error.strerror}", hint="Free some space.") from error


def show_error(error: OkfError, as_json: bool) -> None:
    """Show an error where there is room for it; the exit code tells of it in any case."""
    value = {"code": error.code, "message": error.message, "hint": error.hint, "issues": list(error.issues)}
    with suppress(UnavailableError, BrokenPipeError):
        if as_json:
            show_json(value, sys.stderr)
        else:
            show(_error_lines(error), sys.stderr)


def _error_lines(error: OkfError) -> Iterable[Line]:
    yield line(bad(f"error [{error.code}]"), f" {error.message}")
    if len(error.issues) > 1:
        yield from (line(f"  - {issue}") for issue in error.issues)
    if error.hint:
        yield line(dim("hint: "), error.hint)


def wants_colour(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _show_coloured(lines: Iterable[Line], stream: TextIO) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False, markup=False, emoji=False)
    for each in lines:
        console.print(Text.assemble(*((span.text.translate(_SAFE), span.style) for span in each)), soft_wrap=True)
