"""Stage 7, confirm: what can't be taken back is asked about first.

The refusal carries a single-use code, bound to the caller, the tool and its arguments. The client shows the person what
would happen and calls again with `confirm`. Only the code's hash is kept. A person who says no spends the code too.
A clock that was set back makes no code hold longer.
"""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

from okf_edge.errors import PolicyError
from okf_edge.limits import LIMITS
from okf_edge.policy.call import CONFIRM, Call
from okf_edge.policy.ledger import Entry, Ledger
from okf_edge.ports import Entropy

_CODE_BYTES = 16


async def confirm(ledger: Ledger, call: Call, entropy: Entropy, now: datetime) -> None:
    """Spend the confirmation of a call. Raises PolicyError: it has none that holds; nothing was spent."""
    shown = call.aside(CONFIRM)
    is_spent: bool = bool(shown) and await ledger.change(_key(shown), lambda kept: _spend(kept, call, now))
    if call.declines:
        raise PolicyError(f"the person declined {call.tool}", code="declined", hint="Do not ask again unless they do.")
    if is_spent:
        return
    code = entropy.token(_CODE_BYTES).hex()
    asked: Entry = {"call": _bound(call), "at": now.timestamp()}
    await ledger.change(_key(code), lambda kept: (asked, None))
    raise PolicyError(
        f"{call.tool} needs a person's consent{': this confirmation does not hold' if shown else ''}",
        code="confirmation-required",
        hint=f"Show the person what the call does; if they agree, call again with the same arguments and {CONFIRM}.",
        details={CONFIRM: code, "expires_seconds": int(LIMITS.confirmation_seconds)},
    )


def _spend(kept: Entry | None, call: Call, now: datetime) -> tuple[Entry | None, bool]:
    if kept is None or kept["call"] != _bound(call):
        return kept, False
    age = now.timestamp() - float(kept["at"])
    holds = -LIMITS.clock_skew_seconds < age < LIMITS.confirmation_seconds
    return (None, True) if holds else (kept, False)


def _bound(call: Call) -> str:
    return f"{call.caller.name}\n{call.fingerprint}"


def _key(code: str) -> str:
    return f"confirm-{sha256(code.encode('utf-8', 'surrogatepass')).hexdigest()}"
