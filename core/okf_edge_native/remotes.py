"""The services that a person uses, by name: `remotes.json` in their configuration, and a token each.

Rules:
1. A token lies in a file of its own that only its owner can read; one that others can read is refused. It is never
   shown, and sent to the address that it was given for only.
2. A service with a token is reached by https, or on this machine.
3. A name never changes its address unasked.
"""

from __future__ import annotations

import ipaddress
import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from okf_edge.errors import AlreadyExistsError, InputError, NotFoundError, UnavailableError
from okf_edge.feed.names import SERVED
from okf_edge.state import State, corrupt, read_state, write_state
from okf_edge_native.disk import DiskTree
from okf_edge_native.failures import port_errors
from okf_edge_native.places import config_place

FILE = "remotes.json"
FORMAT = 1
MOST_BYTES = 4096

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_SECRETS = "remote-tokens"


@dataclass(frozen=True, slots=True)
class Remote:
    """A service: its name here, and its address without a slash at the end."""

    name: str
    url: str


async def remotes() -> dict[str, Remote]:
    """All services by name. Raises StateFileError: the file is corrupt, and was left as it is."""
    listed = (await _state()).get("remotes", {})
    if not isinstance(listed, dict):
        raise corrupt(FILE, f"has remotes {type(listed).__name__}, expected an object")
    return {name: _remote(name, entry) for name, entry in sorted(listed.items())}


async def named(name: str) -> Remote:
    """Raises NotFoundError (`no-remote`)."""
    known = await remotes()
    if name not in known:
        raise NotFoundError(
            f"no service is called {name!r}",
            code="no-remote",
            hint=f"There are: {', '.join(known)}." if known else "Add one: `okf remote add URL`.",
        )
    return known[name]


async def add(remote: Remote, token: str) -> None:
    """Keep a service, and a token in place of the one that it had. Raises AlreadyExistsError: the name is taken."""
    known = (await remotes()).get(remote.name, remote)
    if known.url != remote.url:
        raise AlreadyExistsError(
            f"{remote.name} stands for {known.url}, not for {remote.url}",
            code="remote-elsewhere",
            hint="Give it another name with --name, or remove that one: `okf remote remove`.",
        )
    if token:
        _keep_token(remote.name, token)
    state = await _state()
    entries = {**state.get("remotes", {}), remote.name: {"url": remote.url}}
    await write_state(DiskTree(config_place()), FILE, {**state, "format": FORMAT, "remotes": entries})


async def remove(name: str) -> Remote:
    """Forget a service and its token."""
    remote = await named(name)
    with suppress(NotFoundError), port_errors(_token_path(name)):
        os.unlink(_token_path(name))
    state = await _state()
    entries = {each: entry for each, entry in state["remotes"].items() if each != name}
    await write_state(DiskTree(config_place()), FILE, {**state, "remotes": entries})
    return remote


def has_token(remote: Remote) -> bool:
    return os.path.isfile(_token_path(remote.name))


async def at(url: str) -> Remote | None:
    """The service that an address belongs to."""
    found = (each for each in (await remotes()).values() if url == each.url or url.startswith(f"{each.url}/"))
    return next(found, None)


async def authorization_for(url: str) -> str:
    """What to send to an address: the token that was given for it. Empty where there is none."""
    remote = await at(url)
    token = _read_token(remote.name) if remote else ""
    return f"Bearer {token}" if token else ""


def address_of(text: str) -> str:
    """The address of a service as it is kept. Raises InputError: none that a token may be sent to."""
    try:
        parts = urlsplit(text.strip())
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError as error:
        raise InputError(f"expected the URL of a service, found none ({error})", code="bad-url") from error
    if parts.scheme not in ("https", "http") or not host or parts.username or parts.query or parts.fragment:
        raise InputError(
            "expected the URL of a service such as https://example.org, without user, password or query", code="bad-url"
        )
    if parts.scheme == "http" and not _is_here(host):
        raise InputError(f"expected an https URL, found http for {host}", code="bad-url", hint="A token would be seen.")
    shown = f"[{host}]" if ":" in host else host
    path = parts.path.rstrip("/").removesuffix(SERVED)
    return f"{parts.scheme}://{shown}{f':{port}' if port else ''}{path}"


def name_of(url: str, wanted: str = "") -> str:
    """The name wanted, else one made of the address. Raises InputError: a bad name."""
    name = wanted or re.sub(r"[^a-z0-9-]", "-", (urlsplit(url).hostname or "").split(".")[0])
    if not _NAME.fullmatch(name):
        raise InputError(
            f"expected a name of up to 64 of a-z, 0-9, - and _, found {name!r}",
            code="bad-name",
            hint="Give one: --name.",
        )
    return name


def checked_token(text: str) -> str:
    """The token in a text. Raises InputError: it can't be one; the text is never part of the error."""
    token = text.strip()
    if (
        not token
        or len(token.split()) != 1
        or len(token) > MOST_BYTES
        or not token.isascii()
        or not token.isprintable()
    ):
        raise InputError(
            "expected one token, found something else", code="bad-token", hint="Give it as its owner handed it out."
        )
    return token


def _read_token(name: str) -> str:
    path = _token_path(name)
    try:
        with port_errors(path), open(path, "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read(MOST_BYTES + 1).decode("utf-8", "replace")
    except NotFoundError:
        return ""
    if os.name != "nt" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UnavailableError(
            f"expected a token that only its owner can read, found {path}",
            code="token-exposed",
            hint="If nobody took it: chmod 600. If somebody may have: have it revoked.",
        )
    return checked_token(text)


def _keep_token(name: str, token: str) -> None:
    path = _token_path(name)
    fresh = f"{path}.new"
    with port_errors(path):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with suppress(FileNotFoundError):  # of a run that was killed
            os.unlink(fresh)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(f"{token}\n")
        os.replace(fresh, path)


def _token_path(name: str) -> str:
    return f"{config_place()}/{_SECRETS}/{name}"


async def _state() -> State:
    return await read_state(DiskTree(config_place()), FILE, FORMAT) or {}


def _remote(name: str, entry: object) -> Remote:
    url = entry.get("url") if isinstance(entry, dict) else None
    try:
        if not isinstance(url, str) or not _NAME.fullmatch(name) or address_of(url) != url:
            raise InputError("no name and address of a service")
    except InputError as error:
        raise corrupt(FILE, f"has an entry that can't be used: {name!r}") from error
    return Remote(name, url)


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
