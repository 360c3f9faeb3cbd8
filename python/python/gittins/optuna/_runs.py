"""The trials of a study of Optuna as runs in stages of the engine."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from gittins import _gittins
from gittins.errors import GittinsError
from gittins.optuna import _shared
from gittins.optuna._ended import Ended, retried_by, said_by
from gittins.optuna._union import SpaceOfTrials, are_same

if TYPE_CHECKING:
    from gittins._names import Coded
    from gittins.optuna._curves import Curves
    from gittins.optuna._spent import Spent

_logger = logging.getLogger("gittins.optuna")


@dataclass
class Told:
    """What the engine was told of a trial: its number there, its point, reports and cost.

    A trial that it advised to abandon is left.
    """

    run: int
    values: list[Coded]
    reports: list[tuple[float, float]] = field(default_factory=list)
    cost: float = 0.0
    is_left: bool = False


class Runs:
    """The engine's runs of the trials of one study of Optuna.

    What it knows follows from the storage. If the space, the length of a run or what a trial
    said before changes, it is made anew.
    """

    def __init__(
        self, settings: dict[str, Any], direction: StudyDirection, curves: Curves, spent: Spent
    ) -> None:
        is_max = direction == StudyDirection.MAXIMIZE
        self._settings = {**settings, "direction": "maximize" if is_max else "minimize"}
        self.curves: Curves = curves
        self.spent: Spent = spent
        self._ended = Ended()
        self.space: SpaceOfTrials = SpaceOfTrials()
        self._warned: set[int] = set()
        self._key: Any = None
        self._inner: _gittins.Study | None = None
        self._told: dict[int, Told] = {}
        #: The trials of which nothing new will come.
        self._over: set[int] = set()
        #: The trials that the engine was told to have failed.
        self._failed: set[int] = set()
        #: How many trials came to their end.
        self.complete: int = 0
        #: The stages that a trial had behind it when it was looked at last, and its step then.
        self.looked: dict[int, tuple[int, int]] = {}

    def sync(self, trials: list[FrozenTrial], own: int, known: dict[int, float | None]) -> bool:
        """Tell the engine what is new. Returns whether it knows the own trial.

        Args:
            trials: All trials of the storage.
            own: The number of the trial that is to be judged.
            known: What it had cost at steps, as far as that is not in the storage yet.
        """
        ended = [trial for trial in trials if trial.state.is_finished()]
        running = [trial for trial in trials if trial.state == TrialState.RUNNING]
        if not self._over <= {trial.number for trial in ended}:
            # The study was deleted, and another one has its number.
            self.curves.begin()
            self._key = None
            self.looked.clear()
            self._warned.clear()
        self.space = self._ended.space(ended, running, {})
        self.curves.take(trials)
        if not self.space.names():
            return False
        data = self.space.to_data()
        key = (json.dumps(data), self.curves.key())
        retried = retried_by(trials)
        # A trial fails a moment before it is tried again: what was told in between is taken back.
        if self._inner is None or key != self._key or not self._failed.isdisjoint(retried):
            self._begin(data)
            self._key = key
        if not self._tell_all(ended + running, retried, own, known):
            self._begin(data)
            self._tell_all(ended + running, retried, own, known)
        return own in self._told

    def _begin(self, data: dict[str, Any]) -> None:
        self._inner = _gittins.Study(json.dumps({**self._settings, "space": data}))
        self._told, self._over, self._failed, self.complete = {}, set(), set(), 0

    def forget(self) -> None:
        """Forget the engine's runs, so that they are made anew."""
        self._inner = None

    @property
    def inner(self) -> _gittins.Study:
        """The engine's runs, after `sync`."""
        assert self._inner is not None
        return self._inner

    def _tell_all(
        self,
        trials: list[FrozenTrial],
        retried: set[int],
        own: int,
        known: dict[int, float | None],
    ) -> bool:
        """Tell the engine what is new of these trials; `False` if it knows what is no longer so."""
        for trial in sorted(trials, key=lambda trial: trial.number):
            if trial.number in self._over:
                continue
            try:
                if trial.state == TrialState.FAIL and trial.number in retried:
                    self._withdraw(trial.number)
                elif not self._tell(trial, known if trial.number == own else {}):
                    return False
            except GittinsError as error:
                self._leave_out(trial, str(error))
            if trial.state.is_finished():
                self._over.add(trial.number)
        return True

    def _leave_out(self, trial: FrozenTrial, why: str) -> None:
        if trial.number not in self._warned:
            self._warned.add(trial.number)
            _logger.warning("Trial %d is left out of the curves: %s", trial.number, why)

    def _tell(self, trial: FrozenTrial, known: dict[int, float | None]) -> bool:
        told = self._told.get(trial.number)
        if trial.state == TrialState.RUNNING:
            params = _shared.params_of(trial, self.space.latest)
            values = self.space.point_under_way(trial, params)
        else:
            values = self.space.point(trial.params, trial.distributions)
        if values is None:
            # A trial may fail before it has asked for all of its parameters.
            if trial.state in (TrialState.COMPLETE, TrialState.PRUNED):
                self._leave_out(trial, self.space.misfit(trial))
            return told is None
        reports = self.curves.reports_of(trial)
        places = [(share, outcome) for _, share, outcome in reports]
        if told is None:
            told = Told(self.inner.announce(values), values)
            self._told[trial.number] = told
        elif not are_same(told.values, values) or places[: len(told.reports)] != told.reports:
            return False
        steps = [step for step, *_ in reports]
        costs, whole = self.spent.at(trial, steps, known, -self.curves.offset)
        first = len(told.reports)
        for (share, outcome), cost in zip(places[first:], costs[first:]):
            self.inner.note_report(told.run, share, outcome, self._since(told, cost))
            told.reports.append((share, outcome))
        if trial.state.is_finished():
            self._end(trial, told, self._since(told, whole))
        return True

    def _since(self, told: Told, cost: float) -> float:
        """Return what a trial cost since its last report, if this is what it has cost by now."""
        since = max(cost - told.cost, 0.0)
        told.cost += since
        return since

    def _end(self, trial: FrozenTrial, told: Told, cost: float) -> None:
        said = said_by(trial)
        if said.get("broken"):
            said = {"infeasible": True}
        if trial.state == TrialState.COMPLETE and "outcome" in said:
            # One that ends early has its final value to the end.
            self.inner.note_report(told.run, 1.0, said["outcome"], cost)
            self.complete += 1
        elif "outcome" in said:
            self._withdraw(trial.number)
        elif not told.is_left:
            self.inner.tell(told.run, _gittins.Outcome(cost=cost, failed=True))
            self._failed.add(trial.number)

    def _withdraw(self, number: int) -> None:
        told = self._told.get(number)
        if told is not None and not told.is_left:
            self.inner.withdraw(told.run)

    def goes_on(self, number: int) -> bool:
        """Return whether a trial is worth the price of its next stage, after `sync`."""
        told = self._told[number]
        told.is_left = not self.inner.goes_on(told.run)
        return not told.is_left

    def forecast(self, number: int) -> str:
        """Return in words what a trial is expected to come to, after `sync`."""
        found = self.inner.forecast_end(self._told[number].run)
        return "nothing is known of its end" if found is None else found[4]
