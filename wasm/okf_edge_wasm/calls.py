"""The calls of the page: one function each, from the argument to the plain data that goes back.

`messages.ts` has the same names under Calls. Results are what `okf … --json` prints.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from okf_edge.errors import InputError
from okf_edge_wasm.compose import Composition

if TYPE_CHECKING:
    from okf_edge.bundles.install import InstallOptions

Json = Mapping[str, Any]


class Call:
    """One call: its number, its argument, the bytes that came with it, and where it runs."""

    def __init__(self, composition: Composition, number: int, argument: Json, data: bytes | None) -> None:
        self.composition = composition
        self.number = number
        self.argument = argument
        self.data = data
        self.okf = composition.okf(number)

    def text(self, name: str) -> str:
        return str(self.argument.get(name) or "")

    def flag(self, name: str) -> bool:
        return bool(self.argument.get(name))

    async def archive(self) -> bytes:
        """The bytes of an archive that came with the call, or that the page fetches. Raises what fetching raises."""
        from okf_edge.limits import LIMITS
        from okf_edge_wasm.http import fetch

        if self.data is not None:
            return self.data
        return (await fetch(self.composition.page, self.text("url"), LIMITS.archive_bytes)).data

    def choices(self, origin: str = "") -> InstallOptions:
        from okf_edge.bundles.install import InstallOptions

        return InstallOptions(
            origin,
            bundle_id=self.text("id"),
            version=self.text("version"),
            force=self.flag("force"),
            accept_risks=self.flag("acceptRisks"),
            accept_nonconformant=self.flag("acceptNonconformant"),
        )


async def query(call: Call) -> Json:
    from okf_edge.retrieval.answer import to_json
    from okf_edge.retrieval.request import Filters, SearchRequest

    argument, means = call.argument, call.text("means") or "both"
    request = SearchRequest(
        call.text("question"),
        k=int(argument.get("k") or 10),
        filters=Filters(*(tuple(argument.get(name) or ()) for name in ("types", "tags", "paths"))),
        lexical=means != "meaning",
        dense=means != "words",
        explain=call.flag("explain"),
    )
    await call.composition.prepare(call.number)
    return to_json(await call.composition.okf(call.number, by_words=not request.dense).query(request))


async def read(call: Call) -> Json:
    from okf_edge.app.shown import reading_json
    from okf_edge.okf.freshness import is_stale

    reading = await call.okf.read(call.text("concept"))
    return {
        **reading_json(reading),
        "trust": reading.trust,
        "fresh": not is_stale(reading.stale_after, call.composition.clock.now()),
        "stale_after": reading.stale_after.isoformat() if reading.stale_after else "",
    }


async def neighbours(call: Call) -> Json:
    from dataclasses import asdict

    from okf_edge.app.linking import neighbours as neighbours_of

    found = await neighbours_of(call.composition.ports(call.number), call.text("concept"))
    ends = {name: [asdict(each) for each in getattr(found, name)] for name in ("links", "linked_from")}
    return {"path": found.path, "content": "untrusted", **ends}


async def page(call: Call) -> Json:
    from okf_edge.app.viewing import page_json

    await call.composition.prepare(call.number)
    return page_json(await call.okf.page(call.text("path")))


async def contents(call: Call) -> Json:
    from okf_edge.app.viewing import contents_json

    await call.composition.prepare(call.number)
    return contents_json(await call.okf.contents(call.text("id")))


async def map(call: Call) -> Json:
    from okf_edge.workspace.reports import orientation_json

    return orientation_json(await call.okf.map())


async def stale(call: Call) -> Json:
    from okf_edge.workspace.reports import staleness_json

    return staleness_json(await call.okf.stale())


async def health(call: Call) -> Json:
    from okf_edge.workspace.health import PASSES
    from okf_edge.workspace.reports import health_json

    return health_json(await call.okf.health(), PASSES)


async def bundles(call: Call) -> Json:
    from okf_edge.app.shown import bundle_json

    return {"bundles": [bundle_json(each) for each in await call.okf.list_bundles()]}


async def install(call: Call) -> Json:
    from okf_edge.app.shown import installation_json

    origin = call.text("url") or call.text("name")
    return installation_json(await call.okf.install(await call.archive(), call.choices(origin), call.text("sha256")))


async def preview(call: Call) -> Json:
    """What a person is shown before an installation: who made it, what is in it, what was found in its text."""
    from okf_edge.app.shown import verified_json

    data = await call.archive()
    verified = await call.okf.verify(data, call.text("sha256"))
    shown, manifest = verified_json(verified, False), verified.manifest
    installed = {each.id: each.version for each in await call.okf.list_bundles()}
    return {
        **shown,
        "title": manifest.title if manifest else verified.knowlery.title if verified.knowlery else "",
        "description": manifest.description if manifest else "",
        "creator": manifest.creator.name if manifest else "",
        "licence": manifest.licence if manifest else "",
        "bytes": len(data),
        "embedder": manifest.index.embedder if manifest and manifest.index else "",
        "installed": installed.get(shown["id"], ""),
        "risks": [str(each) for each in verified.texts.risks],
        "breaches": list(verified.texts.breaches),
    }


async def verify(call: Call) -> Json:
    from okf_edge.app.shown import verified_json

    rebuild = call.flag("rebuild")
    return verified_json(await call.okf.verify(await call.archive(), call.text("sha256"), rebuild), rebuild)


async def uninstall(call: Call) -> Json:
    from okf_edge.app.shown import bundle_json

    return {"bundle": bundle_json(await call.okf.uninstall(call.text("id"), call.flag("force")))}


async def rollback(call: Call) -> Json:
    from okf_edge.app.shown import bundle_json

    return {"bundle": bundle_json(await call.okf.feeds.rollback(call.text("id"), call.flag("force")))}


async def feeds(call: Call) -> Json:
    from okf_edge.app.shown import subscription_json

    return {"feeds": [subscription_json(*each) for each in await call.okf.feeds.followed()]}


async def root_at(call: Call) -> Json:
    """The root of a feed as it is found now, before anybody follows it."""
    return {"url": call.text("url"), "root": f"sha256:{await call.okf.feeds.root_at(call.text('url'))}"}


async def trust(call: Call) -> Json:
    from okf_edge.app.shown import subscription_json

    found = await call.okf.feeds.trust(call.text("url"), call.text("root"), call.text("name"))
    return subscription_json(found, True)


async def search_feed(call: Call) -> Json:
    from okf_edge.app.shown import catalogue_json

    return catalogue_json(await call.okf.feeds.search(call.argument.get("words") or (), call.text("feed")))


async def install_from_feed(call: Call) -> Json:
    from okf_edge.app.shown import bundle_json, installation_json

    done = await call.okf.feeds.install(call.text("wanted"), call.text("feed"), call.choices())
    return {**installation_json(done[-1]), "needed": [bundle_json(each.bundle) for each in done[:-1]]}


async def check_updates(call: Call) -> Json:
    from okf_edge.app.shown import standing_json

    return {"bundles": [standing_json(each) for each in await call.okf.feeds.check_updates()]}


async def update(call: Call) -> Json:
    from okf_edge.app.shown import installation_json

    done = await call.okf.feeds.update(call.argument.get("ids") or (), call.choices())
    return {"updated": [installation_json(each) for each in done]}


async def index(call: Call) -> Json:
    await call.okf.build_index(call.text("embedder"))
    return await status(call)


async def status(call: Call) -> Json:
    from okf_edge.app.shown import status_json

    return status_json(await call.okf.index_status())


CALLS: Mapping[str, Callable[[Call], Awaitable[Json]]] = {
    "query": query,
    "read": read,
    "neighbours": neighbours,
    "page": page,
    "contents": contents,
    "map": map,
    "stale": stale,
    "health": health,
    "bundles": bundles,
    "install": install,
    "preview": preview,
    "verify": verify,
    "uninstall": uninstall,
    "rollback": rollback,
    "feeds": feeds,
    "rootAt": root_at,
    "trust": trust,
    "searchFeed": search_feed,
    "installFromFeed": install_from_feed,
    "checkUpdates": check_updates,
    "update": update,
    "index": index,
    "status": status,
}


def named(name: str) -> Callable[[Call], Awaitable[Json]]:
    """The call of that name. Raises InputError: there is none."""
    if name not in CALLS:
        raise InputError(f"expected one of {', '.join(CALLS)}, found {name!r}", code="unknown-call")
    return CALLS[name]
