"""A pruner for Optuna that goes on with a trial while the rest of it is worth its price."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

from optuna.logging import get_logger
from optuna.pruners import BasePruner
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial

from gittins import _gittins
from gittins._check import in_order, whole
from gittins._data import SEED
from gittins._words import answering
from gittins.errors import GittinsError
from gittins.optuna import _shared
from gittins.optuna._costs import number_of, positive
from gittins.optuna._curves import Curves
from gittins.optuna._process import OfProcess
from gittins.optuna._runs import Runs
from gittins.optuna._spent import SECONDS, Spent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from optuna.study import Study

# Optuna shows what its own loggers say.
_logger = get_logger("optuna.gittins")

__all__ = ["PRUNED", "GittinsPruner"]

#: The system attribute of a trial that says why it was pruned.
PRUNED = _shared.PRUNED

#: As long as no trial is complete, it looks for one at this many times the step of the last look.
AGAIN = 1.5


class GittinsPruner(OfProcess, BasePruner):
    """A pruner that goes on with a trial while that is worth more than another one.

    A Gaussian process learns from the reports of all trials how curves go with parameters and
    with progress. After each of five stages a trial is judged: it goes on if its rest brings
    more for its cost than most other trials would, if they begin as they did lately, and more than
    its price if there is one. Reports between two stages are not looked at. No trial is pruned
    before one is complete.

    - **Progress** is the step of a report, or one more if steps begin at 0. A trial whose curve
      ends early has its final value to the end. A report that is not a number says nothing; one
      that is infinitely bad prunes.
    - **Trials of any sampler** count, and those of any pruner, be they complete, pruned, failed or
      running.
    - **Workers.** All it knows follows from the storage, so any number of workers may share a
      study, each with a pruner of its own and the same settings. What a trial had cost at a stage
      is a system attribute (`gittins:stage:...`), and so is why it was pruned (`gittins:pruned`).

    Args:
        price: The improvement that one unit of cost must bring.
        hour: The improvement that an hour must bring, in place of a price. Costs must be seconds.
        budget: What all trials may cost together. Other trials that it does not reach are worth
            nothing. It ends no study: `GittinsStop(budget=...)` does.
        total: The progress at the end of a trial: a number, a function of the trial, or the name of
            a user attribute or of a parameter. Unless given, the largest progress of a complete
            trial.
        reports: The shares of a trial at which it is judged, rising from above 0, such as
            `[0.1, 0.3]`. Unless given, 6 % of it and four more, each 1.7 times the one before.
        cost: What a trial has cost so far: `"seconds"`, the name of a user attribute, or a function
            of the trial.
        seed: The seed by which settings of other trials are drawn. It is the same in all workers.

    Raises:
        ValueError: A setting makes no sense. The message names it.
    """

    _kept = (*OfProcess._kept, "_studies")

    @answering
    def __init__(
        self,
        price: float | None = None,
        *,
        hour: float | None = None,
        budget: float | None = None,
        total: float | str | Callable[[FrozenTrial], float] | None = None,
        reports: Sequence[float] | None = None,
        cost: str | Callable[[FrozenTrial], float] = SECONDS,
        seed: int = 0,
    ) -> None:
        if price is not None and hour is not None:
            message = f"expected either a price or an hour, got price={price!r} and hour={hour!r}"
            raise ValueError(message)
        if not (cost and isinstance(cost, str)) and not callable(cost):
            expected = f"expected {SECONDS!r}, the name of a user attribute or a function"
            message = f"cost: {expected}, got {cost!r}"
            raise ValueError(message)
        if hour is not None and cost != SECONDS:
            instead = "give the price of one unit of cost instead: GittinsPruner(price=...)"
            message = f"hour: costs must be seconds, but they are by cost={cost!r}; {instead}"
            raise ValueError(message)
        is_named = isinstance(total, str) or callable(total)
        self._total = total if is_named else _positive("total", total)
        self._shares = _shares(reports)
        self._cost = cost
        price, hour = _positive("price", price), _positive("hour", hour)
        budget, seed = _positive("budget", budget), whole("seed", seed, least=0, most=SEED)
        stages = {"total": 1.0, "reports": self._shares, "resumable": False}
        self._settings: dict[str, Any] = {"stages": stages, "seed": seed}
        worth = price if hour is None else hour / 3600.0
        if worth is not None:
            self._settings["policy"] = {"name": "gittins", "price": worth}
        if budget is not None:
            self._settings["budget"] = budget
        if cost == SECONDS:
            self._settings["cost_unit"] = "s"
        self._start()

    def _start(self) -> None:
        super()._start()
        self._studies: dict[tuple[str, int], Runs] = {}

    def prune(self, study: Study, trial: FrozenTrial) -> bool:
        """Return whether a trial that reported is not worth its next stage."""
        step = trial.last_step
        if step is None or trial.state.is_finished():
            return False
        began = time.monotonic()
        with self._lock:
            runs = self.runs(study)
            outcome = trial.intermediate_values[step]
            if math.isfinite(outcome):
                if self._is_due(trial, runs, step):
                    return self._judge(study, trial, runs, step, began)
                return any(said["pruned"] for said in _shared.stages(trial))
            sign = 1.0 if study.direction == StudyDirection.MAXIMIZE else -1.0
            is_worst = sign * outcome == -math.inf and runs.complete > 0
            if is_worst:
                self._say(study, trial, f"at step {step}: nothing is worse than {outcome}")
            return is_worst

    def runs(self, study: Study) -> Runs:
        """Return the engine's runs of a study, which may know less than the storage."""
        key = (study.study_name, study._study_id)
        if key not in self._studies:
            curves = Curves(self._shares, self._total)
            self._studies[key] = Runs(self._settings, study.direction, curves, Spent(self._cost))
        return self._studies[key]

    def _is_due(self, trial: FrozenTrial, runs: Runs, step: int) -> bool:
        """Return whether a trial has another stage behind it since it was looked at."""
        if step == 0:
            runs.curves.offset = 1
        stage = runs.curves.stage_of(trial, step)
        before, looked = runs.looked.get(trial.number, (0, -1))
        if stage is None:
            return False
        return stage > before if runs.complete > 0 else step >= AGAIN * looked

    def _judge(self, study: Study, trial: FrozenTrial, runs: Runs, step: int, began: float) -> bool:
        cost, own = runs.spent.so_far(trial), _shared.pruner_seconds(trial)
        words, stage = None, 0
        try:
            trials = study._storage.get_all_trials(study._study_id, deepcopy=False)
            if runs.sync(trials, trial.number, {step: cost}) and runs.complete > 0:
                stage = runs.curves.stage_of(trial, step) or 0
                if stage > 0 and not runs.goes_on(trial.number):
                    words = runs.forecast(trial.number)
        except GittinsError as error:
            # The model of the curves failed, which is no fault of the trial.
            _logger.warning("Trial %d is not judged: %s", trial.number, error)
            runs.forget()
        runs.looked[trial.number] = (stage, step)
        seconds = round(own + time.monotonic() - began, 6)
        said = {"step": step, "cost": cost, "seconds": seconds, "pruned": words is not None}
        _shared.write_stage(study, trial, stage, said)
        if words is not None:
            self._say(
                study, trial, f"at step {step}: {words}; others are worth more for their cost"
            )
        return words is not None

    @staticmethod
    def _say(study: Study, trial: FrozenTrial, words: str) -> None:
        study._storage.set_trial_system_attr(trial._trial_id, PRUNED, words)
        _logger.info("Trial %d is pruned %s", trial.number, words)


def _positive(name: str, value: Any) -> float | None:
    return None if value is None else positive(name, value)


def _shares(reports: Sequence[float] | None) -> list[float]:
    """Return the shares of a trial at which it reports, the end being the last."""
    if reports is None:
        return _gittins.shares()
    given = in_order(reports)
    found = [number_of(share) for share in ([None] if given is None else given)]
    numbers = [number for number in found if number is not None]
    if len(numbers) < len(found):
        message = f"reports: expected shares of a trial, got {reports!r}"
        raise ValueError(message)
    try:
        return _gittins.shares(numbers)
    except GittinsError as error:
        message = f"reports: {error}"
        raise ValueError(message) from error
