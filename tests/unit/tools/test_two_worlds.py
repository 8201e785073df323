"""What a caller may not see shows through nothing: a base with hidden pages answers like one without them."""

from __future__ import annotations

import asyncio
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from okf_edge.app import Config, Okf
from okf_edge.bundles.install import InstallOptions
from okf_edge.errors import OkfError
from okf_edge.policy.caller import Caller
from okf_edge.workspace.agents import agent_named
from okf_edge_native.disk import DiskTree
from tests.tool_kit import OWNER, FolderHost, folder_of, reader, service_of

SEEN = {
    "concepts/weir.md": "---\ntype: Concept\ntitle: Weir\ndescription: The weir\nsources: [river/log.md]\n---\n\n"
    "The sluice of the weir opens at dawn. See [[Eel]] and [[Plan]] and [the log](../river/log.md).\n",
    "concepts/eel.md": "---\ntype: Concept\ntitle: Eel\ndescription: An eel\n---\n\nEels pass the weir in autumn.\n",
    "river/log.md": "# River log\n\nThe gauge read two metres. Sluice opened. Back to [[weir]].\n",
    "river/plan.md": "# Plan of the river\n\nDredge the pool in March.\n",
}
HIDDEN = {
    "secret/plan.md": "# Plan\n\nThe sluice code is 4711. Dawn raid on the weir, weir, weir.\n",
    "secret/eel.md": "---\naliases: [Eel, Weir]\n---\n\nThe eel sluice. [[weir]] [[log]] zanzibar sluice dawn.\n",
    "concepts/hidden-eel.md": "---\ntype: Concept\ntitle: Hidden eel\nsources: [river/log.md]\n---\n\nzanzibar weir.\n",
}
RULES = {"deny": ("secret", "concepts/hidden-*")}

CALLS: list[tuple[str, dict[str, Any]]] = [
    *(("query", {"question": question, "k": 20}) for question in
      ("sluice of the weir at dawn", "zanzibar", "eels in autumn", "plan", "gauge two metres", "weir code 4711")),
    ("query", {"question": "weir", "means": "lexical"}),
    *(("explain", {"question": question, "k": 20, **more}) for question in ("sluice of the weir", "zanzibar", "gauge")
      for more in ({}, {"kb": "*"}, {"means": "lexical"})),
    ("query", {"question": "weir", "kb": "*"}),
    ("query", {"question": "zanzibar", "paths": ["secret"]}),
    *(("read", {"page": page}) for page in
      ("secret/plan.md", "Plan", "eel", "Hidden eel", "weir", "secret", "concepts/hidden-eel.md", "plan#x")),
    *(("neighbours", {"page": page}) for page in ("weir", "river/log.md", "secret/eel.md", "eel")),
    ("map", {}), ("stale", {}), ("health", {}), ("list_bundles", {}), ("list_kbs", {}), ("check_updates", {}),
    ("search_feed", {}), ("search_feed", {"words": "zanzibar"}),
]  # fmt: skip


async def outcome(service, caller: Caller, tool: str, arguments: dict[str, Any]) -> Any:
    try:
        result = await service.call(caller, tool, arguments)
    except OkfError as error:
        return [type(error).__name__, error.code, error.message, error.hint]
    assert not (caller.rules and result.content.get("timings"))
    return json.loads(json.dumps({**result.content, "timings": {}}))


async def world(root: Path, files: dict[str, str], *, indexed: bool = True):
    host = FolderHost(root, {"river": folder_of(root / "river", files)})
    service = service_of(host)
    if indexed:
        base = (await host.bases())[0]
        await Okf(host.ports(base, OWNER), Config("river")).build_index()
    return service


@pytest.mark.parametrize("indexed", [True, False])
async def test_a_base_with_hidden_pages_answers_like_one_without_them(tmp_path: Path, indexed: bool) -> None:
    whole = await world(tmp_path / "a", {**SEEN, **HIDDEN}, indexed=indexed)
    without = await world(tmp_path / "b", SEEN, indexed=indexed)
    differing = []
    for tool, arguments in CALLS:
        one = await outcome(whole, reader(**RULES), tool, arguments)
        other = await outcome(without, reader(name="other"), tool, arguments)
        if one != other:
            differing.append((tool, arguments, one, other))
    assert differing == []


