"""From an error to the exit code of the process, in one place."""

from __future__ import annotations

from okf_edge.errors import BundleError, FormatError, InputError, NewerFormatError, OkfError, StateFileError
from okf_edge_cli.commands import FAILED, REFUSED, USAGE


def exit_code(error: OkfError) -> int:
    """USAGE for what was asked wrongly, REFUSED for content that was turned down, FAILED for the rest."""
    if isinstance(error, InputError) or error.code == "unknown-model":
        return USAGE
    if isinstance(error, StateFileError):
        return FAILED
    if isinstance(error, BundleError | FormatError | NewerFormatError):
        return REFUSED
    return FAILED
