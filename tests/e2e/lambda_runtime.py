"""Functions as Lambda runs them: real `awslambdaric` processes, each over a Runtime API of its own.

An execution environment answers one invocation at a time. It is made when one is needed and there is room, ends with
its process, and is made anew: also when an invocation takes longer than its time, which kills it. Code and disk are
read-only except for a `/tmp` of its own, the user is not root, and there is no home.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAYLOAD_BYTES = 6 * 1024 * 1024
RETRIES_COUNT = 2
"""How often Lambda tries again what was invoked without waiting for it."""

_API = "/2018-06-01/runtime"


@dataclass(slots=True, eq=False)
class Invocation:
    """One event on its way. `error` is what ended it, when nothing was returned."""

    event: bytes
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    result: bytes = b""
    error: Mapping[str, Any] | None = None
    done: threading.Event = field(default_factory=threading.Event)

    def fail(self, kind: str, message: str) -> None:
        if not self.done.is_set():
            self.error = {"errorType": kind, "errorMessage": message}
            self.done.set()

    @property
    def told(self) -> Any:
        """What was returned. Raises AssertionError: nothing was."""
        assert self.error is None, self.error
        return json.loads(self.result)


class Function:
    """One function with up to so many environments. Raises nothing: errors are in the invocations."""

    def __init__(
        self, name: str, handler: str, environment: Mapping[str, str], folder: Path, *, most: int = 1,
        seconds: float = 30,
    ) -> None:  # fmt: skip
        self.name, self.handler, self.seconds = name, handler, seconds
        self.environment = dict(environment)
        self.waiting: queue.SimpleQueue[Invocation] = queue.SimpleQueue()
        self.dead_letters: list[bytes] = []
        self.starts = 0
        self.slow: Callable[[bytes], float] = lambda event: 0.0
        self._idle = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._folder = folder
        self._most = most
        self.environments: list[Environment] = []
        self._later: list[threading.Thread] = []
        self.closed = False

    def invoke(self, event: Any, seconds: float | None = None) -> Invocation:
        """Invoke and wait."""
        invocation = Invocation(event if isinstance(event, bytes) else json.dumps(event).encode())
        if len(invocation.event) > PAYLOAD_BYTES:
            invocation.fail("RequestTooLarge", "payload")
            return invocation
        time.sleep(self.slow(invocation.event))
        environment = self._claimed()
        environment.answer(invocation, seconds or self.seconds)
        return invocation

    def invoke_later(self, event: Any) -> None:
        """Invoke without waiting; what fails is tried again, and ends as a dead letter."""

        def work() -> None:
            data = event if isinstance(event, bytes) else json.dumps(event).encode()
            for attempt in range(1 + RETRIES_COUNT):
                time.sleep(attempt * 0.3)
                if self.invoke(data).error is None or self.closed:
                    return
            self.dead_letters.append(data)

        with self._lock:  # events come in on many threads, and somebody may be waiting for these
            thread = threading.Thread(target=work, daemon=True)
            thread.start()
            self._later = [each for each in self._later if each.is_alive()] + [thread]

    def settle(self, seconds: float = 60) -> None:
        """Wait until nothing is under way that nobody waits for."""
        with self._lock:
            later = list(self._later)
        for each in later:
            each.join(seconds)
            assert not each.is_alive(), f"{self.name} is still busy"

    def kill(self) -> None:
        """End the processes of all environments, as Lambda may at any time."""
        for each in list(self.environments):
            each.kill()

    def close(self) -> None:
        self.closed = True
        for each in self.environments:
            each.close()

    def _claimed(self) -> Environment:
        """A free environment; a new one while there is room. Waits for one otherwise."""
        while True:
            with self._lock:
                for each in self.environments:
                    if not each.busy:
                        each.busy = True
                        return each
                if len(self.environments) < self._most:
                    number = len(self.environments)
                    made = Environment(self, self._folder / f"{self.name}-{number}")
                    made.busy = True
                    self.environments.append(made)
                    return made
            self._idle.acquire(timeout=5)

    def released(self) -> None:
        self._idle.release()


class Environment:
    """One execution environment: a process, its Runtime API, and its /tmp."""

    def __init__(self, function: Function, folder: Path) -> None:
        self.function, self.folder = function, folder
        self.busy = False
        self.process: subprocess.Popen[bytes] | None = None
        self._next: queue.SimpleQueue[Invocation | None] = queue.SimpleQueue()
        self._current: Invocation | None = None
        self._deadline = 0.0
        self._tmp = folder / "tmp"
        self._tmp.mkdir(parents=True)
        self._tmp.chmod(0o777)
        self.log = folder / "log"
        self._server = Server(_runtime_api(self))

    def answer(self, invocation: Invocation, seconds: float) -> None:
        """Have the process answer. Kills it when its time is over."""
        self._current, self._deadline = invocation, time.time() + seconds
        if self.process is None or self.process.poll() is not None:
            self._start()
        process = self.process
        assert process is not None
        threading.Thread(target=self._watch, args=(process, invocation), daemon=True).start()
        self._next.put(invocation)
        if not invocation.done.wait(seconds):
            self.kill()
            invocation.fail("Sandbox.Timedout", f"Task timed out after {seconds:.2f} seconds")
        self._current, self.busy = None, False
        self.function.released()

    def take(self, process: subprocess.Popen[bytes] | None) -> Invocation | None:
        """The next invocation for a process; None when it ended meanwhile."""
        taken = self._next.get()
        return taken if process is self.process else None

    def finish(self, invocation_id: str, body: bytes, is_error: bool) -> bool:
        current = self._current
        if current is None or current.id != invocation_id or current.done.is_set():
            return False
        if is_error:
            current.error = json.loads(body or b"{}")
        elif len(body) > PAYLOAD_BYTES:
            current.error = {"errorType": "Function.ResponseSizeTooLarge", "errorMessage": f"{len(body)} bytes"}
        else:
            current.result = body
        current.done.set()
        return True

    def fail_start(self, body: bytes) -> None:
        if self._current:
            self._current.fail("Runtime.InitError", body.decode(errors="replace"))

    @property
    def deadline_ms(self) -> int:
        return int(self._deadline * 1000)

    def kill(self) -> None:
        process, self.process = self.process, None
        if process is not None:
            _end(process)
            self._next.put(None)  # releases who still waits for that process

    def close(self) -> None:
        self.kill()
        self._server.stop()

    def _start(self) -> None:
        self._next = queue.SimpleQueue()
        self.function.starts += 1
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "en_US.UTF-8", "TZ": ":UTC", "PYTHONDONTWRITEBYTECODE": "1",
            "LAMBDA_TASK_ROOT": str(ROOT / "lambda"), "_HANDLER": self.function.handler,
            "AWS_LAMBDA_FUNCTION_NAME": self.function.name, "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1769", "AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EXECUTION_ENV": "AWS_Lambda_python3.13", "AWS_LAMBDA_LOG_GROUP_NAME": "/aws/lambda/local",
            "AWS_LAMBDA_LOG_STREAM_NAME": self.folder.name, "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
            "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{self._server.server_port}", **self.function.environment,
        }  # fmt: skip
        command = [*confined(self._tmp), sys.executable, "-m", "awslambdaric", self.function.handler]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT / "lambda", env=environment, stdout=log, stderr=log, start_new_session=True
            )

    def _watch(self, process: subprocess.Popen[bytes], invocation: Invocation) -> None:
        """A process that ends leaves its invocation without an answer."""
        while not invocation.done.is_set():
            try:
                process.wait(1)
            except subprocess.TimeoutExpired:
                continue
            invocation.fail("Runtime.ExitError", f"Runtime exited: {self.log.read_text(errors='replace')[-2000:]}")


def confined(tmp: Path) -> Sequence[str]:
    """What runs a process as Lambda does: nothing but /tmp can be written, and it is not root."""
    if _has_bubblewrap():
        return [
            "bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", str(tmp), "/tmp",
            *_code_below_tmp(), "--unshare-user", "--uid", "993", "--gid", "990",
        ]  # fmt: skip
    user = SOMEBODY if _may_be_somebody() else ()
    return [*user, "env", f"TMPDIR={tmp}", f"OKF_CACHE={tmp}/okf"]


SOMEBODY = ("setpriv", "--reuid=993", "--regid=990", "--clear-groups")


def _code_below_tmp() -> Sequence[str]:
    """The checkout and its interpreter are shown again, where the process's own /tmp would hide them."""
    code = {ROOT, Path(sys.prefix), Path(sys.base_prefix)}
    return [
        word for place in sorted(code) if place.is_relative_to("/tmp") for word in ("--ro-bind", str(place), str(place))
    ]


