"""Stage 5, idempotency: a call with a key runs once, whatever is lost on the way.

    nothing → claimed → committed → completed
                 ↓ refused before it ran: forgotten
                          ↓ failed, or stopped on its way → lost

`committed` is written before the tool runs. A call that was lost, or is found there later without its result, has an
unknown outcome: it is told so, and never run again. The same key with other arguments is an error. A clock that was
set back makes nothing younger: what seems to come from the future counts as old.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from okf_edge.errors import InputError, PolicyError
from okf_edge.limits import LIMITS
from okf_edge.policy.call import KEY, Call, Result
from okf_edge.policy.ledger import Entry, Ledger

MOST_CHARS = 128


@dataclass(frozen=True, slots=True)
class Claim:
    """A call's place in the ledger. `replay` is the result when it ran before."""

    key: str
    replay: Result | None = None


async def claim(ledger: Ledger, call: Call, now: datetime) -> Claim | None:
    """Claim the key of a call; None when it has none.

    Raises: PolicyError: another call has the key, it is running, or nobody knows how it ended. InputError.
    """
    named = call.aside(KEY)
    if not named:
        return None
    if len(named) > MOST_CHARS:
        raise InputError(f"expected an {KEY} of at most {MOST_CHARS} characters, found {len(named)}", code="bad-key")
    key = f"call-{sha256(f'{len(call.caller.name)}:{call.caller.name}:{named}'.encode()).hexdigest()}"

    def decide(kept: Entry | None) -> tuple[Entry | None, Result | None]:
        age = _age(kept, now) if kept else 0.0
        if kept is None or age > LIMITS.idempotency_seconds or _died_early(kept, age, call):
            return {"state": "claimed", "call": call.fingerprint, "at": now.timestamp()}, None
        return kept, _outcome(kept, age, call)

    return Claim(key, await ledger.change(key, decide))


async def commit(ledger: Ledger, claimed: Claim | None) -> None:
    if claimed:
        await ledger.change(claimed.key, lambda kept: ({**(kept or {}), "state": "committed"}, None))


async def complete(ledger: Ledger, claimed: Claim | None, result: Result) -> None:
    if claimed:
        kept_result = {"content": dict(result.content), "text": result.text, "meta": dict(result.meta)}
        await ledger.change(
            claimed.key, lambda kept: ({**(kept or {}), "state": "completed", "result": kept_result}, None)
        )


async def release(ledger: Ledger, claimed: Claim | None) -> None:
    """Forget a call that did not run."""
    if claimed:
        await ledger.change(claimed.key, lambda kept: (None, None))


async def lose(ledger: Ledger, claimed: Claim | None) -> None:
    """Note that nobody knows how a call ended."""
    if claimed:
        await ledger.change(claimed.key, lambda kept: ({**(kept or {}), "state": "lost"}, None))


def _age(kept: Entry, now: datetime) -> float:
    """Seconds since a call was claimed. Of one from the future nobody knows: enough to be dead, not to be forgotten."""
    age = now.timestamp() - float(kept["at"])
    return age if age > -LIMITS.clock_skew_seconds else LIMITS.claim_seconds + 1


def _died_early(kept: Entry, age: float, call: Call) -> bool:
    """Whether the same call was claimed by a process that ended before it ran anything."""
    return kept["state"] == "claimed" and kept["call"] == call.fingerprint and age > LIMITS.claim_seconds


def _outcome(kept: Entry, age: float, call: Call) -> Result:
    if kept["call"] != call.fingerprint:
        raise PolicyError(
            f"this {KEY} belongs to a call with another tool or other arguments",
            code="idempotency-mismatch",
            hint="Take a new key for a new call.",
        )
    if kept["state"] == "completed":
        result = kept["result"]
        return Result(result["content"], result["text"], {**result["meta"], "replayed": True})
    if kept["state"] == "lost" or (kept["state"] == "committed" and age > LIMITS.claim_seconds):
        raise PolicyError(
            "this call began and its end is not known; it is not run again",
            code="outcome-unknown",
            hint="Look whether it took effect; take a new key to try again.",
        )
    raise PolicyError("this call is still running", code="idempotency-in-flight", hint="Wait, and ask again.")
