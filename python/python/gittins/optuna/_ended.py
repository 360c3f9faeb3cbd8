"""The trials of a study of Optuna that have ended: what they say, and the space that follows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from optuna.trial import FrozenTrial, TrialState

from gittins.optuna._union import SpaceOfTrials

if TYPE_CHECKING:
    from collections.abc import Mapping

    from optuna.distributions import BaseDistribution

#: The user attribute in which an objective may say what a trial cost.
COST = "cost"

#: The system attribute by which Optuna's retries name the first trial that they repeat.
RETRIED = "failed_trial"

#: The system attribute with the numbers of all trials that they repeat.
RETRIES = "retry_history"


class Ended:
    """The trials that have ended, as far as they say something of the space."""

    def __init__(self) -> None:
        self._space = SpaceOfTrials()
        self._numbers: set[int] = set()
        self._complete: list[FrozenTrial] = []
        self._names: set[str] = set()
        #: Whether all complete trials have the same parameters.
        self._is_plain = True
        self._inferred: tuple[int, list[str]] | None = None
        #: How many trials are complete, and how many of them say what they cost.
        self.complete = 0
        self.with_cost = 0
        #: The names of all constraints that any of them has.
        self.constraints: set[str] = set()

    def _take(self, ended: list[FrozenTrial]) -> None:
        if not self._numbers <= {trial.number for trial in ended}:
            self.__init__()  # type: ignore[misc]
        for trial in ended:
            if trial.number in self._numbers:
                continue
            self._numbers.add(trial.number)
            self._space.add(trial.distributions)
            self.constraints.update(constraints_of(trial))
            if trial.state == TrialState.COMPLETE:
                self.complete += 1
                self.with_cost += COST in trial.user_attrs
                if not self._complete:
                    self._names = set(trial.params)
                self._is_plain = self._is_plain and self._names == set(trial.params)
                self._complete.append(trial)

    def union(
        self,
        ended: list[FrozenTrial],
        running: list[FrozenTrial],
        wanted: Mapping[str, BaseDistribution],
    ) -> SpaceOfTrials:
        """Return the space of all trials and of these distributions, without new conditions."""
        self._take(ended)
        space = self._space.copy()
        for trial in running:
            space.add(trial.distributions)
        space.add(wanted)
        return space

    def space(
        self,
        ended: list[FrozenTrial],
        running: list[FrozenTrial],
        wanted: Mapping[str, BaseDistribution],
    ) -> SpaceOfTrials:
        """Return the space of all trials and of these distributions."""
        space = self.union(ended, running, wanted)
        names = space.names()
        if self._is_plain and (not self._complete or set(names) <= self._names):
            return space
        known = (len(self._complete), names)
        if self._inferred != known:
            space.infer(self._complete)
            self._inferred = known
            kept = self._space
            kept.conditions, kept.flagged = space.conditions, space.flagged
            kept.patterns = space.patterns
        return space


def said_by(trial: FrozenTrial) -> dict[str, Any]:
    """Return what a trial that has ended says by itself.

    One with an outcome has its constraints as measured numbers, and says whether one is broken.
    """
    if trial.state == TrialState.FAIL:
        return {"failed": True}
    excesses = constraints_of(trial)
    broken = any(excess > 0.0 for excess in excesses.values())
    measured = {name: one if math.isfinite(one) else math.nan for name, one in excesses.items()}
    if broken and any(math.isinf(one) for one in excesses.values()):
        # Nothing can be learned from an infinite number but that its limit is broken.
        return {"infeasible": True, "measured": measured}
    if trial.state == TrialState.COMPLETE:
        value, *others = trial.values or [math.nan]
        objectives = {f"value {number}": one for number, one in enumerate(others, 1)}
        if not all(map(math.isfinite, others)):
            return {"failed": True}
        measured.update(objectives)
    else:
        steps = trial.intermediate_values
        value = steps[max(steps)] if steps else math.nan
    # Nothing can be learned from an infinite value but that the trial failed.
    if not math.isfinite(value):
        return {"failed": True}
    return {"outcome": value, "measured": measured, "broken": broken}


def retried_by(trials: list[FrozenTrial]) -> set[int]:
    """Return the numbers of the trials that others try again: they failed by an accident."""
    attrs = [trial.system_attrs for trial in trials]
    first = {one[RETRIED] for one in attrs if RETRIED in one}
    return first.union(number for one in attrs for number in one.get(RETRIES, ()))


def constraints_of(trial: FrozenTrial) -> dict[str, float]:
    """Return the constraints of a trial by their names. Those above zero are violated."""
    found: dict[str, float] = {}
    for key, value in trial.system_attrs.items():
        if key == "constraints" and value is not None:
            # Those of `constraints_func` have an order, and no names.
            found.update((f"constraint {number}", float(one)) for number, one in enumerate(value))
        elif key.startswith("constraints:"):
            found[key] = float(value)
    return found
