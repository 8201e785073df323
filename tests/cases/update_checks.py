"""Checks of updates: archives against manifests, versions in their order, publishers whose steps interleave."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from feed_kit import Simulator, release
from okf_edge.app.choosing import newer
from okf_edge.bundles.contents import open_zip
from okf_edge.bundles.digest import FileDigest
from okf_edge.bundles.install import InstallOptions, install
from okf_edge.bundles.versions import compare_versions, parse_version
from okf_edge.bundles.zip_writer import write_archive
from okf_edge.errors import BundleError, InputError, OkfError, PreconditionError, UnavailableError
from okf_edge.feed import publish
from okf_edge.inmemory import MemoryBlobs, MemoryTree, RecordedProgress
from okf_edge.inmemory.system import ManualClock
from okf_edge.ports import Blob
from tests.cases.suite import Spec
from tests.cases.vault import Vault

BUNDLE = "given.harbor"


async def update(vault: Vault, spec: Spec) -> None:
    """`update`: an archive that is not what its manifest promises is refused for its reason; v1 stays as it was."""
    base = MemoryTree()
    await _install(base, write_archive([("index.md", b"# Harbor\n"), ("a.md", b"---\ntype: Note\n---\nv1\n")]), "1.0.0")
    before = dict(base.files)
    promised = _promised(json.loads((vault.folder / spec["manifest"]).read_text())) if "manifest" in spec else None
    assert spec["result"] == "reject"
    with pytest.raises(OkfError) as caught:
        await _install(base, (vault.folder / spec["zip"]).read_bytes(), "1.1.0", promised)
    assert caught.value.code == spec["reason"]
    assert base.files == before


async def order(vault: Vault, spec: Spec) -> None:
    """`order`: versions sort as semver says, junk is refused, and only what is newer in one's channel is offered."""
    given = json.loads((vault.folder / spec["file"]).read_text())
    ascending = given["ascending"]
    for at, version in enumerate(ascending):
        assert [compare_versions(version, other) for other in ascending] == [
            (at > other) - (at < other) for other in range(len(ascending))
        ]
    assert [compare_versions(*pair) for pair in given["equal"]] == [0] * len(given["equal"])
    for junk in given["invalid"]:
        with pytest.raises(InputError):
            parse_version(junk)
    for offer in given["offer"]:
        found = newer(offer["installed"], [release(version=version) for version in offer["available"]])
        assert (found.version if found else None) == offer["expect"]


async def interleavings(vault: Vault, spec: Spec) -> None:
    """`interleavings`: whatever the order of their steps, publishers lose nothing, or one of them is told."""
    assert spec["invariant"] == "both versions listed, or loser told; no overwrite"
    given = json.loads((vault.folder / spec["file"]).read_text())
    for schedule in given["schedules"]:
        await _run(schedule, [("1.2.0", b"A's"), ("1.2.1", b"B's")])
        await _run(schedule, [("1.2.0", b"A's"), ("1.2.0", b"B's")])
    for answer in given["answers"]:
        await _answered(answer)


CHECKS = {"update": update, "order": order, "interleavings": interleavings}


async def _install(base: MemoryTree, data: bytes, version: str, promised: dict[str, FileDigest] | None = None) -> None:
    options = InstallOptions(
        "given.zip", bundle_id=BUNDLE, version=version, promised=promised, accept_nonconformant=True
    )  # fmt: skip
    await install(
        base, open_zip(data), options, clock=ManualClock(), indexer=None, progress=RecordedProgress()
    )  # fmt: skip


def _promised(manifest: dict[str, Any]) -> dict[str, FileDigest]:
    return {path: FileDigest(each["size"], each["sha256"]) for path, each in manifest["files"].items()}


