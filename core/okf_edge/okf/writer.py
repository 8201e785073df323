"""Edits of frontmatter that change what was asked and nothing else.

1. Only the lines of the edited keys change; all other bytes, key order and comments stay.
2. What is no clean YAML comes out clean: a key that was written twice is written once, with the items of both; an
   unquoted wikilink is quoted; a value that had to be recovered is written as what was read of it.
3. The result is read again before it is returned: every key must hold what it should.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString
from yaml import SafeLoader, ScalarNode

from okf_edge.errors import FormatError
from okf_edge.okf import yaml12
from okf_edge.okf.document import Document
from okf_edge.okf.frontmatter import find_block
from okf_edge.okf.lines import NEWLINE
from okf_edge.okf.reader import read_document
from okf_edge.okf.recovery import Segment, segments

_UNQUOTED_LINK = re.compile(r"(?P<before>:[ \t]+|-[ \t]+)(?P<link>\[\[[^\[\]\n]+\]\])(?P<after>[ \t]*(?:#.*)?)")
_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?")
_RESOLVER: Any = SafeLoader("")
_TEXT_TAG = "tag:yaml.org,2002:str"
_BOM = b"\xef\xbb\xbf"


def edited(document: Document, changes: Mapping[str, Any], remove: Iterable[str] = ()) -> bytes:
    """The file's bytes with these top-level keys set and those removed. A new key goes to the end of the block.

    Raises:
        FormatError: the bytes could not be decoded, or the frontmatter can't be edited without losing something.
    """
    _check_editable(document)
    gone = set(remove)
    wanted = {key: value for key, value in {**document.frontmatter, **changes}.items() if key not in gone}
    for block in _blocks(document, wanted, set(changes)):
        data = _file(document, block)
        if _holds(data, document, wanted):
            return data
    raise FormatError(
        f"the frontmatter of {document.path} can't be edited without changing something else",
        hint="Correct what `okf validate` reports about it, then retry.",
    )


def emitted(values: Mapping[str, Any]) -> str:
    """These keys as YAML that readers of 1.1 and of 1.2 agree on, lines ended by LF."""
    return _dumped({key: _unambiguous(value) for key, value in values.items()}) if values else ""


def _blocks(document: Document, wanted: Mapping[str, Any], touched: set[str]) -> Iterator[str]:
    """Ways to write the block, the one that keeps most first."""
    yield _by_lines(document, wanted, touched, keeps_style=True)
    yield _by_lines(document, wanted, touched, keeps_style=False)
    yield _as_a_whole(document, wanted, touched)


def _check_editable(document: Document) -> None:
    if not document.decodable:
        raise FormatError(
            f"{document.path} is not UTF-8, so it is never written back",
            code="not-utf8",
            hint="Save it as UTF-8 in an editor first.",
        )
    if any(found.rule in ("OKF-F03", "OKF-F04") for found in document.diagnostics):
        raise FormatError(
            f"the frontmatter of {document.path} has no end, or is no mapping",
            hint="Close it with a line of `---`, or write `key: value` lines.",
        )


# --- by lines --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Edit:
    """`raw` are the block's lines with their newlines."""

    raw: list[str]
    newline: str
    wanted: Mapping[str, Any]
    touched: set[str]
    keeps_style: bool


def _by_lines(document: Document, wanted: Mapping[str, Any], touched: set[str], *, keeps_style: bool) -> str:
    edit = _Edit(_raw_lines(_source(document)), _newline(document.text), wanted, touched, keeps_style)
    parts = segments([line.rstrip("\r\n") for line in edit.raw])
    counts = Counter(part.key for part in parts)
    written = edit.raw[: parts[0].first - 1] if parts else list(edit.raw)
    done: set[str] = set()
    for part in parts:
        written += _segment(part, edit, is_first=part.key not in done, is_repeated=counts[part.key] > 1)
        done.add(part.key)
    fresh = {key: value for key, value in wanted.items() if key not in done}
    return "".join(written) + emitted(fresh).replace("\n", edit.newline)


def _segment(part: Segment, edit: _Edit, *, is_first: bool, is_repeated: bool) -> list[str]:
    """The lines that one key becomes. Comments and blank lines before the next key are not its own: they stay."""
    own = len(part.lines)
    while own > 1 and (not part.lines[own - 1].strip() or part.lines[own - 1].startswith("#")):
        own -= 1
    start = part.first - 1
    raw, rest = edit.raw[start : start + own], edit.raw[start + own : start + len(part.lines)]
    if part.key not in edit.wanted or not is_first:
        return rest
    if not is_repeated and part.key not in edit.touched and _is_clean(part.lines):
        return [*(_quoted_link(line) for line in raw), *rest]
    value = edit.wanted[part.key]
    keeps_style = edit.keeps_style and not is_repeated
    text = _updated(raw, part.key, value) if keeps_style else emitted({part.key: value})
    return [text.replace("\n", edit.newline), *rest]


def _is_clean(lines: list[str]) -> bool:
    try:
        yaml12.parse("\n".join(lines))
    except yaml12.YamlProblem:
        return False
    return True


