"""A browser, driven by the W3C WebDriver protocol: Chromium and WebKit by the same few commands.

WebKit is WebKitGTK's MiniBrowser under Xvfb: the engine family of iOS. Neither reaches any host but this machine.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

Engine = Literal["chromium", "webkit"]

START_S = 60.0
STEP_S = 180.0
"""The longest that one command may take: a first start of the engine on a machine that is busy."""
MINIBROWSERS = tuple(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))
CHROMIUM_ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
BROKEN_PROXY = "http://127.0.0.1:9"
"""Where WebKit's requests to any other host go: a port on which nothing listens."""
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class BrowserError(AssertionError):
    """What the driver answered instead of a value."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Of the process that runs the page, in MB. `anonymous` is its own part: the nearest to a phone's footprint."""

    pss: float
    anonymous: float
    peak_rss: float


class Browser:
    """One window. Scripts run in the page; `script` may return a promise."""

    def __init__(self, engine: Engine, driver: subprocess.Popen[bytes], url: str, capabilities: dict[str, Any]) -> None:
        self.engine = engine
        self._driver = driver
        self._base = url
        session = self._send("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}}, START_S)
        self._session = f"/session/{session['sessionId']}"
        self._send("POST", f"{self._session}/timeouts", {"script": int(STEP_S * 1000), "pageLoad": int(STEP_S * 1000)})

    def open(self, url: str) -> None:
        self._call("POST", "/url", {"url": url})

    def reload(self) -> None:
        self._call("POST", "/refresh", {})

    @property
    def url(self) -> str:
        return str(self._call("GET", "/url"))

    def script(self, body: str, *arguments: Any) -> Any:
        """The value of a function body in the page, awaited. A rejection raises BrowserError."""
        wrapped = (
            "const done = arguments[arguments.length - 1]; const given = [...arguments].slice(0, -1);"
            f"(async function () {{ {body} }}).apply(null, given).then("
            "(value) => done({ value: value === undefined ? null : value }),"
            "(error) => done({ error: String(error && error.stack || error) }));"
        )
        result = self._call("POST", "/execute/async", {"script": wrapped, "args": list(arguments)})
        if "error" in result:
            raise BrowserError(result["error"])
        return result["value"]

    def wait_for(self, condition: str, seconds: float = STEP_S) -> Any:
        """The first truthy value of an expression in the page."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with suppress(BrowserError):
                if value := self.script(f"const found = ({condition}); return typeof found === 'function' || found;"):
                    return value
            time.sleep(0.1)
        raise BrowserError(f"waited {seconds:.0f} s for {condition}; the page shows: {self.text()[:600]!r}")

    def text(self) -> str:
        return str(self.script("return document.body ? document.body.innerText : '';"))

    def click(self, selector: str) -> None:
        self._call("POST", f"/element/{self._element(selector)}/click", {})

    def type(self, selector: str, text: str) -> None:
        self._call("POST", f"/element/{self._element(selector)}/value", {"text": text})

    def press(self, keys: str) -> None:
        """Keys where the focus is; special ones by their WebDriver code, e.g. "\\ue007" for Enter."""
        events = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": events}]})

    def resize(self, width: int, height: int) -> None:
        """The inner size of the page, in CSS pixels."""
        if self.engine == "chromium":
            metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
            self.devtools("Emulation.setDeviceMetricsOverride", metrics)
        else:
            self._call("POST", "/window/rect", {"width": width, "height": height})

    def dark(self, is_dark: bool) -> None:
        """Chromium only; WebKit takes the theme that it was started with."""
        feature = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.devtools("Emulation.setEmulatedMedia", {"features": [feature]})

    def offline(self, is_offline: bool) -> None:
        """Chromium only; for WebKit, stop the server."""
        conditions = {"offline": is_offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.devtools("Network.enable", {})
        self.devtools("Network.emulateNetworkConditions", conditions)

    def devtools(self, command: str, parameters: dict[str, Any]) -> Any:
        return self._call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def screenshot(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self._call("GET", "/screenshot")))
        return path

    def memory(self) -> Memory:
        """Of the largest process among those that run pages."""
        return max((_memory_of(pid) for pid in self.web_processes()), key=lambda memory: memory.pss)

    def web_processes(self) -> list[int]:
        """The processes that run pages, by their numbers."""
        return [pid for pid in _descendants(self._driver.pid) if _runs_pages(pid)]

    def close(self) -> None:
        with suppress(BrowserError, OSError):
            self._send("DELETE", self._session, None, 20)

    def _element(self, selector: str) -> str:
        found = self._call("POST", "/element", {"using": "css selector", "value": selector})
        return str(found[ELEMENT])

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        return self._send(method, self._session + path, body)

    def _send(self, method: str, path: str, body: dict[str, Any] | None, seconds: float = STEP_S + 30) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._base + path, data, {"content-type": "application/json"}, method=method)
        try:
            with _DIRECT.open(request, timeout=seconds) as response:
                return json.loads(response.read())["value"]
        except urllib.error.HTTPError as error:
            value = json.loads(error.read() or b"{}").get("value") or {}
            raise BrowserError(f"{path}: {value.get('error')}: {str(value.get('message'))[:800]}") from error


_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@contextmanager
def browser(engine: Engine, profile: Path | None = None, dark: bool = False) -> Iterator[Browser]:
    """A browser with an empty profile, or with one that is kept from run to run.

    A browser that does not start is tried once more; then the test that wanted it fails.
    """
    try:
        started = _start(engine, profile, dark)
    except (BrowserError, OSError, TimeoutError):
        started = _start(engine, profile, dark)
    window, cleanup = started
    try:
        yield window
    finally:
        window.close()
        for each in reversed(cleanup):
            each()


def _start(engine: Engine, profile: Path | None, dark: bool) -> tuple[Browser, list[Any]]:
    scratch = TemporaryDirectory(prefix="okf-browser-", ignore_cleanup_errors=True)
    cleanup: list[Any] = [scratch.cleanup]
    home = profile or Path(scratch.name) / "profile"
    home.mkdir(parents=True, exist_ok=True)
    environment = _environment(home)
    try:
        if engine == "chromium":
            return _chromium(home, environment, cleanup), cleanup
        return _webkit(environment, cleanup, dark), cleanup
    except BaseException:
        for each in reversed(cleanup):
            each()
        raise


def _environment(home: Path) -> dict[str, str]:
    environment = {**os.environ, "HOME": str(home), "no_proxy": "127.0.0.1"}
    return environment | {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "CACHE", "DATA", "STATE")}


@contextmanager
def webkit_app(program: Path, *arguments: str) -> Iterator[Browser]:
    """WebKit in a program of ours, with an empty profile, driven as MiniBrowser is."""
    cleanup: list[Any] = []
    with TemporaryDirectory(prefix="okf-browser-", ignore_cleanup_errors=True) as home:
        environment = _environment(Path(home)) | {"DISPLAY": _display(cleanup), "NO_AT_BRIDGE": "1"}
        try:
            driver, url = _driver(["WebKitWebDriver"], environment, cleanup)
            options = {"binary": str(program), "args": list(arguments)}
            window = Browser("webkit", driver, url, {"webkitgtk:browserOptions": options})
            yield window
            window.close()
        finally:
            for each in reversed(cleanup):
                each()


def _chromium(home: Path, environment: dict[str, str], cleanup: list[Any]) -> Browser:
    driver, url = _driver(["chromedriver"], environment, cleanup)
    arguments = [*CHROMIUM_ARGUMENTS, f"--user-data-dir={home}"]
    options = {"binary": _program("chromium"), "args": arguments}
    return Browser("chromium", driver, url, {"goog:chromeOptions": options})


def _webkit(environment: dict[str, str], cleanup: list[Any], dark: bool) -> Browser:
    environment |= {"DISPLAY": _display(cleanup), "http_proxy": BROKEN_PROXY, "https_proxy": BROKEN_PROXY}
    environment |= {"GTK_THEME": "Adwaita:dark" if dark else "Adwaita", "NO_AT_BRIDGE": "1"}
    driver, url = _driver(["WebKitWebDriver"], environment, cleanup)
    if not MINIBROWSERS:
        raise BrowserError("expected WebKit's MiniBrowser; `make browsers` installs it")
    options = {"binary": str(MINIBROWSERS[0]), "args": ["--automation", "--features=+StorageAPI,+StorageAPIEstimate"]}
    return Browser("webkit", driver, url, {"webkitgtk:browserOptions": options})


def _driver(command: list[str], environment: dict[str, str], cleanup: list[Any]) -> tuple[subprocess.Popen[bytes], str]:
    port = _free_port()
    driver = subprocess.Popen(
        [_program(command[0]), f"--port={port}"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    cleanup.append(lambda: _stop(driver))
    _wait_for_port(port)
    return driver, f"http://127.0.0.1:{port}"


def _display(cleanup: list[Any]) -> str:
    """A display of its own, by a number that Xvfb chooses."""
    reader, writer = os.pipe()
    command = [_program("Xvfb"), "-displayfd", str(writer), "-screen", "0", "1600x1300x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writer], stderr=subprocess.DEVNULL, start_new_session=True)
    os.close(writer)
    cleanup.append(lambda: _stop(server))
    with os.fdopen(reader) as told:
        number = told.readline().strip()
    if not number:
        raise BrowserError("Xvfb did not start")
    return f":{number}"


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise BrowserError(f"expected {name} on the path; `make browsers` installs it")
    return found


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for_port(port: int) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise BrowserError(f"nothing listens at port {port}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a process that we started, and all that it started."""
    children = _descendants(process.pid)
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(5)
    for pid in [*children, process.pid]:
        with suppress(ProcessLookupError):
            os.kill(pid, 9)
    process.wait()


def _descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError, IndexError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found: list[int] = []
    pending = [root]
    while pending:
        pending += children.get(pid := pending.pop(), [])
        found.append(pid)
    return found[1:]


def _runs_pages(pid: int) -> bool:
    with suppress(OSError):
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        return b"WebKitWebProcess" in command or b"--type=renderer" in command
    return False


def _memory_of(pid: int) -> Memory:
    with suppress(OSError):
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        status = Path(f"/proc/{pid}/status").read_text()
        return Memory(_kb("Pss", rollup), _kb("Pss_Anon", rollup), _kb("VmHWM", status))
    return Memory(0, 0, 0)


def _kb(name: str, text: str) -> float:
    found = re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0
