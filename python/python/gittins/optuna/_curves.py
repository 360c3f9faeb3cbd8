"""What trials report, as outcomes at shares of a run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from optuna.trial import TrialState

from gittins.optuna._costs import Asked, number_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from optuna.trial import FrozenTrial

#: Shares of a run are known to this share of them.
ROUNDING = 1e-9


class Curves(Asked):
    """The curves of the trials of one study.

    The progress of a report is its step, or one more if steps begin at 0. The share of a run is its
    progress over the total of its trial.
    """

    _what = ("total", "the function")

    def __init__(
        self, shares: list[float], total: float | str | Callable[[FrozenTrial], float] | None
    ) -> None:
        #: The shares of a run at which it is judged, without the end.
        self.stages: list[float] = shares[:-1]
        self._total = total
        self.begin()

    def begin(self) -> None:
        """Forget what was seen."""
        #: What is added to a step.
        self.offset: int = 0
        #: The largest step of the complete trials.
        self._longest: int | None = None
        self._seen: set[int] = set()
        self._warned = set()

    def take(self, trials: list[FrozenTrial]) -> None:
        """Learn from these trials where steps begin and how long a run is."""
        for trial in trials:
            if trial.number in self._seen or not trial.intermediate_values:
                continue
            if trial.state.is_finished():
                self._seen.add(trial.number)
            if 0 in trial.intermediate_values:
                self.offset = 1
            if trial.state == TrialState.COMPLETE:
                last = max(trial.intermediate_values)
                self._longest = last if self._longest is None else max(self._longest, last)

    def key(self) -> tuple[Any, ...]:
        """Return what all shares follow from."""
        return (self.offset, self._longest if self._total is None else None)

    def total_of(self, trial: FrozenTrial) -> float | None:
        """Return the progress at which a trial ends; `None` if that is not known."""
        total: Any = self._total
        if total is None:
            total = None if self._longest is None else self._longest + self.offset
        elif isinstance(total, str):
            total = trial.user_attrs.get(total, trial.params.get(total))
        elif callable(total):
            total = self._called(trial, total)
        if total is None:
            return None
        number = number_of(total)
        if number is None or not (number > 0.0 and math.isfinite(number)):
            if number is None or self._total is not None:
                self._warn(trial, f"expected a positive number, got {repr(total)[:100]}")
            return None
        return number

    def stage_of(self, trial: FrozenTrial, step: int) -> int | None:
        """Return how many stages a trial has behind it at a step; `None` if it is at its end.

        Stages end at whole steps. It is 0 as long as the total is not known.
        """
        total = self.total_of(trial)
        return 0 if total is None else self._stage(step + self.offset, total)

    def _stage(self, progress: int, total: float) -> int | None:
        if progress >= total * (1.0 - ROUNDING):
            return None
        # A share belongs to the nearest whole progress, and no stage is without any.
        return sum(max(math.floor(share * total + 0.5), 1) <= progress for share in self.stages)

    def reports_of(self, trial: FrozenTrial) -> list[tuple[int, float, float]]:
        """Return step, share and outcome of the reports of a trial that count, before its end.

        Of each stage it is the first report that is a finite number. Of a pruned trial the last one
        counts too.
        """
        found: list[tuple[int, float, float]] = []
        total = self.total_of(trial)
        if total is None:
            return found
        before, last = 0, None
        for step in sorted(trial.intermediate_values):
            progress, outcome = step + self.offset, float(trial.intermediate_values[step])
            stage = self._stage(progress, total)
            if stage is None:
                break
            if progress <= 0 or not math.isfinite(outcome):
                continue
            share = progress / total
            if stage > 0:
                # Rounded to a whole progress, a stage may end a little before its share.
                share = max(share, self.stages[stage - 1])
            last = (step, share, outcome)
            if stage > before:
                before = stage
                found.append(last)
        is_new = last is not None and (not found or found[-1] != last)
        if trial.state == TrialState.PRUNED and last is not None and is_new:
            found.append(last)
        return found
