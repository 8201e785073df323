"""Failures of the operating system, said as errors of the ports."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from okf_edge.errors import AlreadyExistsError, InputError, NotFoundError, OkfError, UnavailableError

_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP}
_UNAVAILABLE = {
    errno.ENOSPC: ("disk-full", "Free some space and try again."),
    errno.EDQUOT: ("disk-full", "The quota is used up: free some space and try again."),
    errno.EROFS: ("read-only", "Choose a folder that can be written."),
    errno.EACCES: ("permission-denied", "Check the permissions of the file and of its folder."),
    errno.EPERM: ("permission-denied", "Check the permissions of the file and of its folder."),
    errno.EXDEV: ("other-device", "Keep the folder and its content on one device."),
    errno.EMFILE: ("too-many-open-files", "Close other programs or raise the limit of open files."),
}


def as_port_error(error: OSError, path: str) -> OkfError:
    """The port's error for what the system reported about a path of the tree."""
    reason = error.strerror or type(error).__name__
    if error.errno in _ABSENT:
        return NotFoundError(f"expected a file at {path!r}, found none ({reason})")
    if error.errno in {errno.EEXIST, errno.ENOTEMPTY}:
        return AlreadyExistsError(f"expected nothing at {path!r}, found something")
    if error.errno in {errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ}:
        return InputError(f"expected a name that this disk can hold, found {path!r} ({reason})", code="bad-name")
    code, hint = _UNAVAILABLE.get(error.errno or 0, ("unavailable", "Try again; if it persists, check the disk."))
    return UnavailableError(f"{path!r} is unavailable: {reason}", code=code, hint=hint)


@contextmanager
def port_errors(path: str) -> Iterator[None]:
    """Raises: the port's error in place of any OSError of the block."""
    try:
        yield
    except OSError as error:
        raise as_port_error(error, path) from error
