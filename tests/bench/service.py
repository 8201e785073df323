"""The figures of the service, on this machine: starting, asking, memory.

    python -m tests.bench.service [--chunks 100000]

The functions run as `tests/e2e/lambda_runtime.py` runs them, S3 is a real server. Processor time stands for the clock
where the machine is shared; wall time of a question is compared with the same question in this process beside it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from okf_edge.app import federation
from okf_edge.bundles.manifest import IndexInfo
from okf_edge.index.files import open_index
from okf_edge.index.schema import SCHEMA_VERSION
from okf_edge.index.tokens import PIPELINE_ID
from okf_edge.retrieval.request import SearchRequest
from okf_edge_lambda import served
from okf_edge_lambda.engine import KeptSql
from okf_edge_lambda.served import ServedBundle, ServedFile
from okf_edge_lambda.tree import ServedTree
from okf_edge_native import compose
from okf_edge_native.disk import DiskTree
from okf_edge_native.duckdb_engine import DuckdbSql
from okf_edge_native.s3 import S3Blobs
from tests.bench import corpus, synthetic
from tests.bench.rows import Row, table, write
from tests.e2e.lambda_runtime import Function
from tests.e2e.lambda_service import Deployed, aws_services, deployed, page
from tests.seaweed import s3_server

MODEL = "minilm-l6"
QUESTIONS = 40
INVOCATIONS = 200
PER_PAGE = 10
KNOWN_PATH = "page.md"


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.service")
    parser.add_argument("--chunks", type=int, default=100_000)
    chunks = parser.parse_args(argv).chunks
    with tempfile.TemporaryDirectory(prefix="okf-bench-") as name:
        work = Path(name)
        with s3_server(work / "s3") as s3, aws_services() as aws, deployed(work / "made", s3, aws) as service:
            rows = measure(service, work, chunks)
    print(table(rows))
    write("service", rows)
    return int(any(row.passed is False for row in rows))


def measure(service: Deployed, work: Path, chunks: int) -> list[Row]:
    service.put_models()
    token = service.token("all", "--scope", "read", "--scope", "publish")
    ada = service.creator("ada")
    archive = ada.archive("ada.big", "1.0.0", {KNOWN_PATH: page("Known", "The harbour floods at spring tide.")})
    service.publish(ada, archive, token)
    rows = [Row("init of api", import_cpu_s("okf_edge_lambda.api"), "s", 1.3, note="processor time of its imports")]
    bundle = asyncio.run(put_in_place(service, work, sha256(archive).hexdigest(), chunks))
    as_deployed(service)
    many = f"{bundle.index.chunks:,} chunks"
    rows.append(Row(f"search to first answer, {many}", first_answer_cpu_s(service, token), "s", 2.5, note="with model"))
    there, here, kept = asked_beside(service, work, token, bundle)
    rows += [
        Row(f"question in this process, {many}", here.cpu_ms, "ms", note="processor time, p50; files opened for each"),
        Row("the same with files kept open", kept.cpu_ms, "ms", note="processor time, p50"),
        Row(f"/v1/query, {many}", there.cpu_ms, "ms", kept.cpu_ms + 15, note="processor time of both functions, p50"),
        Row("question in this process, by the clock", here.wall_ms, "ms", note="p50"),
        Row("the same with files kept open, by the clock", kept.wall_ms, "ms", note="p50"),
        Row("/v1/query, by the clock", there.wall_ms, "ms", here.wall_ms + 15, note="p50, at the door, asked in turn"),
        *growth(service, token),
    ]
    return rows


def import_cpu_s(module: str) -> float:
    """Processor time that importing takes in a fresh process, less that of an empty one; the best of three."""
    environment = {**os.environ, "OKF_BUCKET": "x"}
    return best_cpu_s(f"import {module}", environment) - best_cpu_s("pass", environment)


def best_cpu_s(code: str, environment: dict[str, str]) -> float:
    told = f"import time\n{code}\nprint(time.process_time())"
    return min(
        float(subprocess.run([sys.executable, "-c", told], env=environment, capture_output=True, check=True).stdout)
        for _ in range(3)
    )


def first_answer_cpu_s(service: Deployed, token: str) -> float:
    """Processor time of a fresh environment of `search` until its first answer; the best of three."""
    found = []
    for _ in range(3):
        service.functions["search"].kill()
        ask(service, token, "when does the harbour flood?")
        found.append(cpu_s(service.functions["search"]))
    return min(found)


async def put_in_place(service: Deployed, work: Path, archive_sha256: str, chunks: int) -> ServedBundle:
    """Serve many pages under a published archive: exporting that many would measure the exporter."""
    notes = work / "notes"
    corpus.write_pages(notes, max(1, chunks // (PER_PAGE * 2)), sections=PER_PAGE)
    index = await _index(notes)
    pages, files = bytearray(), {}
    for path in sorted(each for each in notes.rglob("*.md")):
        data, name = path.read_bytes(), str(path.relative_to(notes))
        files[name] = ServedFile(name, len(data), sha256(data).hexdigest(), len(pages))
        pages += data
    store = S3Blobs(f"s3://{service.bucket}", service.s3)
    before = await served.read_served(store, archive_sha256)
    info, data = index
    bundle = replace(before.bundle, index=info)
    made = ServedBundle(archive_sha256, bundle, len(pages), sha256(pages).hexdigest(), files)
    for key, body in (
        (made.index_key, data),
        (made.key(served.PAGES), bytes(pages)),
        (made.key(served.CONTENTS), made.told),
    ):
        service.s3.put_object(Bucket=service.bucket, Key=key, Body=body)
    service.functions["search"].kill()
    return made


async def _index(notes: Path) -> tuple[IndexInfo, bytes]:
    found = await asyncio.to_thread(synthetic.build_index, notes, MODEL)
    engine = DuckdbSql()
    known = await open_index(engine, "built", DiskTree(notes), ".okf/index.duckdb")
    await engine.close()
    data = (notes / ".okf/index.duckdb").read_bytes()
    info = IndexInfo(
        "okf-index.duckdb", len(data), sha256(data).hexdigest(), SCHEMA_VERSION, PIPELINE_ID, MODEL,
        known.embedder_digest, found.chunks,
    )  # fmt: skip
    return info, data


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question took: medians of wall time and of processor time."""

    wall_ms: float
    cpu_ms: float


