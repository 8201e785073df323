"""`make bench`: quality, peers and cost, as tables and as JSON in `bench-out/`. Names of parts run those only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

from tests.bench import cost, peers, quality, rows, sets

PARTS: Mapping[str, Callable[[], int]] = {
    "quality": lambda: quality.main(["--json", str(rows.OUT / "quality.json")]),
    "peers": lambda: peers.main(["--json", str(rows.OUT / "peers.json")]),
    "cost": cost.main,
}
NEED_CORPORA = {"quality", "peers"}


def main(names: list[str]) -> int:
    failed = []
    for name in names or PARTS:
        if name in NEED_CORPORA and not sets.CORPORA.is_dir():
            print(f"{name}: left out, for the public corpora are not beside the checkout")
            continue
        print(f"\n{name}\n", flush=True)
        if PARTS[name]():
            failed.append(name)
    print(f"\nJSON in {rows.OUT}" + (f"; below a bound: {', '.join(failed)}" if failed else "; all bounds are kept"))
    return int(bool(failed))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
