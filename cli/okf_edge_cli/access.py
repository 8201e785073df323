"""`okf token create|list|revoke` and `okf audit verify|tail`."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from okf_edge.errors import InputError
from okf_edge.policy import audit
from okf_edge.policy.authenticate import Grant, Token
from okf_edge.policy.caller import scopes_of
from okf_edge.policy.rules import PathRules
from okf_edge_cli import session
from okf_edge_cli.commands import DONE, REFUSED
from okf_edge_cli.screen import Line, bad, bold, dim, good, line, wary
from okf_edge_native import tokens
from okf_edge_native.calls import FileAuditLog, audit_key
from okf_edge_native.places import state_place
from okf_edge_native.system import SystemClock

_DAYS = re.compile(r"([1-9][0-9]{0,4})d")


def create_token(
    name: str,
    scopes: Sequence[str],
    kbs: Sequence[str],
    allow: Sequence[str],
    deny: Sequence[str],
    expires: str,
    as_json: bool,
) -> int:
    now = SystemClock().now()
    grant = Grant(
        name,
        scopes_of(scopes or ["read"]),
        frozenset(kbs) or None,
        PathRules(tuple(allow) or None, tuple(deny)),
        _expiry(expires, now),
    )
    shown, token = asyncio.run(tokens.create(grant))
    session.print_result({**_described(token, now), "token": shown}, _created(shown, token), as_json)
    return DONE


def list_tokens(as_json: bool) -> int:
    now = SystemClock().now()
    found = asyncio.run(tokens.read_tokens())
    session.print_result({"tokens": [_described(each, now) for each in found]}, _listed(found, now), as_json)
    return DONE


def revoke_token(name: str, as_json: bool) -> int:
    token = asyncio.run(tokens.revoke(name))
    told = [line(good("revoked "), bold(token.name), dim("  running servers refuse it within seconds"))]
    session.print_result(_described(token, SystemClock().now()), told, as_json)
    return DONE


def verify_log(as_json: bool) -> int:
    log = _log()
    found = audit.verify(asyncio.run(log.lines()), asyncio.run(log.head()), audit_key(state_place()))
    word = bad(found.problem) if found.problem else good("whole")
    value = {"path": log.path, "lines": found.lines, "problem": found.problem}
    session.print_result(value, [line(word, f": {found.lines} lines hold", dim(f"  {log.path}"))], as_json)
    return REFUSED if found.problem else DONE


def tail_log(count: int | None, as_json: bool) -> int:
    most = 20 if count is None else count
    if most < 1:
        raise InputError(f"expected to show at least 1 call, found {most}", code="usage")
    records = [_record(each) for each in _log().tail(most)]
    session.print_result({"records": records}, _record_lines(records), as_json)
    return DONE


def _log() -> FileAuditLog:
    place = state_place()
    return FileAuditLog(place, audit_key(place))


def _expiry(text: str, now: datetime) -> datetime | None:
    if not text:
        return None
    match = _DAYS.fullmatch(text)
    if not match:
        raise InputError(f"expected a number of days like 90d, found {text!r}", code="usage")
    return now + timedelta(days=int(match[1]))


def _described(token: Token, now: datetime) -> dict[str, Any]:
    return {
        "name": token.name,
        "id": token.id,
        "scopes": sorted(token.scopes),
        "kbs": sorted(token.bases) if token.bases is not None else None,
        "allow": list(token.rules.allow) if token.rules.allow is not None else None,
        "deny": list(token.rules.deny),
        "created": token.created,
        "expires": token.expires,
        "valid": not token.refusal_at(now),
    }


def _created(shown: str, token: Token) -> Iterator[Line]:
    yield line(good("created "), bold(token.name), dim(f"  {_allows(token)}"))
    yield line(shown)
    yield line(dim("this is shown once: only its hash is kept"))


def _listed(found: Sequence[Token], now: datetime) -> Iterator[Line]:
    for token in found:
        state = wary(refusal.removeprefix("token-")) if (refusal := token.refusal_at(now)) else good("valid")
        yield line(bold(f"{token.name:<16}"), " ", state, f"  {_allows(token)}", dim(f"  created {token.created}"))
    if not found:
        yield line(dim("no tokens: `okf token create NAME`"))


def _allows(token: Token) -> str:
    bases = ", ".join(sorted(token.bases)) if token.bases is not None else "all bases"
    allow = f"; only {', '.join(token.rules.allow)}" if token.rules.allow is not None else ""
    deny = f"; not {', '.join(token.rules.deny)}" if token.rules.deny else ""
    until = f"; until {token.expires}" if token.expires else ""
    return f"{', '.join(sorted(token.scopes))} in {bases}{allow}{deny}{until}"


def _record(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {"outcome": "damaged"}


def _record_lines(records: Sequence[dict[str, Any]]) -> Iterator[Line]:
    """Calls in columns; of a damaged line only that it is one."""
    for record in records:
        outcome, code = str(record.get("outcome")), record.get("code")
        word = f"{outcome} ({code})" if code else outcome
        who, what, where = (str(record.get(name) or "-") for name in ("caller", "tool", "base"))
        told = good(f"{word:<24}") if outcome == "done" else bad(f"{word:<24}")
        spent = f"  {record.get('milliseconds', '-')} ms"
        yield line(dim(f"{record.get('at') or '-':<20}  "), told, f"  {who:<16}  {what:<14}  {where}", dim(spent))
    if not records:
        yield line(dim("no call was recorded yet"))
