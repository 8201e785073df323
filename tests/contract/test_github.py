"""A repository on GitHub as a feed's store, and as a source of archives: over a stand-in written from its API."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy

import pytest

from feed_kit import ARCHIVE, VERIFIER, Simulator, release
from github_stand_in import TOKEN, Asset, Release, StandIn, standing_in
from okf_edge.contracts import BlobStoreContract, clauses
from okf_edge.contracts.blob_store import SEED
from okf_edge.errors import InputError, NotFoundError, OkfError, PreconditionError, TooLargeError, UnavailableError
from okf_edge.feed import publish
from okf_edge.feed.client import Feed, refresh, trust
from okf_edge.feed.kept import Kept
from okf_edge.feed.writer import require_conditions
from okf_edge.inmemory import MemoryTree
from okf_edge_native.github.api import GithubApi, repository_of
from okf_edge_native.github.archives import archive_at
from okf_edge_native.github.blobs import BRANCH, GithubBlobs
from okf_edge_native.github.naming import key_of, place_of

FEED = "github:ada/feed"


@pytest.fixture
def github() -> Iterator[StandIn]:
    with standing_in() as state:
        yield state


def store_at(github: StandIn, address: str = FEED, token: str = TOKEN) -> GithubBlobs:
    return GithubBlobs(address, GithubApi(github.api, token))


@pytest.fixture
async def store(github: StandIn) -> GithubBlobs:
    github.repo("ada/feed")
    store = store_at(github)
    for key, data in SEED.items():
        await store.put(key, data, if_version=None)
    return store


@pytest.mark.parametrize("clause", clauses(BlobStoreContract))
async def test_the_contract_is_kept(clause: str, store: GithubBlobs) -> None:
    keys = ["README.md"]
    listed = store.list

    async def without_readme(prefix: str):
        return [each for each in await listed(prefix) if each.key not in keys]

    store.list = without_readme  # type: ignore[method-assign]
    await getattr(BlobStoreContract(), clause)(store)


# --- who reads it ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "audience"),
    [({"private": True}, "private"), ({"private": False}, "public"),
     ({"private": True, "visibility": "internal"}, "public")],
)  # fmt: skip
async def test_who_can_read_is_looked_up(github: StandIn, options: dict, audience: str) -> None:
    github.repo("ada/feed", **options)
    assert await store_at(github).audience() == audience


@pytest.mark.parametrize("name", ["ada/feed", "harbour/feed"], ids=["own", "of an organisation"])
async def test_a_repository_that_is_made_is_private(github: StandIn, name: str) -> None:
    store = store_at(github, f"github:{name}")
    await store.prepare()
    assert github.repos[name].private
    await store.prepare()
    await store.put("a.json", b"x", if_version=None)


async def test_a_repository_without_a_commit_takes_a_feed(github: StandIn) -> None:
    github.repo("ada/feed").branches.clear()
    store = store_at(github)
    await store.prepare()
    await store.put("metadata/1.root.json", b"x", if_version=None)
    await store.put("targets/ada.x/y.okf.zip", b"x", if_version=None)
    assert [each.key for each in await store.list("metadata/")] == ["metadata/1.root.json"]


async def test_the_branch_of_a_feed_shares_nothing_with_the_others(store: GithubBlobs, github: StandIn) -> None:
    assert set(github.repos["ada/feed"].branches["main"]) == {"README.md"}
    assert "a.json" in github.repos["ada/feed"].branches[BRANCH]


async def test_a_private_repository_is_not_found_without_a_token_and_that_is_explained(github: StandIn) -> None:
    github.repo("ada/feed")
    with pytest.raises(NotFoundError) as caught:
        await store_at(github, token="").get("a.json", 10)
    assert "GH_TOKEN" in caught.value.hint


async def test_a_public_repository_is_read_without_a_token(store: GithubBlobs, github: StandIn) -> None:
    github.repos["ada/feed"].private = False
    reader = store_at(github, token="")
    for key, data in SEED.items():
        assert (await reader.get(key, 10)).data == data
    with pytest.raises(UnavailableError) as caught:
        await reader.put("b.json", b"x", if_version=None)
    assert caught.value.code == "github-refused"


# --- the token -------------------------------------------------------------------------------------------------------


async def test_the_token_never_reaches_the_host_that_archives_come_from(store: GithubBlobs, github: StandIn) -> None:
    github.seen.clear()
    assert (await store.get("targets/acme/a b.zip", 10)).data == b"12345"
    sent = {(each.host, bool(each.authorization)) for each in github.seen}
    assert sent == {("127.0.0.1", True), ("localhost", False)}


async def test_the_token_is_part_of_no_error_and_no_representation(github: StandIn) -> None:
    for status in (401, 403, 500):
        github.limits.append((status, {}))
        with pytest.raises(OkfError) as caught:
            await store_at(github).get("a.json", 10)
        assert TOKEN not in f"{caught.value!r} {caught.value.message} {caught.value.hint} {caught.value.__cause__!r}"


@pytest.mark.parametrize(
    "url", ["http://evil.example/upload", "https://uploads.github.com.evil.example/x", "file:///x"]
)
async def test_archives_are_sent_to_hosts_of_github_only(url: str) -> None:
    for base in ("https://api.github.com", "https://github.example.org/api/v3"):
        with pytest.raises(UnavailableError) as caught:
            await GithubApi(base, TOKEN).upload(url, b"x")
        assert caught.value.code == "redirect-refused"


def test_the_token_crosses_no_network_in_the_clear() -> None:
    assert GithubApi("http://github.example.org/api/v3", TOKEN).token == ""


def test_the_token_comes_from_the_environment_then_from_gh(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    gh = tmp_path / "gh"
    gh.write_text('#!/bin/sh\n[ "$1 $2" = "auth token" ] && echo from-gh\n')
    gh.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    for name in ("GH_TOKEN", "GITHUB_TOKEN", "OKF_GITHUB_API"):
        monkeypatch.delenv(name, raising=False)
    assert GithubApi().token == "from-gh"
    monkeypatch.setenv("GITHUB_TOKEN", "from-environment")
    assert GithubApi().token == "from-environment"
    gh.write_text("#!/bin/sh\nexit 4\n")
    monkeypatch.delenv("GITHUB_TOKEN")
    assert GithubApi().token == ""


# --- limits, races, interruptions ------------------------------------------------------------------------------------


async def test_a_short_limit_is_waited_for(store: GithubBlobs, github: StandIn) -> None:
    github.limits += [(429, {"Retry-After": "0"}), (403, {"Retry-After": "0"})]
    assert (await store.get("a.json", 10)).data == b"{}"


@pytest.mark.parametrize(
    "headers",
    [{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "99999999999"}, {"Retry-After": "3600"},
     {"X-RateLimit-Remaining": "0"}],
)  # fmt: skip
async def test_a_long_limit_is_told_with_its_end(github: StandIn, headers: dict[str, str]) -> None:
    github.limits.append((403, headers))
    with pytest.raises(UnavailableError) as caught:
        await store_at(github).get("a.json", 10)
    assert caught.value.code == "rate-limited"


async def test_a_refusal_because_of_another_file_is_tried_again(store: GithubBlobs, github: StandIn) -> None:
    github.busy = 3
    await store.put("b.json", b"x", if_version=None)
    assert (await store.get("b.json", 10)).data == b"x"


async def test_a_branch_that_is_busy_for_ever_is_told(store: GithubBlobs, github: StandIn) -> None:
    github.busy = 1_000
    with pytest.raises(UnavailableError):
        await store.put("b.json", b"x", if_version=None)


async def test_a_write_shows_in_a_listing_that_lags_behind(store: GithubBlobs, github: StandIn) -> None:
    github.lag.add("metadata/2.ada.json")
    await store.put("metadata/2.ada.json", b"x", if_version=None)
    assert [each.key for each in await store.list("metadata/")] == ["metadata/2.ada.json"]
    assert await store_at(github).list("metadata/") == []


async def test_what_an_interrupted_upload_left_is_sent_again(store: GithubBlobs, github: StandIn) -> None:
    place = place_of("targets/ada.x/y.okf.zip")
    github.repos["ada/feed"].releases.append(
        Release(900, place.tag, assets=[Asset(901, place.name, b"", state="starter")])
    )
    with pytest.raises(NotFoundError):
        await store.get(place.key, 10)
    await store.put(place.key, b"whole", if_version=None)
    assert (await store.get(place.key, 10)).data == b"whole"
    with pytest.raises(PreconditionError):
        await store.put(place.key, b"other", if_version=None)


async def test_an_archive_beyond_the_limit_is_not_fetched(store: GithubBlobs, github: StandIn) -> None:
    github.seen.clear()
    with pytest.raises(TooLargeError):
        await store.get("targets/acme/a b.zip", 4)
    assert {each.host for each in github.seen} == {"127.0.0.1"}


# --- a whole feed ----------------------------------------------------------------------------------------------------


async def started(github: StandIn) -> Simulator:
    github.repo("ada/feed")
    simulator = Simulator()
    simulator.store = store_at(github)  # type: ignore[assignment]
    simulator.pin = await publish.create_feed(simulator.writer, 1, 1, simulator.now)
    ada = await simulator.keyring.create()
    await publish.add_creator(simulator.writer, "ada", [ada.public_key], simulator.now)
    return simulator


async def test_a_feed_on_github_is_published_to_and_followed(github: StandIn) -> None:
    simulator = await started(github)
    await simulator.publish("1.0.0")
    assert (await simulator.publish("1.1.0-rc.1+build.7")).outcome == "done"
    feed = Feed(store_at(github), Kept(MemoryTree(), simulator.pin), VERIFIER)
    await trust(feed, simulator.now)
    trusted = await refresh(feed, simulator.now)
    assert {path.rpartition("-")[0] for path in trusted.creators["ada"].targets} == {
        "ada.harbour/ada.harbour",
        "ada.harbour/ada.harbour-1.1.0",
    }
    for version in ("1.0.0", "1.1.0-rc.1+build.7"):
        assert (await feed.store.get(release(version=version).key, 100)).data == ARCHIVE
    flags = {each.title: each.prerelease for each in github.repos["ada/feed"].releases}
    assert flags == {"ada.harbour-1.0.0": False, "ada.harbour-1.1.0-rc.1+build.7": True}
    github.seen.clear()
    await refresh(feed, simulator.now)
    assert len(github.seen) == 2, "a check without news costs the timestamp and a look for a root"


async def test_two_publishers_on_github_lose_nothing(github: StandIn) -> None:
    simulator = await started(github)
    wanted = [("ada.harbour", "1.2.0"), ("ada.harbour", "1.2.1"), ("ada.locks", "1.0.0")]
    writers = [simulator.writer._replace(store=store_at(github)) for _ in wanted]
    works = (
        publish.publish(w, release(*each), ARCHIVE, simulator.now) for w, each in zip(writers, wanted, strict=True)
    )
    await asyncio.gather(*works)
    feed = Feed(store_at(github), Kept(MemoryTree(), simulator.pin), VERIFIER)
    await trust(feed, simulator.now)
    listed = {path for targets in (await refresh(feed, simulator.now)).creators.values() for path in targets.targets}
    assert listed == {release(*each).path for each in wanted}


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)], ids=["sample", "whole"])
@pytest.mark.parametrize("does", [False, True], ids=["not-done", "answer-lost"])
async def test_a_publication_that_fails_at_any_request_is_finished_by_the_next(
    github: StandIn, does: bool, step: int
) -> None:
    simulator = await started(github)
    await simulator.publish("1.0.0")
    before = deepcopy(github.repos)
    github.does_before_failing = does
    at = 1
    while True:
        github.repos = deepcopy(before)
        feed = Feed(store_at(github), Kept(MemoryTree(), simulator.pin), VERIFIER)
        await trust(feed, simulator.now)
        simulator.store = store_at(github)  # type: ignore[assignment]
        start = len(github.seen)
        github.fails_at = start + at
        with suppress(OkfError):
            await simulator.publish("2.0.0")
        is_beyond = len(github.seen) - start < at
        github.fails_at = 0
        assert release(version="1.0.0").path in (await refresh(feed, simulator.now)).creators["ada"].targets
        simulator.store = store_at(github)  # type: ignore[assignment]
        await simulator.publish("2.0.0")
        assert release(version="2.0.0").path in (await refresh(feed, simulator.now)).creators["ada"].targets, at
        if is_beyond:
            break
        at += step
    assert at > 12


async def test_the_store_keeps_conditions(store: GithubBlobs) -> None:
    await require_conditions(store)
    await require_conditions(store)


@pytest.mark.parametrize(
    "answer", [b"<html>", b"[]", b"{}", b'{"tree": [1]}', b'{"private": "no"}', b'[{"assets": 1}]']
)
async def test_an_answer_of_another_form_is_an_outage_not_a_defect(store: GithubBlobs, github: StandIn, answer: bytes):
    github.answers = answer
    with suppress(OkfError):
        await store.audience()
    for work in (store.list(""), store.get("targets/a/b.zip", 10), store.put("targets/a/c.zip", b"x", if_version=None)):
        with suppress(OkfError):
            await work
    with suppress(OkfError):
        await archive_at("github:ada/feed", GithubApi(github.api, TOKEN))


# --- archives to install ---------------------------------------------------------------------------------------------


def source_archive() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("ada-notes-1a2b3c4/README.md", "# Notes\n")
    return packed.getvalue()


async def test_without_releases_the_files_of_the_default_branch_come(github: StandIn) -> None:
    github.repo("ada/notes").zipballs[""] = source_archive()
    github.seen.clear()
    assert await archive_at("github:ada/notes", GithubApi(github.api, TOKEN)) == source_archive()
    assert [each.host for each in github.seen if not each.authorization] == ["localhost"]


async def test_the_latest_release_is_no_draft_and_no_prerelease(github: StandIn) -> None:
    repo = github.repo("ada/notes")
    names = [("v1", False, False), ("v2-rc", False, True), ("v3", True, False)]
    for number, (tag, draft, early) in enumerate(names):
        asset = Asset(10 + number, f"ada.notes-{tag}.okf.zip", tag.encode())
        repo.releases.append(Release(number, tag, draft=draft, prerelease=early, assets=[asset]))
    api = GithubApi(github.api, TOKEN)
    assert await archive_at("github:ada/notes", api) == b"v1"
    assert await archive_at("github:ada/notes@v2-rc", api) == b"v2-rc"
    with pytest.raises(NotFoundError):
        await archive_at("github:ada/notes@v3", api)


async def test_a_release_without_a_bundle_gives_its_source(github: StandIn) -> None:
    repo = github.repo("ada/notes")
    repo.releases.append(
        Release(1, "v1", assets=[Asset(2, "tool.tar.gz", b"x"), Asset(3, "a.okf.zip", b"", "starter")])
    )
    repo.zipballs["v1"] = source_archive()
    assert await archive_at("github:ada/notes", GithubApi(github.api, TOKEN)) == source_archive()


async def test_of_several_bundles_none_is_guessed(github: StandIn) -> None:
    assets = [Asset(2, "a.okf.zip", b"x"), Asset(3, "b.okf.zip", b"x")]
    github.repo("ada/notes").releases.append(Release(1, "v1", assets=assets))
    with pytest.raises(InputError) as caught:
        await archive_at("github:ada/notes", GithubApi(github.api, TOKEN))
    assert len(caught.value.issues) == 2


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "key",
    [
        "targets/ada.x/" + "a" * 64 + ".ada.x-1.0.0-rc.1+b_7.okf.zip",
        "targets/acme/会议.zip",
        "targets/a/.x.",
        "targets/a/_41",
    ],
)
def test_a_key_comes_back_from_tag_and_asset(key: str) -> None:
    place = place_of(key)
    assert key_of(place.tag, place.name) == key
    assert place.name.isascii()


@pytest.mark.parametrize(("tag", "name"), [("v1", "tool.zip"), ("a/b", "x.zip"), ("a/b/c", "b.okf.zip"), ("", "")])
def test_what_others_released_is_no_key(tag: str, name: str) -> None:
    assert key_of(tag, name) == ""


@pytest.mark.parametrize(
    "address", ["github:ada", "github:ada/../x", "github:ada/..", "github:-x/y", "github:a/b/c", "github:"]
)
def test_what_names_no_repository_is_refused(address: str) -> None:
    with pytest.raises(InputError):
        repository_of(address)


def test_addresses_of_repositories_are_read() -> None:
    assert str(repository_of("github:ada/feed.git")) == "ada/feed"
    assert repository_of("github://ada/feed@v1/x").ref == "v1/x"
