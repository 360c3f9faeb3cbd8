"""What Optuna's objects of this package keep for their process alone."""

from __future__ import annotations

import os
import threading
import weakref
from typing import TYPE_CHECKING, Any

from gittins.optuna._shared import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The objects of this process.
_all: weakref.WeakSet[OfProcess] = weakref.WeakSet()


class OfProcess:
    """What keeps studies of the engine, which follow from the storage.

    They are neither pickled nor shared with a forked process.
    """

    #: The names of the attributes that `_start` sets.
    _kept: tuple[str, ...] = ("_lock",)
    #: The settings that were given.
    _made: Mapping[str, Any] = {}

    def __repr__(self) -> str:
        return shown(self, self._made)

    def _start(self) -> None:
        """Begin without any study."""
        self._lock = threading.RLock()
        _all.add(self)

    def __getstate__(self) -> dict[str, Any]:
        """Return the settings."""
        return {name: value for name, value in self.__dict__.items() if name not in self._kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()


def _forget() -> None:
    """Forget what a forked process has from its parent: another thread may have been using it."""
    for one in list(_all):
        one._start()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
