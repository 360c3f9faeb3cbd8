"""What pruned trials count as."""

from __future__ import annotations

import bisect
import math
import statistics
from typing import TYPE_CHECKING

from gittins.optuna import _shared

if TYPE_CHECKING:
    from collections.abc import Collection

    from optuna.trial import FrozenTrial


class Pruned:
    """The pruned trials of one study, and what they count as beside the complete ones.

    One that `GittinsPruner` ended counts with its last value, or worse if complete trials became
    worse after that step: by the median of what they changed by. It was ended because it gained too
    little, so what others gained is not added. This pruner prunes from the second trial on. If all
    that it ends counted the same, beside so few complete trials, the model would take the outcome
    for flat and the best one for noise.

    Any other counts as the median of the complete ones, which was measured beside Optuna's pruners.
    """

    def __init__(self, direction: str) -> None:
        # Of an even number the worse one of both counts.
        is_min = direction == "minimize"
        self._median = statistics.median_high if is_min else statistics.median_low
        self._worse = max if is_min else min
        self._middle = math.nan
        #: Steps, values and final value of the complete trials.
        self._curves: list[tuple[list[int], list[float], float]] = []
        #: By how much complete trials changed after a step.
        self._rests: dict[int, float | None] = {}
        #: By the number in the engine: where a trial was left, and what it counts as there.
        self._known: dict[int, tuple[tuple[int, float] | None, float]] = {}

    def learn(self, trial: FrozenTrial, outcome: float) -> None:
        """Learn from the curve of a complete trial."""
        reported = sorted(trial.intermediate_values.items())
        finite = [(step, value) for step, value in reported if math.isfinite(value)]
        if finite:
            steps, values = [step for step, _ in finite], [value for _, value in finite]
            self._curves.append((steps, values, outcome))
            self._rests.clear()

    def moved(self, outcomes: Collection[float]) -> dict[int, float]:
        """Return what the known ones count as from now on that counted as something else before.

        Args:
            outcomes: Those of the complete trials of which the middle counts.
        """
        if outcomes:
            self._middle = self._median(outcomes)
        found = {}
        for number, (left, before) in self._known.items():
            outcome = self._outcome(left)
            if outcome != before:
                found[number] = outcome
                self._known[number] = left, outcome
        return found

    def outcome(self, trial: FrozenTrial) -> float:
        """Return what a trial counts as whose last value is finite."""
        return self._outcome(_left(trial))

    def note(self, trial: FrozenTrial, number: int, outcome: float) -> None:
        """Note the number that the engine has for a trial, and what it was told of it."""
        self._known[number] = _left(trial), outcome

    def _outcome(self, left: tuple[int, float] | None) -> float:
        if left is None:
            return self._middle
        step, value = left
        rest = self._rest(step)
        outcome = math.nan if rest is None else value + self._worse(rest, 0.0)
        return outcome if math.isfinite(outcome) else self._middle

    def _rest(self, step: int) -> float | None:
        """Return the median change of complete trials after a step; `None` if none had begun."""
        if step not in self._rests:
            changes = []
            for steps, values, outcome in self._curves:
                place = bisect.bisect_right(steps, step) - 1
                if place >= 0:
                    changes.append(outcome - values[place])
            self._rests[step] = statistics.median(changes) if changes else None
        return self._rests[step]


def _left(trial: FrozenTrial) -> tuple[int, float] | None:
    """Return the last step and value of a trial that `GittinsPruner` ended; `None` of others."""
    if _shared.PRUNED not in trial.system_attrs or not trial.intermediate_values:
        return None
    step = max(trial.intermediate_values)
    return step, float(trial.intermediate_values[step])
