"""Two directories swap their names in one step, which POSIX has no call for and Linux and macOS do.

Source: renameat2(2), RENAME_EXCHANGE; macOS renamex_np(2), RENAME_SWAP.
"""

from __future__ import annotations

import errno
import os
import sys

_AT_FDCWD = -100
_EXCHANGE = 2
_CAN_NOT = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}


def exchange(one: str, other: str) -> bool:
    """Whether the two were swapped; False when this system or file system can't. Raises OSError."""
    import ctypes  # here, since it costs a query 4 ms

    if sys.platform not in {"linux", "darwin"}:
        return False
    library = ctypes.CDLL(None, use_errno=True)
    first, second = os.fsencode(one), os.fsencode(other)
    if sys.platform == "linux" and hasattr(library, "renameat2"):
        failed = library.renameat2(_AT_FDCWD, first, _AT_FDCWD, second, _EXCHANGE)
    elif sys.platform == "darwin" and hasattr(library, "renamex_np"):
        failed = library.renamex_np(first, second, _EXCHANGE)
    else:
        return False
    if failed and ctypes.get_errno() not in _CAN_NOT:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return not failed
