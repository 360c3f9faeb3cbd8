"""What pruned trials count as: how far they were behind complete ones at the step where they ended.

A value of an early step is of another size than a final one. What can be compared are the values of
several trials at the same step.
"""

from __future__ import annotations

import bisect
import math
import statistics
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial


def last_of(trial: FrozenTrial) -> tuple[int, float] | None:
    """Return the last step of a trial and its value; `None` without one that is finite."""
    steps = trial.intermediate_values
    if not steps:
        return None
    step = max(steps)
    return (step, steps[step]) if math.isfinite(steps[step]) else None


class Curves:
    """The intermediate and final values of complete trials."""

    def __init__(self, direction: str) -> None:
        # Smaller is better in here.
        self._sign = 1.0 if direction == "minimize" else -1.0
        self._finals: list[float] = []
        self._curves: list[tuple[list[int], list[float]]] = []
        #: The values at a step, sorted, of all trials that had reported something by then.
        self._values: dict[int, list[float]] = {}

    @property
    def count(self) -> int:
        """The number of complete trials."""
        return len(self._finals)

    def add(self, trial: FrozenTrial) -> None:
        """Add a complete trial. One without a finite value at its end is not compared with."""
        final = trial.values[0] if trial.values else math.nan
        if not math.isfinite(final):
            return
        reported = sorted(trial.intermediate_values.items())
        finite = [(step, self._sign * value) for step, value in reported if math.isfinite(value)]
        curve = ([step for step, _ in finite], [value for _, value in finite])
        bisect.insort(self._finals, self._sign * final)
        self._curves.append(curve)
        for step, values in self._values.items():
            _insert(values, curve, step)

    def outcome(self, step: int, value: float) -> float:
        """Return the final value that a trial counts as whose last value was this one.

        It is the median of the final values, and worse by as much as the value was worse than the
        median at that step. A complete trial that did not report at the step counts there with its
        last value before.
        """
        if step not in self._values:
            values = self._values[step] = []
            for curve in self._curves:
                _insert(values, curve, step)
        median = statistics.median(self._finals)
        values = self._values[step]
        behind = self._sign * value - statistics.median(values) if values else 0.0
        return self._sign * (median + max(behind, 0.0))


def _insert(values: list[float], curve: tuple[list[int], list[float]], step: int) -> None:
    steps, reported = curve
    place = bisect.bisect_right(steps, step) - 1
    if place >= 0:
        bisect.insort(values, reported[place])
