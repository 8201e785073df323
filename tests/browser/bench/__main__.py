"""Measures all parts in both engines, or those named: `python -m tests.browser.bench [--engine webkit] [start …]`.

Times are those that the page sees; native times are taken beside them, question by question. A busy machine stretches
all of them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

REPOSITORY = Path(__file__).parents[3]
sys.path[:0] = [str(REPOSITORY / "tests"), str(REPOSITORY / "wasm" / "build")]

from browser.bench import download, indexing, limits, start, warm  # noqa: E402
from browser.bench.given import Given  # noqa: E402
from okf_edge_native.compose import shelf  # noqa: E402
from tests.bench.rows import Row, table, write  # noqa: E402

PARTS: Mapping[str, Callable[[Given], Iterator[Row]]] = {
    "download": download.rows,
    "start": start.rows,
    "warm": warm.rows,
    "indexing": indexing.rows,
    "limits": limits.rows,
}


def main() -> int:
    """1 when a bound is broken."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("parts", nargs="*", help=", ".join(PARTS))
    arguments.add_argument("--engine", choices=["chromium", "webkit"], action="append")
    given = arguments.parse_args()
    import assets  # type: ignore[import-not-found]

    dist = assets.build(shelf().folder).parent
    rows: list[Row] = []
    with TemporaryDirectory(prefix="okf-bench-") as folder:
        for name in given.parts or PARTS:
            rows += PARTS[name](Given(dist, Path(folder), tuple(given.engine or ("chromium", "webkit"))))
            print(f"  {name}: measured", file=sys.stderr, flush=True)
    print(table(rows))
    write("web", rows)
    return int(any(row.passed is False for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
