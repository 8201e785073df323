"""WebKit with a limit of its own, at which it kills the page: what survives it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from browser.bench.given import Given, carried, questions
from browser.engines import call, page_engine
from browser.webdriver import BrowserError, webkit_app
from tests.bench.rows import Row

CHUNKS = 1_000
ASKED = 6
LIMITED = Path(__file__).parents[1] / "limited_webkit.py"


def rows(given: Given) -> Iterator[Row]:
    if "webkit" in given.engines:
        for means, limit_mb in (("hybrid", 700), ("safe", 400)):
            answered = _answered(given, limit_mb, means == "safe")
            yield Row(f"webkit, killed at {limit_mb} MB: {means} answers", answered, f"of {ASKED}", ASKED, True)


def _answered(given: Given, limit_mb: int, safe: bool) -> int:
    """How many questions were answered before the page was killed, if it was."""
    modes = []
    with webkit_app(LIMITED, str(limit_mb)) as window, page_engine(window, given.dist) as page:
        page.open(safe=safe)
        carried(page, given.base(CHUNKS))
        with suppress(BrowserError, OSError):
            for question in questions(ASKED):
                modes.append(call(page, "query", question=question)["coverage"]["mode"])
    assert set(modes) <= {"lexical" if safe else "hybrid"}, modes
    return len(modes)
