"""Faults that people reported in other tools do not happen here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import (
    archive_checks,
    browser_checks,
    chunk_checks,
    export_checks,
    format_checks,
    lambda_checks,
    lifecycle_checks,
    risk_checks,
    search_checks,
    serving_checks,
    suite,
    update_checks,
)
from tests.cases.vault import Vault

CHECKS = {
    **format_checks.CHECKS,
    **chunk_checks.CHECKS,
    **search_checks.CHECKS,
    **export_checks.CHECKS,
    **archive_checks.CHECKS,
    **serving_checks.CHECKS,
    **risk_checks.CHECKS,
    **lifecycle_checks.CHECKS,
    **lambda_checks.CHECKS,
    **update_checks.CHECKS,
    **browser_checks.CHECKS,
}


@pytest.mark.parametrize("check", suite.checks(), ids=lambda check: check.label)
async def test_the_reported_fault_does_not_happen(check: suite.Check, tmp_path: Path) -> None:
    if waiting := suite.waits_for(check.case):
        pytest.skip(waiting)
    folder = suite.unpack(check.case, tmp_path)
    assert check.kind in CHECKS, f"nobody runs checks of the kind {check.kind!r}: write one, or name its issue"
    vault = await Vault.at(folder)
    result = CHECKS[check.kind](vault, check.spec)
    if result is not None:
        await result
    assert check.spec.unread == set(), "nobody looks at these demands of the check"


def test_every_case_has_an_input_and_an_expectation() -> None:
    inputs = {path.name for path in (suite.GIVEN / "cases").iterdir()}
    expectations = {path.stem for path in (suite.GIVEN / "expected").glob("*.json")}
    ids = set(suite.case_ids())
    assert ids == expectations
    assert ids - inputs == set()