def _updated(raw: list[str], key: str, value: Any) -> str:
    """The key with its new value, keeping comments and style of the old one where the two have the same shape."""
    try:
        loaded = _yaml().load("".join(line.rstrip("\r\n") + "\n" for line in raw))
    except YAMLError:
        loaded = None
    if not isinstance(loaded, dict) or list(loaded) != [key]:
        return emitted({key: value})
    if _same_shape(loaded[key], value):
        _assign(loaded, key, value)
        return _dumped(loaded)
    first, newline, rest = emitted({key: value}).partition("\n")
    return f"{first}{_comment(loaded, key)}{newline}{rest}"


def _same_shape(old: Any, value: Any) -> bool:
    for kind in (Mapping, list):
        if isinstance(old, kind) or isinstance(value, kind):
            return isinstance(old, kind) and isinstance(value, kind)
    return "\n" not in str(old) + str(value)


def _comment(loaded: Any, key: str) -> str:
    """The comment behind a key's value, as ruamel keeps it."""
    tokens = [token for token in loaded.ca.items.get(key, []) if token is not None and not isinstance(token, list)]
    return f" {tokens[0].value.splitlines()[0]}" if tokens and tokens[0].value.startswith("#") else ""


def _assign(parent: Any, key: Any, value: Any) -> None:
    old = parent[key]
    if isinstance(old, dict) and isinstance(value, Mapping):
        for name in [name for name in old if name not in value]:
            del old[name]
        for name, item in value.items():
            _assign(old, name, item) if name in old else old.update({name: _unambiguous(item)})
    elif isinstance(old, list) and isinstance(value, list):
        for number, item in enumerate(value[: len(old)]):
            _assign(old, number, item)
        del old[len(value) :]
        old.extend(_unambiguous(item) for item in value[len(old) :])
    elif old != value or type(old) is not type(value):
        parent[key] = _unambiguous(value)


def _quoted_link(line: str) -> str:
    body = line.rstrip("\r\n")
    match = _UNQUOTED_LINK.search(body)
    if not match or match.end() != len(body) or "'" in body[: match.start()] or '"' in body[: match.start()]:
        return line
    return f'{body[: match.start("link")]}"{match["link"]}"{match["after"]}{line[len(body) :]}'


# --- as a whole ------------------------------------------------------------------------------------------------------


def _as_a_whole(document: Document, wanted: Mapping[str, Any], touched: set[str]) -> str:
    """For blocks that are no plain list of keys, such as one flow mapping: comments and order stay, spacing may not."""
    try:
        loaded = _yaml().load(_source(document))
    except YAMLError:
        return ""
    if not isinstance(loaded, dict):
        return ""
    for key in [key for key in loaded if key not in wanted]:
        del loaded[key]
    for key in touched & set(wanted):
        loaded[key] = _unambiguous(wanted[key])
    return _dumped(loaded).replace("\n", _newline(document.text))


# --- YAML ------------------------------------------------------------------------------------------------------------


def _yaml() -> YAML:
    yaml = YAML(typ="rt")
    yaml.width = 1_000_000
    yaml.preserve_quotes = True
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.representer.add_representer(_Instant, _represent_instant)
    return yaml


class _Instant(str):
    """A date or an instant, which the specification writes without quotes."""


def _represent_instant(representer: Any, value: _Instant) -> Any:
    return representer.represent_scalar("tag:yaml.org,2002:timestamp", str(value))


def _dumped(values: Mapping[str, Any]) -> str:
    out = StringIO()
    _yaml().dump(dict(values) if type(values) is dict else values, out)
    return out.getvalue()


def _unambiguous(value: Any) -> Any:
    """The value with every string that some reader would take for something else in quotes."""
    if isinstance(value, Mapping):
        return {key: _unambiguous(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_unambiguous(item) for item in value]
    if not isinstance(value, str):
        return value
    if "\n" in value and not value.startswith((" ", "\n")) and not value.endswith("\n\n"):
        return LiteralScalarString(value)
    if _INSTANT.fullmatch(value):
        return _Instant(value)
    is_text = _RESOLVER.resolve(ScalarNode, value, (True, False)) == _TEXT_TAG
    return value if is_text and not value.startswith(("[[", "![[")) else DoubleQuotedScalarString(value)


# --- the file --------------------------------------------------------------------------------------------------------


def _file(document: Document, block: str) -> bytes:
    text = document.text
    found = find_block(text)
    newline = _newline(text)
    if found:
        text = text[: found.start] + block + text[found.end :]
    elif block:
        text = f"---{newline}{block}---{newline}{text}"
    return _BOM * (document.bom_bytes // len(_BOM)) + text.encode("utf-8")


def _holds(data: bytes, document: Document, wanted: Mapping[str, Any]) -> bool:
    again = read_document(document.path, data)
    worse = {found.rule for found in again.diagnostics} - {found.rule for found in document.diagnostics}
    return dict(again.frontmatter) == dict(wanted) and again.body == document.body and not worse


def _source(document: Document) -> str:
    found = find_block(document.text)
    return document.text[found.start : found.end] if found else ""


def _raw_lines(text: str) -> list[str]:
    ends = [match.end() for match in NEWLINE.finditer(text)]
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True) if end > start]


def _newline(text: str) -> str:
    first = NEWLINE.search(text)
    return first.group() if first else "\n"
