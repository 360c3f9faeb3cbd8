"""A study in a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gittins import _gittins
from gittins._data import Cost, settings_of, text_of
from gittins.study import Study

if TYPE_CHECKING:
    from gittins.policy import Policy
    from gittins.space import Space

__all__ = ["Journal"]


class Journal(Study):
    """A study in a file, which survives its process and which several processes may share.

    The file is a journal of Optuna, which its dashboard shows. Without a space the study goes on by
    the settings of the file.

    Args:
        path: The file. It is made if it is not there and a space is given.
        space: What is searched.
        direction: `"minimize"` or `"maximize"`.
        name: The name of the study in the file, if there are several.
        settings: Those of `Study`.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        space: Space | None = None,
        direction: str = "minimize",
        *,
        name: str | None = None,
        policy: Policy | None = None,
        cost: Cost = None,
        cost_floor: float | None = None,
        cost_unit: str | None = None,
        seed: int = 0,
        initial: int | None = None,
        expected_trials: int | None = None,
        time_limit: float | None = None,
        overdue: float | None = None,
    ) -> None:
        text = None
        if space is not None:
            settings = settings_of(
                space, direction, policy, cost, cost_floor, cost_unit, seed, initial,
                expected_trials, time_limit, overdue,
            )  # fmt: skip
            text = text_of("the study", settings)
        self._attach(_gittins.Study.open(os.fspath(path), text, name))

    def sync(self) -> None:
        """Read what other processes wrote to the file. Every call but those that only look does."""
        self._inner.sync()
