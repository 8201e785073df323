"""Checks of what keeping a base tells: what is stale, what is not downloaded, and that no incomplete set leaves."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from okf_edge.bundles.export import ExportOptions
from okf_edge.errors import OkfError
from okf_edge.workspace.compiled import read_records
from okf_edge.workspace.health import health_of
from okf_edge.workspace.staleness import Staleness, staleness_of
from okf_edge.workspace.survey import survey
from okf_edge_native.compose import okf_of
from okf_edge_native.disk import DiskTree
from tests.cases import format_checks, search_checks
from tests.cases.format_checks import LATE
from tests.cases.suite import Spec
from tests.cases.vault import Vault


async def stale(vault: Vault, spec: Spec) -> None:
    """`stale`: whether the report calls a page stale at an instant, or says why its `stale_after` does not count."""
    if isinstance(spec["equals"], bool):
        found = await _staleness(vault, spec.get("now", LATE))
        assert (spec["path"] in {page.path for page in found.stale}) is spec["equals"]
    format_checks.stale(vault, spec)


async def report_lists(vault: Vault, spec: Spec) -> None:
    """`report_lists`: each of these files is named with a reason; `as` is the reason of what is not indexed."""
    if "as" not in spec:
        await search_checks.report_lists(vault, spec)
        return
    okf = okf_of(str(vault.root), quiet=True)
    status = await okf.index_status()
    assert {skip.path for skip in status.skipped if skip.reason == spec["as"]} == set(spec["paths"])
    health = await okf.health()
    assert health.skipped[spec["as"]] == len(spec["paths"])
    assert {each.path for each in health.findings if each.topic == "coverage"} == set(spec["paths"])
    answer = await search_checks.ask(vault, "bplist00 placeholder")
    assert not {each.path for each in (*answer.candidates, *answer.near)} & set(spec["paths"])
    assert answer.coverage.found - answer.coverage.read == len(spec["paths"])


async def broken(vault: Vault, spec: Spec) -> None:
    """`broken`: as the reader resolves links, and as health tells them."""
    format_checks.broken(vault, spec)
    if not spec["equals"]:
        tree = DiskTree(vault.root)
        found = await survey(tree, tree)
        health = health_of(found, await _staleness(vault, LATE), None)
        assert [each for each in health.findings if each.topic == "links" and "leads nowhere" in each.message] == []


async def publish(vault: Vault, spec: Spec) -> None:
    """`publish`: a set that is not whole on this machine does not leave it."""
    assert spec["result"] == "refuse-or-warn"
    with pytest.raises(OkfError) as caught:
        await okf_of(str(vault.root), quiet=True).export(ExportOptions("acme.notes", "1.0.0", local=True))
    assert (caught.value.code, bool(caught.value.hint)) == ("not-downloaded", True)


async def _staleness(vault: Vault, now: str) -> Staleness:
    tree = DiskTree(vault.root)
    return staleness_of(await survey(tree, tree), await read_records(tree), datetime.fromisoformat(now).astimezone(UTC))


CHECKS = {"stale": stale, "report_lists": report_lists, "broken": broken, "publish": publish}
