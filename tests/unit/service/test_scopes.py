"""What a token is not for is not there: a service that holds more answers like one that holds only what it is for."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tuf.ngclient import Updater
from tuf.ngclient.fetcher import FetcherInterface

from bundle_kit import LineIndexer, make_bundle
from feed_kit import Simulator, release
from okf_edge.errors import InputError
from okf_edge.feed import publish
from okf_edge.feed.client import Feed, refresh, trust
from okf_edge.feed.holding import held_by
from okf_edge.feed.kept import Kept
from okf_edge.feed.keys import SslibVerifier
from okf_edge.feed.names import FOLDER, metadata_key
from okf_edge.inmemory.blobs import MemoryBlobs
from okf_edge.inmemory.calls import MemoryAuditLog, MemoryLedger
from okf_edge.inmemory.files import MemoryTree
from okf_edge.inmemory.system import SeededEntropy
from okf_edge.policy.authenticate import Grant, Token, new_token
from okf_edge.policy.caller import Caller
from okf_edge.policy.pipeline import Guards
from okf_edge.ports import Blob, BlobStat
from okf_edge.retrieval.answer import Answer, Coverage, to_json
from okf_edge.tools.service import Service
from okf_edge_lambda import environment, served, store, submitting
from okf_edge_lambda.believed import Believed
from okf_edge_lambda.host import Library, ServiceHost
from okf_edge_lambda.settings import Settings
from okf_edge_lambda.shelf import Shelf
from okf_edge_lambda.web import application
from okf_edge_native.mcp.http import Endpoint
from okf_edge_native.mcp.http import Settings as EndpointSettings
from okf_edge_native.service import require_success
from okf_edge_native.system import SystemClock

EVERY = ("ada.notes", "ada.notes.harbour", "ada.notes-old", "ada.other", "adamant.notes", "bob.orchard")
NOW = SystemClock().now()

GRANTS: list[tuple[tuple[str, ...], tuple[str, ...]]] = [
    (("ada",), ("ada.notes", "ada.notes.harbour", "ada.notes-old", "ada.other")),
    (("ada.notes",), ("ada.notes", "ada.notes.harbour")),
    (("ada.notes.harbour", "bob"), ("ada.notes.harbour", "bob.orchard")),
    (("adamant",), ("adamant.notes",)),
    (("ada.note", "ad", "bob.orchard.x"), ()),
]


@pytest.mark.parametrize(("granted", "bundles"), GRANTS)
def test_a_name_covers_what_begins_with_all_its_segments(granted: Sequence[str], bundles: Sequence[str]) -> None:
    caller = Caller("x", frozenset({"read"}), frozenset(granted))
    assert tuple(filter(caller.may_use_bundle, EVERY)) == bundles


LOOKALIKES = ("Ada.notes", "ada.notes2", "ada.notes-x", "ada", "ada.", ".ada.notes", "аda.notes", "ada%2enotes")
STRANGE = ("ada/notes", "ada..notes", "ada.notes/../../bob.x", "", ".", "ada.notes\n", "ada．notes")


@pytest.mark.parametrize("bundle_id", [*LOOKALIKES, *STRANGE])
def test_what_only_looks_like_the_name_is_not_covered(bundle_id: str) -> None:
    assert not Caller("x", frozenset(), frozenset({"ada.notes"})).may_use_bundle(bundle_id)


@pytest.mark.parametrize(
    "name", ["", "ada.", ".ada", "ada..x", "ada.*", "ada.notes-*", "Ada", "аda", "ada x", "ada/x", "*"]
)
def test_a_token_for_what_can_be_the_name_of_nothing_is_not_made(name: str) -> None:
    with pytest.raises(InputError, match="first segments"):
        new_token(Grant("t", frozenset({"read"}), frozenset({name, "ada"})), (), SeededEntropy(), NOW)


class World:
    """A service of some bundles in this process, and what `search` was asked."""

    def __init__(self, client: httpx.AsyncClient, simulator: Simulator) -> None:
        self.client = client
        self.simulator = simulator
        self.asked: list[Any] = []

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        told = await self.send("tools/call", {"name": tool, "arguments": arguments})
        return told["result"].get("structuredContent") or told["result"]

    async def send(self, method: str, params: Mapping[str, Any]) -> Any:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return (await self.client.post("/mcp", json=message)).json()

    async def get(self, path: str) -> Any:
        told = await self.client.get(path)
        return told.status_code, told.json() if told.status_code != 307 else told.headers["location"]


@asynccontextmanager
async def world(
    folder: Path, bundles: Sequence[str], granted: Sequence[str], scope: str = "read"
) -> AsyncIterator[World]:
    simulator = await made(bundles)
    bucket = MemoryBlobs()
    for bundle_id in bundles:
        await served.serve(bucket, await archive_of(bundle_id), LineIndexer(), "service")
    bucket.blobs |= {f"feed/{key}": data for key, data in simulator.store.blobs.items()}
    shown, token = new_token(Grant("t", frozenset({"read", scope}), frozenset(granted)), (), SeededEntropy(), NOW)
    with pytest.MonkeyPatch.context() as patched:
        host = _placed(patched, folder, simulator, bucket)
        guards = Guards(MemoryLedger(), MemoryAuditLog(), b"k" * 32, SystemClock(), SeededEntropy("calls"))

        async def tokens() -> list[Token]:
            return [token]

        endpoint = Endpoint(Service(host, guards), tokens, EndpointSettings(hosts=frozenset({"okf.example"})))
        client = httpx.AsyncClient(
            transport=httpx.ASGITransport(application(endpoint)), base_url="https://okf.example",
            headers={"authorization": f"Bearer {shown}"},
        )  # fmt: skip
        made_world = World(client, simulator)

        async def invoke(message: Mapping[str, Any]) -> Mapping[str, Any]:
            made_world.asked.append(message)
            return to_json(Answer("no-confident-match", "nothing", (), (), (), Coverage(1, 1, 0, "hybrid"), {}))

        object.__setattr__(host, "invoke", invoke)
        async with client:
            yield made_world


def _placed(patched: pytest.MonkeyPatch, folder: Path, simulator: Simulator, bucket: MemoryBlobs) -> ServiceHost:
    async def download(key: str, place: str, size: int, digest: str) -> None:
        Path(place).write_bytes(bucket.blobs[key])

    settings = Settings(bucket="b", feed_root=simulator.pin)
    believed = Believed(simulator.store, simulator.pin, SystemClock(), 0.0)
    library, shelf = Library(bucket), Shelf(str(folder), 10_000_000)
    for module in (store, submitting):
        patched.setattr(module, "settings", lambda: settings)
    patched.setattr("okf_edge_lambda.web.settings", lambda: settings)
    patched.setattr(store, "download", download)
    patched.setattr(store, "feed", lambda: simulator.store)
    patched.setattr(store, "bucket", lambda: bucket)
    patched.setattr(store, "presigned_get", lambda key: f"https://s3.example/{key}")
    patched.setattr(environment, "believed", lambda: believed)
    return ServiceHost(believed, library, shelf, None)  # type: ignore[arg-type]


async def archive_of(bundle_id: str) -> bytes:
    return await make_bundle(pages={"page.md": f"# {bundle_id}\n\nThe text of {bundle_id}.\n".encode()}, id=bundle_id)


async def made(bundles: Sequence[str]) -> Simulator:
    """A feed of these bundles; each creator has a key of their own."""
    simulator = Simulator()
    simulator.now = NOW
    simulator.pin = await publish.create_feed(simulator.writer, 1, 1, NOW)
    for creator in sorted({each.partition(".")[0] for each in bundles}):
        key = await simulator.keyring.create()
        await publish.add_creator(simulator.writer, creator, [key.public_key], NOW)
    for bundle_id in bundles:
        archive = await archive_of(bundle_id)
        await publish.publish(simulator.writer, release(bundle_id, archive=archive), archive, NOW)
    return simulator


async def heard(there: World) -> dict[str, Any]:
    """Everything that a reader gets to hear, of every bundle that may be there."""
    told: dict[str, Any] = {"bundles": await there.get("/v1/bundles")}
    for bundle_id in (*EVERY, "eve.none"):
        one = release(bundle_id, archive=await archive_of(bundle_id))
        for path in (f"/v1/bundles/{bundle_id}/1.0.0", f"/v1/bundles/{bundle_id}/latest", f"/v1/feed/{one.key}"):
            told[path] = await there.get(path)
    for kb in ("*", "ada", "adamant", "bob", "eve", "ada.notes"):
        told[f"query {kb}"] = (await there.client.post("/v1/query", json={"question": "text", "kb": kb})).json()
        for tool in ("query", "explain"):
            told[f"{tool} {kb}"] = await there.call(tool, {"question": "text", "kb": kb})
        for tool in ("list_bundles", "map", "check_updates", "search_feed", "stale"):
            told[f"{tool} {kb}"] = await there.call(tool, {"kb": kb})
        told[f"read {kb}"] = await there.call("read", {"page": "Library/ada.other/page.md", "kb": kb})
    for bundle_id in EVERY:
        for base in (bundle_id.partition(".")[0], bundle_id):
            address = f"okf://{base}/Library/{bundle_id}/page.md"
            told[f"resource {address}"] = await there.send("resources/read", {"uri": address})
    told["resources"] = await there.send("resources/list", {})
    for name, begun in (("kb", ""), ("path", "Library/")):
        asked = {
            "ref": {"type": "ref/resource", "uri": "okf://{kb}/{+path}"},
            "argument": {"name": name, "value": begun},
        }
        for kb in ("ada", "bob"):
            more = {"context": {"arguments": {"kb": kb}}}
            told[f"completion {name} {kb}"] = await there.send("completion/complete", {**asked, **more})
    told["list_kbs"] = await there.call("list_kbs", {})
    told["asked"] = there.asked
    return json.loads(json.dumps(told))


@pytest.mark.parametrize(("granted", "bundles"), GRANTS)
async def test_a_service_that_holds_more_answers_like_one_that_holds_only_what_the_token_is_for(
    tmp_path: Path, granted: Sequence[str], bundles: Sequence[str]
) -> None:
    async with world(tmp_path / "a", EVERY, granted) as whole:
        one = await heard(whole)
    async with world(tmp_path / "b", bundles, granted) as part:
        other = await heard(part)
    assert {name: told for name, told in one.items() if told != other[name]} == {}
    assert [each["id"] for each in one["bundles"][1]["bundles"]] == sorted(bundles)
    assert {ref["id"] for asked in one["asked"] for member in asked["members"] for ref in member["bundles"]} == {
        *bundles
    }


async def test_metadata_of_other_creators_is_neither_listed_nor_given(tmp_path: Path) -> None:
    async with world(tmp_path, EVERY, ("ada.notes",)) as there:
        keys = [each["key"] for each in (await there.get("/v1/feed/metadata"))[1]["keys"]]
        assert {key.split(".")[1] for key in keys if key != f"{FOLDER}timestamp.json"} == {
            "root", "targets", "snapshot", "ada",
        }  # fmt: skip
        for creator in ("bob", "adamant", "nobody"):
            for name in (f"2.{creator}.json", f"999.{creator}.json", f"2.{creator}%2ejson"):
                status, told = await there.get(f"/v1/feed/metadata/{name}")
                assert (status, told["error"]["code"]) == (403, "forbidden")
        for name in (
            "2.BOB.json",
            "02.bob.json",
            "2.bob.json.",
            "2.bob.json%00",
            "2.bob%252ejson",
            "..%2fx",
            "bob.json",
        ):
            assert (await there.get(f"/v1/feed/metadata/{name}"))[0] == 404


@pytest.mark.parametrize("path", ["ada.notes/..", "ada.notes./x", "ada.notes/%2e%2e", "ada.notes/x.okf.zip",
                                  f"ada.notes/{'0' * 64}.bob.orchard-1.0.0.okf.zip"])  # fmt: skip
async def test_no_name_of_an_archive_leads_elsewhere(tmp_path: Path, path: str) -> None:
    async with world(tmp_path, EVERY, ("ada.notes",)) as there:
        assert (await there.get(f"/v1/feed/targets/{path}"))[0] == 404


class Over:
    """The feed over HTTP as `okf` reads it."""

    def __init__(self, there: World) -> None:
        self._client = there.client

    async def get(self, key: str, max_bytes: int) -> Blob:
        told = await self._client.get(f"/v1/feed/{key}")
        require_success(told_by(told), key)
        return Blob(told.content, told.headers["etag"])

    async def list(self, prefix: str) -> Sequence[BlobStat]:
        return [BlobStat(**each) for each in (await self._client.get("/v1/feed/metadata")).json()["keys"]]


def told_by(told: httpx.Response) -> Any:
    from okf_edge_native.http import Reply

    return Reply(told.status_code, dict(told.headers), told.content)


async def test_readers_and_publishers_go_on_with_a_token_of_one_creator(tmp_path: Path) -> None:
    async with world(tmp_path, EVERY, ("ada",)) as there:
        over = Over(there)
        feed = Feed(over, Kept(MemoryTree(), there.simulator.pin), SslibVerifier())  # type: ignore[arg-type]
        await trust(feed, NOW)
        trusted = await refresh(feed, NOW)
        assert set(trusted.creators) == {"ada"}
        assert {each: error.code for each, error in trusted.refused.items()} == {
            "adamant": "forbidden", "bob": "forbidden",
        }  # fmt: skip
        holding = await held_by(over, SslibVerifier())  # type: ignore[arg-type]
        assert set(holding.creators) == {"ada"} and not holding.stale
        assert holding.snapshot and "bob.json" in holding.snapshot.meta, "and goes on being named"


async def test_a_client_of_tuf_finds_what_its_token_is_for(tmp_path: Path) -> None:
    """The reference client looks at a creator's metadata only for what that creator may sign."""
    async with world(tmp_path / "w", EVERY, ("ada",)) as there:
        given = {
            key: (await there.get(f"/v1/feed/{key}"))[0]
            for key in there.simulator.store.blobs
            if key.startswith(FOLDER)
        }
        blobs = {key: data for key, data in there.simulator.store.blobs.items() if given.get(key) == 200}
        assert metadata_key("bob", 2) not in blobs
    (tmp_path / "tuf").mkdir()
    updater = Updater(str(tmp_path / "tuf"), f"https://okf.example/{FOLDER}", fetcher=Given(blobs),
                      bootstrap=blobs[metadata_key("root", 1)])  # fmt: skip
    updater.refresh()
    assert updater.get_targetinfo(release("ada.notes").path)


