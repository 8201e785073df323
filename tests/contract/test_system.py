"""The contracts of Clock, Entropy and Progress over every adapter."""

from __future__ import annotations

import io

import pytest

from okf_edge.contracts import ClockContract, EntropyContract, ProgressContract, clauses
from okf_edge.inmemory import ManualClock, RecordedProgress, SeededEntropy
from okf_edge.ports import Clock, Entropy, Progress
from okf_edge_native.progress import LINE_INTERVAL_S, LineProgress, RichProgress, progress_for
from okf_edge_native.system import SystemClock, SystemEntropy


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("clause", clauses(ClockContract))
@pytest.mark.parametrize("clock", [ManualClock(), SystemClock()], ids=["manual", "system"])
async def test_the_clock_contract_is_kept(clause: str, clock: Clock) -> None:
    await getattr(ClockContract(), clause)(clock)


@pytest.mark.parametrize("clause", clauses(EntropyContract))
@pytest.mark.parametrize("entropy", [SeededEntropy(), SystemEntropy()], ids=["seeded", "system"])
async def test_the_entropy_contract_is_kept(clause: str, entropy: Entropy) -> None:
    await getattr(EntropyContract(), clause)(entropy)


@pytest.mark.parametrize("clause", clauses(ProgressContract))
@pytest.mark.parametrize(
    "progress",
    [RecordedProgress(), LineProgress(io.StringIO()), RichProgress(Terminal())],
    ids=["recorded", "line", "rich"],
)
async def test_the_progress_contract_is_kept(clause: str, progress: Progress) -> None:
    await getattr(ProgressContract(), clause)(progress)


def test_a_terminal_gets_bars_and_a_log_gets_lines() -> None:
    assert isinstance(progress_for(Terminal()), RichProgress)
    assert isinstance(progress_for(io.StringIO()), LineProgress)


def test_a_log_hears_nothing_of_what_is_done_at_once() -> None:
    log = io.StringIO()
    progress = LineProgress(log)
    for done in range(1001):
        progress.step("embedding", done, 1000)
    assert log.getvalue() == ""


def test_a_log_hears_of_long_work_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    log, now_s = io.StringIO(), 0.0
    monkeypatch.setattr("time.monotonic", lambda: now_s)
    progress = LineProgress(log)
    for done in range(1001):
        now_s = done * LINE_INTERVAL_S / 500
        progress.step("embedding", done, 1000)
    assert log.getvalue() == "embedding: 500 of 1000\nembedding: 1000 of 1000\n"


def test_a_label_is_shown_as_it_is_and_never_read_as_markup() -> None:
    terminal = Terminal()
    progress = RichProgress(terminal)
    progress.message("[red]a.md[/red]")
    progress.step("[/bold] index", 1, 2)
    progress.step("[/bold] index", 2, 2)
    assert "[red]a.md[/red]" in terminal.getvalue()
    assert "[/bold] index" in terminal.getvalue()
