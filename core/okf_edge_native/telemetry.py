"""What a server tells of its calls to whoever runs it: lines of a log, metrics, spans.

All three are made of the records of the log of calls, which hold who called what and how it ended, and no content; the
hash of the arguments is left out as well. A name that a caller made up is never among them: the record says `unknown`.

Source: the semantic conventions of OpenTelemetry for the Model Context Protocol.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any, TextIO

from okf_edge.errors import UnavailableError
from okf_edge.policy.audit import Record
from okf_edge.policy.pipeline import Watch

_LOOPBACK = "127.0.0.1"


def log_lines(stream: TextIO) -> Watch:
    """A line of JSON for each call."""

    def write(record: Record) -> None:
        told = {
            "at": record.at,
            "caller": record.caller,
            "tool": record.tool,
            "base": record.base,
            "outcome": record.outcome,
            "code": record.code,
            "milliseconds": record.milliseconds,
            "bytes": record.bytes,
        }
        stream.write(json.dumps(told) + "\n")
        stream.flush()

    return write


def metrics(port: int) -> Watch:
    """Counts and durations by tool, at a port of the loopback, for Prometheus.

    Raises: UnavailableError: the package is absent, or the port is taken.
    """
    try:
        from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server
    except ImportError as error:
        raise _absent("prometheus-client") from error
    registry = CollectorRegistry()
    calls = Counter("okf_calls", "Calls of tools", ["tool", "outcome", "code"], registry=registry)
    seconds = Histogram("okf_call_seconds", "How long calls took", ["tool"], registry=registry)
    size = Histogram(
        "okf_result_bytes", "Size of results", ["tool"], registry=registry, buckets=[10**n for n in range(2, 7)]
    )
    try:
        start_http_server(port, _LOOPBACK, registry)
    except (OSError, OverflowError) as error:
        raise UnavailableError(
            f"can't serve metrics on port {port}: {error}", code="port-taken", hint="Take another port."
        ) from error

    def count(record: Record) -> None:
        calls.labels(record.tool, record.outcome, record.code).inc()
        seconds.labels(record.tool).observe(record.milliseconds / 1000)
        if record.outcome == "done":
            size.labels(record.tool).observe(record.bytes)

    return count


def spans(exporter: Any = None) -> Watch:
    """A span for each call, sent where the `OTEL_` variables of the environment say.

    Args: exporter: where they go instead.
    Raises: UnavailableError: the packages are absent.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.trace import SpanKind, Status, StatusCode
    except ImportError as error:
        raise _absent("opentelemetry-sdk and its OTLP exporter") from error
    provider = TracerProvider(resource=Resource.create({"service.name": "okf-edge"}))
    provider.add_span_processor(BatchSpanProcessor(exporter or OTLPSpanExporter()))
    tracer = provider.get_tracer("okf-edge")

    def tell(record: Record) -> None:
        ended = time.time_ns()
        attributes = {
            "mcp.method.name": "resources/read" if record.tool == "resource" else "tools/call",
            "gen_ai.tool.name": record.tool,
            "okf.caller": record.caller,
            "okf.base": record.base,
            "okf.outcome": record.outcome,
            "okf.result.bytes": record.bytes,
            **({"error.type": record.code} if record.code else {}),
        }
        started = ended - int(record.milliseconds * 1_000_000)
        span = tracer.start_span(f"tools/call {record.tool}", None, SpanKind.SERVER, attributes, start_time=started)
        if record.outcome != "done":
            span.set_status(Status(StatusCode.ERROR, record.code))
        span.end(ended)

    return tell


def together(watches: Sequence[Watch]) -> Watch:
    """All of them, one after the other."""

    def tell(record: Record) -> None:
        for watch in watches:
            watch(record)

    return tell


def _absent(package: str) -> UnavailableError:
    return UnavailableError(
        f"expected {package}, found none", code="no-telemetry", hint="Run `pip install 'okf-edge[telemetry]'`."
    )
