"""Our own JSON state files: whole or old on disk, versioned, and never taken for empty when they are corrupt.

Rules:
1. A file that is absent is `None`; a file that is there must be read whole, or the command stops and names it.
2. `format` is an integer; a higher one than we know was written by a later version and is not touched.
3. Keys that we do not know are kept when we write the file again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from okf_edge.errors import InputError, NewerFormatError, NotFoundError, StateFileError, TooLargeError
from okf_edge.json_text import json_value
from okf_edge.limits import LIMITS
from okf_edge.ports import FileTree

State = dict[str, Any]


async def read_state(
    tree: FileTree, path: str, newest_format: int, max_bytes: int = LIMITS.state_file_bytes
) -> State | None:
    """The object in a state file, or None when there is no such file.

    Raises:
        StateFileError: the file is too large, no JSON, no object, or has no format number.
        NewerFormatError: its format is above `newest_format`.
    """
    try:
        data = await tree.read(path, max_bytes)
    except NotFoundError:
        return None
    except TooLargeError as error:
        raise corrupt(path, f"is larger than {max_bytes:,} bytes") from error
    return decode_state(path, data, newest_format)


def decode_state(path: str, data: bytes, newest_format: int) -> State:
    """Check the envelope of a state file; what is inside is its owner's to check."""
    try:
        state = json_value(data)
    except ValueError as error:
        raise corrupt(path, f"is not valid JSON ({error})") from error
    if not isinstance(state, dict):
        raise corrupt(path, f"holds {type(state).__name__}, expected an object")
    if not _is_text(data, state):
        raise corrupt(path, "holds half a character, expected Unicode")
    number = state.get("format")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise corrupt(path, f"has format {number!r}, expected a whole number from 1")
    if number > newest_format:
        raise NewerFormatError(
            f"{path} has format {number}, this okf understands up to {newest_format}",
            hint="Upgrade okf-edge; the file was left as it is.",
        )
    return state


async def write_state(tree: FileTree, path: str, state: Mapping[str, Any]) -> None:
    await tree.write(path, encode_state(state))


def encode_state(state: Mapping[str, Any]) -> bytes:
    """Raises: InputError: a text in it is not Unicode, as the path of a folder may be that a person gave."""
    try:
        return (json.dumps(state, ensure_ascii=False, indent=2) + "\n").encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"expected Unicode, which a file can keep, found {error.object[error.start : error.end]!r}",
            code="name-not-text",
            hint="Give the file or folder a name in Unicode.",
        ) from error


def _is_text(data: bytes, state: State) -> bool:
    """Whether everything in a state is Unicode: an escape, and bytes that JSON lets pass, may be half a character."""
    if data.isascii() and b"\\u" not in data:
        return True
    try:
        encode_state(state)
    except InputError:
        return False
    return True


def corrupt(path: str, finding: str) -> StateFileError:
    return StateFileError(
        f"{path} {finding}",
        hint=f"Restore {path} from a backup or a sync history, or move it away to start afresh; it was left as it is.",
    )
