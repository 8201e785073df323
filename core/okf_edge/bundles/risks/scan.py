"""Scans what would ship: every file, its name, its metadata and its body, as it is, as it reads, and joined.

Rules:
1. The scan decides nothing: it tells. `blocking` findings stop an export until each is accepted with a reason.
2. A finding that was suppressed is told as `info` with the reason, so that nobody has to trust the suppression.
3. One place is told once, by the gravest of its kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from okf_edge.bundles.active import active_content
from okf_edge.bundles.risks.addresses import private_places
from okf_edge.bundles.risks.attachments import attachment_hits, embedded_hits
from okf_edge.bundles.risks.columns import columns
from okf_edge.bundles.risks.contacts import contacts
from okf_edge.bundles.risks.credentials import credentials
from okf_edge.bundles.risks.finding import Finding, Hit, Places
from okf_edge.bundles.risks.instructions import instructions, rules_for
from okf_edge.bundles.risks.people import people
from okf_edge.bundles.risks.unseen import comments, markup, unseen
from okf_edge.bundles.risks.views import View, beyond_ascii, reading, views_of
from okf_edge.okf.document import Document
from okf_edge.okf.notes import Note, Notes
from okf_edge.okf.tags import tags_of

_TEXT_SUFFIXES = frozenset(
    [
        "md",
        "txt",
        "json",
        "canvas",
        "base",
        "yaml",
        "yml",
        "toml",
        "ini",
        "cfg",
        "conf",
        "env",
        "csv",
        "tsv",
        "xml",
        "svg",
        "html",
        "htm",
        "css",
        "js",
        "ts",
        "py",
        "sql",
        "sh",
        "rb",
        "go",
        "rs",
        "java",
        "log",
        "bib",
        "tex",
        "rst",
        "org",
        "adoc",
        "ipynb",
        "properties",
        "excalidraw",
        "mmd",
        "puml",
        "geojson",
        "jsonl",
    ]
)
_BINARY_SUFFIXES = frozenset({"pdf", "jpg", "jpeg", "png", "gif", "webp", "heic", "tif", "tiff", "zip", "gz", "docx"})
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_CYRILLIC_OR_GREEK = re.compile("[\u0370-\u052f]")
_RANK = {"blocking": 0, "warning": 1, "info": 2}


def scan(
    files: Mapping[str, bytes], origins: Mapping[str, str] | None = None, notes: Notes | None = None
) -> tuple[Finding, ...]:
    """All findings of a set of files, by path and place.

    Args: origins: what a file is called where it comes from, by its path here; findings tell of it by that.
        notes: those that were read already.
    """
    known = {path: (origins or {}).get(path, path) for path in files}
    return tuple(finding for path in sorted(files) for finding in scan_file(known[path], files[path], notes))


def scan_file(path: str, data: bytes, notes: Notes | None = None) -> tuple[Finding, ...]:
    """All findings of one file, by place."""
    text = _text_of(path, data)
    hits = [*_name_hits(path), *_active(path, data)]
    if path.casefold().endswith(".md"):
        note = (notes or Notes()).of(path, data)
        text = note.document.text
        hits += [*text_hits(text), *_note_hits(note)]
    elif text:
        hits += [*text_hits(text), *unseen(text), *_addressed(text)]
    else:
        hits += attachment_hits(path, data)
    hits += embedded_hits(text)
    places = Places(path, text)
    return tuple(places.finding(hit) for hit in _once(hits))


def scan_note(document: Document) -> tuple[Finding, ...]:
    """What an installation looks for in one note: text that is meant for an assistant, and letters that are unseen."""
    hits = (*unseen(document.text), *_instructions(document))
    places = Places(document.path, document.text) if hits else None
    return tuple(places.finding(hit) for hit in _once(hits)) if places else ()


def text_hits(text: str) -> Iterator[Hit]:
    """What can be found in any text: credentials, contacts and private places."""
    for view in views_of(text):
        yield from credentials(view)
        yield from contacts(view)
        if not view.name:
            yield from private_places(view)
            yield from columns(view)


def blocking(findings: Iterable[Finding], accepted: Mapping[str, str]) -> tuple[Finding, ...]:
    """The findings that stop an export: blocking ones that nobody has accepted by id, with a reason."""
    return tuple(each for each in findings if each.severity == "blocking" and not accepted.get(each.id, "").strip())


def _note_hits(note: Note) -> Iterator[Hit]:
    document, outline = note
    text = document.text
    yield from people(document, tags_of(document, outline))
    yield from unseen(text)
    yield from comments(text, outline.comments)
    yield from markup(text, tuple((block.start, block.end) for block in outline.blocks if block.kind == "code"))
    yield from _instructions(document)


def _instructions(document: Document) -> Iterator[Hit]:
    """In metadata quotation marks excuse nothing; in the body they mark what is talked about."""
    text, at = document.text, document.body_start
    for look_alikes in _faces(text):
        if rules := rules_for(reading(text, look_alikes=look_alikes).text):
            yield from instructions(reading(text[:at], look_alikes=look_alikes), rules, is_prose=False)
            for hit in instructions(reading(text[at:], look_alikes=look_alikes), rules):
                yield Hit(hit.kind, hit.start + at, hit.end + at, hit.value, hit.severity, hit.reason)


def _addressed(text: str) -> Iterator[Hit]:
    """In a file that is no note, where quotation marks excuse nothing either."""
    for look_alikes in _faces(text):
        yield from instructions(reading(text, look_alikes=look_alikes), is_prose=False)


def _faces(text: str) -> tuple[bool, ...]:
    """Look at a text as it is written; where letters of two alphabets that look alike may mix, also as it looks."""
    return (False, True) if _CYRILLIC_OR_GREEK.search(beyond_ascii(text)) else (False,)


def _name_hits(path: str) -> Iterator[Hit]:
    """A file's name ships too; hits in it are told at the first character of the file."""
    for hit in (*text_hits(path), *unseen(path), *instructions(View(path))):
        yield Hit(hit.kind, 0, 0, hit.value, hit.severity, f"{hit.reason}, in the file's name")


