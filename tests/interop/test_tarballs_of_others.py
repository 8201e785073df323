"""What other OKF tools write installs and is found. The archives were made by the tools from the same three notes.

oknoll 0.3.5 (Apache-2.0) by `oknoll pack`, vault2okf 0.1.0 (MIT) by `vault2okf convert`; the notes are our own.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bundle_kit import LineIndexer
from okf_edge.bundles.contents import open_bytes
from okf_edge.bundles.install import InstallOptions, install
from okf_edge.bundles.texts import look_at
from okf_edge.inmemory.files import MemoryTree
from okf_edge.inmemory.progress import RecordedProgress
from okf_edge.inmemory.system import ManualClock

GIVEN = Path(__file__).with_name("given")


@pytest.mark.parametrize(("name", "conforms"), [("oknoll-0.3.5", False), ("vault2okf-0.1.0", True)])
async def test_the_bundle_of_another_tool_installs_as_it_is(name, conforms):
    """The root index.md of oknoll has keys that OKF does not allow there: that is said, and a person accepts it."""
    base = MemoryTree()
    contents = open_bytes((GIVEN / f"{name}.tar.gz").read_bytes())
    done = await install(
        base,
        contents,
        InstallOptions(f"{name}.tar.gz", bundle_id="ada.orchard", accept_nonconformant=not conforms),
        clock=ManualClock(),
        indexer=LineIndexer(),
        progress=RecordedProgress(),
    )
    texts = {path: data.decode() for path, data in base.files.items() if path.endswith(".md")}
    assert (done.bundle.kind, done.outcome) == ("plain", "installed")
    assert any("Pears ripen in October" in text for text in texts.values())
    assert not any("/." in path for path in texts)
    assert (look_at(await contents.markdown()).breaches == ()) is conforms