@cache
def _may_be_somebody() -> bool:
    """Whether another user can be become who can read the code: a folder above it may be closed to others."""
    if os.geteuid() or not shutil.which("setpriv"):
        return False
    return subprocess.run([*SOMEBODY, sys.executable, "-c", "import okf_edge"], check=False).returncode == 0


@cache
def _has_bubblewrap() -> bool:
    if not shutil.which("bwrap"):
        return False
    trial = ["bwrap", "--ro-bind", "/", "/", "--unshare-user", "--uid", "993", "true"]
    return subprocess.run(trial, capture_output=True, check=False).returncode == 0


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
    process.wait(10)


def _runtime_api(environment: Environment) -> type[BaseHTTPRequestHandler]:
    class RuntimeApi(Quiet):
        def do_GET(self) -> None:
            invocation = environment.take(environment.process)
            if invocation is None:
                return self.answer(410)
            return self.answer(
                200,
                invocation.event,
                {
                    "Content-Type": "application/json",
                    "Lambda-Runtime-Aws-Request-Id": invocation.id,
                    "Lambda-Runtime-Deadline-Ms": str(environment.deadline_ms),
                    "Lambda-Runtime-Invoked-Function-Arn": f"arn:aws:lambda:::function:{environment.function.name}",
                },
            )

        def do_POST(self) -> None:
            body, parts = self.body(), self.path.removeprefix(_API).strip("/").split("/")
            if parts == ["init", "error"]:
                environment.fail_start(body)
                return self.answer(202, b'{"status":"OK"}')
            known = environment.finish(parts[1], body, is_error=parts[2] == "error")
            return self.answer(202 if known else 404, b'{"status":"OK"}')

    return RuntimeApi


class Server(ThreadingHTTPServer):
    """A server on a free port of loopback that runs until it is stopped."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that breaks off is how killed processes end."""

    def stop(self) -> None:
        self.shutdown()
        self.server_close()


class Quiet(BaseHTTPRequestHandler):
    """A handler that writes each answer at once: half of one costs 40 ms until the other half is asked for."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        """Nobody reads it."""

    def body(self) -> bytes:
        """The body, which awslambdaric sends in chunks."""
        if "chunked" not in (self.headers.get("Transfer-Encoding") or "").lower():
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def answer(self, status: int, body: bytes = b"", headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD" and status not in (204, 304):
            self.wfile.write(body)
