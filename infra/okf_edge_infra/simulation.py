"""Questions played one by one: who waits for a cold start, and for something that is not on the disk of who answers.

Lambda gives a call to an environment that is free (the one that was used last, here), else starts another. An
environment keeps the shards that it was asked of last, as many as its disk holds.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from heapq import heappop, heappush
from random import Random


@dataclass(frozen=True, slots=True)
class Played:
    """What became of the questions. `seconds` are their times, sorted."""

    questions: int
    seconds: tuple[float, ...]
    cold_share: float
    kept_share: float
    most_environments: int

    def quantile(self, share: float) -> float:
        return self.seconds[min(len(self.seconds) - 1, int(share * len(self.seconds)))]


@dataclass(slots=True)
class _Environment:
    number: int
    held: OrderedDict[int, None] = field(default_factory=OrderedDict)
    free_since: float = 0.0

    def takes(self, shard: int, most: int) -> bool:
        """Whether the shard is on its disk; from now on it is."""
        was = shard in self.held
        self.held[shard] = None
        self.held.move_to_end(shard)
        if len(self.held) > most:
            self.held.popitem(last=False)
        return was


@dataclass(slots=True)
class _Fleet:
    idle_s: float
    free: list[_Environment] = field(default_factory=list)
    busy: list[tuple[float, int, _Environment]] = field(default_factory=list)
    started: int = 0
    most: int = 0

    def one(self, now: float) -> tuple[_Environment, bool]:
        """An environment for a call, and whether it starts now."""
        while self.busy and self.busy[0][0] <= now:
            until, _, environment = heappop(self.busy)
            environment.free_since = until
            self.free.append(environment)
        self.free = [each for each in self.free if now - each.free_since < self.idle_s]
        if self.free:
            return self.free.pop(), False
        self.started += 1
        return _Environment(self.started), True

    def occupy(self, environment: _Environment, until: float) -> None:
        heappush(self.busy, (until, environment.number, environment))
        self.most = max(self.most, len(self.busy))


def play(
    *,
    questions: int,
    a_second: float,
    shards: int,
    groups: int,
    warm_s: float,
    init_s: float,
    fetch_s: float,
    held: int,
    idle_s: float,
    seed: int,
) -> Played:
    """Play a load.

    Args: groups: kinds of tokens that see different bundles, each as likely. held: shards that a disk holds.
    """
    random, fleet, now = Random(seed), _Fleet(idle_s), 0.0
    seconds: list[float] = []
    cold = kept = calls = 0
    for _ in range(questions):
        now += random.expovariate(a_second)
        group = random.randrange(groups)
        slowest = 0.0
        for shard in range(group * shards, (group + 1) * shards):
            environment, is_new = fleet.one(now)
            was_held = environment.takes(shard, held)
            took = warm_s + (init_s if is_new else 0.0) + (0.0 if was_held else fetch_s)
            fleet.occupy(environment, now + took)
            slowest = max(slowest, took)
            cold, kept, calls = cold + is_new, kept + was_held, calls + 1
        seconds.append(slowest)
    return Played(questions, tuple(sorted(seconds)), cold / calls, kept / calls, fleet.most)
