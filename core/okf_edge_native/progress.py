"""Progress for people: a bar on a terminal, plain lines anywhere else."""

from __future__ import annotations

import atexit
import time
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from okf_edge.ports import Progress

LINE_INTERVAL_S = 5.0
"""How often a log hears of work that goes on; a terminal sees every step."""


def progress_for(stream: TextIO) -> Progress:
    """The progress that suits where it is written to."""
    return RichProgress(stream) if stream.isatty() else LineProgress(stream)


class SilentProgress:
    """Nobody is told, e.g. because a script reads the output."""

    def step(self, label: str, done: int, total: int | None = None) -> None: ...

    def message(self, text: str) -> None: ...


class LineProgress:
    """A line every few seconds of work: what is done sooner needs no words."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._told_s = time.monotonic()

    def step(self, label: str, done: int, total: int | None = None) -> None:
        now_s = time.monotonic()
        if now_s - self._told_s >= LINE_INTERVAL_S:
            self._told_s = now_s
            self.message(f"{label}: {done}" if total is None else f"{label}: {done} of {total}")

    def message(self, text: str) -> None:
        self._stream.write(f"{text}\n")
        self._stream.flush()


class RichProgress:
    """A bar per label. rich is loaded at the first word, so that quiet commands don't pay for it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._bars: Bars | None = None
        self._tasks: dict[str, TaskID] = {}

    def step(self, label: str, done: int, total: int | None = None) -> None:
        bars = self._bars = self._bars or self._start()
        if label not in self._tasks:
            self._tasks[label] = bars.add_task(label, total=total)
        bars.update(self._tasks[label], completed=done, total=total)
        if bars.finished:
            self._stop()

    def message(self, text: str) -> None:
        from rich.console import Console
        from rich.text import Text

        console = self._bars.console if self._bars else Console(file=self._stream)
        console.print(Text(text))

    def _start(self) -> Bars:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        label = TextColumn("{task.description}", markup=False)
        columns = (label, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        bars = Progress(*columns, console=Console(file=self._stream), transient=True)
        bars.start()
        atexit.register(bars.stop)  # a stopped run must not leave the terminal without its cursor
        return bars

    def _stop(self) -> None:
        """Take the bars away, so that what comes next stands alone."""
        if self._bars:
            self._bars.stop()
        self._bars, self._tasks = None, {}
