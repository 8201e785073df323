"""Logs, metrics and traces: structured, to where Lambda keeps them, without content of notes or tokens."""

from __future__ import annotations

import os
import warnings

from aws_lambda_powertools import Logger, Metrics, Tracer

SERVICE = "okf-edge"

os.environ.setdefault("POWERTOOLS_METRICS_NAMESPACE", SERVICE)
os.environ.setdefault("POWERTOOLS_SERVICE_NAME", SERVICE)

warnings.filterwarnings("ignore", "No application metrics to publish")  # most invocations have none

logger = Logger()
metrics = Metrics()
tracer = Tracer(disabled=True if "AWS_XRAY_DAEMON_ADDRESS" not in os.environ else None)


def count(name: str, number: int = 1) -> None:
    """One event of a kind that somebody may want to be alarmed of, e.g. `Quarantined`."""
    metrics.add_metric(name=name, unit="Count", value=number)
