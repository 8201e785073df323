"""A DynamoDB table, where there is one: rates counted and claims kept for all environments together.

Without it each environment counts for itself, and claims lie in the bucket. The table has one key, `id`, and an
attribute `expires` by which DynamoDB removes what is over.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any, TypeVar

from okf_edge.errors import PolicyError, PreconditionError, UnavailableError
from okf_edge.limits import LIMITS
from okf_edge.policy.call import Kind
from okf_edge.policy.ledger import Entry
from okf_edge.policy.rate import RATES, Buckets

T = TypeVar("T")

ATTEMPTS_COUNT = 20
_MINUTE = 60


class TableBuckets(Buckets):
    """Calls of each caller in the present minute, over all environments; a burst is counted by each one besides."""

    def __init__(self, client: Any, table: str) -> None:
        super().__init__()
        self._client = client
        self._table = table

    def take(self, caller: str, kind: Kind, seconds: float) -> None:
        super().take(caller, kind, seconds)
        minute = int(time.time()) // _MINUTE
        with _port_errors():
            told = self._client.update_item(
                TableName=self._table,
                Key={"id": {"S": f"rate#{kind}#{minute}#{caller}"}},
                UpdateExpression="ADD calls :one SET expires = :until",
                ExpressionAttributeValues={":one": {"N": "1"}, ":until": {"N": str((minute + 2) * _MINUTE)}},
                ReturnValues="UPDATED_NEW",
            )
        if int(told["Attributes"]["calls"]["N"]) > RATES[kind].per_minute:
            wait = _MINUTE - int(time.time()) % _MINUTE
            raise PolicyError(
                f"too many calls that {kind}: expected at most {RATES[kind].per_minute:g} a minute",
                code="throttled",
                hint=f"Try again in {wait} s.",
                details={"retry_after_seconds": wait},
            )


class TableLedger:
    """A `Ledger` of one item a key, changed on condition that nobody changed it since it was read."""

    def __init__(self, client: Any, table: str) -> None:
        self._client = client
        self._table = table

    async def change(self, key: str, decide: Callable[[Entry | None], tuple[Entry | None, T]]) -> T:
        for _ in range(ATTEMPTS_COUNT):
            before, text = self._read(key)
            entry, told = decide(before)
            if entry == before or self._write(key, entry, text):
                return told
        raise PreconditionError("expected to be first once, found somebody else each time", hint="Try again.")

    def _read(self, key: str) -> tuple[Entry | None, str]:
        with _port_errors():
            told = self._client.get_item(TableName=self._table, Key={"id": {"S": key}}, ConsistentRead=True)
        text = told.get("Item", {}).get("entry", {}).get("S", "")
        return (json.loads(text) if text else None), text

    def _write(self, key: str, entry: Entry | None, before: str) -> bool:
        """Whether nobody else was first."""
        until = str(int(time.time() + 2 * LIMITS.idempotency_seconds))
        item = {"id": {"S": key}, "entry": {"S": json.dumps(entry) if entry else ""}, "expires": {"N": until}}
        unchanged = "entry = :before" if before else "attribute_not_exists(id) OR entry = :before"
        with _port_errors():
            try:
                self._client.put_item(
                    TableName=self._table,
                    Item=item,
                    ConditionExpression=unchanged,
                    ExpressionAttributeValues={":before": {"S": before}},
                )
            except self._client.exceptions.ConditionalCheckFailedException:
                return False
        return True


class _port_errors:
    """Raises: UnavailableError in place of what the client library raises."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        from botocore.exceptions import BotoCoreError, ClientError

        if isinstance(error, BotoCoreError | ClientError):
            raise UnavailableError("the table did not answer", code="no-table", hint="See OKF_TABLE.") from error
