"""`make lambda-cost`: how many shards, environments and dollars a load takes, and what breaks first.

A load is told by what one question is asked of: that is what a token sees, and it decides everything. `simulation`
plays the same load question by question; a test holds both to each other.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, exp

from okf_edge_infra.measured import BOUNDS, MEASURED, PRICES, Bounds, Measured, Prices
from okf_edge_infra.simulation import Played, play

MONTH_S = 30 * 86_400


@dataclass(frozen=True, slots=True)
class Load:
    """`seen_share` is the part of all bundles that one question is asked of."""

    name: str
    bundles: int
    chunks: int
    questions_a_second: float
    seen_share: float = 1.0
    creators: int = 1_000

    @property
    def seen_chunks(self) -> int:
        return max(1, int(self.chunks * self.seen_share))

    @property
    def seen_bundles(self) -> int:
        return max(1, int(self.bundles * self.seen_share))


@dataclass(frozen=True, slots=True)
class Plan:
    """What a load takes. Times in seconds; `breaks` are the bounds that it meets, in words."""

    load: Load
    shards: int
    shard_s: float
    cold_s: float
    answer_s: float
    environments: int
    kept_share: float
    dollars_a_million: float
    dollars_a_month: float
    breaks: tuple[str, ...]


def plan(
    load: Load, measured: Measured = MEASURED, prices: Prices = PRICES, bounds: Bounds = BOUNDS
) -> Plan:  # fmt: skip
    unpacked = load.seen_chunks * (measured.index_bytes_a_chunk + measured.pages_bytes_a_chunk)
    shards = max(1, ceil(unpacked * measured.archive_share / bounds.shard_bytes))
    share = unpacked / shards
    shard_s = (measured.question_ms + measured.chunk_us * load.seen_chunks / shards / 1000) / 1000
    fetch_s = share / measured.fetch_bytes_a_second
    kept = kept_share(load, shards, share, bounds)
    busy_s = shard_s + (1 - kept) * fetch_s
    api_s = measured.api_ms / 1000 + busy_s * ceil(shards / bounds.connections)
    calls = load.questions_a_second * (shards + (1 if shards > 1 else 0))
    environments = ceil(load.questions_a_second * api_s) + ceil(calls * busy_s)
    cold_s = measured.init_search_s + measured.model_s + fetch_s
    million = _dollars_a_million(shards, api_s, busy_s, (1 - kept) * share, measured, prices, bounds)
    stored = load.chunks * (measured.index_bytes_a_chunk + 2 * measured.pages_bytes_a_chunk) / 1e9
    month = million * load.questions_a_second * MONTH_S / 1e6 + stored * prices.gigabyte_month
    found = Plan(load, shards, shard_s, cold_s, api_s, environments, kept, million, month, ())
    return replace(found, breaks=tuple(_breaks(found, share, measured, bounds)))


def kept_share(load: Load, shards: int, share: float, bounds: Bounds = BOUNDS) -> float:
    """How often an environment has on its disk what it is asked of.

    Lambda gives a call to any environment that is free, whatever lies there: with more shards than a disk holds, each
    is there by chance.
    """
    held = max(1, int(bounds.disk_bytes // max(share, 1)))
    if share > bounds.disk_bytes:
        return 0.0
    distinct = shards if load.seen_share >= 1 else max(shards, ceil(shards / load.seen_share))
    return min(1.0, held / distinct)


def any_cold(shards: int, cold_share: float) -> float:
    """How often at least one of the shards of a question starts cold."""
    return 1 - exp(shards * _log1p(-cold_share))


def _log1p(value: float) -> float:
    from math import log1p

    return log1p(max(value, -1 + 1e-12))


def _dollars_a_million(
    shards: int, api_s: float, busy_s: float, fetched: float, measured: Measured, prices: Prices, bounds: Bounds
) -> float:
    computed = (api_s + shards * busy_s + (busy_s if shards > 1 else 0)) * bounds.memory_gb * prices.gigabyte_second
    invoked = (1 + shards + (1 if shards > 1 else 0)) * prices.million_requests / 1e6
    read = shards * (2 if fetched else 0) * prices.million_gets / 1e6
    logged = (1 + shards) * 500 / 1e9 * prices.log_gigabyte
    return (computed + invoked + read + logged) * 1e6


def _breaks(found: Plan, share: float, measured: Measured, bounds: Bounds) -> Iterator[str]:
    load = found.load
    named = load.seen_bundles * measured.message_bytes_a_bundle
    if named > bounds.message_bytes:
        most = bounds.message_bytes // measured.message_bytes_a_bundle
        yield f"the message to `search` names at most {most:,} bundles: give tokens fewer creators"
    if found.kept_share < 0.5:
        yield f"disks hold {found.kept_share:.0%} of what is asked: each question fetches {share / 1e6:,.0f} MB a shard"
    if found.environments > bounds.environments:
        yield f"{found.environments:,} environments at once, {bounds.environments:,} is an account's default"
    if found.shards > bounds.connections:
        yield f"{found.shards:,} shards are asked {bounds.connections} at a time: questions wait for each other"
    if found.answer_s > bounds.seconds:
        yield f"an answer takes {found.answer_s:,.0f} s, a function ends after {bounds.seconds:.0f}"
    a_creator = load.bundles / load.creators * measured.metadata_bytes_a_release
    if a_creator > bounds.metadata_bytes_a_creator:
        yield f"a creator's list of {a_creator / 1e6:,.0f} MB, readers take {bounds.metadata_bytes_a_creator / 1e6:.0f}"
    whole = load.bundles * measured.metadata_bytes_a_release
    if whole > 0.25 * bounds.memory_gb * 1e9:
        yield f"`api` holds the feed's {whole / 1e6:,.0f} MB of metadata as objects: more than its memory"


LOADS = (
    Load("a team", 30, 3_000, 0.01, creators=3),
    Load("a company", 1_000, 100_000, 1, creators=20),
    Load("a community", 10_000, 1_000_000, 20, seen_share=0.1, creators=300),
    Load("a public site", 100_000, 10_000_000, 200, seen_share=0.01, creators=5_000),
    Load("all of 10^8 chunks, everything seen", 1_000_000, 100_000_000, 1_000, creators=10_000),
    Load("all of 10^8 chunks, a token sees .1%", 1_000_000, 100_000_000, 1_000, seen_share=0.001, creators=10_000),
)


def table(plans: Sequence[Plan]) -> str:
    head = ("load", "bundles", "chunks", "q/s", "seen", "shards", "shard ms", "answer ms", "cold s", "kept", "environ.",
            "$/10^6", "$/month")  # fmt: skip
    rows = [
        (
            each.load.name, f"{each.load.bundles:,}", f"{each.load.chunks:,}", f"{each.load.questions_a_second:g}",
            f"{each.load.seen_share:g}", f"{each.shards:,}", f"{each.shard_s * 1000:.0f}",
            f"{each.answer_s * 1000:,.0f}", f"{each.cold_s:.1f}", f"{each.kept_share:.0%}", f"{each.environments:,}",
            f"{each.dollars_a_million:,.2f}", f"{each.dollars_a_month:,.2f}",
        )
        for each in plans
    ]  # fmt: skip
    return _aligned([head, *rows])


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
    return "\n".join(lines)


def played_table(played: Sequence[tuple[str, Played]]) -> str:
    head = ("played", "questions", "p50 ms", "p95 ms", "p99 ms", "cold", "kept", "most environ.")
    rows = [
        (
            name, f"{each.questions:,}", f"{each.quantile(0.5) * 1000:,.0f}", f"{each.quantile(0.95) * 1000:,.0f}",
            f"{each.quantile(0.99) * 1000:,.0f}", f"{each.cold_share:.2%}", f"{each.kept_share:.0%}",
            f"{each.most_environments:,}",
        )
        for name, each in played
    ]  # fmt: skip
    return _aligned([head, *rows])


def main() -> int:
    plans = [plan(load) for load in LOADS]
    print("Planned from measured times (infra/okf_edge_infra/measured.py):\n")
    print(table(plans))
    print("\nWhat breaks:\n")
    for each in plans:
        print(f"{each.load.name}: " + ("; ".join(each.breaks) or "nothing"))
    large = replace(BOUNDS, disk_bytes=BOUNDS.most_disk_bytes)
    print("\nThe same with all the disk that a function can have (SearchDisk, CacheBytes), cheaper than fetching:\n")
    print(table([plan(each.load, bounds=large) for each in plans if 0 < each.kept_share < 0.5]))
    print("\nPlayed question by question, where that ends within a minute:\n")
    print(played_table([(each.load.name, play_load(each)) for each in plans if each.shards <= 8]))
    return 0


def play_load(planned: Plan, questions: int = 5_000, seed: int = 1) -> Played:
    """The load as it comes: at random moments, each call to the environment that was used last."""
    load, shares = planned.load, planned.shards
    unpacked = load.seen_chunks * (MEASURED.index_bytes_a_chunk + MEASURED.pages_bytes_a_chunk) / shares
    return play(
        questions=questions, a_second=load.questions_a_second, shards=shares,
        groups=max(1, round(1 / load.seen_share)), warm_s=planned.shard_s,
        init_s=MEASURED.init_search_s + MEASURED.model_s,
        fetch_s=unpacked / MEASURED.fetch_bytes_a_second, held=max(1, int(BOUNDS.disk_bytes // unpacked)),
        idle_s=BOUNDS.idle_s, seed=seed,
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