class Given(FetcherInterface):
    """Serves what was given, and 404 for the rest."""

    def __init__(self, blobs: Mapping[str, bytes]) -> None:
        self._blobs = blobs

    def _fetch(self, url: str) -> Any:
        from tuf.api.exceptions import DownloadHTTPError

        key = url.removeprefix("https://okf.example/")
        if key not in self._blobs:
            raise DownloadHTTPError("absent", 403 if "bob" in key else 404)
        yield self._blobs[key]


async def test_metadata_that_changes_more_than_the_tokens_bundles_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its creator's key signed it, and the token is for one bundle of that creator."""
    async with world(tmp_path, EVERY, ("ada.notes",), "publish") as there:
        intent = submitting.Intent("ada.notes", "1.1.0", "0" * 64, 1, "ada", "t")
        monkeypatch.setattr(submitting.outcomes, "read_intent", lambda *_: _given(intent))
        monkeypatch.setattr(submitting.outcomes, "write_request", lambda *_: _given(None))
        before = there.simulator.saved()
        for bundle_id, status in (("ada.other", 403), ("ada.notes", 202)):
            there.simulator.restore(before)
            await publish.yank(there.simulator.writer, bundle_id, "1.0.0", "taken back", NOW)
            metadata = there.simulator.store.blobs[there.simulator.newest("ada")].decode()
            there.simulator.restore(before)
            told = await there.client.post(f"/v1/publish/{'0' * 32}", json={"metadata": metadata})
            assert told.status_code == status, told.text