def _active(path: str, data: bytes) -> Iterator[Hit]:
    if reason := active_content(path, data):
        yield Hit("active content", 0, 0, path.rpartition("/")[2], "blocking", reason)


def _text_of(path: str, data: bytes) -> str:
    if data.startswith(_WIDE_MARKS):
        return data.decode("utf-16", "replace")
    suffix = path.rpartition(".")[2].casefold()
    is_text = suffix in _TEXT_SUFFIXES or (b"\0" not in data[:4096] and suffix not in _BINARY_SUFFIXES)
    return data.decode("utf-8", "replace") if is_text else ""


def _once(hits: Iterable[Hit]) -> list[Hit]:
    """Hits in order of place; of those of one kind that overlap, the gravest and longest.

    What has no place of its own, in a name or in packed data, is one with another only if it is the same.
    """
    kept: dict[tuple[str, int, int, str], Hit] = {}
    near: dict[tuple[str, int], list[Hit]] = {}
    for hit in sorted(hits, key=lambda each: (_RANK[each.severity], each.start - each.end)):
        around = near.get((hit.kind, hit.start // _BLOCK_CHARS), ())
        if hit.start == hit.end or not any(each.start <= hit.start < each.end for each in around):
            kept.setdefault((hit.kind, hit.start, hit.end, hit.value), hit)
            for block in range(hit.start // _BLOCK_CHARS, hit.end // _BLOCK_CHARS + 1):
                near.setdefault((hit.kind, block), []).append(hit)
    return sorted(kept.values(), key=lambda each: (each.start, each.end, each.kind))


_BLOCK_CHARS = 256
"""Hits that may overlap are looked for in blocks of a text, so that a list of ten thousand addresses costs no more."""
