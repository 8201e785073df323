"""Words of the page and the plugin stand for something that happens."""

from __future__ import annotations

import re

from tests.browser.reader.conftest import REPOSITORY


def test_every_failure_that_is_told_in_chinese_has_a_code_that_something_fails_with() -> None:
    told = (REPOSITORY / "wasm/ui/failures.ts").read_text()
    codes = re.findall(r'^  "?([a-z-]+)"?: \{ text', told, re.MULTILINE)
    python = [*(REPOSITORY / "core").rglob("*.py"), *(REPOSITORY / "wasm/okf_edge_wasm").glob("*.py")]
    sources = [*python, *(REPOSITORY / "wasm/reader").rglob("*.ts")]
    raised = set(re.findall(r'"([a-z]+(?:-[a-z0-9]+)*)"', "\n".join(each.read_text() for each in sources)))
    assert len(codes) > 30
    assert [code for code in codes if code not in raised] == []
