"""The trials of a study of Optuna as a study of the engine, which is kept while they grow."""

from __future__ import annotations

import datetime
import json
import logging
import math
import statistics
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from gittins import _gittins
from gittins.errors import ExhaustedError, GittinsError
from gittins.optuna import _shared
from gittins.optuna._costs import LEAST_SECONDS, Costs, duration_of, seconds_so_far
from gittins.optuna._ended import Ended, retried_by, said_by
from gittins.optuna._pruned import Pruned
from gittins.optuna._union import SpaceOfTrials, are_same, is_middle
from gittins.trial import Forecast, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from optuna.distributions import BaseDistribution

    from gittins._names import Coded
    from gittins.optuna._union import Given
    from gittins.policy import Policy

_logger = logging.getLogger("gittins.optuna")


@dataclass(frozen=True)
class Settings:
    """What the engine is set up with, besides space and trials."""

    seed: int
    policy: Policy
    overdue: float
    cost_func: Callable[[FrozenTrial], float] | None
    use_cost: bool
    reference: tuple[float | None, ...] = ()


@dataclass
class Entered:
    """A trial that is pending in the engine: its number there, and its values."""

    trial: int
    values: list[Coded]


class History:
    """The engine's study of the trials of one study of Optuna.

    What it knows follows from the storage. It is kept, because what is new since the last call is
    cheap to add, and a fit that exists is a good start for the next. If the space of the trials
    changes, it is made anew.
    """

    def __init__(self, settings: Settings, directions: Sequence[StudyDirection]) -> None:
        self._settings = settings
        self._direction, *others = (
            "maximize" if direction == StudyDirection.MAXIMIZE else "minimize"
            for direction in directions
        )
        #: The objectives after the first, as the engine has them.
        self._objectives: dict[str, dict[str, Any]] = {
            f"value {number}": {"direction": direction}
            for number, direction in enumerate(others, 1)
        }
        self._reference, *references = settings.reference or (None,)
        for objective, reference in zip(self._objectives.values(), references):
            if reference is not None:
                objective["reference"] = reference
        self.space: SpaceOfTrials = SpaceOfTrials()
        #: The values that are fixed: a trial is to improve what is best with them, not of all.
        self.fixed: Given = {}
        self._key: Any = None
        self._ended = Ended()
        self._costs = Costs(settings.cost_func, settings.use_cost)
        #: Where costs come from, as far as it is known.
        self.source: str = self._costs.source(self._ended)
        self._warned: set[int] = set()
        self._inner: _gittins.Study | None = None
        self._told: set[int] = set()
        #: The trials that the engine was told to have failed.
        self._failed: set[int] = set()
        #: The numbers in the engine of the trials that it chose.
        self._chosen: set[int] = set()
        self._open: dict[int, Entered] = {}
        #: Where the trials are that the engine was told of.
        self._places: dict[int, list[Coded]] = {}
        self._wall: dict[int, float] = {}
        self._complete = 0
        #: The outcomes of the complete trials that hold all constraints, and of the others.
        self._outcomes: dict[int, float] = {}
        self._broken: dict[int, float] = {}
        self._pruned = Pruned(self._direction)

    @property
    def inner(self) -> _gittins.Study:
        """The engine's study, after `sync`."""
        assert self._inner is not None
        return self._inner

    @property
    def complete(self) -> int:
        """The number of complete trials that the engine knows."""
        return self._complete

    def sync(
        self,
        trials: list[FrozenTrial],
        own: int | None,
        wanted: Mapping[str, BaseDistribution],
    ) -> bool:
        """Tell the engine what is new. Returns whether it has a space, so that it can be asked.

        Args:
            trials: All trials of the storage.
            own: The number of the trial that is being suggested, which is not pending yet.
            wanted: The distributions that it has.
        """
        ended = [trial for trial in trials if trial.state.is_finished()]
        running = [
            trial for trial in trials if trial.state == TrialState.RUNNING and trial.number != own
        ]
        self.space = self._ended.space(ended, running, wanted)
        self.source = source = self._costs.source(self._ended)
        if not self.space.names():
            return False
        data = self.space.to_data()
        limits = sorted(self._ended.constraints)
        key = (json.dumps(data), source, limits)
        numbers = {trial.number for trial in ended}
        retried = retried_by(trials)
        # A trial fails a moment before it is tried again: what was told in between is taken back.
        is_wrong = not self._told <= numbers or not self._failed.isdisjoint(retried)
        if not self._told <= numbers:
            self._costs.forget()
            self._warned.clear()
        if self._inner is None or key != self._key or is_wrong:
            self._begin(data, source, limits)
            self._key = key
        new = [trial for trial in ended if trial.number not in self._told]
        new = self._take(new)
        if new:
            self._move()
        for trial in new:
            self._end(trial, source, trial.number in retried)
            self._told.add(trial.number)
        self._reserve(running, source)
        return True

    def names(self, trials: list[FrozenTrial], own: int) -> dict[str, BaseDistribution]:
        """Return the latest distribution of each parameter that a trial but this one has."""
        ended = [trial for trial in trials if trial.state.is_finished()]
        running = [
            trial for trial in trials if trial.state == TrialState.RUNNING and trial.number != own
        ]
        return self._ended.union(ended, running, {}).latest

    def _begin(self, data: dict[str, Any], source: str, limits: list[str]) -> None:
        settings = self._settings
        study: dict[str, Any] = {
            "space": data,
            "direction": self._direction,
            "policy": settings.policy.to_data(),
            "seed": settings.seed,
            "initial": 0,
            "overdue": settings.overdue,
            "limits": {name: {"at_most": 0.0} for name in limits},
            "objectives": self._objectives,
        }
        if self._reference is not None:
            study["reference"] = self._reference
        if source != "equal":
            study["cost"] = "learned"
        if source == "duration":
            study["cost_unit"] = "s"
        self._inner = _gittins.Study(json.dumps(study))
        self._told, self._open, self._wall, self._complete = set(), {}, {}, 0
        self._places = {}
        self._failed, self._chosen = set(), set()
        self._outcomes, self._broken = {}, {}
        self._pruned = Pruned(self._direction)

    def _take(self, new: list[FrozenTrial]) -> list[FrozenTrial]:
        """Note the outcomes of complete trials, and return all that the engine can be told of now.

        What a pruned trial counts as follows from complete ones, so the first one is waited for.
        """
        for trial in new:
            told = said_by(trial)
            if trial.state == TrialState.COMPLETE and "outcome" in told:
                kept = self._broken if told["broken"] else self._outcomes
                kept[trial.number] = told["outcome"]
                self._pruned.learn(trial, told["outcome"])
        if self._outcomes or self._broken:
            return new
        return [trial for trial in new if "outcome" not in said_by(trial)]

    def _end(self, trial: FrozenTrial, source: str, was_retried: bool) -> None:
        """Tell the engine of a trial that has ended."""
        entered = self._open.pop(trial.number, None)
        told = self._outcome(trial, was_retried)
        values = self.space.point(trial.params, trial.distributions)
        if entered is not None and (
            told is None or values is None or not are_same(entered.values, values)
        ):
            self.inner.withdraw(entered.trial)
            entered = None
        if told is None:
            return
        if values is None:
            # A trial may fail before it has asked for all of its parameters.
            if trial.state != TrialState.FAIL:
                self._leave_out(trial, self.space.misfit(trial))
            return
        seconds = duration_of(trial)
        if seconds is not None:
            self._wall[trial.number] = seconds
        cost = None
        if source != "equal":
            cost = self._costs.of(trial, source)
            told.update({"cost_later": True} if cost is None else {"cost": cost})
        try:
            number = self._tell(entered, values, told)
            self._note_choice(trial, number)
        except GittinsError as error:
            self._leave_out(trial, str(error))
            return
        self._places[trial.number] = values
        if trial.state == TrialState.FAIL:
            self._failed.add(trial.number)
        if "outcome" in told and trial.state == TrialState.COMPLETE:
            self._complete += 1
        elif "outcome" in told:
            self._pruned.note(trial, number, told["outcome"])

    def _tell(self, entered: Entered | None, values: list[Coded], told: dict[str, Any]) -> int:
        """Tell the engine of a trial, and return its number there."""
        outcome = _gittins.Outcome(**told)
        if entered is None:
            return self.inner.enter(values, outcome)
        self.inner.tell(entered.trial, outcome)
        return entered.trial

    def _note_choice(self, trial: FrozenTrial, number: int) -> None:
        """Say how a trial was chosen that the engine did not choose in its present study."""
        if number in self._chosen:
            return
        choice = "initial" if is_middle(trial) else _shared.choice(trial)
        if choice is None:
            return
        try:
            self.inner.note_choice(number, choice)
        except (GittinsError, TypeError) as error:
            _logger.debug("How trial %d was chosen is not known: %s", trial.number, error)

    def _leave_out(self, trial: FrozenTrial, why: str) -> None:
        if trial.number not in self._warned:
            self._warned.add(trial.number)
            _logger.warning("Trial %d is left out of the model: %s", trial.number, why)

    def _outcome(self, trial: FrozenTrial, was_retried: bool) -> dict[str, Any] | None:
        """Return what the engine is told of a trial; `None` if that is nothing."""
        if trial.state == TrialState.FAIL and was_retried:
            # What was tried again failed by an accident, and not by its point.
            return None
        told = said_by(trial)
        told.pop("broken", None)
        if "measured" in told:
            missing = self._ended.constraints - told["measured"].keys()
            told["measured"].update(dict.fromkeys(missing, math.nan))
        if trial.state == TrialState.PRUNED and "outcome" in told:
            # What it reported is of an early step, and of another size than a final value.
            told["outcome"] = self._pruned.outcome(trial)
        return told

    def _move(self) -> None:
        """Let the pruned trials follow the complete ones.

        While none holds all constraints, they follow all.
        """
        outcomes = self._outcomes or self._broken
        for number, outcome in self._pruned.moved(outcomes.values()).items():
            self.inner.correct(number, _gittins.Outcome(outcome))

    def _reserve(self, running: list[FrozenTrial], source: str) -> None:
        """Enter the trials that are running, and give up those that no longer are."""
        now = datetime.datetime.now(tz=datetime.timezone.utc)
        numbers = {trial.number for trial in running}
        for number in [number for number in self._open if number not in numbers]:
            self.inner.withdraw(self._open.pop(number).trial)
        for trial in running:
            values = self._values_of_running(trial)
            entered = self._open.get(trial.number)
            seconds = seconds_so_far(trial, now)
            late = source != "duration" and self._is_late(seconds)
            if entered is not None and (
                late or (values is not None and not are_same(entered.values, values))
            ):
                self.inner.withdraw(self._open.pop(trial.number).trial)
                entered = None
            if entered is None and values is not None and not late:
                try:
                    entered = Entered(self.inner.announce(values), values)
                except GittinsError as error:
                    _logger.debug("Trial %d is not waited for: %s", trial.number, error)
                    continue
                self._open[trial.number] = entered
            if entered is not None and source == "duration" and seconds is not None:
                self.inner.note_running(entered.trial, seconds)

    def _is_late(self, seconds: float | None) -> bool:
        """Return whether a trial runs for much longer than any other did.

        If costs are no durations, no model predicts durations.
        """
        if seconds is None or not self._wall:
            return False
        return seconds > self._settings.overdue * max(LEAST_SECONDS, *self._wall.values())

    def _values_of_running(self, trial: FrozenTrial) -> list[Coded] | None:
        """Return the point of a running trial: its parameters, and those it will ask for."""
        return self.space.point_under_way(trial, _shared.params_of(trial, self.space.latest))

    def rivals(self, trials: list[FrozenTrial], own: int) -> list[FrozenTrial]:
        """Return the trials near the own point of which it does not know."""
        mine = self._open.get(own)
        if mine is None:
            return []
        found = []
        for trial in trials:
            # A short trial may have ended meanwhile.
            is_known = trial.number in self._told or trial.state == TrialState.WAITING
            if is_known or trial.number == own:
                continue
            values = self._values_of_running(trial)
            entered = self._open.get(trial.number)
            if values is None or (entered is not None and are_same(entered.values, values)):
                continue
            if self.space.are_near(mine.values, values):
                found.append(trial)
        return found

    def ask(
        self, own: int, wanted: Mapping[str, BaseDistribution], given: Given
    ) -> tuple[dict[str, Coded], Any] | None:
        """Return the next point, coded, given the pending trials, and how it was chosen.

        There is none if every point is pending, or was evaluated and would tell nothing new.
        """
        part = self.space.part(wanted, given)
        try:
            asked = self.inner.ask_for(conditions=part or None, context=self._context())
        except ExhaustedError:
            return None
        number, values, _, choice, *_ = asked[0]
        before = self._open.pop(own, None)
        if before is not None:
            self.inner.withdraw(before.trial)
        self._open[own] = Entered(number, values)
        self._chosen.add(number)
        return self.space.named(values), choice

    def _context(self) -> list[dict[str, Any]] | None:
        """Return the context of values that are fixed; a front has none."""
        return None if self.is_front else self.space.fixed(self.fixed) or None

    def forget(self, number: int) -> None:
        """Give a point up that was asked for."""
        self.release([self._open.pop(number)] if number in self._open else [])

    def set_aside(self, number: int) -> list[Entered]:
        """Return the point that was asked for, which stays taken until it is released."""
        return [self._open.pop(number)] if number in self._open else []

    def release(self, aside: list[Entered]) -> None:
        """Give points up that were set aside."""
        for entered in aside:
            self.inner.withdraw(entered.trial)

    def is_elsewhere(self, number: int, own: int) -> bool:
        """Return whether the engine was not told of a trial, or at another point than the own."""
        mine, entered = self._open.get(own), self._open.get(number)
        place = self._places.get(number) if entered is None else entered.values
        return place is None or mine is None or not are_same(place, mine.values)

    def overdue(self, trials: list[FrozenTrial]) -> list[int]:
        """Return the numbers of the running trials that are not waited for, after `sync`."""
        now = datetime.datetime.now(tz=datetime.timezone.utc)
        found = []
        for trial in trials:
            if trial.state != TrialState.RUNNING:
                continue
            entered = self._open.get(trial.number)
            if entered is None:
                is_overdue = self._is_late(seconds_so_far(trial, now))
            else:
                forecast = self.inner.forecast(entered.trial)
                is_overdue = forecast is not None and Forecast(*forecast).overdue
            if is_overdue:
                found.append(trial.number)
        return found

    def money(self, trials: list[FrozenTrial]) -> tuple[float, float]:
        """Return what trials that have ended cost, and what running ones are expected to cost.

        What is unknown is the mean of what is known.
        """
        costs = [self._cost(trial) for trial in trials if trial.state.is_finished()]
        known = [cost for cost in costs if cost is not None]
        typical = statistics.fmean(known) if known else 0.0
        spent = math.fsum(known) + typical * (len(costs) - len(known))
        running = [trial for trial in trials if trial.state == TrialState.RUNNING]
        return spent, math.fsum(self._expected(trial, typical) for trial in running)

    def _cost(self, trial: FrozenTrial) -> float | None:
        return 1.0 if self.source == "equal" else self._costs.of(trial, self.source)

    def _expected(self, trial: FrozenTrial, typical: float) -> float:
        entered = self._open.get(trial.number)
        found = None if entered is None else self.inner.forecast(entered.trial)
        if found is None:
            return typical
        forecast = Forecast(*found)
        return max(forecast.expected, forecast.so_far)

    def left(self, budget: float, trials: list[FrozenTrial]) -> str:
        """Return in words what is left of a budget, after `sync` with these trials."""
        left = self.tag(budget - self.money(trials)[0])
        return f"; {left} of the budget of {self.tag(budget)} are left"

    def tag(self, cost: float) -> str:
        """Return a cost with its unit."""
        return f"{cost:.3g} s" if self.source == "duration" else f"{cost:.3g}"

    @property
    def is_front(self) -> bool:
        """Whether there are several objectives."""
        return bool(self._objectives)

    def turned_outcomes(self) -> list[float]:
        """Return the outcomes of complete trials as they ended, turned so that larger is better."""
        sign = 1.0 if self._direction == "maximize" else -1.0
        return [sign * outcome for outcome in self._outcomes.values()]

    def verdict(self, price: float) -> dict[str, Any]:
        """Return whether one more trial is worth its price given the pending ones.

        If values are fixed, it is a trial with these, as if none was pending.
        """
        self.inner.change_policy(json.dumps({"name": "gittins", "price": price}))
        try:
            context = self._context()
            found = self.inner.verdict(context) if context else self.inner.verdict_on_another()
            verdict = asdict(Verdict(*found))
            if verdict["rule"] == "context":
                # The engine knows choices by their places.
                fixed = self.fixed.items()
                values = " and ".join(f"{name} = {value!r}" for name, (value, _) in fixed)
                verdict["words"] = f"continue: no trial is complete with {values}"
        finally:
            self.inner.change_policy(json.dumps(self._settings.policy.to_data()))
        # JSON, in which storages have it, lacks some numbers.
        for name in ("statistic", "threshold"):
            if not math.isfinite(verdict[name]):
                verdict[name] = str(verdict[name])
        return verdict