async def test_a_list_that_releases_nothing_is_taken_for_the_tokens_bundles_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path, EVERY, ("ada.notes",), "publish") as there:
        monkeypatch.setattr(store, "put_anyway", lambda *_: _given(None))
        before, writer = there.simulator.saved(), there.simulator.writer
        cases = [
            ("ada", publish.yank(writer, "ada.notes", "1.0.0", "x", NOW), 202, ""),
            ("ada", publish.yank(writer, "ada.other", "1.0.0", "x", NOW), 403, "forbidden"),
            ("bob", publish.yank(writer, "bob.orchard", "1.0.0", "x", NOW), 403, "forbidden"),
            ("ada", publish.publish(writer, release("ada.notes", "2.0.0"), b"an archive", NOW), 400, "release-differs"),
            ("bob", publish.yank(writer, "ada.notes", "1.0.0", "x", NOW), 400, "signature-invalid"),
            ("eve", publish.yank(writer, "ada.notes", "1.0.0", "x", NOW), 400, "unknown-creator"),
        ]
        for creator, change, status, code in cases:
            there.simulator.restore(before)
            await change
            signer = "bob" if code == "forbidden" and creator == "bob" else "ada"
            metadata = there.simulator.store.blobs[there.simulator.newest(signer)].decode()
            there.simulator.restore(before)
            told = await there.client.post("/v1/releases", json={"creator": creator, "metadata": metadata})
            assert told.status_code == status, told.text
            assert told.json().get("error", {}).get("code", "") == code


