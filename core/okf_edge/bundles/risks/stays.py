"""Names of what stays in a base, in what leaves it: where no link is, so that nothing could take them out.

A link is rewritten. A path in a query, a canvas, a comment, an address of an app or a picture is only text, and names a
private page all the same.

Rules:
1. Three forms count: the path with its last folder, the file name with its suffix, and the bare name where it stands
   for a page: in `[[…]]`, in quotation marks, or alone behind `key:`. Prose may use the words of a name.
2. A name of one short word is a warning: many texts say `README.md` or `[[Note]]`.
3. What leaves too is no secret, whatever else bears its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from unicodedata import normalize
from urllib.parse import unquote

from okf_edge.bundles.risks.finding import Finding, Hit, Places, Severity

_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,9}(?![A-Za-z0-9])")
_STANDS_FOR_A_PAGE = re.compile(
    r"""\[\[([^\[\]|#^\n]{1,300})
      | "([^"\n]{1,300})" | '([^'\n]{1,300})' | “([^”\n]{1,300})”
      | ^[ \t]*(?:-[ \t]+)?[\w-]{1,60}:[ \t]+([^"'\[\n]{1,300})$""",
    re.VERBOSE,
)
_NOTE = re.compile(r"\.(?:md|markdown|canvas|base)$")
_NAME_CHARS = 255
_NOBODYS = frozenset({"index", "log", "readme"})
"""Names that every folder may have: they tell nothing."""


class Staying:
    """The files of a base that stay. `leaving` are the paths of those that do not; `names` more names of what stays."""

    def __init__(self, paths: Iterable[str], leaving: Iterable[str], names: Iterable[str] = ()) -> None:
        public = {each for path in leaving for each in (_plain(path), _file(path), _stem(path))}
        self._folders: dict[str, set[str]] = {}
        self._files: set[str] = set()
        self._names = {_plain(each) for each in names} - public
        for path in (plain for plain in map(_plain, paths) if _stem(plain) not in _NOBODYS):
            folder, stem = path.rpartition("/")[0].rpartition("/")[2], _stem(path)
            self._names |= {stem} - public
            self._files |= {_file(path)} - public
            if folder:
                self._folders.setdefault(stem, set()).add(folder)
        for path in map(_plain, leaving):
            self._folders.get(_stem(path), set()).discard(path.rpartition("/")[0].rpartition("/")[2])
        self._stem_sizes = sorted({len(stem) for stem in self._folders if len(stem) <= _NAME_CHARS})
        self._file_sizes = sorted({len(file) for file in self._files if len(file) <= _NAME_CHARS})

    def findings(self, path: str, data: bytes) -> tuple[Finding, ...]:
        """Where a file that leaves names what stays; none in a binary file."""
        if b"\0" in data[:4096]:
            return ()
        text = data.decode("utf-8", "replace")
        places = Places(path, text)
        return tuple(places.finding(hit) for hit in self._hits(text))

    def _hits(self, text: str) -> Iterator[Hit]:
        start = 0
        told: set[str] = set()
        for line in text.split("\n"):
            for name, severity in self._named(_plain(line)):
                if _stem(name) not in told:  # each once a file, in its longest form: it is accepted once
                    told.add(_stem(name))
                    reason = "what it names stays in the base; write it otherwise, or take it out"
                    yield Hit("name of what stays", start, start + len(line), name, severity, reason)
            start += len(line) + 1

    def _named(self, line: str) -> Iterator[tuple[str, Severity]]:
        for at in _places_of(line, "/"):
            for size in self._stem_sizes:
                stem = line[at + 1 : at + 1 + size]
                for folder in self._folders.get(stem, ()):
                    if line.endswith(folder, 0, at) and not _goes_on(line, at + 1 + len(stem)):
                        yield f"{folder}/{stem}", "blocking"
        for match in _SUFFIX.finditer(line):
            for size in self._file_sizes:
                file = line[max(match.end() - size, 0) : match.end()]
                if file in self._files and not _goes_on(line, match.end() - size - 1):
                    yield file, _gravity(file)
        for match in _STANDS_FOR_A_PAGE.finditer(line):
            name = _stem((match[match.lastindex or 0] or "").strip())
            if name in self._names:
                yield name, _gravity(name)


def _plain(text: str) -> str:
    """As names are compared: without escapes of addresses and JSON, in one Unicode form, without case."""
    return normalize("NFC", unquote(text) if "%" in text else text).replace("\\/", "/").casefold()


def _file(path: str) -> str:
    return _plain(path).rpartition("/")[2]


def _stem(path: str) -> str:
    """The name of a page; of any other file, the name with its suffix."""
    return _NOTE.sub("", _file(path))


def _places_of(line: str, mark: str) -> Iterator[int]:
    at = line.find(mark)
    while at != -1:
        yield at
        at = line.find(mark, at + 1)


def _goes_on(line: str, at: int) -> bool:
    """Whether the character there makes a longer name of the one beside it."""
    return at >= 0 and (line[at : at + 1].isalnum() or line[at : at + 1] in ("-", "_"))


def _gravity(name: str) -> Severity:
    return "blocking" if " " in name or len(name) >= 16 or not name.isascii() else "warning"
