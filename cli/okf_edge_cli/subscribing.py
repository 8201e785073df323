"""`okf feed trust`, `feed list`, `search-feed`, `install --feed`, `check-updates`, `update` and `rollback`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from okf_edge.app import Okf
from okf_edge.app.shown import bundle_json, catalogue_json, installation_json, standing_json, subscription_json
from okf_edge.app.subscribing import Catalogue, Standing
from okf_edge.bundles.install import Installation, InstallOptions
from okf_edge.errors import InputError
from okf_edge.feed.names import SERVED
from okf_edge.feed.subscriptions import Subscription
from okf_edge_cli import session
from okf_edge_cli.bundling import install_lines
from okf_edge_cli.commands import DONE, REFUSED
from okf_edge_cli.parser import ANY
from okf_edge_cli.screen import Line, bad, bold, dim, good, line, wary
from okf_edge_native.compose import feed_address, is_web
from okf_edge_native.github import GITHUB
from okf_edge_native.remotes import name_of


def trust(url: str, root: str, name: str, folder: str | None, as_json: bool) -> int:
    async def job(okf: Okf) -> Subscription:
        address = await feed_address(url)
        return await okf.feeds.trust(address, root, name or _name_for(address))

    found = session.run(job, folder, as_json)
    lines = [line(good("following "), bold(found.name), f": {found.url}"), line(dim(f"  root sha256:{found.root}"))]
    if not root:
        lines.append(line(wary("  note: "), "the root was taken as found; compare the digest with what its owner says"))
    session.print_result(subscription_json(found, True), lines, as_json)
    return DONE


def list_feeds(folder: str | None, as_json: bool) -> int:
    found = session.run(lambda okf: okf.feeds.followed(), folder, as_json)
    session.print_result({"feeds": [subscription_json(*each) for each in found]}, _feed_lines(found), as_json)
    return DONE


def search_feed(words: Sequence[str], feed: str, folder: str | None, as_json: bool) -> int:
    found = session.run(lambda okf: okf.feeds.search(words, feed), folder, as_json)
    session.print_result(catalogue_json(found), _search_lines(found), as_json)
    return DONE


def install_from_feed(wanted: str, feed: str, options: InstallOptions, folder: str | None, as_json: bool) -> int:
    """`okf install ID[@RANGE] --feed [NAME, URL or folder]`."""

    async def job(okf: Okf) -> tuple[Sequence[Installation], str]:
        if not _is_address(feed):
            return await okf.feeds.install(wanted, "" if feed == ANY else feed, options), ""
        followed, note = await _followed(okf, await feed_address(feed))
        return await okf.feeds.install(wanted, followed.name, options), note

    done, note = session.run(job, folder, as_json)
    last = installation_json(done[-1])
    value = {**last, "notes": [*last["notes"], *filter(None, [note])]}
    needed = [bundle_json(each.bundle) for each in done[:-1]]
    notes = [line(wary("  note: "), note)] if note else []
    session.print_result({**value, "needed": needed}, [*_install_lines(done), *notes], as_json)
    return DONE


def _is_address(feed: str) -> bool:
    """Whether it says where a feed is, and not what one is called here: no name holds a slash or a colon."""
    return feed.startswith(GITHUB) or any(mark in feed for mark in {"/", os.sep})


def _name_for(address: str) -> str:
    """The name of a service's feed is that of its host; any other feed is named by its address."""
    return name_of(address) if is_web(address) and address.endswith(SERVED) else ""


async def _followed(okf: Okf, address: str) -> tuple[Subscription, str]:
    """The feed at an address; one that is not followed yet is from now on, and what to say about that."""
    for each, confirmed in await okf.feeds.followed():
        if each.url == address and confirmed:
            return each, ""
    found = await okf.feeds.trust(address, name=_name_for(address))
    return found, f"following {found.name} from now on; its root was taken as found: sha256:{found.root}"


def check_updates(folder: str | None, as_json: bool) -> int:
    found = session.run(lambda okf: okf.feeds.check_updates(), folder, as_json)
    session.print_result({"bundles": [standing_json(each) for each in found]}, _standing_lines(found), as_json)
    return REFUSED if any(each.trouble for each in found) else DONE


def update(
    bundle_ids: Sequence[str],
    everything: bool,
    folder: str | None,
    force: bool,
    accept_risks: bool,
    accept_nonconformant: bool,
    as_json: bool,
) -> int:
    if everything == bool(bundle_ids):
        raise InputError(
            "expected ids of bundles or --all", code="usage", hint="`okf check-updates` shows what is due."
        )
    options = InstallOptions("", force=force, accept_risks=accept_risks, accept_nonconformant=accept_nonconformant)
    done = session.run(lambda okf: okf.feeds.update(bundle_ids, options), folder, as_json)
    session.print_result({"updated": [installation_json(each) for each in done]}, _install_lines(done), as_json)
    return DONE


def rollback(bundle_id: str, folder: str | None, force: bool, as_json: bool) -> int:
    async def job(okf: Okf) -> Any:
        return await okf.feeds.rollback(bundle_id, force)

    bundle = session.run(job, folder, as_json)
    lines = [line(good("back at "), bold(f"{bundle.id}@{bundle.version}"), " in ", bundle.path)]
    session.print_result({"bundle": bundle_json(bundle)}, lines, as_json)
    return DONE


def _feed_lines(found: Sequence[tuple[Subscription, bool]]) -> Iterator[Line]:
    if not found:
        yield line("no feeds are followed")
    for each, confirmed in found:
        state = good("confirmed") if confirmed else wary("not confirmed on this device")
        yield line(bold(each.name), f"  {each.url}  ", state)
        yield line(dim(f"  root sha256:{each.root}"))


def _search_lines(found: Catalogue) -> Iterator[Line]:
    if not found.offers:
        yield line("nothing found")
    for offer in found.offers:
        release = offer.release
        yield line(bold(f"{release.id}@{release.version}"), f"  {release.title}")
        signed = f"signed by {release.signer} ({offer.feed})"
        yield line(dim(f"  {release.bytes:,} bytes, {signed}  {release.description}".rstrip()))
    yield from (line(bad("  refused: "), trouble) for trouble in found.troubles)


def _install_lines(done: Sequence[Installation]) -> Iterator[Line]:
    if not done:
        yield line("everything is up to date")
    for each in done:
        yield from install_lines(each)


def _standing_lines(found: Sequence[Standing]) -> Iterator[Line]:
    if not found:
        yield line("no bundle came from a feed")
    for each in found:
        bundle = each.bundle
        news = good(f"{each.offered} is there") if each.offered else dim("" if each.trouble else "up to date")
        yield line(bold(f"{bundle.id}@{bundle.version}"), "  ", news)
        if each.yanked:
            yield line(bad("  withdrawn: "), each.yanked)
        if each.trouble:
            yield line(bad("  refused: "), each.trouble)
