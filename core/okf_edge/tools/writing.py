"""`capture`, `sync`, `init_kb`, `register_kb`, `install_bundle`: what changes a base, or which there are."""

from __future__ import annotations

from dataclasses import replace

from okf_edge.app import Okf, lifecycle
from okf_edge.app.ports import Config
from okf_edge.bundles.install import InstallOptions
from okf_edge.errors import InputError, PolicyError
from okf_edge.policy.call import Result
from okf_edge.policy.caller import Caller
from okf_edge.policy.rules import EVERYTHING
from okf_edge.tools import inputs, results
from okf_edge.tools.host import Base, World
from okf_edge.workspace import layout
from okf_edge.workspace.agents import agent_named
from okf_edge.workspace.capture import capture


async def keep(world: World, asked: inputs.Capture) -> Result:
    """Keep a text in the inbox, with its origin."""
    base = await world.base(asked.kb)
    if not world.caller.rules.admits(layout.INBOX):
        raise PolicyError("this token may not see the inbox, so it keeps nothing there", code="forbidden")
    tree = world.host.ports(base, _whole(world.caller)).tree
    origin = f"tool call by {world.caller.name}"
    kept = await capture(tree, asked.content, asked.title, origin, world.clock.now())
    told = results.Captured(kb=base.name, path=kept.path, title=kept.title)
    return Result(told.model_dump(mode="json"), f"captured as {kept.path}")


async def sync(world: World, asked: inputs.Sync) -> Result:
    base = await world.base(asked.kb)
    done = await lifecycle.synchronise(world.host.ports(base, world.caller), Config(base.name))
    told = results.Synced(
        kb=base.name,
        written=list(done.written),
        left=list(done.left),
        recorded=done.recorded,
        notes=list(done.notes),
    )
    return Result(told.model_dump(mode="json"), f"{len(done.written)} files written, {done.recorded} pages recorded")


async def init_kb(world: World, asked: inputs.Init) -> Result:
    """Make a folder a knowledge base and give it its name."""
    base = await world.host.make(asked.name, asked.path)
    made = await _okf(world, base).init(asked.name, agent_named(asked.agent))
    told = results.Registered(name=base.name, place=base.place, created=list(made.created))
    return Result(told.model_dump(mode="json"), f"{base.name} is a knowledge base at {base.place}")


async def register_kb(world: World, asked: inputs.Named) -> Result:
    base = await world.host.make(asked.name, asked.path)
    is_base = await _okf(world, base).is_base()
    note = "it is a knowledge base" if is_base else "it is none yet: init_kb makes it one"
    told = results.Registered(name=base.name, place=base.place, created=[])
    return Result(told.model_dump(mode="json"), f"{base.name} stands for {base.place}; {note}")


async def install_bundle(world: World, asked: inputs.Install) -> Result:
    """Install a bundle after a person agreed; risks in it still refuse, since only a person can accept those."""
    base = await world.base(asked.kb)
    if asked.source.startswith("http://"):
        raise InputError("expected an https URL, found an http one", code="not-https", hint="Use https.")
    source = await world.host.source(asked.source)
    done = await _okf(world, base).install(source, InstallOptions(origin=asked.source), asked.sha256)
    told = results.Installed(
        kb=base.name, id=done.bundle.id, version=done.bundle.version, outcome=done.outcome, notes=list(done.notes)
    )
    return Result(told.model_dump(mode="json"), f"{done.outcome} {done.bundle.id} {done.bundle.version}")


def _okf(world: World, base: Base) -> Okf:
    return Okf(world.host.ports(base, world.caller), Config(base.name))


def _whole(caller: Caller) -> Caller:
    """The caller as who may write where their own rules were just checked: a view can't be written."""
    return replace(caller, rules=EVERYTHING)
