"""`okf remote add|list|remove|deploy-check`, and questions to a service."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from okf_edge.errors import InputError, OkfError, PolicyError
from okf_edge.retrieval.answer import Answer
from okf_edge.retrieval.request import SearchRequest
from okf_edge_cli import session
from okf_edge_cli.commands import DONE, REFUSED
from okf_edge_cli.screen import Line, bad, bold, dim, good, line, wary
from okf_edge_native import remotes
from okf_edge_native.failures import port_errors
from okf_edge_native.remotes import Remote
from okf_edge_native.service import Service, problem_of

_STDIN = "-"


def add(url: str, name: str, token_file: str, token_variable: str, as_json: bool) -> int:
    address = remotes.address_of(url)
    remote = Remote(remotes.name_of(address, name), address)
    token = _token(token_file, token_variable)

    async def job() -> dict[str, Any]:
        health = await Service(address).health()
        if token:
            await _require_taken(Service(address, _sent(token)))
        await remotes.add(remote, token)
        return health

    health = session.run_alone(job)
    value = {**_described(remote), "root": str(health.get("root", "")), "problem": problem_of(health)}
    session.print_result(value, _added_lines(value), as_json)
    return DONE


def list_remotes(as_json: bool) -> int:
    found = list(session.run_alone(remotes.remotes).values())
    session.print_result({"remotes": [_described(each) for each in found]}, _list_lines(found), as_json)
    return DONE


def remove(name: str, as_json: bool) -> int:
    remote = session.run_alone(lambda: remotes.remove(name))
    told = [line(good("forgotten "), bold(remote.name), dim(f"  {remote.url}, and its token"))]
    session.print_result({"name": remote.name, "url": remote.url}, told, as_json)
    return DONE


def deploy_check(url: str, as_json: bool) -> int:
    from okf_edge_native.deploy_check import Finding, checked

    async def job() -> tuple[str, Sequence[Finding]]:
        address = (await remotes.named(url)).url if "://" not in url else remotes.address_of(url)
        return address, await checked(Service(address))

    address, findings = session.run_alone(job)
    is_well = not any(each.state == "wrong" for each in findings)
    told = [{"check": each.check, "state": each.state, "found": each.found, "fix": each.fix} for each in findings]
    session.print_result({"url": address, "ok": is_well, "checks": told}, _check_lines(findings), as_json)
    return DONE if is_well else REFUSED


def ask(name: str, request: SearchRequest, creator: str) -> Answer:
    """A service's answer to a question."""

    async def job() -> Answer:
        return await Service((await remotes.named(name)).url).query(request, creator)

    return session.run_alone(job)


def _token(file: str, variable: str) -> str:
    """The token that was given, if one was. Raises InputError."""
    if file and variable:
        raise InputError("expected --token-file or --token-env, found both", code="usage")
    if variable:
        return remotes.checked_token(os.environ.get(variable, ""))
    if file == _STDIN:
        return remotes.checked_token(sys.stdin.read(remotes.MOST_BYTES + 1))
    if not file:
        return ""
    with port_errors(file), Path(file).open(encoding="utf-8", errors="replace") as opened:
        return remotes.checked_token(opened.read(remotes.MOST_BYTES + 1))


async def _require_taken(service: Service) -> None:
    """Raises PolicyError: the service does not take the token. Any other trouble of it is told by `deploy-check`."""
    try:
        await service.call("GET", "/v1/bundles")
    except PolicyError as error:
        if error.code != "forbidden":  # a token for publishing alone may list nothing
            raise
    except OkfError as error:
        if error.code == "bad-answer":
            raise


def _sent(token: str) -> Any:
    async def authorization(url: str) -> str:
        return f"Bearer {token}"

    return authorization


def _described(remote: Remote) -> dict[str, Any]:
    return {"name": remote.name, "url": remote.url, "token": remotes.has_token(remote)}


def _added_lines(value: dict[str, Any]) -> Iterator[Line]:
    yield line(good("added "), bold(value["name"]), f"  {value['url']}")
    if value["root"]:
        yield line(dim(f"  its feed's root is {value['root']}; compare it with what its owner says"))
    if not value["token"]:
        yield line(wary("  note: "), "without a token; give one with --token-file or --token-env")
    if value["problem"]:
        yield line(wary("  note: "), f"{value['problem']}: `okf remote deploy-check {value['name']}` tells more")


def _list_lines(found: Sequence[Remote]) -> Iterator[Line]:
    for remote in found:
        state = good("with a token") if remotes.has_token(remote) else dim("without a token")
        yield line(bold(f"{remote.name:<16}"), " ", remote.url, "  ", state)
    if not found:
        yield line(dim("no service has a name: `okf remote add URL`"))


def _check_lines(findings: Sequence[Any]) -> Iterator[Line]:
    words = {
        "ok": good("ok   "),
        "wrong": bad("wrong"),
        "note": wary("note "),
        "skipped": dim("-    "),
    }
    for each in findings:
        yield line(words[each.state], " ", bold(f"{each.check:<14}"), " ", each.found)
        if each.fix:
            yield line(dim("      what to do: "), each.fix)
