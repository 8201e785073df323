"""Text from notes, marked as what it is before a model reads it: data of somebody, never an instruction.

Rules:
1. The marks carry a fresh random code, so that no text can close them from inside.
2. Hidden and control characters are removed or shown by their codes.
3. Where it comes from, whose it is, how far it is trusted and whether it is fresh stand outside of the marks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from okf_edge.ports import Entropy
from okf_edge.retrieval.visible import visible

_CODE_BYTES = 6
_HARMLESS = re.compile("[ !#-;=?-~]*")
"""Most values: printable, and nothing that could end a quote or a mark. Others are changed to stay within theirs."""
_QUOTED = str.maketrans({'"': "'", "<": "‹", ">": "›", "\n": " "})


def code_of(entropy: Entropy) -> str:
    return entropy.token(_CODE_BYTES).hex()


def marked(text: str, about: Mapping[str, str], code: str) -> str:
    """A text between marks, with what is known about it in the opening one."""
    if not _HARMLESS.fullmatch("".join(about.values())):
        about = {name: visible(value).translate(_QUOTED) for name, value in about.items()}
    known = " ".join([f'{name}="{value}"' for name, value in about.items() if value])
    return f"<untrusted-{code} {known}>\n{visible(text)}\n</untrusted-{code}>"


def shown(value: object) -> object:
    """A result of which every text is without hidden characters."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {name: shown(each) for name, each in value.items()}
    return [shown(each) for each in value] if isinstance(value, list | tuple) else value