async def _given(value: Any) -> Any:
    return value


async def test_a_promise_is_taken_for_the_tokens_bundles_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with world(tmp_path, EVERY, ("ada.notes",), "publish") as there:
        monkeypatch.setattr(store, "put_anyway", lambda *_: _given(None))
        monkeypatch.setattr(store, "presigned_put", lambda *_: ("https://s3.example", {}))
        for bundle_id, status in (("ada.notes.new", 201), ("ada.notes-old", 403), ("ada.other", 403), ("bob.x", 403)):
            body = {"id": bundle_id, "version": "3.0.0", "sha256": "0" * 64, "bytes": 1}
            assert (await there.client.post("/v1/publish", json=body)).status_code == status


async def test_what_is_served_nowhere_is_told_like_every_error(tmp_path: Path) -> None:
    async with world(tmp_path, (), ("ada",)) as there:
        for path in ("/", "/v2/query", "/mcp/x", "/.well-known/x", "/v1/publish/x/y"):
            status, told = await there.get(path)
            assert (status, told["error"]["code"]) == (404, "no-route")
        told = await there.client.delete("/v1/bundles")
        assert (told.status_code, told.json()["error"]["code"]) == (405, "no-route")
        assert (await there.client.get("/mcp")).headers["allow"] == "POST"
