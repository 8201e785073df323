"""The tokens of this machine's server: `tokens.json` in the person's configuration, as hashes."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from okf_edge.errors import InputError, NotFoundError, UnavailableError
from okf_edge.okf.freshness import format_instant
from okf_edge.policy.authenticate import Grant, Token, digest_of, new_token
from okf_edge.policy.caller import SCOPES, scopes_of
from okf_edge.policy.rules import PathRules
from okf_edge.state import State, corrupt, decode_state, read_state, write_state
from okf_edge_native.disk import DiskTree
from okf_edge_native.failures import port_errors
from okf_edge_native.locks import changing
from okf_edge_native.places import config_place
from okf_edge_native.system import SystemClock, SystemEntropy

FILE = "tokens.json"
FORMAT = 1
OF_A_FILE = "token-file"
RESERVED = frozenset({"stdio", OF_A_FILE})
"""Names of callers that have no token of ours: who started `okf mcp`, and who has that of a file."""

MOST_BYTES = 4096
LEAST_CHARS = 32
"""Of a token that somebody chose: a random one of 24 bytes. A shorter one could be guessed."""


async def read_tokens() -> tuple[Token, ...]:
    """Raises: StateFileError: the file is corrupt, and was left as it is."""
    state = await read_state(DiskTree(config_place()), FILE, FORMAT)
    return () if state is None else _tokens(state)


def tokens_from(text: str) -> tuple[Token, ...]:
    """The tokens in the text of a token file that lies elsewhere. Raises StateFileError, NewerFormatError."""
    return _tokens(decode_state(FILE, text.encode(), FORMAT))


def _tokens(state: State) -> tuple[Token, ...]:
    try:
        return tuple(_decoded(entry) for entry in state["tokens"])
    except (KeyError, TypeError, ValueError, AttributeError, InputError) as error:
        raise corrupt(FILE, f"has a token that can't be used ({error})") from error


async def create(grant: Grant) -> tuple[str, Token]:
    """A new token as its holder gets it, and as it is kept. Raises InputError: the name is taken."""
    if grant.name in RESERVED:
        raise InputError(f"{grant.name} is the name of other callers in the log", code="bad-name", hint="Take another.")
    with changing(FILE):
        kept = await read_tokens()
        shown, token = new_token(grant, kept, SystemEntropy(), SystemClock().now())
        await _write([*kept, token])
    return shown, token


async def revoke(name: str) -> Token:
    """Raises NotFoundError: there is no token of that name."""
    with changing(FILE):  # a revocation that another change overwrote would not hold
        kept = await read_tokens()
        found = next((token for token in kept if token.name == name), None)
        if found is None:
            names = ", ".join(token.name for token in kept) or "none"
            raise NotFoundError(f"there is no token named {name!r}", code="no-token", hint=f"There are: {names}.")
        revoked = replace(found, revoked=found.revoked or format_instant(SystemClock().now()))
        await _write([revoked if token is found else token for token in kept])
    return revoked


def token_in(path: str, now: datetime) -> Token:
    """The token that a file holds in plain. Raises InputError, UnavailableError: others can read it."""
    with port_errors(path), open(path, "rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        text = file.read(MOST_BYTES).decode("utf-8", "replace").strip()
    if os.name != "nt" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UnavailableError(
            f"expected a token file that only its owner can read, found {path}", code="token-exposed", hint="chmod 600."
        )
    if len(text) < LEAST_CHARS or len(text.split()) != 1:
        raise InputError(
            f"expected one token of at least {LEAST_CHARS} characters in {path}",
            code="bad-token",
            hint="Make one: `okf token create NAME`.",
        )
    return Token(OF_A_FILE, "", digest_of(text), frozenset(SCOPES), format_instant(now))


async def _write(tokens: Sequence[Token]) -> None:
    place = config_place()
    await write_state(DiskTree(place), FILE, {"format": FORMAT, "tokens": [_encoded(each) for each in tokens]})
    os.chmod(f"{place}/{FILE}", stat.S_IRUSR | stat.S_IWUSR)


def _encoded(token: Token) -> State:
    return {
        "name": token.name,
        "id": token.id,
        "sha256": token.digest,
        "scopes": sorted(token.scopes),
        "bases": None if token.bases is None else sorted(token.bases),
        "allow": None if token.rules.allow is None else list(token.rules.allow),
        "deny": list(token.rules.deny),
        "created": token.created,
        "expires": token.expires,
        "revoked": token.revoked,
    }


def _decoded(entry: Any) -> Token:
    bases, allow = entry["bases"], entry["allow"]
    texts = [entry[name] for name in ("name", "id", "sha256", "created", "expires", "revoked")]
    if not all(isinstance(text, str) for text in [*texts, *entry["deny"], *(allow or ()), *(bases or ())]):
        raise ValueError("a field is no text")
    return Token(
        entry["name"],
        entry["id"],
        entry["sha256"],
        scopes_of(entry["scopes"]),
        entry["created"],
        None if bases is None else frozenset(bases),
        PathRules(None if allow is None else tuple(allow), tuple(entry["deny"])),
        entry["expires"],
        entry["revoked"],
    )
