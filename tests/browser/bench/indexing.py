"""A thousand notes indexed by words, and the longest time that the page's own thread was held up meanwhile."""

from __future__ import annotations

import time
from collections.abc import Iterator

from browser.bench.given import Given, carried, questions
from browser.engines import call
from tests.bench import corpus
from tests.bench.rows import Row

NOTES = 1_000
BOUND_S, BOUND_MS = 60.0, 50.0
WATCH = """
window.longest = 0;
let last = performance.now();
const look = () => { const now = performance.now(); longest = Math.max(longest, now - last); last = now; };
const channel = new MessageChannel();
channel.port1.onmessage = () => { look(); setTimeout(() => channel.port2.postMessage(0), 1); };
channel.port2.postMessage(0);
"""


def rows(given: Given) -> Iterator[Row]:
    notes = given.work / "notes"
    if not notes.exists():
        corpus.write_pages(notes, NOTES)
    for engine in given.engines:
        with given.page(engine) as (window, page):
            carried(page, notes)
            call(page, "bundles")
            window.script(WATCH)
            start = time.perf_counter()
            read = call(page, "query", question=questions(1)[0], means="words")["coverage"]["read"]
            spent_s = time.perf_counter() - start
            assert read == NOTES, read
            yield Row(f"{engine}: indexing {NOTES:,} notes by words", spent_s, "s", BOUND_S)
            longest = window.script("return longest;")
            yield Row(f"{engine}: longest wait of the page meanwhile", longest, "ms", BOUND_MS)
