"""What a whole process costs: processor time and peak memory, as the system accounts them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

OKF = Path(sys.executable).with_name("okf")
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OKF_THREADS": "1"}


@dataclass(frozen=True, slots=True)
class Cost:
    """One finished process. `cpu_s` is user plus system time, its children's included."""

    cpu_s: float
    peak_mb: float
    output: str


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a process is stopped; 0 is nowhere. `mb` is of its own data: an allocation beyond it fails."""

    seconds: int = 0
    mb: int = 0


UNLIMITED = Limits()


def okf(*arguments: str | Path, environment: Mapping[str, str] | None = None) -> Cost:
    """Run `okf`. Raises RuntimeError with what it said when it fails."""
    return run([str(OKF), *map(str, arguments)], environment)


def run(
    command: list[str],
    environment: Mapping[str, str] | None = None,
    limits: Limits = UNLIMITED,
    folder: Path | None = None,
) -> Cost:
    """Run a command to its end and account for it. Raises RuntimeError: it failed, or was stopped at a limit."""
    told = {"BENCH_SECONDS": str(limits.seconds), "BENCH_MB": str(limits.mb)}
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        started = subprocess.run(
            [sys.executable, "-SIc", LAUNCHER, *command],
            stdout=subprocess.PIPE,
            stderr=errors,
            pass_fds=[output.fileno()],
            env=os.environ | ONE_THREAD | told | {"BENCH_OUTPUT": str(output.fileno())} | dict(environment or {}),
            cwd=folder,
            check=False,
        )
        output.seek(0)
        errors.seek(0)
        text = output.read().decode()
        if started.returncode == STOPPED:
            raise RuntimeError(f"stopped after {limits.seconds} s")
        if started.returncode:
            raise RuntimeError(f"{' '.join(command)} failed: {text}{errors.read().decode()}")
    cpu_s, peak = map(float, started.stdout.split())
    return Cost(cpu_s, peak / _PER_MB, text)


STOPPED = 124
LAUNCHER = """
import os, resource, signal, sys
seconds, mb = int(os.environ["BENCH_SECONDS"]), int(os.environ["BENCH_MB"])
if mb:
    resource.setrlimit(resource.RLIMIT_DATA, (mb << 20, mb << 20))
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, setpgroup=0, file_actions=[
    (os.POSIX_SPAWN_DUP2, int(os.environ["BENCH_OUTPUT"]), 1)])
def stop(*_):
    os.killpg(child, signal.SIGKILL)
    os._exit(124)
signal.signal(signal.SIGALRM, stop)
signal.alarm(seconds)
_, status, usage = os.wait4(child, 0)
print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""
"""A small process that starts the measured one: the system counts the memory of who starts a process as that
process's own peak, and the bench itself is large."""


def median_of(count: int, *arguments: str | Path) -> Cost:
    """The run of median processor time, after one that warms the disk's cache."""
    okf(*arguments)
    costs = sorted((okf(*arguments) for _ in range(count)), key=lambda cost: cost.cpu_s)
    return costs[count // 2]


_PER_MB = 1024 * 1024 if sys.platform == "darwin" else 1024  # ru_maxrss is in bytes there, in KB elsewhere
