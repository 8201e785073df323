"""What was measured of the service, and what AWS charges: the numbers that the model of its cost starts from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measured:
    """Times are of one processor. Sources: `python -m tests.bench.scale` and `python -m tests.bench.service`.

    `question_ms` and `chunk_us` are a straight line through the warm p50 of 1,180, 11,881 and 118,788 chunks (23.8,
    26.9 and 78.2 ms); what `api` adds is taken from the gateway, where both functions share two processors.
    """

    question_ms: float = 23.0
    chunk_us: float = 0.46
    api_ms: float = 15.0
    index_bytes_a_chunk: int = 583
    pages_bytes_a_chunk: int = 900
    archive_share: float = 0.55
    """Bytes of an archive over those of index and pages unpacked, by which shards are weighed."""
    init_api_s: float = 0.7
    init_search_s: float = 0.4
    model_s: float = 0.35
    fetch_bytes_a_second: float = 60e6
    """From the bucket into an environment; AWS promises nothing, and loopback is no measure: a cautious guess."""
    metadata_bytes_a_release: int = 550
    message_bytes_a_bundle: int = 170
    """Of the message from `api` to `search`, which names every bundle."""


@dataclass(frozen=True, slots=True)
class Prices:
    """us-east-1, arm64, dollars."""

    gigabyte_second: float = 0.0000133334
    million_requests: float = 0.20
    million_gets: float = 0.40
    million_puts: float = 5.00
    gigabyte_month: float = 0.023
    log_gigabyte: float = 0.50
    transfer_gigabyte: float = 0.09


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where AWS, or we, stop: defaults of an account and the settings of the functions."""

    environments: int = 1_000
    """Of an account and region; more is asked for."""
    growth_a_10_s: int = 1_000
    """Environments that one function may gain in ten seconds."""
    memory_gb: float = 1.7275
    disk_bytes: int = 400_000_000
    most_disk_bytes: int = 10_000_000_000
    shard_bytes: int = 150_000_000
    connections: int = 40
    """Shards that one environment asks at once."""
    message_bytes: int = 6 * 1024 * 1024
    metadata_bytes_a_creator: int = 5_000_000
    snapshot_bytes: int = 2_000_000
    idle_s: float = 300.0
    """How long an environment that nobody asks is kept: not promised, five minutes are usual."""
    seconds: float = 29.0


MEASURED = Measured()
PRICES = Prices()
BOUNDS = Bounds()
