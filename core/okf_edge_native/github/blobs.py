"""A repository on GitHub as a `BlobStore`: metadata on a branch of its own, archives as assets of releases.

Rules:
1. A file of the branch is written on condition of the sha of the blob that it replaces; GitHub refuses any other.
2. An archive is written once: each version of a bundle is a release, and each archive an asset under a name that its
   key makes. What an interrupted upload left is removed and sent again.
3. Who just wrote must see it: a listing that lags behind is completed by what was written here.
4. The repository is made private when it is made here; who can see one that is there is looked up.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from hashlib import sha1
from typing import Any
from urllib.parse import quote

from okf_edge.errors import InputError, NotFoundError, PreconditionError, TooLargeError, UnavailableError
from okf_edge.limits import LIMITS
from okf_edge.paths import require_relative
from okf_edge.ports import Audience, Blob, BlobStat
from okf_edge_native.github.api import BYTES, RAW, GithubApi, Repository, repository_of, understood
from okf_edge_native.github.naming import ASSETS, Place, key_of, place_of

BRANCH = "okf-feed"
_ABOUT = "A feed of knowledge bundles. Written by okf; follow it with `okf feed trust`.\n"
_PAGE_COUNT = 100


class GithubBlobs:
    """What a repository holds of a feed."""

    def __init__(self, address: str, api: GithubApi | None = None) -> None:
        self._repository = repository_of(address)
        if self._repository.ref:
            raise InputError(f"expected github:owner/repository, found a ref in {address!r}", code="bad-url")
        self._api = api or GithubApi()
        self._created: dict[str, Blob] = {}

    async def audience(self) -> Audience:
        """Who can read the repository now."""
        with understood():
            found = await self._api.call("GET", self._path)
            is_closed = found["private"] is True and found.get("visibility") != "internal"
        return "private" if is_closed else "public"

    async def prepare(self) -> None:
        """Make the repository, private, where there is none; and a first commit where it has none."""
        if await self._is_absent(self._path):
            with understood():
                await self._make_repository(self._repository)
        elif await self._is_absent(f"{self._path}/commits?per_page=1"):
            await self._write(self._path, "README.md", _ABOUT.encode(), "", "Begin")

    async def get(self, key: str, max_bytes: int) -> Blob:
        if require_relative(key).startswith(ASSETS):
            asset = await self._asset(place_of(key))
            if asset["size"] > max_bytes:
                raise TooLargeError(f"expected at most {max_bytes} bytes in {key!r}, found {asset['size']}")
            reply = await self._api.fetch(f"{self._path}/releases/assets/{asset['id']}", BYTES, max_bytes)
            return Blob(reply.data, str(asset["id"]))
        reply = await self._api.fetch(f"{self._path}/contents/{quote(key)}?ref={BRANCH}", RAW, max_bytes)
        if reply.headers.get("content-type", "").startswith("application/json"):
            raise NotFoundError(f"expected a blob {key!r}, found a folder")
        return Blob(reply.data, _version(reply.data))

    async def head(self, key: str) -> BlobStat:
        if require_relative(key).startswith(ASSETS):
            asset = await self._asset(place_of(key))
            return BlobStat(key, asset["size"], str(asset["id"]))
        blob = await self.get(key, LIMITS.feed_targets_bytes)
        return BlobStat(key, len(blob.data), blob.version)

    async def list(self, prefix: str) -> Sequence[BlobStat]:
        found = {} if prefix.startswith(ASSETS) else await self._files()
        if ASSETS.startswith(prefix) or prefix.startswith(ASSETS):
            found |= {stat.key: stat for stat in await self._assets()}
        for key, blob in self._created.items():
            found.setdefault(key, BlobStat(key, len(blob.data), blob.version))
        return [found[key] for key in sorted(found) if key.startswith(prefix)]

    async def put(self, key: str, data: bytes, *, if_version: str | None) -> str:
        if not require_relative(key).startswith(ASSETS):
            with understood():
                version = await self._put_file(key, data, if_version)
            if if_version is None:
                self._created[key] = Blob(data, version)
            return version
        if if_version is not None:
            raise PreconditionError(f"expected {key!r} to be new: an archive is written once")
        with understood():
            return await self._put_asset(place_of(key), data)

    # --- the branch --------------------------------------------------------------------------------------------------

    async def _files(self) -> dict[str, BlobStat]:
        with understood():
            return await self._listed_files()

    async def _listed_files(self) -> dict[str, BlobStat]:
        tree = f"{self._path}/git/trees/{BRANCH}?recursive=1"
        found = await self._api.call("GET", tree, None, 404, 409)  # no branch yet, or nothing in the repository at all
        if not isinstance(found, dict):
            return {}
        if found.get("truncated"):
            raise UnavailableError(
                f"expected a whole listing of {self._repository}, found it cut", code="github-refused"
            )
        blobs = (each for each in found["tree"] if each["type"] == "blob")
        return {each["path"]: BlobStat(each["path"], each["size"], each["sha"]) for each in blobs}

    async def _put_file(self, key: str, data: bytes, if_version: str | None) -> str:
        """Write on the branch. It takes one commit at a time, so that a refusal may be about another file's."""
        if if_version is not None and await self._version_of(key) != if_version:
            raise _lost(key)
        for _ in range(LIMITS.github_conflicts_count):
            status = await self._write(self._path, key, data, BRANCH, f"Write {key}", if_version)
            if status in (200, 201):
                return _version(data)
            if status == 404:
                await self._make_branch()
            elif await self._version_of(key) != if_version:
                raise _lost(key)
        raise UnavailableError(f"expected to write {key!r}, found others writing each time", hint="Try again.")

    async def _write(
        self, path: str, key: str, data: bytes, branch: str, message: str, sha: str | None = None
    ) -> int:  # fmt: skip
        body = {"message": message, "content": base64.b64encode(data).decode()}
        named = {"branch": branch, "sha": sha}
        expected = (200, 201, 404, 409, 422)
        whole = {**body, **{name: value for name, value in named.items() if value}}
        reply = await self._api.call("PUT", f"{path}/contents/{quote(key)}", whole, *expected)
        return int(reply.status)

    async def _version_of(self, key: str) -> str | None:
        try:
            return (await self.head(key)).version
        except NotFoundError:
            return None

    async def _make_branch(self) -> None:
        """A branch that shares nothing with the others: readers fetch the feed, not the rest."""
        file = {"path": "README.md", "mode": "100644", "type": "blob", "content": _ABOUT}
        tree = await self._api.call("POST", f"{self._path}/git/trees", {"tree": [file]})
        commit = {"message": "Begin a feed", "tree": tree["sha"], "parents": []}
        made = await self._api.call("POST", f"{self._path}/git/commits", commit)
        ref = {"ref": f"refs/heads/{BRANCH}", "sha": made["sha"]}
        await self._api.call("POST", f"{self._path}/git/refs", ref, 422)  # somebody else was first

    # --- releases ----------------------------------------------------------------------------------------------------

    async def _asset(self, place: Place) -> dict[str, Any]:
        with understood():
            return await self._found_asset(place)

    async def _found_asset(self, place: Place) -> dict[str, Any]:
        release = await self._release(place.tag)
        for asset in release["assets"] if release else ():
            if asset["name"] == place.name and asset["state"] == "uploaded":
                return dict(asset)
        raise NotFoundError(f"expected an archive {place.key!r} in {self._repository}, found none")

    async def _assets(self) -> Sequence[BlobStat]:
        with understood():
            return await self._listed_assets()

    async def _listed_assets(self) -> Sequence[BlobStat]:
        found = _stats(())
        for page in range(1, LIMITS.github_pages_count + 1):
            releases = await self._api.call(
                "GET", f"{self._path}/releases?per_page={_PAGE_COUNT}&page={page}", None, 404
            )
            if not isinstance(releases, list):
                break
            found += _stats(releases)
            if len(releases) < _PAGE_COUNT:
                break
        return found

    async def _release(self, tag: str) -> dict[str, Any] | None:
        found = await self._api.call("GET", f"{self._path}/releases/tags/{quote(tag, safe='')}", None, 404)
        return found if isinstance(found, dict) else None

    async def _put_asset(self, place: Place, data: bytes) -> str:
        for _ in range(LIMITS.github_conflicts_count):
            release = await self._release(place.tag) or await self._make_release(place)
            if release is None:
                continue  # somebody else made it just now
            for asset in release["assets"]:
                if asset["name"] == place.name:
                    if asset["state"] == "uploaded":
                        raise _lost(place.key)
                    await self._api.call("DELETE", f"{self._path}/releases/assets/{asset['id']}", None, 404)
            upload = f"{release['upload_url'].partition('{')[0]}?name={quote(place.name)}"
            reply = await self._api.upload(upload, data, 422)
            if reply.status != 422:
                return str((await self._asset(place))["id"])
        raise UnavailableError(f"expected to send {place.key!r}, found it refused each time", hint="Try again.")

    async def _make_release(self, place: Place) -> dict[str, Any] | None:
        body = {
            "tag_name": place.tag,
            "target_commitish": BRANCH,
            "name": place.title,
            "body": "Follow the feed to install it: its signatures are on the branch.",
            "prerelease": place.is_prerelease,
        }
        if not await self._files():
            await self._make_branch()
        made = await self._api.call("POST", f"{self._path}/releases", body, 422)
        return made if isinstance(made, dict) else None

    # --- the repository ----------------------------------------------------------------------------------------------

    @property
    def _path(self) -> str:
        return self._repository.path

    async def _is_absent(self, path: str) -> bool:
        return not isinstance(await self._api.call("GET", path, None, 404, 409), dict | list)

    async def _make_repository(self, wanted: Repository) -> None:
        login = (await self._api.call("GET", "/user"))["login"]
        place = "/user/repos" if login.casefold() == wanted.owner.casefold() else f"/orgs/{wanted.owner}/repos"
        body = {"name": wanted.name, "private": True, "auto_init": True, "description": _ABOUT.partition(".")[0]}
        await self._api.call("POST", place, body)


def _stats(releases: Iterable[dict[str, Any]]) -> list[BlobStat]:
    """The archives of a feed among the assets of releases; what others released is passed over."""
    pairs = ((release, asset) for release in releases if not release["draft"] for asset in release["assets"])
    named = ((key_of(release["tag_name"], asset["name"]), asset) for release, asset in pairs)
    return [BlobStat(key, each["size"], str(each["id"])) for key, each in named if key and each["state"] == "uploaded"]


def _version(data: bytes) -> str:
    """The name that git gives to these bytes."""
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _lost(key: str) -> PreconditionError:
    return PreconditionError(
        f"expected {key!r} as it was read, found that somebody wrote it first", hint="Read again and decide anew."
    )
