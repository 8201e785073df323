"""An archive to install from a repository on GitHub: what it released, else its files.

Without a ref the latest release counts, which is no draft and no prerelease; without releases the default branch. A
release with one bundle archive gives that one, any other its source archive.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from okf_edge.errors import InputError
from okf_edge.limits import LIMITS
from okf_edge_native.github.api import BYTES, JSON, GithubApi, Repository, repository_of, understood

_SUFFIX = ".okf.zip"


async def archive_at(address: str, api: GithubApi | None = None) -> bytes:
    """The bytes of the archive of `github:owner/name[@ref]`.

    Raises: NotFoundError: there is none that may be seen. InputError: several bundles to choose from.
        TooLargeError, UnavailableError.
    """
    repository = repository_of(address)
    with understood():
        return await _archive(api or GithubApi(), repository)


async def _archive(api: GithubApi, repository: Repository) -> bytes:
    release = await _release(api, repository)
    bundles = [each for each in release["assets"] if _is_bundle(each)] if release else []
    if len(bundles) > 1:
        raise InputError(
            f"expected one bundle in the release {release['tag_name']}, found {len(bundles)}",
            code="ambiguous-name",
            hint="Give the address of one archive.",
            issues=[each["browser_download_url"] for each in bundles],
        )
    if bundles:
        place = f"{repository.path}/releases/assets/{bundles[0]['id']}"
        return (await api.fetch(place, BYTES, LIMITS.archive_bytes)).data
    ref = repository.ref or (release["tag_name"] if release else "")
    place = f"{repository.path}/zipball" + (f"/{quote(ref)}" if ref else "")
    return (await api.fetch(place, JSON, LIMITS.archive_bytes)).data


async def _release(api: GithubApi, repository: Repository) -> Any:
    """The release of the ref, else the latest; None without one."""
    which = f"tags/{quote(repository.ref, safe='')}" if repository.ref else "latest"
    found = await api.call("GET", f"{repository.path}/releases/{which}", None, 404)
    return found if isinstance(found, dict) else None


def _is_bundle(asset: Any) -> bool:
    return bool(asset["state"] == "uploaded" and asset["name"].endswith(_SUFFIX))
