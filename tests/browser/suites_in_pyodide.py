"""Runs in the worker: the suites of the core under pytest. The value is JSON.

Rules:
1. Whatever a test needs that no browser has is named in NATIVE: the test is skipped with that as its reason. Everything
   else runs; a test that fails for any other reason fails.
2. DuckDB is tried by the contracts and by parity; here the same SQL runs over SQLite.
3. Pyodide's loop can't block: coroutines are run on a loop that polls.
"""

import ast
import asyncio
import contextlib
import importlib.abc
import inspect
import io
import json
import os
import pathlib
import re
import sys
import time
import types

import pytest

NATIVE = {
    "boto3": "S3 is reached natively only",
    "cryptography": "keys are made natively only: no wheel for Pyodide",
    "duckdb": "the native DuckDB",
    "fastapi": "the service runs natively only",
    "httpx": "the page fetches in a browser",
    "jsonschema": "no wheel for Pyodide",
    "mcp": "MCP is served natively only",
    "numpy": "the core has no numpy, and neither has the browser",
    "onnxruntime": "the native ONNX Runtime",
    "tokenizers": "the native tokenizers",
    "ruamel.yaml.clib": "no compiled YAML",
}
NO_PROCESSES = "processes, threads and sockets are native only"


class _NativeOnly(importlib.abc.MetaPathFinder):
    """Says of a native package why it is not here, so that its importers are skipped by that reason."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in NATIVE and name in NATIVE:
            raise ModuleNotFoundError(NATIVE[name], name=name)


class _Polling(asyncio.BaseEventLoop):
    """A loop without sockets: what is ready runs, and time passes by sleeping."""

    def __init__(self):
        super().__init__()
        self._selector = self
        self.set_debug(False)

    def select(self, timeout):
        if timeout:
            time.sleep(timeout)
        return []

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass


LOOP = _Polling()


def finished(work):
    """The result of a coroutine, while Pyodide's own loop stands still."""
    outer = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        return LOOP.run_until_complete(work)
    finally:
        asyncio._set_running_loop(outer)


class Plugin:
    def __init__(self):
        self.counts = {"passed": 0, "failed": 0, "skipped": 0}
        self.failures = {}
        self.reasons = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        if not inspect.iscoroutinefunction(pyfuncitem.obj):
            return None
        names = pyfuncitem._fixtureinfo.argnames
        finished(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(self, fixturedef, request):
        work = fixturedef.func
        if inspect.isasyncgenfunction(work):
            fixturedef.func = _of_async_generator(work)
        elif inspect.iscoroutinefunction(work):
            fixturedef.func = _of_coroutine(work)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_make_collect_report(self, collector):
        outcome = yield
        report = outcome.get_result()
        why = _native_reason(str(report.longrepr)) if report.failed else ""
        if why:
            report.outcome, report.longrepr = "skipped", (str(collector.path), 0, f"Skipped: {why}")

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        report = outcome.get_result()
        why = _native_reason(str(report.longrepr)) if report.failed else ""
        if why:
            report.outcome, report.longrepr = "skipped", (str(item.path), 0, f"Skipped: {why}")

    def pytest_collectreport(self, report):
        self._count(report)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or not report.passed:
            self._count(report)

    def _count(self, report):
        if report.outcome in ("failed", "skipped") or getattr(report, "when", "") == "call":
            self.counts[report.outcome] += 1
        if report.failed:
            self.failures[report.nodeid] = str(report.longrepr)[-1500:]
        if report.skipped:
            why = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
            self.reasons[why] = self.reasons.get(why, 0) + 1


def _of_async_generator(work):
    def fixture(*args, **kwargs):
        steps = work(*args, **kwargs)
        yield finished(anext(steps))
        finished(anext(steps, None))

    fixture.__signature__ = inspect.signature(work)
    return fixture


def _of_coroutine(work):
    def fixture(*args, **kwargs):
        return finished(work(*args, **kwargs))

    fixture.__signature__ = inspect.signature(work)
    return fixture


def _native_reason(text):
    for reason in NATIVE.values():
        if f"ModuleNotFoundError: {reason}" in text:
            return reason
    told = ("emscripten does not support processes", "can't start new thread", "Function not implemented")
    return NO_PROCESSES if any(each in text for each in told) else ""


def _stand_in_for_plugins(root):
    """The plugins of the suites start servers and build models: where they are asked for, the test is skipped."""
    conftest = pathlib.Path(root, "tests/conftest.py").read_text()
    for name in ast.literal_eval(re.search(r"^pytest_plugins = (\(.*?\))", conftest, re.M | re.S)[1]):
        path = pathlib.Path(root, "tests", *name.removeprefix("tests.").split(".")).with_suffix(".py")
        module = sys.modules[name] = types.ModuleType(name)
        for fixture in re.findall(r"^@pytest\.fixture[^\n]*\n(?:async )?def (\w+)", path.read_text(), re.M):
            setattr(module, fixture, _skipping(fixture))


def _skipping(fixture):
    @pytest.fixture(name=fixture)
    def skipping():
        pytest.skip(f"the fixture {fixture} is native only")

    return skipping


def run_suites(root, arguments):
    os.chdir(root)
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = "/tmp/hypothesis"
    sys.dont_write_bytecode = True
    sys.path[:0] = [root, f"{root}/tests"]
    sys.meta_path.insert(0, _NativeOnly())
    _stand_in_for_plugins(root)
    plugin = Plugin()
    options = ["-q", "--no-header", "--capture=sys", "-p", "no:cacheprovider", "-p", "no:faulthandler", "-W", "ignore"]
    options += ["-o", "addopts=", "-o", "asyncio_mode=", "--import-mode=importlib"]
    start = time.perf_counter()
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        pytest.main([*options, *arguments], plugins=[plugin])
    spent = round(time.perf_counter() - start, 1)
    end = said.getvalue()[-2_000:]
    return json.dumps(
        {**plugin.counts, "end": end, "failures": plugin.failures, "reasons": plugin.reasons, "seconds": spent}
    )
