"""A sampler for Optuna by the engine of this package."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Any

from optuna.samplers import BaseSampler
from optuna.samplers._base import _process_constraints_after_trial
from optuna.trial import FrozenTrial, TrialState

from gittins import _gittins, policy
from gittins._check import flag, in_order, number, whole
from gittins._data import SEED
from gittins._words import answering
from gittins.optuna import _shared
from gittins.optuna._costs import positive
from gittins.optuna._drawn import comparable, draw, drawn
from gittins.optuna._given import given_to, values_of
from gittins.optuna._history import Entered, History, Settings
from gittins.optuna._process import OfProcess
from gittins.optuna._union import at_draw, decoded, is_single

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from optuna.distributions import BaseDistribution
    from optuna.study import Study

    from gittins.optuna._union import Given, SpaceOfTrials

__all__ = ["GittinsSampler"]

#: Policies whose next point follows from the trials alone. Others keep a state, which the workers
#: of a study would not share.
STATELESS = frozenset(
    [
        "gittins",
        "log_eipc",
        "log_ei",
        "ei",
        "log_pi",
        "thompson",
        "estimation",
        "max_value_entropy",
        "knowledge_gradient",
    ]
)

#: A running trial is treated as lost once it took this many times its predicted duration.
OVERDUE = 5.0

#: The volume of a Pareto front is exact up to this many objectives.
MOST_OBJECTIVES = 3

#: How often a point is chosen anew because another worker published one near to it meanwhile.
TURNS = 5

#: How often another point is asked for in place of one that was taken twice and that the engine has
#: elsewhere or not at all.
ATTEMPTS = 8

#: How long a worker waits for another one to leave its point, in times of its own search, and how
#: many seconds pass between two looks.
PATIENCE = 3.0
STEP = 0.02


class GittinsSampler(OfProcess, BaseSampler):
    """A sampler that weighs what a trial may bring against what it costs.

    A Gaussian process models the value by all parameters together, another one the logarithm of the
    cost. After a short quasi-random design, each trial is where the expected improvement per cost
    is largest; with a `price`, where the Pandora's Box Gittins Index (PBGI) is best.

    - **Spaces.** Real and whole numbers, on a log scale or in steps, and names, also if only some
      trials have them: the model's space is the union of what the trials had. When a parameter
      exists is inferred from complete trials. Bounds may change between trials: the model has the
      widest ones, a suggestion obeys the present ones.
    - **Costs.** What `cost_func` says of a trial that has ended. Without it the user attribute
      `cost`, if more than half of the complete trials have it: then the others have no cost.
      Otherwise the duration, less the time that the suggestion took. All costs of a study have one
      source, and so one unit; if the source changes, all are read anew. A cost that is no positive
      finite number is unknown, and a warning names the trial. A trial without a cost is modeled,
      and teaches the model of costs nothing.
    - **Trials that end otherwise.** Of failed trials the model learns where trials fail. A trial
      that `GittinsPruner` ended counts with its last value, or worse if complete trials became
      worse after that step. One that another pruner ended counts as the median of the complete
      ones, and follows it. If its last value is not finite, or there is none, it is a failure.
    - **Constraints**, by `Trial.set_constraint` or `constraints_func`. Each has a model of its own,
      by its size, so that the best point on its border is found. Improvements are multiplied by the
      probability of feasibility. While no trial is feasible, suggestions look for the largest one.
      An infinite constraint counts as a failure.
    - **Several objectives**, two or three: each trial is where the expected hypervolume improvement
      of the Pareto front is largest, per cost. References follow from all trials.
      `study.best_trials` is the front as observed.
    - **Workers.** All state is in the storage. Any number of workers may share a study, each with a
      sampler of its own. Pending points are published in system attributes
      (`gittins:relative_params:...`), and are waited for. A trial that has run for `overdue` times
      the predicted duration is treated as lost.
    - **Repetition.** With a seed and one worker the same outcomes and costs give the same
      suggestions. Durations are never the same twice; `use_cost=False` leaves them out.

    Args:
        seed: The seed of the run; random unless given.
        price: What a unit of cost is worth in units of the value. It chooses the policy
            `policy.gittins(price)`. `GittinsStop` has a price of its own.
        policy: The acquisition policy, if there is no price, or its name. Policies that keep a
            state are refused.
        n_startup_trials: The number of trials of the design. Unless given 2, one for each pattern
            of parameters that exist together, and one for each two parameters, at most 20.
        cost_func: What a trial that has ended cost: positive and finite. It is asked once for each
            trial; if it raises, the cost is unknown.
        use_cost: Whether trials may cost differently. If not, only values count.
        overdue: A running trial is treated as lost once it took this many times its predicted
            duration.
        constraints_func: The constraints of a trial that is complete; those above zero are
            violated. New code calls `Trial.set_constraint`.
        reference: The reference point of several objectives: the values that are worth nothing, one
            for each; `None` for one that follows from all trials, as all do unless given.

    Raises:
        ValueError: A study has more than three objectives, or a setting makes no sense.
    """

    _kept = (*OfProcess._kept, "_histories", "_read_for")

    @answering
    def __init__(
        self,
        *,
        seed: int | None = None,
        price: float | None = None,
        policy: policy.Policy | policy.PolicyName | None = None,
        n_startup_trials: int | None = None,
        cost_func: Callable[[FrozenTrial], float] | None = None,
        use_cost: bool = True,
        overdue: float = OVERDUE,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        reference: Sequence[float | None] | None = None,
    ) -> None:
        chosen = _policy(price, policy)
        if seed is not None:
            seed = whole("seed", seed, least=0, most=SEED)
        if n_startup_trials is not None:
            n_startup_trials = whole("n_startup_trials", n_startup_trials, least=1)
        if (times := float(number("overdue", overdue))) < 1.0:
            message = f"overdue: expected at least 1, got {overdue}"
            raise ValueError(message)
        for name, func in (("cost_func", cost_func), ("constraints_func", constraints_func)):
            if func is not None and not callable(func):
                message = f"{name}: expected a function of a trial, got {func!r}"
                raise ValueError(message)
        use_cost = flag("use_cost", use_cost)
        self._is_seeded = seed is not None
        drawn = random.SystemRandom().getrandbits(63)
        self._settings = Settings(
            seed=drawn if seed is None else seed,
            policy=chosen,
            overdue=times,
            cost_func=cost_func,
            use_cost=use_cost,
            reference=_reference(reference),
        )
        self._n_startup_trials = n_startup_trials
        self._constraints_func = constraints_func
        self._start()

    def _start(self) -> None:
        super()._start()
        #: What was read last, and for which trial: name and number of the study, number of it.
        self._read_for: tuple[tuple[str, int, int] | None, list[FrozenTrial]] = (None, [])
        self._histories: dict[tuple[str, int], History] = {}

    def reseed_rng(self) -> None:
        """Draw another seed, unless one was given.

        Optuna calls it for the threads of a study. They share the design by the numbers of their
        trials, and wait for each other's points, so a given seed stays as it is.
        """
        if self._is_seeded:
            return
        with self._lock:
            seed = random.SystemRandom().getrandbits(63)
            self._settings = Settings(**{**vars(self._settings), "seed": seed})
            self._histories.clear()

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return all parameters that any trial had, each with its latest distribution."""
        check_objectives(study)
        with self._lock:
            trials = self.read(study)
            self._read_for = (study.study_name, study._study_id, trial.number), trials
            latest = self.history(study).names(trials, trial.number)
        return {name: one for name, one in latest.items() if not is_single(one)}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return values of the parameters of a trial, chosen together."""
        check_objectives(study)
        wanted = {name: one for name, one in search_space.items() if not is_single(one)}
        single = {name: one for name, one in search_space.items() if is_single(one)}
        values = {name: at_draw(0.5, one) for name, one in single.items()}
        with self._lock:
            # Optuna asks for the parameters and at once for their values: one read does for both,
            # if no other thread read since.
            key, trials = self._read_for
            if key != (study.study_name, study._study_id, trial.number):
                trials = self.read(study)
            self._read_for = None, []
            given = given_to(study, trial, trials)
            if all(name in given for name in wanted):
                return values
            return {**values, **self._suggest(study, trial, trials, wanted, given)}

    def read(self, study: Study) -> list[FrozenTrial]:
        """Return all trials, also those of other brackets of a pruner.

        The lock must be held: the engine's study may not be told of older trials after newer ones.
        """
        self._read_for = None, []
        return study._storage.get_all_trials(study._study_id, deepcopy=False)

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Return the value of one parameter that `sample_relative` did not foresee.

        It is chosen by the model too, given the parameters that the trial has already.
        """
        check_objectives(study)
        if is_single(param_distribution):
            return at_draw(0.5, param_distribution)
        with self._lock:
            trials = self.read(study)
            given = {**given_to(study, trial, trials), **values_of(trial)}
            given.pop(param_name, None)
            known = self.history(study).names(trials, trial.number)
            any_draw = draw(self._settings.seed, trial.number, param_name)
            if param_name not in known:
                # Nothing is known of it. Bounds are usually set around a good guess.
                return at_draw(0.5 if trial.number == 0 else any_draw, param_distribution)
            wanted = {param_name: param_distribution}
            found = self._suggest(study, trial, trials, wanted, given)
        return found.get(param_name, at_draw(any_draw, param_distribution))

    def after_trial(
        self,
        study: Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Store the constraints of a trial that is over."""
        if self._constraints_func is not None:
            _process_constraints_after_trial(self._constraints_func, study, trial, state)

    def overdue_trials(self, study: Study) -> list[int]:
        """Return the numbers of the running trials that are not waited for.

        They have run for more than `overdue` times the duration that the model predicts. If costs
        are no durations, no model predicts them: then it is `overdue` times the longest one so far.
        Most likely their workers are dead. `study.tell(number, state=TrialState.FAIL)` ends one.
        """
        check_objectives(study)
        with self._lock:
            trials = self.read(study)
            history = self.history(study)
            if not history.sync(trials, None, {}):
                return []
            return history.overdue(trials)

    def _suggest(
        self,
        study: Study,
        trial: FrozenTrial,
        trials: list[FrozenTrial],
        wanted: Mapping[str, BaseDistribution],
        given: Given,
    ) -> dict[str, Any]:
        began = time.monotonic()
        history = self.history(study)
        history.fixed = given_to(study, trial, trials)
        present = {**wanted, **{name: one for name, (_, one) in given.items()}}
        is_known = history.sync(trials, trial.number, present)
        others = [other for other in trials if other.number != trial.number]
        is_model = is_known and history.complete > 0
        if not is_model or self._in_design(others, history.space):
            fixed = {name: value for name, (value, _) in given.items()}
            seed, number = self._settings.seed, trial.number
            params = drawn(seed, number, wanted, fixed, others, history.space, in_design=True)
            # What was given may be a guess of the user.
            choice = None if "fixed_params" in trial.system_attrs else "initial"
            self._share(study, trial, params, wanted, given, began, choice)
            return {name: one for name, one in params.items() if name not in given}
        for turn in range(TURNS + 1):
            searched = time.monotonic()
            params, choice = self._chosen(history, trial.number, others, wanted, given)
            searched = time.monotonic() - searched
            self._share(study, trial, params, wanted, given, began, choice)
            if turn == TURNS:
                break
            # Each publishes before it looks, so of two workers that chose at the same time at
            # least one sees the other.
            trials = self._after_rivals(study, trial.number, history, searched)
            if not history.rivals(trials, trial.number):
                break
            history.forget(trial.number)
            history.sync(trials, trial.number, present)
        return params

    def _chosen(
        self,
        history: History,
        number: int,
        others: list[FrozenTrial],
        wanted: Mapping[str, BaseDistribution],
        given: Given,
    ) -> tuple[dict[str, Any], Any]:
        """Return the values that the engine chooses, and how.

        What two trials had of which it does not know there is not taken a third time. Where nothing
        is left to choose, a point is drawn.
        """
        fixed = {name: value for name, (value, _) in given.items()}
        aside: list[Entered] = []
        try:
            for _ in range(ATTEMPTS):
                found = history.ask(number, wanted, given)
                if found is None:
                    break
                point, choice = found
                params = {
                    name: decoded(point[name], distribution)
                    for name, distribution in wanted.items()
                    if name in point and name not in given
                }
                values = comparable({**fixed, **params})
                same = [other for other in others if comparable(other.params) == values]
                if sum(history.is_elsewhere(other.number, number) for other in same) < 2:
                    return params, choice
                aside.extend(history.set_aside(number))
        finally:
            history.release(aside)
        history.forget(number)
        seed = self._settings.seed
        return drawn(seed, number, wanted, fixed, others, history.space, in_design=False), None

    def _after_rivals(
        self, study: Study, own: int, history: History, searched: float
    ) -> list[FrozenTrial]:
        """Return all trials, once later ones that chose the own point had the time to leave it.

        Of two workers that see each other the later trial leaves. If both did, both would choose
        the same point again. One that looked before the own point was published stays.
        """
        until = time.monotonic() + PATIENCE * (searched + STEP)
        while True:
            trials = self.read(study)
            rivals = history.rivals(trials, own)
            may_leave = all(
                rival.number > own and rival.state == TrialState.RUNNING for rival in rivals
            )
            if not rivals or not may_leave or time.monotonic() > until:
                return trials
            time.sleep(STEP)

    def _share(
        self,
        study: Study,
        trial: FrozenTrial,
        params: Mapping[str, Any],
        wanted: Mapping[str, BaseDistribution],
        given: Given,
        began: float,
        choice: Any,
    ) -> None:
        latest = {**wanted, **{name: distribution for name, (_, distribution) in given.items()}}
        known = {**{name: value for name, (value, _) in given.items()}, **params}
        seconds = _shared.seconds(trial) + time.monotonic() - began
        _shared.write(study, trial, known, latest, seconds, choice)

    def _in_design(self, others: list[FrozenTrial], space: SpaceOfTrials) -> bool:
        """Return whether a trial belongs to the design, beside these others."""
        states = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.RUNNING)
        return sum(other.state in states for other in others) < self.startup(space)

    def startup(self, space: SpaceOfTrials) -> int:
        """Return the number of trials of the design in a space."""
        if self._n_startup_trials is not None:
            return self._n_startup_trials
        return _gittins.usual_design(len(space.names()), space.patterns)

    def _check_reference(self, study: Study) -> None:
        count, known = len(study.directions), len(self._settings.reference)
        if known > 0 and (known != count or count == 1):
            expected = "none for one objective" if count == 1 else f"one for each of {count}"
            message = f"reference: expected {expected}, got {known}"
            raise ValueError(message)

    def history(self, study: Study) -> History:
        """Return the engine's study of a study, which may know less than the storage."""
        key = (study.study_name, study._study_id)
        if key not in self._histories:
            self._check_reference(study)
            self._histories[key] = History(self._settings, study.directions)
        return self._histories[key]


def _reference(given: Sequence[float | None] | None) -> tuple[float | None, ...]:
    """Return the values that are worth nothing, one for each objective."""
    if given is None:
        return ()
    found = in_order(given)
    if found is None:
        message = f"reference: expected a number or None for each objective, got {given!r}"
        raise ValueError(message)
    return tuple(None if one is None else float(number("reference", one)) for one in found)


def check_objectives(study: Study) -> None:
    """Refuse what is no study of Optuna, and one of more objectives than there may be."""
    if not hasattr(study, "directions"):
        message = f"study: expected a study of Optuna, got {study!r}"
        raise ValueError(message)
    count = len(study.directions)
    if count > MOST_OBJECTIVES:
        message = f"expected at most {MOST_OBJECTIVES} objectives, got {count}"
        raise ValueError(message)


def _policy(price: float | None, given: policy.Policy | str | None) -> policy.Policy:
    if price is not None:
        chosen = policy.priced(given, positive("price", price))
    else:
        chosen = policy.log_eipc() if given is None else policy.checked(given)
    if chosen.name not in STATELESS:
        message = (
            f"policy: {chosen.name!r} keeps a state, which the workers of a study would not share; "
            f"expected one of {sorted(STATELESS)}"
        )
        raise ValueError(message)
    return chosen
