"""`okf reader` and `okf bundle-site`."""

from __future__ import annotations

import signal
import sys

from okf_edge_cli.commands import DONE
from okf_edge_native.webview import Server, open_site


def reader(port: int | None, assets: str) -> int:
    """Serve the web reader to this machine."""
    server = Server(open_site(assets), 8766 if port is None else port)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    print(f"okf reader: {server.url}  Ctrl-C stops", file=sys.stderr, flush=True)
    server.run()
    return DONE
