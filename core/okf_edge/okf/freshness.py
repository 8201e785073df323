"""Instants, and whether a concept is still fresh.

`stale_after` was a date before it became an instant, within one version of the format: a bare date is read as midnight
UTC. A time without an offset means something else on every machine, so it is ignored and reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

InstantKind = Literal["instant", "date", "naive", "junk", "absent"]

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_INSTANT = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(:\d{2})?(?:[.,](\d{1,9}))?[ ]?(?:([Zz])|([+-]\d{2}):?(\d{2})?)?"
)


@dataclass(frozen=True, slots=True)
class Instant:
    """`value` is aware and in UTC; None for `naive`, `junk` and `absent`."""

    value: datetime | None
    kind: InstantKind


def instant(value: Any) -> Instant:
    """Read a timestamp as authors write it. The result depends on nothing but the value."""
    if value is None or value == "":
        return Instant(None, "absent")
    text = value.strip() if isinstance(value, str) else ""
    try:
        if _DATE.fullmatch(text):
            return Instant(datetime.fromisoformat(text).replace(tzinfo=UTC), "date")
        return _instant(text)
    except (ValueError, OverflowError):
        return Instant(None, "junk")


def is_stale(stale_after: datetime | None, now: datetime) -> bool:
    """Whether that instant has come (section 5.5). What has none stays fresh."""
    return stale_after is not None and now >= stale_after


def format_instant(value: datetime) -> str:
    """The spelling that we write: UTC, to the second, with `Z`."""
    return f"{value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='seconds')}Z"


def _instant(text: str) -> Instant:
    match = _INSTANT.fullmatch(text)
    if not match:
        return Instant(None, "junk")
    date, minutes, seconds, fraction, zulu, hours, rest = match.groups()
    offset = "+00:00" if zulu else f"{hours}:{rest or '00'}" if hours else ""
    moment = datetime.fromisoformat(f"{date}T{minutes}{seconds or ':00'}.{(fraction or '0')[:6]:0<6}{offset}")
    return Instant(moment.astimezone(UTC), "instant") if offset else Instant(None, "naive")
