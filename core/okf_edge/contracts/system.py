"""What every `Clock`, `Entropy` and `Progress` must do."""

from __future__ import annotations

from datetime import timedelta

from okf_edge.contracts.checks import equal
from okf_edge.ports import Clock, Entropy, Progress


class ClockContract:
    async def now_is_an_instant_in_utc(self, clock: Clock) -> None:
        equal(clock.now().utcoffset(), timedelta(0), "offset of now")

    async def time_never_runs_backwards(self, clock: Clock) -> None:
        readings = [clock.monotonic() for _ in range(100)]
        equal(readings, sorted(readings), "readings of the monotonic clock")


class EntropyContract:
    async def a_token_has_the_length_asked_for(self, entropy: Entropy) -> None:
        for count in (0, 1, 16, 100):
            equal(len(entropy.token(count)), count, "bytes of a token")

    async def tokens_differ(self, entropy: Entropy) -> None:
        equal(len({entropy.token(16) for _ in range(100)}), 100, "different tokens of 100")


class ProgressContract:
    async def anything_may_be_told(self, progress: Progress) -> None:
        for done in range(3):
            progress.step("reading", done, 3)
        progress.step("counting", 5)
        progress.step("nothing to do", 0, 0)
        progress.step("reading", 3, 3)
        progress.message("[bold]not markup[/bold] 完成")
