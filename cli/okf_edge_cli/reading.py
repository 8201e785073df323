"""`okf reader` and `okf bundle-site`."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from okf_edge.errors import InputError
from okf_edge_cli import session
from okf_edge_cli.commands import DONE
from okf_edge_cli.exporting import acceptance
from okf_edge_cli.keys import keyring
from okf_edge_cli.screen import Line, bold, dim, good, line
from okf_edge_native.engine_models import with_models
from okf_edge_native.site import FEED, Written, write_site
from okf_edge_native.sources import open_source
from okf_edge_native.webview import DEFAULT_PORT, Server, Site, open_site


def reader(port: int | None, assets: str) -> int:
    """Serve the web reader to this machine."""
    server = Server(open_site(assets), DEFAULT_PORT if port is None else port)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    print(f"okf reader: {server.url}  Ctrl-C stops", file=sys.stderr, flush=True)
    server.run()
    return DONE


def bundle_site(
    folder: str, sources: Sequence[str], title: str, assets: str, models: Sequence[str], accepted: Sequence[str],
    as_json: bool,
) -> int:  # fmt: skip
    """Make a static site of the web reader and some bundles."""
    reasons = dict(map(acceptance, accepted))
    site = Site(with_models(open_site(assets).files, models))

    async def job() -> Written:
        archives = [await _archive(source) for source in sources]
        return await write_site(folder, archives, site, keyring(), title, reasons)

    written = session.run_alone(job)
    session.print_result(_json(folder, written), _lines(folder, written), as_json)
    return DONE


async def _archive(source: str) -> bytes:
    """The bytes of an archive. A folder is exported first, by whoever decides what leaves it."""
    found = await open_source(source)
    if isinstance(found, bytes):
        return found
    raise InputError(
        f"expected an archive, found a folder: {source}", code="no-archive", hint="Export it first: okf export."
    )


def _json(folder: str, written: Written) -> dict[str, object]:
    return {
        "folder": folder,
        "root": f"sha256:{written.root}",
        "expires": written.expires.isoformat().replace("+00:00", "Z"),
        "files": written.files,
        "bytes": written.bytes,
        "bundles": [asdict(each) for each in written.offered],
    }


def _lines(folder: str, written: Written) -> Iterator[Line]:
    yield line(good("wrote the site "), bold(folder), f": the reader, {written.files} files, {written.bytes:,} bytes")
    yield from (line("  offers ", bold(f"{each.id}@{each.version}"), f"  {each.title}") for each in written.offered)
    yield line(dim(f"  feed root sha256:{written.root}"))
    yield line("  new readers can install from it until ", bold(f"{written.expires:%Y-%m-%d}"))
    yield line(
        dim(
            f"  put the folder on any web server; before that day run this again, or `okf feed refresh {folder}/{FEED}`"
        )
    )
