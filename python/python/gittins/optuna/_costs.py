"""What the trials of a study of Optuna cost."""

from __future__ import annotations

import datetime
import logging
import math
from typing import TYPE_CHECKING, Any

from gittins.optuna import _shared
from gittins.optuna._ended import COST

if TYPE_CHECKING:
    from collections.abc import Callable

    from optuna.trial import FrozenTrial

    from gittins.optuna._ended import Ended

_logger = logging.getLogger("gittins.optuna")

#: A trial costs at least this many seconds, whatever it computes: that of asking and storing.
LEAST_SECONDS = 0.1


class Asked:
    """What a user says of trials. If it is of no use, a warning says why, once for each trial."""

    #: What is said, and what says it.
    _what = ("cost", "cost_func")

    def __init__(self) -> None:
        self._warned: set[int] = set()

    def _called(self, trial: FrozenTrial, func: Callable[[FrozenTrial], Any]) -> Any:
        """Return what a function says of a trial; `None` if it raises."""
        try:
            return func(trial)
        except Exception as error:
            self._warn(trial, f"{self._what[1]} raised {type(error).__name__}: {error}")
            return None

    def _warn(self, trial: FrozenTrial, why: str) -> None:
        if trial.number not in self._warned:
            self._warned.add(trial.number)
            message = "The %s of trial %d is unknown: %s"
            _logger.warning(message, self._what[0], trial.number, why)


class Costs(Asked):
    """The costs of the trials of one study. All have one source, and so one unit."""

    def __init__(self, cost_func: Callable[[FrozenTrial], float] | None, use_cost: bool) -> None:
        super().__init__()
        self._func = cost_func
        self._use = use_cost
        #: What the function said, which is asked once for each trial.
        self._said: dict[int, float | None] = {}

    def source(self, ended: Ended) -> str:
        """Return where costs come from: `equal`, `function`, `attribute` or `duration`.

        It follows from the complete trials alone, so all workers agree. Others may have ended
        before they could say what they cost. One attribute more or less decides nothing.
        """
        if not self._use:
            return "equal"
        if self._func is not None:
            return "function"
        return "attribute" if 2 * ended.with_cost > ended.complete else "duration"

    def of(self, trial: FrozenTrial, source: str) -> float | None:
        """Return what a trial cost; `None` if that is not known."""
        if source == "function" and self._func is not None:
            if trial.number not in self._said:
                cost = self._called(trial, self._func)
                self._said[trial.number] = self._checked(trial, cost, "cost_func returned")
            return self._said[trial.number]
        if source == "attribute":
            if COST not in trial.user_attrs:
                return None
            return self._checked(trial, trial.user_attrs[COST], f"its user attribute {COST!r} is")
        seconds = duration_of(trial) if source == "duration" else None
        return None if seconds is None else max(seconds, LEAST_SECONDS)

    def forget(self) -> None:
        """Forget what the function said, because the trials are others."""
        self._said.clear()
        self._warned.clear()

    def _checked(self, trial: FrozenTrial, cost: Any, what: str) -> float | None:
        number = number_of(cost)
        if number is None or not (math.isfinite(number) and number > 0.0):
            self._warn(trial, f"{what} {repr(cost)[:100]}, expected a positive finite number")
            return None
        return number


def number_of(value: Any) -> float | None:
    """Return a real number of any kind, also of NumPy; `None` for flags, text and all else."""
    is_flag = isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", "") == "b"
    if is_flag or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        return None
    try:
        return float(value)
    except (ArithmeticError, RuntimeError, TypeError, ValueError):
        return None


def positive(name: str, value: Any) -> float:
    """Return a positive number, and refuse anything else."""
    number = number_of(value)
    if number is None or not (number > 0.0 and math.isfinite(number)):
        message = f"{name}: expected a positive number, got {value!r}"
        raise ValueError(message)
    return number


def duration_of(trial: FrozenTrial) -> float | None:
    """Return the seconds of a trial without our own; `None` if it has no dates."""
    if trial.datetime_start is None or trial.datetime_complete is None:
        return None
    seconds = (trial.datetime_complete - trial.datetime_start).total_seconds()
    return max(seconds - _shared.own_seconds(trial), 0.0)


def seconds_so_far(trial: FrozenTrial, now: datetime.datetime) -> float | None:
    """Return the seconds of a running trial without our own; `None` if it has no date."""
    start = trial.datetime_start
    if start is None:
        return None
    # Older storages have the local time without a zone.
    seconds = (now - start.astimezone(datetime.timezone.utc)).total_seconds()
    # Clocks of machines differ.
    return max(seconds - _shared.own_seconds(trial), 0.0)
