"""Asking the person through their client (elicitation) before a tool runs whose work can't be taken back.

- In the stateless era the call is answered with what is to be asked, and with the confirmation as `requestState`; the
  client asks, and calls again with both.
- In the handshake era we ask on the same connection, and wait.
- A client that can't ask is told the confirmation, and the call comes again with it as `confirm`.

In the first two the confirmation is never shown to the model.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from okf_edge.policy.call import ASIDE
from okf_edge.retrieval.visible import visible

METHOD = "elicitation/create"
KEY = "confirm"
MOST_CHARS = 300
"""Of one argument, as it is shown."""

Ask = Callable[[str, Mapping[str, Any]], Awaitable[Any]]
"""Sends a request to the client and waits for its result; None when it can't, or does not answer."""

_SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean", "title": "I agree", "default": False}},
    "required": ["ok"],
}


@dataclass(frozen=True, slots=True)
class Reply:
    """What a call brings back of an earlier question. `agrees` is None when it was not answered."""

    state: str = ""
    agrees: bool | None = None


def can_ask(capabilities: Any) -> bool:
    """Whether a client with these capabilities shows forms to its person."""
    told = capabilities.get("elicitation") if isinstance(capabilities, dict) else None
    return isinstance(told, dict) and (not told or "form" in told)


def question(title: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What the person is asked: the tool, and the arguments that it would run with."""
    told = [f"{name}: {_shown(value)}" for name, value in arguments.items() if name not in ASIDE]
    return {"mode": "form", "message": "\n".join([f"{title}?", *told]), "requestedSchema": _SCHEMA}


def reply_in(params: Mapping[str, Any]) -> Reply:
    """Raises ValueError: `inputResponses` or `requestState` are of a wrong form."""
    responses, state = params.get("inputResponses", {}), params.get("requestState", "")
    if not isinstance(responses, dict) or not isinstance(state, str):
        raise ValueError("inputResponses must be an object, and requestState a text")
    return Reply(state, agreement(responses[KEY]) if KEY in responses else None)


def agreement(result: Any) -> bool | None:
    """Whether the person agreed; None when the result does not say."""
    action = result.get("action") if isinstance(result, dict) else None
    if action in ("decline", "cancel"):
        return False
    content = result.get("content") if isinstance(result, dict) else None
    ok = content.get("ok") if isinstance(content, dict) else None
    return ok if action == "accept" and isinstance(ok, bool) else None


def _shown(value: Any) -> str:
    text = " ".join(visible(value if isinstance(value, str) else repr(value)).split())
    return text if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]}…"
