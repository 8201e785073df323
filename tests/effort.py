"""What a piece of work costs by itself."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of `work`, without collecting what other tests left: that grows with them, not with the work."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        started = time.process_time()
        work()
        return time.process_time() - started
    finally:
        if collecting:
            gc.enable()
