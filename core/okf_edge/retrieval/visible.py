"""Text from notes, made safe to show: no character in it hides, reorders or controls what a reader or a model sees.

Zero-width characters, soft hyphens and tag characters carry nothing that can be seen and are removed. Controls and
bidirectional overrides are shown by code, e.g. `<U+202E>`. Joiners stay where they belong: in emoji and in scripts
that are written with them.
"""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2064\u3164\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]")
_STRAY_JOINER = re.compile("(?<![\u0600-\u0dff\u200d\ufe0f\u2190-\u2bff\U0001f000-\U0001faff])[\u200c\u200d]")
_PLAIN = re.compile("[\t\n -~]*")
_NEWLINE = re.compile("\r\n?|\x85")
_ANY = re.compile(f"[\u200c\u200d\r{_HIDDEN.pattern[1:-1]}{_CONTROL.pattern[1:-1]}]")
"""What may be changed: most texts have none of it."""


def visible(text: str) -> str:
    """The text with every character that a reader would not see either removed or shown by its code."""
    if _PLAIN.fullmatch(text) or not _ANY.search(text):
        return text
    shown = _STRAY_JOINER.sub("", _HIDDEN.sub("", _NEWLINE.sub("\n", text)))
    return _CONTROL.sub(lambda found: f"<U+{ord(found[0]):04X}>", shown)