async def test_resources_and_completions_tell_nothing_of_hidden_pages(tmp_path: Path) -> None:
    whole = await world(tmp_path / "a", {**SEEN, **HIDDEN}, indexed=False)
    without = await world(tmp_path / "b", SEEN, indexed=False)

    async def told(service: Any, caller: Caller) -> list[Any]:
        begun = ("", "c", "concepts/", "concepts/h", "s", "secret/", "z")
        found: list[Any] = [await service.completions(caller, "path", each, "river") for each in begun]
        found.append([each.uri for each in await service.resources(caller)])
        for page in ("map", "concepts/weir.md", "concepts/hidden-eel.md", "CONCEPTS/hidden-eel.md", "secret/plan.md"):
            try:
                text = (await service.resource(caller, f"okf://river/{page}")).text
                found.append(re.sub("untrusted-[0-9a-f]{12}", "", text))
            except OkfError as error:
                found.append([error.code, error.message, error.hint])
        return found

    assert await told(whole, reader(**RULES)) == await told(without, reader(name="other"))


async def test_the_time_of_an_answer_does_not_tell_which_words_hidden_pages_hold(tmp_path: Path) -> None:
    hidden = {f"secret/{number}.md": f"# Zanzibar {number}\n\n{'The zanzibar plan. ' * 9}\n" for number in range(80)}
    service = await world(tmp_path, {**SEEN, **hidden})

    async def spent(question: str) -> float:
        started = time.thread_time()
        await outcome(service, reader(**RULES), "query", {"question": question})
        return time.thread_time() - started

    await spent("warm")
    pairs = [(await spent("zanzibar plan"), await spent("zyxwvuts plan")) for _ in range(7)]
    ratios = sorted(held / absent for held, absent in pairs)
    assert 0.6 < ratios[len(ratios) // 2] < 1.6


@pytest.mark.parametrize("rules", [RULES, {"allow": ("concepts", "river", "Library/acme.ops"), **RULES}])
async def test_a_base_that_was_set_up_with_hidden_pages_tells_their_reader_nothing_of_them(
    tmp_path: Path, rules: dict[str, Any]
) -> None:
    """Generated files, records and the registry of bundles were made from all pages, the hidden ones too."""
    whole = await kept_world(tmp_path / "a", {**SEEN, **HIDDEN}, ("acme.ops", "evil.zanzibar"))
    without = await kept_world(tmp_path / "b", SEEN, ("acme.ops",))
    caller = reader(**{**rules, "deny": (*rules["deny"], "Library/evil.zanzibar")})
    calls = [
        *CALLS,
        ("read", {"page": "Library/evil.zanzibar/run.md"}),
        ("read", {"page": "KNOWLEDGE.md"}),
        *(("read", {"page": page}) for page in ("SCHEMA.md", ".okf/bundles.json", ".okf/compiled.json", "INDEX.base")),
        ("read", {"page": ".okf/cache/facts.json"}),
        ("query", {"question": "stop zanzibar ops bundles", "k": 20}),
    ]
    differing = []
    for tool, arguments in calls:
        one, other = await outcome(whole, caller, tool, arguments), await outcome(without, caller, tool, arguments)
        if one != other:
            differing.append((tool, arguments, one, other))
    assert differing == []


async def kept_world(root: Path, files: dict[str, str], bundles: tuple[str, ...]):
    """A base that was set up, given bundles and synced by its owner, who sees everything."""
    host = FolderHost(root, {"river": folder_of(root / "river", files)})
    base = (await host.bases())[0]
    okf = Okf(host.ports(base, OWNER), Config("river"))
    await okf.init("river", agent_named("none"))
    for bundle_id in bundles:
        title = bundle_id.partition(".")[2]
        pages = {"run.md": f"---\ntype: Playbook\ntitle: Run {title}\n---\n\nOpen the {title} sluice.\n"}
        options = InstallOptions(origin="source", bundle_id=bundle_id, version="1.0.0")
        await okf.install(DiskTree(folder_of(root / bundle_id, pages)), options)
    service = service_of(host)
    await service.call(OWNER, "sync", {})
    await okf.build_index()
    return service


async def test_the_owner_sees_what_is_hidden_from_others(tmp_path: Path) -> None:
    service = await world(tmp_path, {**SEEN, **HIDDEN})
    owner = await outcome(service, OWNER, "query", {"question": "zanzibar"})
    assert "secret/eel.md" in [each["path"] for each in owner["candidates"]]


async def test_who_sees_a_part_writes_nothing_into_the_base(tmp_path: Path) -> None:
    service = await world(tmp_path, {**SEEN, **HIDDEN})
    before = snapshot(tmp_path / "river")
    for tool, arguments in CALLS:
        await outcome(service, reader(**RULES), tool, arguments)
    assert snapshot(tmp_path / "river") == before


async def test_an_allow_list_shows_nothing_else(tmp_path: Path) -> None:
    service = await world(tmp_path, {**SEEN, **HIDDEN})
    caller = reader(allow=("river/**",))
    answer = await outcome(service, caller, "query", {"question": "sluice dawn"})
    assert {each["path"] for each in answer["candidates"] + answer["near"]} <= {"river/log.md", "river/plan.md"}
    assert answer["coverage"]["found"] == answer["coverage"]["read"] == 2
    nothing = await outcome(service, reader(allow=()), "query", {"question": "sluice dawn"})
    assert nothing["coverage"]["found"] == 0


async def test_callers_with_different_rules_at_once_see_each_their_own(tmp_path: Path) -> None:
    service = await world(tmp_path, {**SEEN, **HIDDEN})
    callers = [OWNER, reader(**RULES), reader(allow=("river/**",), name="river")] * 3
    answers = await asyncio.gather(*(outcome(service, each, "query", {"question": "zanzibar"}) for each in callers))
    for caller, answer in zip(callers, answers, strict=True):
        seen = {each["path"] for each in answer["candidates"] + answer["near"]}
        assert all(caller.rules.admits(path) for path in seen)


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


async def test_pages_of_a_bundle_can_be_hidden_too(tmp_path: Path) -> None:
    pages = {
        "index.md": "# Ops\n",
        "run.md": "---\ntype: Playbook\ntitle: Run\n---\n\nOpen the sluice at dawn. See [stop](stop.md).\n",
        "stop.md": "---\ntype: Playbook\ntitle: Stop\n---\n\nClose the zanzibar sluice at dusk.\n",
    }
    source = folder_of(tmp_path / "source", pages)
    host = FolderHost(tmp_path, {"river": folder_of(tmp_path / "river", SEEN)})
    base = (await host.bases())[0]
    options = InstallOptions(origin="source", bundle_id="acme.ops", version="1.0.0")
    await Okf(host.ports(base, OWNER), Config("river")).install(DiskTree(source), options)
    service = service_of(host)
    owner = await outcome(service, OWNER, "query", {"question": "zanzibar"})
    assert owner["candidates"][0]["path"] == "Library/acme.ops/stop.md"

    one_page = reader(deny=("Library/acme.ops/stop.md",))
    part = await outcome(service, one_page, "query", {"question": "zanzibar"})
    assert "stop.md" not in json.dumps(part)
    assert part["coverage"]["found"] == owner["coverage"]["found"] - 1

    whole = reader(deny=("Library/acme.ops",))
    without = service_of(FolderHost(tmp_path / "b", {"river": folder_of(tmp_path / "b/river", SEEN)}))
    for tool, arguments in CALLS:
        seen = await outcome(service, whole, tool, arguments)
        assert seen == await outcome(without, reader(name="other"), tool, arguments), (tool, arguments)
