"""How clauses state what they expect, and how they are found and run."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from okf_edge.errors import OkfError

Failure = TypeVar("Failure", bound=OkfError)


def equal(found: object, expected: object, what: str) -> None:
    """Raises: AssertionError: the two differ."""
    if found != expected:
        raise AssertionError(f"{what}: expected {expected!r}, found {found!r}")


def true(holds: object, what: str) -> None:
    """Raises: AssertionError: it does not hold."""
    if not holds:
        raise AssertionError(what)


async def raises(expected: type[Failure], work: Awaitable[object], what: str) -> Failure:
    """The expected error.

    Raises: AssertionError: the work ended without it, or with another error.
    """
    try:
        result = await work
    except expected as error:
        return error
    except Exception as error:
        raise AssertionError(f"{what}: expected {expected.__name__}, found {error!r}") from error
    raise AssertionError(f"{what}: expected {expected.__name__}, found the result {result!r}")


def clauses(contract: type) -> tuple[str, ...]:
    """Names of the contract's clauses, inherited ones included, sorted."""
    members = inspect.getmembers(contract, inspect.iscoroutinefunction)
    return tuple(name for name, _ in members if not name.startswith("_"))


async def run(contract: object, make: Callable[[], Any]) -> dict[str, str]:
    """Run every clause on an adapter of its own.

    Args: make: gives a fresh adapter, at once or awaited.
    Returns: the clauses that failed, with what was wrong; empty when the adapter keeps the contract.
    """
    failures = {}
    for name in clauses(type(contract)):
        adapter = make()
        try:
            await getattr(contract, name)(await adapter if inspect.isawaitable(adapter) else adapter)
        except Exception as error:
            failures[name] = f"{type(error).__name__}: {error}"
    return failures
