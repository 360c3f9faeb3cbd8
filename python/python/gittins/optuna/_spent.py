"""What trials have cost by the time of each report."""

from __future__ import annotations

import bisect
import datetime
import math
from typing import TYPE_CHECKING

from gittins.optuna import _shared
from gittins.optuna._costs import Asked, duration_of, number_of, seconds_so_far

if TYPE_CHECKING:
    from collections.abc import Callable

    from optuna.trial import FrozenTrial

#: The cost that is measured by the clock.
SECONDS = "seconds"


class Spent(Asked):
    """The costs of the trials of one study: seconds, a user attribute, or what a function says."""

    _what = ("cost", "the function")

    def __init__(self, cost: str | Callable[[FrozenTrial], float]) -> None:
        super().__init__()
        self._cost = cost

    def so_far(self, trial: FrozenTrial) -> float | None:
        """Return what a running trial has cost so far; `None` if that is not known."""
        if self._cost == SECONDS:
            return seconds_so_far(trial, datetime.datetime.now(tz=datetime.timezone.utc))
        return self._said(trial)

    def of(self, trial: FrozenTrial) -> float | None:
        """Return what a trial that has ended cost; `None` if that is not known."""
        return duration_of(trial) if self._cost == SECONDS else self._said(trial)

    def at(
        self, trial: FrozenTrial, steps: list[int], known: dict[int, float | None], start: int
    ) -> tuple[list[float], float]:
        """Return what a trial had cost at these steps, and what it has cost by now.

        What is not known is shared out by progress between what is.

        Args:
            trial: The trial.
            steps: Rising steps that it reported.
            known: Costs at steps that are not in its system attributes yet.
            start: The step at which a trial begins, before its first report.
        """
        noted = {said["step"]: said["cost"] for said in _shared.stages(trial)}
        noted.update(known)
        places, costs = [float(start)], [0.0]
        for step in sorted(noted):
            cost = noted[step]
            if cost is not None and cost >= costs[-1] and step > places[-1]:
                places.append(float(step))
                costs.append(cost)
        whole = self.of(trial) if trial.state.is_finished() else None
        last = max(trial.intermediate_values, default=0)
        if whole is not None and whole >= costs[-1]:
            if last > places[-1]:
                places.append(float(last))
                costs.append(whole)
            costs[-1] = whole
        return [_between(places, costs, step) for step in steps], costs[-1]

    def _said(self, trial: FrozenTrial) -> float | None:
        if isinstance(self._cost, str):
            if self._cost not in trial.user_attrs:
                return None
            cost, what = trial.user_attrs[self._cost], f"its user attribute {self._cost!r} is"
        else:
            cost, what = self._called(trial, self._cost), "the function returned"
        number = number_of(cost)
        if number is None or not (math.isfinite(number) and number >= 0.0):
            what = f"{what} {repr(cost)[:100]}, expected a finite number that is not negative"
            self._warn(trial, what)
            return None
        return number


def _between(places: list[float], costs: list[float], step: float) -> float:
    """Return the cost at a step on the line between its neighbors; the last one beyond them."""
    at = bisect.bisect_left(places, step)
    if at == len(places):
        return costs[-1]
    if at == 0:
        return costs[0]
    share = (step - places[at - 1]) / (places[at] - places[at - 1])
    return costs[at - 1] + share * (costs[at] - costs[at - 1])
