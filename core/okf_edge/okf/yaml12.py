"""YAML 1.2 core values in which the author's spelling wins.

1. A plain scalar becomes a number only when the number prints exactly as it was typed: `2026` and `0.5` are numbers,
   `1.10`, `02700`, `1e5`, `0x1F`, `1_000`, `12:30`, dates, `no` and `on` stay strings.
2. `[[Note]]` and `{{placeholder}}`, which YAML reads as nested lists and mappings, stay the text that was typed.
3. Keys are strings, spelled as typed. A repeated key is joined: lists are concatenated, else the last one wins.
4. Every value is text that any host can store: a pair of `\\uD83D\\uDE00` is the one character that it stands for.
5. Aliases and merge keys are followed as far as `LIMITS` allow; depth is bounded too.

libyaml reads where it is there. PyYAML's own parser reads elsewhere, every text on which the two are known to differ,
and every text that libyaml refuses: values and messages are the same on all hosts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml import events

from okf_edge.limits import LIMITS

_PURE = yaml.SafeLoader
_FAST = getattr(yaml, "CSafeLoader", _PURE)

# Characters that PyYAML refuses, and the three that YAML 1.1 takes for line breaks and YAML 1.2 does not.
_UNREADABLE = re.compile(
    "[^\\t\\n\\x20-\\x7e\\xa0-\\u2027\\u202a-\\ud7ff\\ue000-\\ufefe\\uff00-\\ufffd\\U00010000-\\U0010ffff]"
)
# Where libyaml and PyYAML are known to differ: tabs, tags, directives, block scalar headers, document markers.
_DIFFERS = re.compile(r"[\t!%]|[|>][-+0-9]*#|---|\.\.\.")
_HALF = re.compile("[\ud800-\udfff]")
_BRACKETS = re.compile(r"[\[\]{}]")
_INT = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"-?[0-9]{1,17}\.[0-9]{1,17}")
_WORDS: dict[str, bool | None] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_WIKILINK = re.compile(r"\[\[[^\[\]\n]+\]\]")
_NUMBERS = re.compile(r"\[\[[\s\d.+-]+(?:,[\s\d.+-]+)+\]\]")
_PLACEHOLDER = re.compile(r"\{\{[^{}\n]*\}\}")
_CORE_TAG = "tag:yaml.org,2002:"


class YamlProblem(Exception):
    """The text is no YAML, or more than the limits allow. `line` is 1-based in the text."""

    def __init__(self, message: str, line: int, too_much: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.too_much = too_much


@dataclass(frozen=True, slots=True)
class Note:
    """Something legal that its author did not mean. `kind` is duplicate, wikilink or placeholder.

    `text` is the key or the value; `first_line` is where a duplicate key stands first.
    """

    kind: str
    line: int
    text: str
    first_line: int = 0


@dataclass(slots=True)
class Parsed:
    """`lines` maps each top-level key to its 1-based line in the text."""

    value: Any = None
    lines: dict[str, int] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)


def parse(text: str, *, pure: bool = False, explain: bool = True) -> Parsed:
    """Read one YAML document.

    Args:
        text: lines ended by LF.
        pure: use PyYAML's own parser even where libyaml is there.
        explain: whether the problem's message and line matter; finding them costs a second, slower reading.

    Raises:
        YamlProblem: and nothing else, whatever the text.
    """
    _check_readable(text)
    if not pure and not _may_differ(text):
        try:
            return _parsed(text, _FAST)
        except YamlProblem:
            if not explain:
                raise
    return _parsed(text, _PURE)


def _may_differ(text: str) -> bool:
    """Whether libyaml may read the text otherwise than PyYAML, to which a `?` between brackets starts a key."""
    return bool(_DIFFERS.search(text)) or ("?" in text and bool(_BRACKETS.search(text)))


def _parsed(text: str, loader: Any) -> Parsed:
    builder = _Builder(text)
    try:
        for event in _events(text, loader):
            builder.add(event)
    except yaml.YAMLError as error:
        raise _problem(error) from None
    return builder.parsed


def scalar(spelling: str) -> Any:
    """The YAML 1.2 core value of a plain scalar, when it prints as it was typed; else the spelling itself."""
    if spelling in _WORDS:
        return _WORDS[spelling]
    if spelling != "-0" and _INT.fullmatch(spelling):
        return int(spelling)
    if _FLOAT.fullmatch(spelling) and repr(float(spelling)) == spelling:
        return float(spelling)
    return spelling


def _events(text: str, loader: Any) -> Iterator[Any]:
    reader = loader(text)
    try:
        while reader.check_event():
            yield reader.get_event()
    except (ValueError, OverflowError):  # PyYAML's own, of a code beyond the last
        raise YamlProblem("an escape names no Unicode character", reader.line + 1) from None
    finally:
        reader.dispose()


def _check_readable(text: str) -> None:
    bad = _UNREADABLE.search(text)
    if bad:
        raise YamlProblem(
            f"character U+{ord(bad.group()):04X} is not allowed in YAML", text.count("\n", 0, bad.start()) + 1
        )
    depth = 0
    for match in _BRACKETS.finditer(text):
        depth = depth + 1 if match.group() in "[{" else max(depth - 1, 0)
        if depth > LIMITS.yaml_depth:
            raise YamlProblem("brackets nest too deep", text.count("\n", 0, match.start()) + 1, too_much=True)


def _problem(error: yaml.YAMLError) -> YamlProblem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or str(error)
    return YamlProblem(problem, mark.line + 1 if mark else 1)


@dataclass(slots=True)
class _Open:
    """A collection whose end has not come yet."""

    value: Any
    start: int
    line: int
    flow: bool
    anchor: str | None
    size_before: int
    key: str | None = None
    key_line: int = 0
    key_lines: dict[str, int] = field(default_factory=dict)


class _Builder:
    """Turns events into values. It keeps its own stack, so that depth costs no Python recursion."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parsed = Parsed()
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.size = 0
        self.most = len(text) + LIMITS.yaml_extra_values
        self.documents = 0

    def add(self, event: Any) -> None:
        if isinstance(event, events.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, events.CollectionStartEvent):
            self._open(event)
        elif isinstance(event, events.CollectionEndEvent):
            self._close(event)
        elif isinstance(event, events.AliasEvent):
            self._alias(event)
        elif isinstance(event, events.DocumentStartEvent):
            self._document(event)

    def _document(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            raise YamlProblem("a second document starts here", event.start_mark.line + 1)

    def _scalar(self, event: Any) -> None:
        event.value = _whole_characters(event.value)
        value = self._scalar_value(event)
        if event.anchor:
            self.anchors[event.anchor] = (value, 1)
        self._place(value, event, spelling=event.value)

    def _scalar_value(self, event: Any) -> Any:
        tag: str | None = event.tag
        if event.style:
            return event.value
        if tag is None or (tag.startswith(_CORE_TAG) and tag != _CORE_TAG + "str"):
            return scalar(event.value)
        if tag in (_CORE_TAG + "str", "!"):
            return event.value
        return self.text[event.start_mark.index : event.end_mark.index].strip()

    def _open(self, event: Any) -> None:
        if len(self.stack) >= LIMITS.yaml_depth:
            raise YamlProblem("it nests too deep", event.start_mark.line + 1, too_much=True)
        value: Any = {} if isinstance(event, events.MappingStartEvent) else []
        mark = event.start_mark
        self.stack.append(_Open(value, mark.index, mark.line + 1, bool(event.flow_style), event.anchor, self.size))

    def _close(self, event: Any) -> None:
        closed = self.stack.pop()
        value = closed.value
        if isinstance(value, dict) and "<<" in value:
            value = _merged(value)
        if closed.flow:
            value = self._as_typed(value, self.text[closed.start : event.end_mark.index], closed.line)
        if closed.anchor:
            self.anchors[closed.anchor] = (value, self.size - closed.size_before + 1)
        if not self.stack and isinstance(value, dict):
            self.parsed.lines.update(closed.key_lines)
        self._place(value, event, start=closed.start, line=closed.line)

    def _as_typed(self, value: Any, source: str, line: int) -> Any:
        if isinstance(value, list) and _WIKILINK.fullmatch(source) and not _NUMBERS.fullmatch(source):
            self.parsed.notes.append(Note("wikilink", line, source))
            return source
        if isinstance(value, dict) and _PLACEHOLDER.fullmatch(source):
            self.parsed.notes.append(Note("placeholder", line, source))
            return source
        return value

    def _alias(self, event: Any) -> None:
        """An alias of something still open would make a value that contains itself; it stays the text it is."""
        value, size = self.anchors.get(event.anchor, (f"*{event.anchor}", 1))
        is_open = any(item.anchor == event.anchor for item in self.stack)
        if event.anchor not in self.anchors and not is_open:
            raise YamlProblem(f"found undefined alias {event.anchor!r}", event.start_mark.line + 1)
        self.size += size
        self._place(f"*{event.anchor}" if is_open else value, event, spelling=f"*{event.anchor}")

    def _place(self, value: Any, event: Any, spelling: str | None = None, start: int = 0, line: int = 0) -> None:
        self.size += 1
        line = line or event.start_mark.line + 1
        if self.size > self.most:
            raise YamlProblem("its aliases repeat too much", line, too_much=True)
        if not self.stack:
            self.parsed.value = value
            return
        parent = self.stack[-1]
        if isinstance(parent.value, list):
            parent.value.append(value)
        elif parent.key is None:
            parent.key = spelling if spelling is not None else self.text[start : event.end_mark.index].strip()
            parent.key_line = line
        else:
            self._assign(parent, parent.key, value)
            parent.key = None

    def _assign(self, parent: _Open, key: str, value: Any) -> None:
        if key in parent.value:
            self.parsed.notes.append(Note("duplicate", parent.key_line, key, parent.key_lines[key]))
            value = joined(parent.value[key], value)
        parent.key_lines.setdefault(key, parent.key_line)
        parent.value[key] = value


def _whole_characters(text: str) -> str:
    """The text with the halves of characters that escapes spell, as JSON does, joined; U+FFFD for a half alone."""
    if text.isascii() or not _HALF.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def joined(first: Any, second: Any) -> Any:
    """The one value of a key that was written twice: no list item is lost, else the later one wins."""
    if not isinstance(first, list) and not isinstance(second, list):
        return second
    return list({repr(item): item for item in [*_as_list(first), *_as_list(second)]}.values())


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _merged(mapping: dict[str, Any]) -> dict[str, Any]:
    """YAML 1.1 merge keys, which authors who use anchors mean: the mapping's own keys win."""
    bases = [base for base in _as_list(mapping["<<"]) if isinstance(base, dict)]
    if not bases:
        return mapping
    own = {key: value for key, value in mapping.items() if key != "<<"}
    for base in bases:
        own = {**base, **own}
    return own
