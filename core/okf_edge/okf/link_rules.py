"""What links should be like (specification section 6). None of it breaks conformance: broken links are tolerated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from okf_edge.okf.document import Diagnostic
from okf_edge.okf.links import Link
from okf_edge.okf.resolve import Resolution, Resolver
from okf_edge.okf.rules import finding

_BASES = {"bundle": "from the bundle root", "name": "by its name"}


def check_links(path: str, links: Sequence[Link], resolver: Resolver) -> Iterator[Diagnostic]:
    """Every deviation of one file's links. Wikilinks are counted, not listed."""
    wikilinks = [link for link in links if link.form == "wiki" and link.kind != "frontmatter"]
    if wikilinks:
        yield finding("OKF-K04", path, wikilinks[0].line, f"{len(wikilinks)}, the first is [[{wikilinks[0].inner}]]")
    for link in links:
        yield from _check_link(path, link, resolver.resolve(link, path))


def _check_link(path: str, link: Link, resolution: Resolution) -> Iterator[Diagnostic]:
    found = f"`{link.inner}`"
    if resolution.status == "missing":
        yield finding("OKF-K06" if link.kind == "path" else "OKF-K01", path, link.line, found)
    elif resolution.status == "anchor-missing":
        yield finding("OKF-K03", path, link.line, f"{found} in {resolution.path}")
    elif resolution.status == "not-downloaded":
        yield finding("OKF-B05", path, link.line, f"{found} is {resolution.path}")
    elif resolution.candidates:
        yield finding("OKF-K02", path, link.line, f"{found} is {' or '.join(resolution.candidates[:5])}")
    if link.form != "wiki" and resolution.how in _BASES:
        yield finding("OKF-K05", path, link.line, f"{found} is {resolution.path}, found {_BASES[resolution.how]}")
