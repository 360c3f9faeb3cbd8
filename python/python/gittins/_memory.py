"""What the allocator keeps of past searches, which is given back from time to time.

A search of a large study frees matrices that are a row larger each time, so the next one does not
fit where the last one was. glibc keeps such memory, and a process grew to several times what its
study needs.
"""

from __future__ import annotations

import ctypes
from typing import Any

#: From this many trials on, memory is given back after this many searches.
LARGE = 200
EVERY = 16

_searches = 0


def _found() -> Any:
    """Return what gives memory back; `None` with another C library."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None


_trim = _found()


def searched(trials: int) -> None:
    """Note that a study of this many trials was searched."""
    global _searches
    if trials < LARGE or _trim is None:
        return
    _searches += 1
    if _searches % EVERY == 0:
        _trim(0)