def asked_beside(service: Deployed, work: Path, token: str, bundle: ServedBundle) -> tuple[Asked, Asked, Asked]:
    """Questions to the service, and the same in this process, in turn: as `okf` asks, and with an engine that stays."""
    loop = asyncio.new_event_loop()
    local = loop.run_until_complete(in_process(work, bundle))
    both = [service.functions["api"], service.functions["search"]]
    keeping = federation.Member(local.name, replace(local.ports, engine=KeptSql().lend))
    there, here, kept = [], [], []
    warm, *questions = corpus.questions(QUESTIONS + 1)
    ask(service, token, warm)

    def asked_here(member: federation.Member, question: str) -> tuple[float, float]:
        started, started_s = time.perf_counter(), time.process_time()
        loop.run_until_complete(federation.ask_all([member], {}, SearchRequest(question, k=8)))
        return (time.perf_counter() - started) * 1000, (time.process_time() - started_s) * 1000

    for member in (local, keeping):
        asked_here(member, warm)
    for question in questions:
        before_s = sum(map(cpu_s, both))
        wall_ms = ask(service, token, question)
        there.append((wall_ms, (sum(map(cpu_s, both)) - before_s) * 1000))
        here.append(asked_here(local, question))
        kept.append(asked_here(keeping, question))
    loop.close()
    return _medians(there), _medians(here), _medians(kept)


def _medians(times: Sequence[tuple[float, float]]) -> Asked:
    return Asked(*map(statistics.median, zip(*times, strict=True)))


def as_deployed(service: Deployed) -> None:
    """Times that tests shorten, as they are by default."""
    for function in service.functions.values():
        function.environment.pop("OKF_BELIEVE_SECONDS", None)
        function.environment.pop("OKF_REREAD_SECONDS", None)
        function.kill()


async def in_process(work: Path, bundle: ServedBundle) -> federation.Member:
    """The same bundle as installed in a folder of this machine."""
    base = work / "base"
    (base / ".okf").mkdir(parents=True)
    (base / bundle.bundle.path).parent.mkdir()
    (work / "notes").rename(base / bundle.bundle.path)
    (base / bundle.bundle.path / ".okf/index.duckdb").rename(base / bundle.bundle.path / bundle.index.path)

    async def given() -> list[ServedBundle]:
        return [bundle]

    registry = await ServedTree(given, None).read(".okf/bundles.json")  # type: ignore[arg-type]
    (base / ".okf/bundles.json").write_bytes(registry)
    ports = compose.ports_of(str(base), True)
    return federation.Member("ada", ports)


def growth(service: Deployed, token: str) -> list[Row]:
    """How much memory both functions take up over many warm invocations."""
    questions = corpus.questions(INVOCATIONS)
    for question in questions[:50]:
        ask(service, token, question)
    before = {name: resident_mb(service.functions[name]) for name in ("api", "search")}
    for question in questions:
        ask(service, token, question)
    return [
        Row(
            f"memory of {name} after {INVOCATIONS} invocations",
            (resident_mb(service.functions[name]) / before[name] - 1) * 100,
            "%",
            2,
            note=f"from {before[name]:.0f} MB",
        )
        for name in ("api", "search")
    ]


def ask(service: Deployed, token: str, question: str) -> float:
    """Milliseconds as the gateway saw them."""
    with service.http(token) as http:
        told = http.post("/v1/query", json={"question": question})
        told.raise_for_status()
        return float(told.headers["x-invocation-ms"])


def cpu_s(function: Function) -> float:
    """Processor time of all threads, to the nanosecond: a question takes some ticks of a clock only."""
    threads = (thread for folder, _ in _processes(function) for thread in folder.glob("task/*/schedstat"))
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9


def resident_mb(function: Function) -> float:
    return sum(int(fields[21]) for _, fields in _processes(function)) * os.sysconf("SC_PAGE_SIZE") / 1_000_000


def _processes(function: Function) -> list[tuple[Path, list[str]]]:
    """All processes of a function's environments, and what the system tells of each, from its state on."""
    sessions = {str(each.process.pid) for each in function.environments if each.process}
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[3] in sessions:
            found.append((folder, fields))
    return found


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
