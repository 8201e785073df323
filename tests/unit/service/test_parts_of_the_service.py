"""Decisions of the service that need no function: its disk, its settings, its errors, its shards, what it believes."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from feed_kit import Simulator, release
from okf_edge import errors
from okf_edge.errors import FeedError, InputError, NotFoundError, OkfError, TooLargeError
from okf_edge.inmemory.system import ManualClock
from okf_edge.policy.rules import PathRules
from okf_edge.retrieval.request import SearchRequest
from okf_edge_lambda import clients, faults, layout, shards, store
from okf_edge_lambda.believed import Believed, newest
from okf_edge_lambda.searching import Member, Question, Ref, message_of, question_from
from okf_edge_lambda.settings import settings, settings_from
from okf_edge_lambda.shelf import Shelf


class Bucket:
    """Objects that are fetched, and how often."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.objects: dict[str, bytes] = {}
        self.fetched: list[str] = []
        monkeypatch.setattr(store, "download", self._download)

    def put(self, data: bytes) -> tuple[str, int, str]:
        digest = sha256(data).hexdigest()
        self.objects[digest] = data
        return digest, len(data), digest

    async def _download(self, key: str, place: str, size: int, digest: str) -> None:
        self.fetched.append(key)
        Path(place).write_bytes(self.objects[key])


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Bucket:
    return Bucket(monkeypatch)


async def test_a_file_is_fetched_once_and_found_again(bucket: Bucket, tmp_path: Path) -> None:
    shelf, wanted = Shelf(str(tmp_path / "files"), 100), bucket.put(b"index")
    for _ in range(3):
        shelf.begin()
        assert Path(await shelf.bring(*wanted)).read_bytes() == b"index"
    assert len(bucket.fetched) == 1
    assert Path(await Shelf(str(tmp_path / "files"), 100).bring(*wanted)).read_bytes() == b"index"
    assert len(bucket.fetched) == 1, "another process proves what lies there, and uses it"


@pytest.mark.parametrize("damage", [b"INDEX", b"longer than it was", b""])
async def test_a_file_that_was_changed_is_fetched_again(bucket: Bucket, tmp_path: Path, damage: bytes) -> None:
    shelf, wanted = Shelf(str(tmp_path / "files"), 100), bucket.put(b"index")
    Path(await shelf.bring(*wanted)).write_bytes(damage)
    for each in (shelf, Shelf(str(tmp_path / "files"), 100)):
        assert Path(await each.bring(*wanted)).read_bytes() == b"index"


async def test_what_was_unused_for_longest_makes_room_and_what_is_in_use_stays(bucket: Bucket, tmp_path: Path) -> None:
    shelf = Shelf(str(tmp_path / "files"), 25)
    one, two, three = (bucket.put(bytes([letter]) * 10) for letter in b"abc")
    shelf.begin()
    await shelf.bring(*one)
    shelf.begin()
    kept = await shelf.bring(*two)
    await shelf.bring(*three)
    assert not (tmp_path / "files" / one[2]).exists()
    assert Path(kept).exists()
    with pytest.raises(TooLargeError) as refused:
        await shelf.bring(*one)
    assert refused.value.code == "environment-full"
    assert sum(path.stat().st_size for path in (tmp_path / "files").iterdir()) <= 25


def test_settings_tell_all_that_is_wrong_at_once() -> None:
    with pytest.raises(InputError) as refused:
        settings_from({"OKF_SHARD_BYTES": "many", "OKF_WARN_DAYS": "-3"})
    assert len(refused.value.issues) == 3
    found = settings_from({"OKF_BUCKET": "b", "OKF_HOSTS": " A.example , b.example,", "OKF_FEED_ROOT": "sha256:00"})
    assert (found.hosts, found.feed_root) == ({"a.example", "b.example"}, "00")


@pytest.mark.parametrize("kind", [each for each in vars(errors).values() if isinstance(each, type)])
def test_every_error_survives_its_way_between_functions_and_has_a_status(kind: Any) -> None:
    if not issubclass(kind, OkfError):
        return
    error = kind("expected a, found b", hint="do c")
    back = faults.raised(faults.told(error)["error"])
    assert (type(back), back.code, back.message, back.hint) == (kind, error.code, error.message, error.hint)
    assert 400 <= faults.status_of(error) < 600


def test_an_error_of_no_kind_of_ours_is_an_error_all_the_same() -> None:
    for told in ({}, {"kind": "SystemExit"}, {"kind": "annotations", "code": 7, "issues": [1]}):
        assert type(faults.raised(told)) is OkfError


@pytest.mark.parametrize(
    ("key", "upload"),
    [
        ("incoming/ab/request.json", "ab"),
        ("incoming/ab/archive.okf.zip", ""),
        ("incoming/../feed/request.json", ""),
        ("feed/ab/request.json", ""),
        ("incoming/request.json", ""),
        ("", ""),
    ],
)
def test_only_requests_in_their_place_are_looked_at(key: str, upload: str) -> None:
    assert layout.upload_of(key) == upload


def question(sizes: list[int]) -> Question:
    refs = [Ref(f"c{n % 3}.b{n}", "1.0.0", f"{n:064}", size) for n, size in enumerate(sizes)]
    members = [
        Member(name, tuple(ref for ref in refs if ref.id.startswith(name)), PathRules(deny=("x/**",)))
        for name in ("c0", "c1", "c2")
    ]
    return Question(SearchRequest("q"), tuple(members), {})


