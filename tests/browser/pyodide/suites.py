"""Runs inside Pyodide: the suites of the core under pytest and the plugins that run them natively. The value is JSON.

Rules:
1. Whatever a test needs that no browser has is named in NATIVE and TOLD: the test is skipped with that as its reason.
   Everything else runs; a test that fails for any other reason fails.
2. The stripped DuckDB is tried by the contracts in each engine and by parity; here its tests stay out.
3. Pyodide has no clock of CPU time: a test that asks for one is skipped, for how long it waited says nothing.
4. Pyodide's own loop cannot block: coroutines are run by a loop that polls.
"""

import asyncio
import errno
import importlib.abc
import io
import json
import os
import sys
import time
import types
from contextlib import redirect_stderr, redirect_stdout

import hypothesis
import pytest

EXAMPLES = 5
OPTIONS = ["-p", "no:cacheprovider", "-p", "no:faulthandler", "--capture=sys", "-W", "ignore"]

NATIVE = {
    "aiohttp": "the page fetches in a browser",
    "boto3": "S3 is reached natively only",
    "cryptography": "keys of creators are made natively only",
    "duckdb": "native DuckDB; the stripped one has the contracts of each engine",
    "fastapi": "the service runs natively only",
    "httpx": "the page fetches in a browser",
    "jsonschema": "no wheel for Pyodide",
    "mcp": "MCP is served natively only",
    "numpy": "the core has no numpy, and neither has the browser",
    "onnxruntime": "native ONNX Runtime",
    "referencing": "no wheel for Pyodide",
    "rich": "a terminal is native only",
    "tokenizers": "the native tokenizers",
    "uvicorn": "servers are native only",
}
NO_HARD_LINKS = "Pyodide has no hard links"
TOLD = {
    NO_HARD_LINKS: NO_HARD_LINKS,
    "emscripten does not support processes": "processes are native only",
    "can't start new thread": "threads are native only",
}

STAND_INS = {
    "models_fixture": ("models",),
    "seaweed": ("s3_endpoint",),
    "tests.e2e.lambda_fixtures": ("aws_endpoint", "published"),
}
"""The plugins of the suites build models and start servers: where their fixtures are asked for, the test is skipped."""


class NativeOnly(importlib.abc.MetaPathFinder):
    """Says of a native package why it is not here."""

    def find_spec(self, name, path=None, target=None):
        if name in NATIVE:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


class PollingLoop(asyncio.BaseEventLoop):
    """A loop without sockets: what is ready runs, and time passes by sleeping."""

    def __init__(self):
        super().__init__()
        self._selector = self

    def select(self, timeout):
        if timeout:
            time.sleep(timeout)
        return []

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass


class PollingPolicy(asyncio.events._BaseDefaultEventLoopPolicy):
    _loop_factory = PollingLoop


class Counting:
    """Counts outcomes, and turns a failure for the lack of something native into a skip with its reason."""

    def __init__(self):
        self.counts = {"passed": 0, "failed": 0, "skipped": 0}
        self.failures = {}
        self.reasons = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector):
        return _skipped_if_native((yield), collector.path)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        return _skipped_if_native((yield), item.path)

    def pytest_collection_modifyitems(self, items):
        """Properties are tried on few examples: natively they are tried on many."""
        for item in items:
            function = getattr(item, "obj", None)
            told = getattr(function, "_hypothesis_internal_use_settings", None)
            if hasattr(function, "hypothesis"):
                function = getattr(function, "__func__", function)
                few = min(EXAMPLES, (told or hypothesis.settings.default).max_examples)
                function._hypothesis_internal_use_settings = hypothesis.settings(told, max_examples=few)

    def pytest_collectreport(self, report):
        if not report.passed:
            self._count(report)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or not report.passed:
            self._count(report)

    def _count(self, report):
        self.counts[report.outcome] += 1
        if report.failed:
            self.failures[report.nodeid] = str(report.longrepr)[-2_000:]
        if report.skipped:
            why = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
            self.reasons[why] = self.reasons.get(why, 0) + 1


def _skipped_if_native(report, path):
    why = _native_reason(str(report.longrepr)) if report.failed else ""
    if why:
        report.outcome, report.longrepr = "skipped", (str(path), 0, f"Skipped: {why}")
    return report


def _native_reason(text):
    for name, reason in NATIVE.items():
        if f"ModuleNotFoundError: No module named '{name}'" in text:
            return reason
    return next((reason for told, reason in TOLD.items() if told in text), "")


def stand_in(plugin, fixtures):
    module = sys.modules[plugin] = types.ModuleType(plugin)
    for name in fixtures:
        setattr(module, name, _skipping(name))


def _skipping(name):
    @pytest.fixture(name=name)
    def skipping():
        pytest.skip(f"the fixture {name} is native only")

    return skipping


def no_hard_link(*places, **options):
    raise OSError(errno.ENOTSUP, NO_HARD_LINKS)


def no_cpu_clock():
    pytest.skip("Pyodide has no clock of CPU time")


def run(arguments):
    """JSON: how many tests passed, failed and were skipped, and why. Args: arguments: those of pytest, as JSON."""
    os.chdir("/repository")
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = "/tmp/hypothesis"
    sys.meta_path.insert(0, NativeOnly())
    for plugin, fixtures in STAND_INS.items():
        stand_in(plugin, fixtures)
    os.link = no_hard_link
    time.process_time = no_cpu_clock
    asyncio.events._set_event_loop_policy(PollingPolicy())
    asyncio._set_running_loop(None)
    counting = Counting()
    said = io.StringIO()
    start = time.perf_counter()
    with redirect_stdout(said), redirect_stderr(said):
        pytest.main([*OPTIONS, *json.loads(arguments)], plugins=[counting])
    seconds = round(time.perf_counter() - start, 1)
    return json.dumps(
        {
            **counting.counts,
            "failures": counting.failures,
            "reasons": counting.reasons,
            "seconds": seconds,
            "end": said.getvalue()[-3_000:],
        }
    )
