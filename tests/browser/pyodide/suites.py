"""Runs inside Pyodide: the suites of the core under pytest and the plugins that run them natively.

Rules:
1. Whatever a test needs that no browser has is named in `native_only`: the test is skipped with that as its reason.
   Everything else runs; a test that fails for any other reason fails.
2. What only a host can give is real: `host_parts`.
3. Pyodide has no clock of CPU time: a test that asks for one is skipped, for how long it waited says nothing.
4. Pyodide's own loop cannot block: coroutines are run by a loop that polls.
"""

import asyncio
import errno
import importlib.abc
import io
import json
import os
import random
import sys
import time
import types
from collections import Counter, defaultdict
from contextlib import redirect_stderr, redirect_stdout

import host_parts
import hypothesis
import native_only
import pytest

SAMPLED = {"tests/unit/bundles/test_faults.py": 6, "tests/unit/bundles/test_phrases.py": 4}
"""Long loops: the sample has so many rows of each of their functions, drawn by a seed, and few examples of properties.
Natively all are run."""

EXAMPLES, EXAMPLES_OF_A_SAMPLE = 5, 2
OPTIONS = ["-p", "no:cacheprovider", "-p", "no:faulthandler", "--capture=sys", "-W", "ignore", "--assert=plain"]
"""Asserts are not rewritten, which takes as long as the tests: the native run shows what a failure says."""

SLOW_S = 1
"""A test that takes longer, or fails, is told at once: one that hangs is found behind it."""

LEFT_OUT = [f"--ignore={folder}" for folder in native_only.SUITES]


class NativeOnly(importlib.abc.MetaPathFinder):
    """Says of a native package that it is not here."""

    def find_spec(self, name, path=None, target=None):
        if name in native_only.PACKAGES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


class PollingLoop(asyncio.BaseEventLoop):
    """A loop without sockets: what is ready runs, and time passes by sleeping."""

    def __init__(self):
        super().__init__()
        self._selector = self

    def select(self, timeout):
        if timeout is None:
            raise RuntimeError("every task waits, and nothing would ever wake one")
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
    """Counts outcomes by folder, and turns a failure for the lack of something native into a skip with its reason."""

    def __init__(self, whole):
        self.whole = whole
        self.folders = defaultdict(Counter)
        self.seconds = Counter()
        self.failures = {}
        self.reasons = defaultdict(Counter)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector):
        start = time.perf_counter()
        report = yield
        self.seconds[f"collecting {collector.nodeid}"] = time.perf_counter() - start
        return _skipped_if_native(report, collector.path)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        return _skipped_if_native((yield), item.path)

    def pytest_collection_modifyitems(self, items):
        examples = EXAMPLES if self.whole else EXAMPLES_OF_A_SAMPLE
        items[:] = items if self.whole else _drawn(items)
        for item in items:
            _limit_examples(getattr(item, "obj", None), examples)
            if reason := native_only.TESTS.get(item.nodeid.partition("[")[0]):
                item.add_marker(pytest.mark.skip(reason))

    def pytest_collectreport(self, report):
        if not report.passed:
            self._count(report)

    def pytest_runtest_logreport(self, report):
        self.seconds[report.nodeid] += report.duration
        if report.duration > SLOW_S or report.failed:
            print(f"{report.duration:.1f} s, {report.outcome}: {report.nodeid}", file=sys.__stderr__, flush=True)
        if report.when == "call" or not report.passed:
            self._count(report)

    def pytest_runtest_logfinish(self):
        host_parts.drop_what_a_test_left()

    def _count(self, report):
        self.folders[_folder(report.nodeid)][report.outcome] += 1
        if report.failed:
            self.failures[report.nodeid] = str(report.longrepr)[-2_000:]
        if report.skipped:
            why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            self.reasons[why.removeprefix("Skipped: ")][report.nodeid.partition("::")[0]] += 1


def _drawn(items):
    """All but those of long loops, of which some rows are drawn."""
    rows = defaultdict(list)
    for item in items:
        rows[item.nodeid.partition("[")[0]].append(item)
    for function, found in rows.items():
        count = min(len(found), SAMPLED.get(function.partition("::")[0], len(found)))
        yield from random.Random(function).sample(found, count) if count < len(found) else found


def _limit_examples(function, most):
    if hasattr(function, "hypothesis"):
        told = getattr(function, "_hypothesis_internal_use_settings", None)
        function = getattr(function, "__func__", function)
        few = min(most, (told or hypothesis.settings.default).max_examples)
        function._hypothesis_internal_use_settings = hypothesis.settings(told, max_examples=few)


def _skipped_if_native(report, path):
    why = native_only.reason_of(str(report.longrepr)) if report.failed else ""
    if why:
        report.outcome, report.longrepr = "skipped", (str(path), 0, f"Skipped: {why}")
    return report


def _folder(nodeid):
    return nodeid.partition("::")[0].rpartition("/")[0]


def skipping(reason):
    def skipped(*_):
        pytest.skip(reason)

    return skipped


def stand_in(name):
    module = sys.modules[name] = types.ModuleType(name)
    return module


def leave_out_what_is_native():
    sys.meta_path.insert(0, NativeOnly())
    for plugin, fixtures in native_only.FIXTURES.items():
        module = stand_in(plugin)
        for name, reason in fixtures.items():
            setattr(module, name, pytest.fixture(name=name)(_without_arguments(skipping(reason))))
    for module, kinds in native_only.CASES.items():
        stand_in(module).CHECKS = {kind: skipping(reason) for kind, reason in kinds.items()}
    os.link = no_hard_link
    time.process_time = time.thread_time = skipping(native_only.NO_CPU_CLOCK)


def _without_arguments(function):
    """Pytest takes arguments of a fixture for names of others."""
    return lambda: function()


def no_hard_link(*places, **options):
    raise OSError(errno.ENOTSUP, native_only.NO_HARD_LINKS)


def run(arguments, whole):
    """JSON: how many tests passed, failed and were skipped, and why.

    Args: arguments: those of pytest, as JSON. whole: long loops in full.
    """
    os.chdir("/repository")
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = "/tmp/hypothesis"
    leave_out_what_is_native()
    host_parts.put_in_place()
    asyncio.events._set_event_loop_policy(PollingPolicy())
    asyncio._set_running_loop(None)
    counting = Counting(whole)
    said = io.StringIO()
    start = time.perf_counter()
    with redirect_stdout(said), redirect_stderr(said):
        pytest.main([*OPTIONS, *LEFT_OUT, *json.loads(arguments)], plugins=[counting])
    return json.dumps(
        {
            "folders": counting.folders,
            "seconds": round(time.perf_counter() - start, 1),
            "slowest": counting.seconds.most_common(40),
            "failures": counting.failures,
            "reasons": counting.reasons,
            "end": said.getvalue()[-3_000:],
        }
    )
