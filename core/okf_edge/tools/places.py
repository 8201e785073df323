"""What callers are told of the folders of this machine: over a network nothing, whatever a failure says."""

from __future__ import annotations

import re

from okf_edge.policy.caller import Caller

_PLACE = re.compile(r"""(?<=['"])/[^'"\n]*/|(?<![\w:/.~'"])/(?:[^/\s'"]+/)+|\b[A-Za-z]:[\\/](?:[^\\/\s'"]+[\\/])*""")
"""The folders in an absolute path."""


def told_to(caller: Caller, text: str) -> str:
    """A text of ours as a caller may hear it."""
    return text if caller.is_local else _PLACE.sub("", text)