def test_bundles_are_dealt_evenly_each_once_and_always_alike() -> None:
    asked = question([50, 40, 30, 20, 10, 10, 5, 5])
    dealt = shards.dealt(asked, 60)
    assert dealt == shards.dealt(asked, 60)
    every = [ref.id for shard in dealt for member in shard.members for ref in member.bundles]
    assert sorted(every) == sorted(ref.id for member in asked.members for ref in member.bundles)
    loads = [sum(ref.bytes for member in shard.members for ref in member.bundles) for shard in dealt]
    assert len(loads) == 3 and max(loads) <= 60
    assert all(member.rules.deny == ("x/**",) for shard in dealt for member in shard.members)


def test_more_bundles_than_shards_can_hold_are_refused_and_not_cut() -> None:
    with pytest.raises(errors.UnavailableError) as refused:
        shards.dealt(question([100] * 300), 100)
    assert refused.value.code == "too-many-bundles"


def test_a_question_survives_its_message() -> None:
    asked = question([1, 2, 3])
    assert question_from(message_of(asked)) == asked


async def test_what_is_believed_is_asked_of_the_store_now_and_then_and_never_beyond_its_time() -> None:
    simulator, clock = await Simulator.started(), ManualClock()
    await simulator.publish()
    believed = Believed(simulator.store, simulator.pin, clock, 5.0)
    assert [each.version for each in await believed.releases()] == ["1.0.0"]
    await simulator.publish("1.1.0", b"more")
    assert len(await believed.releases()) == 1
    clock.advance(6)
    assert [each.version for each in await believed.releases()] == ["1.1.0", "1.0.0"]
    clock.advance(40 * 86_400)
    with pytest.raises(FeedError) as refused:
        await believed.releases()
    assert refused.value.code == "metadata-expired"


async def test_a_feed_with_another_root_is_not_believed() -> None:
    simulator = await Simulator.started()
    with pytest.raises(FeedError) as refused:
        await Believed(simulator.store, "0" * 64, ManualClock(), 5.0).releases()
    assert refused.value.code == "root-mismatch"
    simulator.store.blobs.clear()
    with pytest.raises(NotFoundError):
        await Believed(simulator.store, simulator.pin, ManualClock(), 5.0).releases()


def test_the_newest_that_was_not_withdrawn_is_served_and_a_prerelease_only_alone() -> None:
    versions = ["2.0.0-rc.1", "1.1.0", "1.0.0"]
    releases = [release(version=each) for each in versions] + [release("ada.young", "0.1.0-a")]
    assert [(each.id, each.version) for each in newest(releases)] == [
        ("ada.harbour", "1.1.0"),
        ("ada.young", "0.1.0-a"),
    ]
    withdrawn = [release(version="1.1.0", yanked="wrong"), release(version="1.0.0")]
    assert [each.version for each in newest(withdrawn)] == ["1.0.0"]
    built = [release(version="2.0.0+of-today"), release(version="1.0.0")]
    assert [each.version for each in newest(built)] == ["2.0.0+of-today"]


def test_loading_the_functions_makes_no_client_and_reads_no_secret_so_that_snapshots_hold_none() -> None:
    code = (
        "from okf_edge_lambda import api, search, ingest, clock, clients, protected, environment\n"
        "made = [clients.s3, clients.functions, clients.parameters, clients.secrets, clients.table]\n"
        "assert not any(each.cache_info().currsize for each in made)\n"
        "assert not protected._signers.cache_info().currsize\n"
        "environment.shelf\nclients.forget.__call__()\nenvironment.forget()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], env={"OKF_BUCKET": "b", "PATH": "/usr/bin:/bin"}, capture_output=True, text=True
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr


async def test_a_service_without_a_feed_says_what_to_do_first() -> None:
    simulator = await Simulator.started()
    with pytest.raises(errors.UnavailableError) as refused:
        await Believed(simulator.store, "", ManualClock(), 5.0).releases()
    assert refused.value.code == "no-feed" and "okf feed init" in refused.value.hint


def test_what_answers_at_the_door_loads_nothing_that_its_package_lacks() -> None:
    heavy = ("duckdb", "numpy", "onnxruntime", "Stemmer", "tokenizers", "rich", "uvicorn")
    code = f"import sys\nfrom okf_edge_lambda import api, clock\nassert not set({heavy!r}) & set(sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", code], env={"OKF_BUCKET": "b", "PATH": "/usr/bin:/bin"}, capture_output=True, text=True
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("region", ["us-east-1", "eu-west-1", "eu-central-1"])
def test_addresses_that_carry_permission_bind_size_and_checksum_and_go_to_the_region(
    monkeypatch: pytest.MonkeyPatch, region: str
) -> None:
    for name, value in {
        "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y", "AWS_DEFAULT_REGION": region, "OKF_BUCKET": "okf-notes",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_ENDPOINT_URL_S3", raising=False)
    settings.cache_clear()
    clients.forget()
    try:
        url, _ = store.presigned_put("incoming/x", 5, "00" * 32)
        given = store.presigned_get("feed/x")
    finally:
        settings.cache_clear()
        clients.forget()
    asked = parse_qs(urlsplit(url).query)
    assert asked["X-Amz-SignedHeaders"] == ["content-length;host;x-amz-checksum-sha256"]
    assert int(asked["X-Amz-Expires"][0]) <= 900
    own = {f"okf-notes.s3.{region}.amazonaws.com"} | (
        {"okf-notes.s3.amazonaws.com"} if region == "us-east-1" else set()
    )
    assert {urlsplit(each).netloc for each in (url, given)} <= own
