"""A headless browser that opens one page: Chromium by its debugging pipe, WebKit by WebDriver under a virtual screen.

Neither reaches anything but this machine. One that does not start is tried once more; then the test fails.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, Protocol

Engine = Literal["chromium", "webkit"]
ENGINES: tuple[Engine, ...] = ("chromium", "webkit")
_ANSWER_SECONDS = 180


class Browser(Protocol):
    """`run` awaits the body of an async function in the page and gives back what it returns, as JSON."""

    def open(self, url: str) -> None: ...
    def run(self, body: str, *arguments: Any) -> Any: ...
    def resize(self, width: int, height: int) -> None: ...
    def picture(self) -> bytes: ...
    def close(self) -> None: ...


@contextmanager
def browser(engine: Engine, profile: Path) -> Iterator[Browser]:
    """A browser with a fresh profile. Raises what kept it from starting, twice."""
    start = Chromium if engine == "chromium" else WebKit
    try:
        started: Browser = start(profile)
    except (OSError, ValueError, TimeoutError):
        started = start(profile)
    try:
        yield started
    finally:
        started.close()


class Chromium:
    """Chromium over `--remote-debugging-pipe`: messages of JSON, each ended by a zero byte."""

    def __init__(self, profile: Path) -> None:
        program = shutil.which("chromium") or shutil.which("google-chrome")
        if not program:
            raise OSError("expected chromium to be installed")
        (to_read, self._out), (self._in, to_write) = os.pipe(), os.pipe()
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"]
        flags += ["--remote-debugging-pipe", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
        shell = f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}'
        command = ["bash", "-c", shell, program, *flags, f"--user-data-dir={profile}/chromium", "about:blank"]
        self._process = subprocess.Popen(
            command, pass_fds=(to_read, to_write), stderr=subprocess.DEVNULL, start_new_session=True
        )
        os.close(to_read)
        os.close(to_write)
        self._rest, self._id, self._session = b"", 0, ""
        target = next(each for each in self._call("Target.getTargets")["targetInfos"] if each["type"] == "page")
        attached = self._call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]

    def open(self, url: str) -> None:
        self._call("Page.navigate", url=url)

    def run(self, body: str, *arguments: Any) -> Any:
        given = ", ".join(json.dumps(each) for each in arguments)
        expression = f"(async (...given) => {{ {body} }})({given})"
        reply = self._call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in reply:
            raise AssertionError(reply["exceptionDetails"].get("exception", {}).get("description", str(reply)))
        return reply["result"].get("value")

    def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self._call("Emulation.setDeviceMetricsOverride", **size)

    def picture(self) -> bytes:
        return base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"])

    def close(self) -> None:
        _end(self._process)
        os.close(self._out)
        os.close(self._in)

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._id += 1
        message = {"id": self._id, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            reply = self._next()
            if reply.get("id") == self._id:
                if "error" in reply:
                    raise ValueError(f"{method}: {reply['error']}")
                result: dict[str, Any] = reply["result"]
                return result

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = os.read(self._in, 1 << 16)
            if not part:
                raise OSError("chromium ended")
            self._rest += part
        line, self._rest = self._rest.split(b"\0", 1)
        message: dict[str, Any] = json.loads(line)
        return message


class WebKit:
    """WebKitGTK's MiniBrowser over WebDriver."""

    _BROWSER = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser"

    def __init__(self, profile: Path) -> None:
        self._screen, display = _virtual_screen()
        home = profile / "webkit"
        home.mkdir(parents=True, exist_ok=True)
        places = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("DATA", "CACHE", "CONFIG", "STATE")}
        environment = {**os.environ, "DISPLAY": display, "HOME": str(home), **places, "LIBGL_ALWAYS_SOFTWARE": "1"}
        port = _free_port()
        self._driver = subprocess.Popen(
            ["WebKitWebDriver", f"--port={port}"], env=environment, stderr=subprocess.DEVNULL, start_new_session=True
        )
        self._url = f"http://127.0.0.1:{port}/session"
        options = {"binary": self._BROWSER, "args": ["--automation", "--geometry=1440x900"]}
        capabilities = {"alwaysMatch": {"webkitgtk:browserOptions": options, "timeouts": {"script": 180000}}}
        try:
            session = _until(lambda: self._ask("POST", "", {"capabilities": capabilities}))
        except TimeoutError:
            self.close()
            raise
        self._url += f"/{session['sessionId']}"

    def open(self, url: str) -> None:
        self._ask("POST", "/url", {"url": url})

    def run(self, body: str, *arguments: Any) -> Any:
        given = ", ".join(json.dumps(each) for each in arguments)
        script = f"""const done = arguments[arguments.length - 1];
            (async (...given) => {{ {body} }})({given}).then(
              (value) => done(JSON.stringify({{value: value ?? null}})),
              (error) => done(JSON.stringify({{error: String(error?.stack ?? error)}})))"""
        reply = json.loads(self._ask("POST", "/execute/async", {"script": script, "args": []}))
        if "error" in reply:
            raise AssertionError(reply["error"])
        return reply["value"]

    def resize(self, width: int, height: int) -> None:
        inner = self.run("return [outerWidth - innerWidth, outerHeight - innerHeight]")
        self._ask("POST", "/window/rect", {"width": width + inner[0], "height": height + inner[1]})

    def picture(self) -> bytes:
        return base64.b64decode(self._ask("GET", "/screenshot"))

    def close(self) -> None:
        with suppress(OSError, ValueError):
            self._ask("DELETE", "")
        _end(self._driver)
        _end(self._screen)

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._url + path, data, {"content-type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=_ANSWER_SECONDS + 20) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise ValueError(error.read().decode()) from error


def _virtual_screen() -> tuple[subprocess.Popen[bytes], str]:
    to_read, to_write = os.pipe()
    command = ["Xvfb", "-displayfd", str(to_write), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"]
    process = subprocess.Popen(command, pass_fds=(to_write,), stderr=subprocess.DEVNULL, start_new_session=True)
    os.close(to_write)
    number = os.read(to_read, 16).decode().strip()
    os.close(to_read)
    return process, f":{number}"


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _until(attempt: Any, seconds: float = 20) -> Any:
    """The first answer that is none of a driver that is still starting."""
    last: Exception | None = None
    for _ in range(int(seconds / 0.2)):
        try:
            return attempt()
        except OSError as error:
            last = error
            time.sleep(0.2)
    raise TimeoutError("the browser did not start") from last


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process that we started, with the group of its own that it leads."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
