"""The peers' side of a comparison: an index that another engine built, in its own process and environment."""

from __future__ import annotations

import json
import subprocess
import tempfile
import venv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.processes import Cost, Limits, run

PEERS = ("bm25s", "tantivy", "fts5-porter", "fts5-trigram", "duckdb-fts")
HERE = Path(__file__).parent
ENVIRONMENT = HERE.parents[1] / ".build" / "peers"
PYTHON = ENVIRONMENT / "bin" / "python"
LIMITS = Limits(seconds=600, mb=4096)
"""A peer that takes more is reported as stopped."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a peer answered in one process, and what that cost it: processor time in milliseconds, and memory."""

    rankings: list[list[str]]
    query_ms: list[float]
    open_ms: float
    process: Cost


@dataclass(frozen=True, slots=True)
class PeerIndex:
    """An index on disk. `building` is the whole process, `build_s` the engine's part of it."""

    peer: str
    folder: Path
    build_s: float
    bytes: int
    building: Cost

    def ask(self, questions: Sequence[str]) -> Asked:
        """Ask in a fresh process. Raises RuntimeError with what the peer said."""
        given, told = self.folder.with_name("asked.json"), self.folder.with_name("told.json")
        given.write_text(json.dumps(list(questions)), "utf-8")
        process = _run(self.peer, "ask", self.folder, given, told)
        answers = json.loads(told.read_text("utf-8"))
        return Asked(answers["rankings"], answers["query_ms"], answers["open_ms"], process)


@contextmanager
def peer_index(peer: str, notes: Mapping[str, str]) -> Iterator[PeerIndex]:
    """Let a peer index the notes; its folder goes afterwards. Raises RuntimeError."""
    with tempfile.TemporaryDirectory(prefix="okf-peer-") as work:
        given, folder = Path(work) / "notes.json", Path(work) / "index"
        folder.mkdir()
        given.write_text(json.dumps(dict(notes)), "utf-8")
        building = _run(peer, "build", given, folder)
        built = json.loads((folder / "built.json").read_text("utf-8"))
        yield PeerIndex(peer, folder, built["build_s"], built["bytes"], building)


def make_environment() -> None:
    """The environment that all peers share, made from `peers.txt` when absent."""
    if not PYTHON.exists():
        venv.create(ENVIRONMENT, with_pip=True)
        subprocess.run([PYTHON, "-m", "pip", "install", "-q", "-r", HERE / "peers.txt"], check=True)


def versions() -> list[tuple[str, str]]:
    """What of the peers is installed, and in which version."""
    lines = (HERE / "peers.txt").read_text("utf-8").split()
    return [(name, version) for name, _, version in (line.partition("==") for line in lines)]


def _run(peer: str, *arguments: str | Path) -> Cost:
    return run([str(PYTHON), str(HERE / "peer_runner.py"), peer, *map(str, arguments)], limits=LIMITS)
