"""`okf feed init`, `key`, `add-creator`, `rotate`, `status` and `refresh`: what a feed's owner does."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Iterable, Iterator
from typing import Any

from okf_edge.app.publishing import let_in
from okf_edge.feed import publish as feeds
from okf_edge.feed.holding import Holding, held_by
from okf_edge.feed.keys import SslibVerifier, key_id, public_key_from, public_keys, role_of
from okf_edge.feed.metadata import Signed
from okf_edge.feed.names import TARGETS, TOP_LEVEL
from okf_edge.feed.publish import Change
from okf_edge.feed.trusted import creators_of
from okf_edge.feed.writer import Writer
from okf_edge_cli import session
from okf_edge_cli.commands import DONE
from okf_edge_cli.keys import keyring
from okf_edge_cli.publishing import change_json, change_lines
from okf_edge_cli.screen import Line, bold, dim, good, line, wary
from okf_edge_native.compose import feed_address, open_store, prepare_store, store_address
from okf_edge_native.system import SystemClock


def init(feed: str, keys: int, threshold: int, keys_folder: str, passphrase: bool, as_json: bool) -> int:
    async def job() -> str:
        writer = _writer(feed, keys_folder, passphrase)
        await prepare_store(writer.store)
        return await feeds.create_feed(writer, keys, threshold, _now())

    pin = asyncio.run(job())
    lines = [
        line(good("made a feed "), "at ", bold(feed)),
        line(f"  root sha256:{pin}"),
        line(dim("  tell this digest to those who follow it; keep the offline keys somewhere else")),
        line(
            dim(f"  next: okf feed add-creator {shlex.quote(feed)} NAME, then okf publish … --to {shlex.quote(feed)}")
        ),
    ]
    session.print_result({"feed": store_address(feed), "root": f"sha256:{pin}"}, lines, as_json)
    return DONE


def key(passphrase: bool, as_json: bool) -> int:
    signer = asyncio.run(keyring(passphrase=passphrase).create())
    public = signer.public_key.hex()
    lines = [
        line(good("made a key "), bold(public)),
        line(dim("  give this to the feed's owner: it is the public half")),
    ]
    session.print_result({"public_key": public, "key_id": key_id(signer.public_key)}, lines, as_json)
    return DONE


def add_creator(
    feed: str, creator: str, public_key: str, keys_folder: str, passphrase: bool, as_json: bool
) -> int:  # fmt: skip
    async def job() -> Change:
        writer = _writer(feed, keys_folder, passphrase)
        keys = [await _key(writer, public_key)]
        return await let_in(writer, creator, keys, _now())

    return _show(f"{creator} may publish {creator}.*", asyncio.run(job()), as_json)


def rotate(
    feed: str, role: str, public_key: str, known_good: int, keys_folder: str, passphrase: bool, as_json: bool
) -> int:
    async def job() -> Change:
        writer = _writer(feed, keys_folder, passphrase)
        keys = [await _key(writer, public_key, offline=role in ("root", TARGETS))]
        return await feeds.rotate(writer, role, keys, _now(), known_good)

    return _show(f"{role} has another key", asyncio.run(job()), as_json)


def refresh(feed: str, keys_folder: str, as_json: bool) -> int:
    async def job() -> Change:
        return await feeds.refresh_feed(_writer(await feed_address(feed), keys_folder), _now())

    return _show("the feed is current", asyncio.run(job()), as_json)


def status(feed: str, as_json: bool) -> int:
    async def job() -> tuple[Holding, str]:
        writer = _writer(feed)
        return await held_by(writer.store, writer.verifier), await feeds.pin_of(writer)

    holding, pin = asyncio.run(job())
    value = {
        "root": f"sha256:{pin}",
        "roles": list(_roles(holding)),
        "bundles": len({each.id for each in feeds.released(holding)}),
        "releases": len(feeds.released(holding)),
    }
    session.print_result(value, _status_lines(value), as_json)
    return DONE


def _writer(feed: str, keys_folder: str = "", passphrase: bool = False) -> Writer:
    return Writer(open_store(store_address(feed)), keyring(keys_folder, passphrase), SslibVerifier())


async def _key(writer: Writer, public_key: str, *, offline: bool = False) -> bytes:
    return public_key_from(public_key) if public_key else (await writer.keyring.create(offline=offline)).public_key


def _now() -> Any:
    return SystemClock().now()


def _show(what: str, change: Change, as_json: bool) -> int:
    session.print_result(change_json(change), [line(good(what)), *change_lines(change)], as_json)
    return DONE


def _roles(holding: Holding) -> Iterator[dict[str, Any]]:
    root, targets = holding.root.signed, holding.targets.signed if holding.targets else None
    present: dict[str, Signed | None] = {
        "root": root, "targets": targets, "snapshot": holding.snapshot, "timestamp": holding.timestamp,
    }  # fmt: skip
    for role in TOP_LEVEL:
        yield _role(role, present[role], public_keys(root, role).values(), role_of(root, role).threshold)
    for creator in creators_of(targets) if targets else ():
        held = holding.creators.get(creator)
        assert targets is not None
        yield _role(creator, held.signed if held else None, public_keys(targets, creator).values(), 1)


def _role(role: str, signed: Signed | None, keys: Iterable[bytes], threshold: int) -> dict[str, Any]:
    return {
        "role": role,
        "version": signed.version if signed else 0,
        "expires": signed.expires.isoformat().replace("+00:00", "Z") if signed else "",
        "threshold": threshold,
        "keys": [key.hex() for key in keys],
    }


def _status_lines(value: dict[str, Any]) -> Iterator[Line]:
    yield line(bold("root "), value["root"])
    for role in value["roles"]:
        state = f"version {role['version']}, valid until {role['expires']}" if role["version"] else "nothing signed yet"
        yield line(f"  {role['role']:<12} ", state if role["version"] else wary(state))
        yield line(
            dim(f"    {role['threshold']} of {len(role['keys'])}: {', '.join(key[:16] for key in role['keys'])}")
        )
    yield line(f"releases: {value['releases']}, bundles: {value['bundles']}")