class _Publisher:
    """A publisher who stops before each write that others can see, until the schedule lets it go on.

    It is the store that it publishes to, too: that is where its steps can be told apart.
    """

    def __init__(self, simulator: Simulator, shared: MemoryBlobs, version: str, archive: bytes) -> None:
        self.simulator, self.shared, self.version, self.archive = simulator, shared, version, archive
        self.task: asyncio.Task[publish.Change] | None = None
        self.waits_for, self.permitted = "", ""
        self.free = self.loses_the_answer = False

    async def step(self, name: str) -> None:
        self.free = name in {"full", "retry"}
        self.loses_the_answer = name == "timeout"
        self.permitted = "cas" if name == "timeout" else name
        if self.task is None or name == "retry":
            self.task = asyncio.create_task(self._publish())
        while not self.task.done() and (self.waits_for in {"", self.permitted} or self.free):
            await asyncio.sleep(0)

    async def end(self) -> OkfError | None:
        """Let it go on to its end; what it was told there."""
        self.free, self.loses_the_answer = True, False
        self.task = self.task or asyncio.create_task(self._publish())
        try:
            await self.task
        except OkfError as error:
            return error
        return None

    async def _publish(self) -> publish.Change:
        each = release(version=self.version, archive=self.archive)
        writer = self.simulator.writer._replace(store=self)
        return await publish.publish(writer, each, self.archive, self.simulator.now)

    async def get(self, key: str, max_bytes: int) -> Blob:
        return await self.shared.get(key, max_bytes)

    async def head(self, key: str):
        return await self.shared.head(key)

    async def list(self, prefix: str):
        return await self.shared.list(prefix)

    async def put(self, key: str, data: bytes, *, if_version: str | None) -> str:
        step = "cas" if key.endswith("timestamp.json") else "put_obj" if key.startswith("targets/") else ""
        if step:
            await self._gate(step)
        else:
            assert if_version is None, "only the pointer is ever written twice"
        version = await self.shared.put(key, data, if_version=if_version)
        if step == "cas" and self.loses_the_answer:
            raise UnavailableError("no answer")
        return version

    async def _gate(self, step: str) -> None:
        self.waits_for = step
        while not self.free and self.permitted != step:
            await asyncio.sleep(0)
        self.waits_for = ""
        self.permitted = ""


async def _run(schedule: list[str], wanted: list[tuple[str, bytes]]) -> None:
    simulator = await Simulator.started()
    actors = {
        name: _Publisher(simulator, simulator.store, *each) for name, each in zip("AB", wanted, strict=True)
    }  # fmt: skip
    for step in schedule:
        name, _, what = step.partition(".")
        await actors[name].step(what)
    told = {name: await actor.end() for name, actor in actors.items()}
    trusted = await (await simulator.device()).refresh()
    for name, (version, archive) in zip("AB", wanted, strict=True):
        each = release(version=version, archive=archive)
        listed = trusted.creators["ada"].targets[each.path]
        if told[name] is None:
            assert listed.hashes["sha256"] == each.sha256
            assert simulator.store.blobs[each.key] == archive
        else:
            assert isinstance(told[name], BundleError)
            assert listed.hashes["sha256"] != each.sha256


async def _answered(answer: str) -> None:
    """One odd answer to the commit: the publisher gets through, or is told and gets through when it tries again."""
    simulator = await Simulator.started()
    refusals = {"412": PreconditionError("first"), "409": PreconditionError("first"), "503": UnavailableError("busy")}
    simulator.store = _AnswersOnce(simulator.store.blobs, refusals.get(answer))
    try:
        await simulator.publish("1.2.0")
    except UnavailableError:
        await simulator.publish("1.2.0")
    assert await (await simulator.device()).versions() == ["1.2.0"]


class _AnswersOnce(MemoryBlobs):
    def __init__(self, blobs: dict[str, bytes], refusal: OkfError | None) -> None:
        super().__init__(blobs)
        self.refusal = refusal

    async def put(self, key: str, data: bytes, *, if_version: str | None) -> str:
        if key.endswith("timestamp.json") and self.refusal:
            refusal, self.refusal = self.refusal, None
            raise refusal
        return await super().put(key, data, if_version=if_version)
