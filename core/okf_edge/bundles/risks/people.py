"""Pages about a person, and notes of meetings, by type, folder, tag, name and content."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from okf_edge.bundles.risks.finding import Hit, Severity
from okf_edge.okf.document import Document

_PERSON_TYPES = re.compile(
    r"person|people|contact|human|colleague|coworker|friend|family|client|customer|patient|employee|candidate|individual"
    r"|persona|personne|mensch|人物|人|联系人|聯絡人|同事|客户|客戶|人员|人員|連絡先|사람"
)
_PERSON_PLACES = re.compile(
    r"persons?|people|contacts?|humans?|colleagues|coworkers|friends|family|patients|employees|candidates|personen"
    r"|personas|personnes|menschen|人物|人|联系人|聯絡人|同事|客户|客戶|人员|人員|連絡先|사람"
)
_MEETINGS = re.compile(
    r"meetings?|1on1|1-1|one-on-one|standup|retro|retrospective|minutes|journal|diary|daily|dailies|interviews?"
    r"|会议|會議|会议纪要|周会|例会|日记|日報|議事録|ミーティング|besprechung|protokoll|réunion|reunión"
)
_PUBLIC = re.compile(
    r"book|author|company|organi[sz]ation|product|project|film|paper|article|place|event|team|group|role"
    r"|fiction|character|书|公司|组织"
)
_FULL_NAME = re.compile(r"[A-Z][\w'’-]+(?: [A-Z]\.)?(?: (?:de|van|von|der|la|bin|al))? [A-Z][\w'’-]+(?: (?:Jr|Sr)\.?)?")
_INITIAL = re.compile(r"[A-Z][\w'’-]+(?: [A-Z]\.)+ [A-Z][\w'’-]+")
_TRAITS = re.compile(
    r"\b(?:was born|born (?:on|in)|birthday|date of birth|home address)\b|生日|出生于|身份证|籍贯", re.IGNORECASE
)
_MEETING_NAME = re.compile(
    r"\b(?:meeting|minutes|1[:on-]{1,4}1|standup|stand-up|retro|kick-?off|all-?hands)\b|会议|纪要|周会|例会|議事録",
    re.IGNORECASE,
)


def people(document: Document, noted_tags: Iterable[str]) -> Iterator[Hit]:
    """What tells that a note is about a person or a meeting; at most one hit of each kind."""
    kind = str(document.frontmatter.get("type") or "").strip()
    tags = sorted({tag.casefold() for tag in noted_tags})
    if reason := _person(document, kind, tags):
        if _has_word([kind], _PUBLIC):
            yield _whole(document, "person", "info", f"{reason}, but its type is {kind!r}")
        else:
            yield _whole(document, "person", "blocking", reason)
    if reason := _meeting(document, kind, tags):
        yield _whole(document, "meeting", "warning", reason)


def _person(document: Document, kind: str, tags: list[str]) -> str:
    folders, name = _place(document.path)
    if _has_word([kind], _PERSON_TYPES):
        return f"its type is {kind!r}"
    if found := _has_word(folders, _PERSON_PLACES):
        return f"it lies in a folder {found!r}"
    if found := _has_word(tags, _PERSON_PLACES):
        return f"it has the tag #{found}"
    title = str(document.frontmatter.get("title") or name)
    if _INITIAL.fullmatch(title) or _INITIAL.fullmatch(name):
        return "it is called like a person"
    if (_FULL_NAME.fullmatch(title) or _FULL_NAME.fullmatch(name)) and _TRAITS.search(document.body):
        return "it is called like a person and tells of a life"
    return ""


def _meeting(document: Document, kind: str, tags: list[str]) -> str:
    folders, name = _place(document.path)
    if _has_word([kind], _MEETINGS):
        return f"its type is {kind!r}"
    if found := _has_word([*folders, *tags], _MEETINGS):
        return f"it lies in, or is tagged, {found!r}"
    return "it is called like a meeting" if _MEETING_NAME.search(name) else ""


def _place(path: str) -> tuple[list[str], str]:
    *folders, name = path.split("/")
    return folders, name.rpartition(".")[0] or name


def _has_word(texts: Iterable[str], words: re.Pattern[str]) -> str:
    """The first text of which a word, or the whole, is one of the words."""
    for text in texts:
        if any(words.fullmatch(part) for part in (text.casefold(), *re.split(r"[^\w-]+", text.casefold()))):
            return text
    return ""


def _whole(document: Document, kind: str, severity: Severity, reason: str) -> Hit:
    first = document.text.find("\n")
    end = len(document.text) if first == -1 else first
    name = document.path.rpartition("/")[2].removesuffix(".md")
    return Hit(kind, 0, end, name, severity, reason)
