"""Text that a reader does not see: zero-width letters, direction overrides, tag characters, comments, hidden HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from okf_edge.bundles.risks.finding import Hit, Severity
from okf_edge.bundles.risks.views import beyond_ascii

_JOINERS = "\u200c\u200d"
_ZERO_WIDTH = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200d\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0]+"
)
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]+")
_MARKS = re.compile("[\u200e\u200f]{2,}")
_TAGS = re.compile("[\U000e0000-\U000e007f]+")
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007f]+")
_VARIATION_RUN = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}")
_UNSEEN = (
    ("zero-width", _ZERO_WIDTH, "letters that are not seen"),
    ("zero-width", _TAGS, "tag characters, which spell unseen text"),
    ("zero-width", _VARIATION_RUN, "a run of variation selectors, which can carry text"),
    ("bidi", _BIDI, "marks that change the order in which text is read"),
    ("bidi", _MARKS, "a run of direction marks"),
)
_SUSPECT = re.compile(
    f"[{_ZERO_WIDTH.pattern[1:-2]}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufe00-\ufe0f\U000e0000-\U000e01ef]"
)
"""Any letter that one of these patterns begins with."""
_HIDDEN_HTML = re.compile(
    r"<[a-z][^>\n]{0,400}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0"
    r"|opacity\s*:\s*0(?![.\d])"
    r"|(?<![-\w])color\s*:\s*(?:white|#fff(?:fff)?|transparent)|\shidden(?=[\s>])|position\s*:\s*absolute[^>]{0,80}left\s*:\s*-\d{3,})[^>\n]{0,400}>",
    re.IGNORECASE,
)
_RUNNING_HTML = re.compile(
    r"<\s*script\b[^>\n]{0,400}>?|<[a-z][^>\n]{0,400}\son[a-z]{3,20}\s*=\s*[\"'\w][^>\n]{0,200}"
    r"|(?:href|src)\s*=\s*[\"']?\s*(?:java|vb)script:[^\s>\"']{0,100}|\]\(\s*(?:java|vb)script:[^)\n]{0,200}"
    r"|\]\(\s*data:text/html[^)\n]{0,100}",
    re.IGNORECASE,
)
_LOADING_HTML = re.compile(r"<\s*(?:iframe|object|embed|applet|form|base|meta|link)\b[^>\n]{0,400}>?", re.IGNORECASE)
_INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`)[^\n]{1,2000}?(?<!`)\1(?!`)")


def unseen(text: str) -> Iterator[Hit]:
    """Letters that are not shown, the gravest of a line. Joiners in emoji and scripts that need them do their work."""
    if not _SUSPECT.search(beyond_ascii(text)):
        return
    told: set[tuple[str, int]] = set()
    for kind, match, reason in sorted(_unseen(text), key=lambda each: (_is_stray(text, each[1]), each[1].start())):
        line = (kind, text.rfind("\n", 0, match.start()))
        if line not in told:
            told.add(line)
            severity: Severity = "warning" if _is_stray(text, match) else "blocking"
            yield Hit(kind, *match.span(), _codes(match[0]), severity, reason)


def _unseen(text: str) -> Iterator[tuple[str, re.Match[str], str]]:
    flags = [match.span() for match in _FLAG.finditer(text)]
    for kind, pattern, reason in _UNSEEN:
        for match in pattern.finditer(text):
            in_flag = any(start <= match.start() < end for start, end in flags)
            if not in_flag and not (pattern is _ZERO_WIDTH and _is_at_work(text, match)):
                yield kind, match, reason


def comments(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Hit]:
    """Comments of a note: Obsidian's leave with no export; HTML ones do, and readers do not see them."""
    for start, end in spans:
        inner = text[start:end].strip("%").removeprefix("<!--").removesuffix("-->").strip()
        if inner:
            yield Hit("comment", start, end, inner[:200], "warning", "text that a reader does not see")


_MARKUP: tuple[tuple[re.Pattern[str], str, Severity, str], ...] = (
    (_HIDDEN_HTML, "hidden text", "blocking", "HTML that hides what it holds"),
    (_RUNNING_HTML, "active content", "blocking", "HTML that runs"),
    (_LOADING_HTML, "active content", "warning", "HTML that loads or sends something"),
)


def markup(text: str, blocks: Sequence[tuple[int, int]]) -> Iterator[Hit]:
    """HTML in a note that hides, runs or loads something. What stands in code is shown, not run."""
    if "<" not in text and "](" not in text:
        return
    code = [*blocks, *(match.span() for match in _INLINE_CODE.finditer(text))]
    for pattern, kind, severity, reason in _MARKUP:
        for match in pattern.finditer(text):
            if not any(start <= match.start() < end for start, end in code):
                yield Hit(kind, *match.span(), match[0], severity, reason)


def _is_stray(text: str, match: re.Match[str]) -> bool:
    """A zero-width letter or two that split no ASCII word: left over from an editor, too few to say anything."""
    around = text[max(match.start() - 1, 0) : match.start()] + text[match.end() : match.end() + 1]
    splits_word = len(around) == 2 and around.isascii() and around.isalnum()
    return match.re is _ZERO_WIDTH and len(match[0]) <= 2 and not splits_word


def _is_at_work(text: str, match: re.Match[str]) -> bool:
    """A single joiner between letters that are no ASCII, a soft hyphen in a word, or a mark at the start of a file."""
    start, end = match.span()
    before, after = text[start - 1 : start], text[end : end + 1]
    if match[0] == "\ufeff" and start == 0:
        return True
    if match[0] == "\u00ad":
        return before.isalpha() and after.isalpha()
    if match[0] in {"\u200b", "\u2060"} and before and after and not before.isascii() and not after.isascii():
        return True  # a line break or its absence between words of scripts without spaces
    return match[0] in _JOINERS and bool(before) and bool(after) and not before.isascii() and not after.isascii()


def _codes(chars: str) -> str:
    return " ".join(f"U+{ord(char):04X}" for char in chars[:8])
