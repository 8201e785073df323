"""The engine of the WebView under test, the same way in Node, Chromium and WebKit: calls, Python, files, states."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from browser.site import site
from browser.webdriver import Browser

PAGE = '<!doctype html><meta charset=utf-8><title>engine</title><script type=module src="/testing/page.js"></script>'


class CallFailed(AssertionError):
    def __init__(self, failure: dict[str, str]) -> None:
        super().__init__(f"{failure['code']}: {failure['message']}")
        self.code = failure["code"]
        self.message = failure["message"]
        self.hint = failure["hint"]


class Engine(Protocol):
    """One engine. Times are milliseconds as the page sees them."""

    def open(self, **options: Any) -> None:
        """A fresh engine, off until its first call. Options: those of RuntimeOptions."""

    def timed(self, name: str, argument: dict[str, Any], file: Path | None = None) -> tuple[Any, float]:
        """Raises CallFailed."""

    def python(self, code: str) -> Any: ...

    def put(self, tree: str, path: str, file: Path) -> None: ...

    def terminate(self) -> None: ...

    def states(self) -> list[dict[str, Any]]: ...


def call(engine: Engine, name: str, file: Path | None = None, /, **argument: Any) -> Any:
    """The result of a call. Raises CallFailed."""
    return engine.timed(name, argument, file)[0]


class NodeEngine:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def open(self, assets: Path | None = None, crashes: int = 0, **options: Any) -> None:
        """Args: assets: another folder of chunks. crashes: how often in a row it died before."""
        self._do("open", options=options, crashes=crashes, **({"assets": str(assets)} if assets else {}))

    def kill(self) -> None:
        """End the worker as a system short of memory does: nobody is told."""
        self._do("kill")

    @property
    def crashes(self) -> int:
        return int(self._do("crashes"))

    def timed(self, name: str, argument: dict[str, Any], file: Path | None = None) -> tuple[Any, float]:
        return _outcome(self._do("call", name=name, argument=argument, file=str(file) if file else None))

    def python(self, code: str) -> Any:
        return self._do("python", code=code)

    def put(self, tree: str, path: str, file: Path) -> None:
        self._do("put", tree=tree, path=path, file=str(file))

    def terminate(self) -> None:
        self._do("terminate")

    def states(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._do("states")
        return found

    def _do(self, operation: str, **arguments: Any) -> Any:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps({"do": operation, **arguments}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline() or '{"error": "Node ended"}')
        assert "error" not in answer, answer["error"]
        return answer["value"]


class PageEngine:
    """The engine in a page; `files` is a folder that its server serves."""

    def __init__(self, window: Browser, url: str, files: Path) -> None:
        self.window = window
        self._url = url
        self.files = files
        window.open(f"{url}/files/index.html")
        window.wait_for("window.openEngine")

    def open(self, **options: Any) -> None:
        self.window.script("window.okf?.runtime.terminate(); await window.openEngine(arguments[0]);", options)

    def timed(self, name: str, argument: dict[str, Any], file: Path | None = None) -> tuple[Any, float]:
        script = (
            "const [name, argument, path] = arguments;"
            "const data = path ? { data: await window.bytesAt(path) } : {};"
            "return window.okf.call(name, { ...argument, ...data });"
        )
        return _outcome(self.window.script(script, name, argument, self._served(file) if file else None))

    def python(self, code: str) -> Any:
        return self.window.script("return window.okf.python(arguments[0]);", code)

    def put(self, tree: str, path: str, file: Path) -> None:
        script = "const [tree, path, url] = arguments; window.okf.trees[tree].write(path, await window.bytesAt(url));"
        self.window.script(script, tree, path, self._served(file))

    def terminate(self) -> None:
        self.window.script("window.okf.runtime.terminate();")

    def states(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.window.script("return window.okf.states;")
        return found

    def _served(self, file: Path) -> str:
        target = self.files / file.name
        if not target.exists():
            shutil.copy(file, target)
        return f"/files/{file.name}"


@contextmanager
def node_engine(node: str, dist: Path) -> Iterator[NodeEngine]:
    command = [node, str(dist / "testing" / "node.mjs"), str(dist)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    try:
        engine = NodeEngine(process)
        engine.open()
        yield engine
    finally:
        process.kill()
        process.wait()


@contextmanager
def page_engine(window: Browser, dist: Path) -> Iterator[PageEngine]:
    with TemporaryDirectory() as scratch:
        files = Path(scratch)
        (files / "index.html").write_text(PAGE)
        served = {"/assets/": dist / "assets", "/testing/": dist / "testing", "/files/": files}
        with site(served) as here:
            engine = PageEngine(window, here.url, files)
            engine.open()
            yield engine


def _outcome(answer: dict[str, Any]) -> tuple[Any, float]:
    if "failure" in answer:
        raise CallFailed(answer["failure"])
    return answer["value"], float(answer["ms"])
