"""From nothing but the engine's files to the first answers, and the memory that is in use then.

A worker is started in a new browser, and again in another page of it, where the browser may have kept what it compiled.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from browser.bench.given import Given, carried, questions
from browser.engines import PageEngine, call
from browser.webdriver import Browser
from tests.bench.rows import Row

CHUNKS = 1_000
SETTLED_S = 3
FIRST_S = {"chromium": 6.0, "webkit": 9.0}
AGAIN_S = {"chromium": 3.0, "webkit": None}
HYBRID_S = {"chromium": 3.0, "webkit": 5.0}
LEXICAL_MB = {"chromium": 250.0, "webkit": 400.0}
HYBRID_MB = {"chromium": 350.0, "webkit": 550.0}


def rows(given: Given) -> Iterator[Row]:
    for engine in given.engines:
        with given.page(engine) as (window, page):
            carried(page, given.base(CHUNKS))
            yield from _started(window, page, "first time", FIRST_S[engine])
            window.open(window.url)
            window.wait_for("window.openEngine")
            page.open()
            carried(page, given.base(CHUNKS))
            yield from _started(window, page, "again", AGAIN_S[engine])


def _started(window: Browser, page: PageEngine, when: str, bound_s: float | None) -> Iterator[Row]:
    """The page itself takes some memory too."""
    engine, (question, other) = window.engine, questions(2)
    start = time.perf_counter()
    call(page, "query", question=question, means="words")
    yield Row(f"{engine}: first lexical answer, {when}", time.perf_counter() - start, "s", bound_s)
    yield Row(f"{engine}: memory by words, {when}", window.memory().anonymous, "MB", LEXICAL_MB[engine])
    start = time.perf_counter()
    mode = call(page, "query", question=other)["coverage"]["mode"]
    yield Row(f"{engine}: and to the first hybrid answer, {when}", time.perf_counter() - start, "s", HYBRID_S[engine])
    assert mode == "hybrid", mode
    yield Row(f"{engine}: memory after it, {when}", window.memory().anonymous, "MB", HYBRID_MB[engine])
    time.sleep(SETTLED_S)
    yield Row(f"{engine}: and {SETTLED_S} s later", window.memory().anonymous, "MB")
