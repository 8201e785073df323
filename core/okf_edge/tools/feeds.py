"""`search_feed`, `check_updates`, `update_bundle`: the feeds that a base follows, and what they offer."""

from __future__ import annotations

from okf_edge.app import Okf
from okf_edge.app.ports import Config
from okf_edge.app.subscribing import Standing
from okf_edge.bundles.install import InstallOptions
from okf_edge.policy.call import Result
from okf_edge.retrieval.visible import visible
from okf_edge.tools import inputs, results
from okf_edge.tools.host import Base, World
from okf_edge.tools.places import told_to

MOST_OFFERS = 50


async def search_feed(world: World, asked: inputs.SearchFeed) -> Result:
    base = await world.base(asked.kb)
    found = await _okf(world, base).feeds.search(asked.words.split(), asked.feed)
    offered = [each for each in found.offers if base.offers(each.release.id, world.caller)]
    offers = [
        results.Offer(
            feed=offer.feed,
            id=offer.release.id,
            version=offer.release.version,
            title=visible(offer.release.title),
            description=visible(offer.release.description),
            bytes=offer.release.bytes,
            signer=offer.release.signer,
        )
        for offer in offered[:MOST_OFFERS]
    ]
    cut = len(offered) - len(offers)
    told = results.Offers(
        kb=base.name,
        bundles=offers,
        troubles=[told_to(world.caller, visible(each)) for each in found.troubles],
        cut=cut,
    )
    return Result(told.model_dump(mode="json"), f"{len(offered)} bundles offered")


async def check_updates(world: World, asked: inputs.OfBase) -> Result:
    base = await world.base(asked.kb)
    found = await _okf(world, base).feeds.check_updates()
    told = results.Standings(kb=base.name, bundles=[_standing(world, each) for each in found])
    due = sum(bool(each.offered) for each in found)
    return Result(told.model_dump(mode="json"), f"{due} of {len(found)} bundles can be updated")


async def update_bundle(world: World, asked: inputs.Update) -> Result:
    """Update one bundle after a person agreed; its feed's signatures decide what it is updated to."""
    base = await world.base(asked.kb)
    done = await _okf(world, base).feeds.update([asked.bundle], InstallOptions(""))
    updated = [
        results.Installed(
            kb=base.name,
            id=each.bundle.id,
            version=each.bundle.version,
            outcome=each.outcome,
            notes=[told_to(world.caller, note) for note in each.notes],
        )
        for each in done
    ]
    told = results.Updated(updated=updated)
    text = ", ".join(f"{each.outcome} {each.id} {each.version}" for each in updated)
    return Result(told.model_dump(mode="json"), text or "it is up to date")


def _standing(world: World, found: Standing) -> results.Standing:
    return results.Standing(
        id=found.bundle.id,
        version=found.bundle.version,
        offered=found.offered,
        yanked=visible(found.yanked),
        trouble=told_to(world.caller, visible(found.trouble)),
    )


def _okf(world: World, base: Base) -> Okf:
    return Okf(world.host.ports(base, world.caller), Config(base.name))
