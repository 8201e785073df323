"""Calls of tools by name: which base is meant, then through the pipeline."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from okf_edge.errors import OkfError
from okf_edge.policy import authorise, pipeline
from okf_edge.policy.call import Call, Result
from okf_edge.policy.caller import Caller
from okf_edge.policy.deadline import within
from okf_edge.policy.pipeline import Course, Guards
from okf_edge.tools import resources
from okf_edge.tools.catalogue import TOOLS, shown_to
from okf_edge.tools.host import EVERY, Base, Host, World, meant
from okf_edge.tools.places import told_to
from okf_edge.tools.resources import Content, Resource
from okf_edge.tools.tool import Bound, Tool

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Service:
    """What every transport serves. `catalogue`: the tools that there are, whoever may call them."""

    host: Host
    guards: Guards
    catalogue: Sequence[Tool] = TOOLS

    def world(self, caller: Caller) -> World:
        return World(self.host, caller, self.guards.clock, self.guards.entropy)

    def tools(self, caller: Caller) -> tuple[Tool, ...]:
        return shown_to(caller, read_only=self.guards.read_only, tools=self.catalogue)

    def tool(self, name: str) -> Tool | None:
        return next((tool for tool in self.catalogue if tool.name == name), None)

    async def call(self, caller: Caller, name: str, arguments: Mapping[str, Any], *, declines: bool = False) -> Result:
        """Args: declines: the person was asked about it, and said no.

        Raises: OkfError: whatever stopped the call; it was recorded.
        """
        with _without_places(caller):
            tool, world = self.tool(name), self.world(caller)
            bases = await world.known()
            base = _meant(self.host.default, bases, tool, arguments)
            known = {each.name for each in bases} | ({EVERY} if tool and tool.federated else set())
            bound = Bound(tool, world) if tool else None
            return await pipeline.run(self.guards, Call(caller, name, arguments, declines), bound, base, known)

    async def resource(self, caller: Caller, uri: str) -> Content:
        """A page by its address. Raises NotFoundError, PolicyError."""

        async def read(world: World, course: Course) -> Content:
            content = await resources.read(world, uri)
            pipeline.require_size(course, len(content.text.encode()))
            return content

        return await self._looked_up(caller, "resource", {"uri": uri}, read)

    async def resources(self, caller: Caller) -> list[Resource]:
        """What is listed of the pages that can be read. Raises PolicyError."""
        return await self._looked_up(caller, "resources", {}, lambda world, _: resources.listed(world))

    async def completions(self, caller: Caller, name: str, begun: str, kb: str) -> list[str]:
        """How an argument of an address may go on. Raises PolicyError."""
        asked = {"name": name, "begun": begun, "kb": kb}
        return await self._looked_up(
            caller, "completion", asked, lambda world, _: resources.completions(world, name, begun, kb)
        )

    async def _looked_up(
        self, caller: Caller, what: str, asked: Mapping[str, Any], work: Callable[[World, Course], Awaitable[T]]
    ) -> T:
        """What `work` finds for who may read, recorded and limited like a call."""

        async def guarded(course: Course) -> T:
            authorise.require_scope(caller, "read", "reading pages")
            self.guards.buckets.take(caller.name, "read", self.guards.clock.monotonic())
            async with within(self.guards.seconds, self.guards.clock):
                return await work(self.world(caller), course)

        with _without_places(caller):
            return await pipeline.observed(self.guards, Call(caller, what, asked), "", guarded)


@contextmanager
def _without_places(caller: Caller) -> Iterator[None]:
    """Errors as a caller may hear them: over a network without the folders of this machine."""
    try:
        yield
    except OkfError as error:
        error.message, error.hint = told_to(caller, error.message), told_to(caller, error.hint)
        error.issues = tuple(told_to(caller, issue) for issue in error.issues)
        raise


def _meant(default: str, bases: Sequence[Base], tool: Tool | None, arguments: Mapping[str, Any]) -> str:
    """The base that a call means, before its arguments are checked; empty when it means none."""
    if tool is None or not tool.on_base:
        return ""
    named = arguments.get("kb")
    return named if isinstance(named, str) and named else meant(default, bases)
