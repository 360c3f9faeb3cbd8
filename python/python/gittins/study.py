"""A study: asked for points, told their results."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, Union, cast, overload

from gittins import _gittins
from gittins._check import flag, number, whole
from gittins._data import (
    Cost,
    Direction,
    First,
    Limits,
    Objectives,
    StopRule,
    StudySettings,
    settings_of,
    told_of,
)
from gittins._loop import best_of, check_direction, optimize
from gittins._shown import line_of, table_of
from gittins._words import Answering, answering
from gittins.errors import EmptyError, InvalidSettingError, UnknownTrialError
from gittins.policy import checked
from gittins.record import Record, tabulated
from gittins.space import Space, Value, When
from gittins.stages import Advice, Run, RunForecast
from gittins.table import Table
from gittins.trial import Ask, Forecast, Recommendation, Report, Trial, Trials, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gittins._names import Coded
    from gittins.policy import Policy, PolicyName
    from gittins.stages import Stages

    #: A trial as the engine has it.
    Told = tuple[
        int,
        list[Coded],
        str,
        str,
        Union[float, None],
        Union[float, None],
        dict[str, float],
        list[tuple[float, float, float]],
    ]

__all__ = ["Study"]


class Study(Answering):
    """A run of cost-aware Bayesian optimization by ask and tell.

    >>> import math
    >>> import gittins
    >>> space = gittins.Space().log_float("rate", 1e-5, 1e-1).int("depth", 2, 12)
    >>> study = gittins.Study(
    ...     space, "minimize", price=1e-3, cost="learned", seed=7
    ... )
    >>> while True:
    ...     ask = study.ask()
    ...     loss = (math.log10(ask["rate"]) + 2.5) ** 2 / 4 + (ask["depth"] - 7) ** 2 / 50
    ...     study.tell(ask, loss, cost=2.0 + ask["depth"])
    ...     verdict = study.verdict()
    ...     if verdict:
    ...         break
    >>> study.best().outcome < 0.1
    True

    A study is safe to use from several threads, which wait for each other. While it computes, other
    threads of Python go on.

    Args:
        space: What is searched: a space, or a `Table` of candidates.
        direction: `"minimize"` or `"maximize"`.
        price: What a unit of cost is worth, in units of the outcome. It chooses by the Pandora's
            Box Gittins Index (PBGI), and stops once nothing is worth its price.
        policy: The acquisition policy, if there is no price; expected improvement per cost unless
            given, or an index at the price of the rest of the budget. One that needs no setting may
            be given by its name.
        cost: `None` if each evaluation costs the same, a number for what each costs,
            `gittins.LinearCost` for what the amounts of a trial cost, or `"learned"`: each outcome
            is then told with its cost, and a second model learns it.
        cost_floor: The smallest cost that matters. Costs of zero need it.
        cost_unit: The unit of cost in messages, such as `"s"`.
        seed: The seed that fixes the run, a whole number from 0 on. `None` is 0, too, so that a run
            can be repeated.
        initial: The number of points of the initial design, those of `first` included.
        first: Settings to begin with, such as what is in use: `[{"rate": 0.01, "depth": 6}]`. They
            are the first points of the initial design.
        expected_trials: How many trials the run is expected to have.
        time_limit: The most seconds that one suggestion or verdict may take.
        overdue: A pending trial is treated as lost once it has cost this many times its expected
            cost; 5 unless given.
        n_trials: How many trials the study may make, those of its initial design and failed ones
            included, and those that are entered not. The verdict is to stop then, or before by the
            price or by `stop`. A budget then ends only once it is spent.
        budget: The most that all trials of the study may cost. The verdict is to stop once it is
            spent, and earlier if the rest is not worth spending.
        stop: A further stopping rule: the name of a rule such as `"stall"`, a rule with numbers
            such as `{"name": "stall", "window": 10}`, a list of which any ends it, or
            `{"all": [...]}`.
        standardize: Whether outcomes are standardized before they are modeled; yes unless given.
        warping: `"half_rank"`, or `"none"` to model outcomes as they are.
        incumbent: `"posterior_mean"`, or `"best_outcome"` for outcomes without noise.
        limits: Outcome constraints: bounds on metrics that are measured beside the outcome, by
            their names: `{"latency_ms": {"at_most": 20.0}, "accuracy": {"at_least": 0.9}}`. Each
            complete trial is told with them, and one that breaks a limit is of no use.
        objectives: Measured numbers that are objectives as well, two at most, by their names:
            `{"latency_ms": "minimize"}`, or with the value from which on it is worth nothing
            `{"latency_ms": {"direction": "minimize", "reference": 40.0}}`. The result of the study
            is its `front`, the Pareto front.
        reference: The outcome that is worth nothing, beside other objectives. References that are
            not given follow from all feasible trials.
        best_possible: The best outcome that is possible, such as an accuracy of 1. A trial that has
            it, or a better one, ends the study.
        search: How hard the space is searched: `{"points": 512, "starts": 8, "plain": False}`.
        model: The model of the outcome, such as `{"kernel": "rbf", "noise": {"fixed": 1e-4}}`.
        cost_model: The model of the logarithm of the cost, likewise.
        stages: How long a trial is and when it reports, if it is paid for in stages:
            `{"epochs": 27}`, as `Stages` says. `run` follows a trial through them. `initial` is
            then the number of trials that differ before the index decides, 10 unless given; the
            price falls by itself unless given; and of the policies there is that of the price.
        backend: Who evaluates batches of points on this machine: `"cpu"` unless given, or what the
            environment's `GITTINS_BACKEND` says; `"auto"` takes a graphics card for the batches
            that it evaluates sooner; `"gpu"` for all, and refuses if there is none. A file does
            not keep it.

    All settings, in each place that has them, are in `docs/settings.md`.

    Raises:
        GittinsError: A setting makes no sense. The message names it.
    """

    @answering
    def __init__(
        self,
        space: Space | Table,
        direction: Direction = "minimize",
        *,
        price: float | None = None,
        policy: Policy | PolicyName | None = None,
        cost: Cost = None,
        cost_floor: float | None = None,
        cost_unit: str | None = None,
        seed: int | None = 0,
        initial: int | None = None,
        first: First | None = None,
        expected_trials: int | None = None,
        time_limit: float | None = None,
        overdue: float | None = None,
        n_trials: int | None = None,
        budget: float | None = None,
        stop: StopRule | None = None,
        standardize: bool | None = None,
        warping: Literal["none", "half_rank"] | None = None,
        incumbent: Literal["posterior_mean", "best_outcome"] | None = None,
        limits: Limits | None = None,
        objectives: Objectives | None = None,
        reference: float | None = None,
        best_possible: float | None = None,
        search: Mapping[str, Any] | None = None,
        model: Mapping[str, Any] | None = None,
        cost_model: Mapping[str, Any] | None = None,
        stages: Stages | None = None,
        backend: Literal["auto", "cpu", "gpu"] | None = None,
    ) -> None:
        given = locals()
        said: Any = {name: given[name] for name in StudySettings.__annotations__}
        settings = settings_of(space, direction, **said)
        with space._speaking():
            self._attach(_gittins.Study(settings), space)

    def _attach(self, inner: _gittins.Study, given: Space | Table | None) -> None:
        self._inner = inner
        self._direction: Direction = cast("Direction", inner.direction())
        # The file of a study has its space, and no table.
        data = json.loads(inner.space())
        self._space: Space | Table = Space() if given is None else given
        if data is not None:
            self._space = Space.from_data(data)
        self._judged: Verdict | None = None
        self._recommended: Recommendation | None = None

    @property
    def names(self) -> list[str]:
        """The names of the parameters, or of the columns of a table, in their order."""
        return self._space.names

    @property
    def space(self) -> Space | Table:
        """What is searched."""
        is_table = isinstance(self._space, Table)
        return self._space if is_table else Space.from_data(self._space.to_data())

    @property
    def direction(self) -> Direction:
        """`"minimize"` or `"maximize"`."""
        return self._direction

    @property
    def has_stages(self) -> bool:
        """Whether its trials report in stages."""
        return self._inner.has_stages()

    @overload
    def ask(
        self, *, within: float | None = None, where: When = None, context: When = None
    ) -> Ask: ...

    @overload
    def ask(
        self,
        count: int,
        *,
        within: float | None = None,
        where: When = None,
        context: When = None,
    ) -> list[Ask]: ...

    @answering
    def ask(
        self,
        count: int | None = None,
        *,
        within: float | None = None,
        where: When = None,
        context: When = None,
    ) -> Ask | list[Ask]:
        """Return the next point to evaluate.

        Args:
            count: How many points are evaluated at the same time: `ask(3)` is `ask_many(3)`.
            within: The most that it may be expected to cost.
            where: What parameters must be: a value, a list of values, or a tuple of two bounds,
                either of which may be `None`. The point is the best one of this part of the space.
                A parameter that is named exists at the point, so the point is of the branch that
                has it.
            context: What is given and not chosen, such as the machine or the batch of material, in
                the form of `where`. The trial is to improve what is best in this context, and not
                what is best of all.

        Raises:
            EmptyError: No cost is known yet, or nothing is expected to cost so little.
        """
        if count is not None:
            return self.ask_many(count, within=within, where=where, context=context)
        found = self._found(1, within, where, context)
        if not found:
            message = f"nothing is expected to cost at most {within}"
            raise EmptyError(message)
        return found[0]

    def ask_many(
        self,
        count: int,
        *,
        within: float | None = None,
        where: When = None,
        context: When = None,
        jointly: bool = False,
    ) -> list[Ask]:
        """Return the next points to evaluate at the same time, each chosen given those before.

        There are fewer than `count`, or none, if nothing else is expected to cost so little.

        Args:
            count: How many.
            within: The most that each may be expected to cost.
            where: What parameters must be, as `ask` takes it.
            context: What is given and not chosen, as `ask` takes it.
            jointly: Whether each then moves to a better place given all others.
        """
        return self._found(whole("count", count, least=0), within, where, context, jointly)

    def _found(
        self,
        count: int,
        within: float | None,
        where: When,
        context: When,
        jointly: bool = False,
    ) -> list[Ask]:
        limit = None if within is None else float(number("within", within))
        part = None if where is None else self._space._part(where)
        given, jointly = self._given(context), flag("jointly", jointly)
        with self._space._speaking():
            found = self._inner.ask_for(count, limit, part, jointly, given)
        asks = []
        for trial, coded, why, _, resume, until in found:
            values, absent, label = self._space._named(coded)
            asks.append(Ask(trial, values, why, absent, resume, until, label))
        self._say_what_it_lacks()
        return asks

    def _say_what_it_lacks(self) -> None:
        """Log what the study's file has and the study has not; one in memory has no file."""

    @answering
    def tell(
        self,
        trial: Ask | Trial | Run | int,
        outcome: float | None = None,
        *,
        cost: float | None = None,
        cost_later: bool = False,
        failed: bool = False,
        infeasible: bool = False,
        measured: Mapping[str, float | None] | None = None,
    ) -> None:
        """Tell the result of a trial.

        Args:
            trial: The trial, also as the run of a study in stages, or its number.
            outcome: Its outcome; not needed if it failed or is infeasible.
            cost: What it cost.
            cost_later: Whether `tell_cost` will tell the cost.
            failed: Whether it gave no outcome. The study learns where trials fail.
            infeasible: Whether its point breaks a constraint. To the model it is a failure, unless
                a measured number breaks its limit.
            measured: The numbers that have limits or are objectives, by their names. `None` stands
                for one that could not be measured.
        """
        index = _number(trial)
        told = told_of(f"trial {index}", outcome, cost, cost_later, failed, infeasible, measured)
        self._inner.tell(index, told)
        if isinstance(trial, Run):
            trial._go_on(None)

    def report(
        self, trial: Ask | Trial | Run | int, progress: float, outcome: float, *, cost: float
    ) -> Advice:
        """In stages, take what a trial says at a progress, and return what it does then.

        Args:
            trial: The trial, or its number.
            progress: How far it is: any progress beyond that of its last report.
            outcome: Its outcome so far; that of one fold if trials are means of folds.
            cost: What it cost since its last report.
        """
        index = _number(trial)
        told = {"the progress": progress, "the outcome": outcome, "the cost": cost}
        numbers = [float(number(f"trial {index}: {what}", value)) for what, value in told.items()]
        kind, until = self._inner.report(index, *numbers)
        advice = Advice(cast("Any", kind), until)
        if isinstance(trial, Run):
            trial._go_on(advice, numbers[0])
        return advice

    def run(self) -> Run:
        """In stages, ask, and return the trial as a block that follows it through its stages.

        >>> import gittins
        >>> space = gittins.Space().log_float("rate", 1e-4, 1.0)
        >>> study = gittins.Study(space, stages={"epochs": 27}, budget=90.0)
        >>> while not study.verdict():
        ...     with study.run() as run:
        ...         for until in run:  # stage by stage, as long as it is worth its price
        ...             loss = (run["rate"] - 0.1) ** 2 + 1 / until  # train until then
        ...             advice = run.report(loss, cost=until - run.progress)
        >>> study.best().outcome < 0.05
        True
        """
        if not self.has_stages:
            message = "run: this study has no stages: a loop of ask and tell, or stages={...}"
            raise InvalidSettingError(message)
        return Run(self, self.ask())

    @answering
    def optimize(
        self,
        objective: Callable[[Ask], Any],
        n_trials: int | None = None,
        timeout: float | None = None,
        *,
        catch: type[Exception] | Iterable[type[Exception]] = (),
    ) -> None:
        """Ask, evaluate and tell until the verdict is to stop.

        >>> import gittins
        >>> study = gittins.Study(gittins.Space({"x": (0.0, 1.0)}), seed=1)
        >>> study.optimize(lambda values: (values["x"] - 0.3) ** 2, n_trials=12)
        >>> study.best_value < 1e-3
        True

        An exception is told as a failure, and raised again. So is a NaN told, and not raised. A
        trial that is interrupted is withdrawn.

        Args:
            objective: What is evaluated, with the values of a trial by their names. It returns the
                outcome, the outcome and the cost, or a dictionary of what `tell` takes. If costs
                are learned they are seconds unless given.
            n_trials: The most trials of this call.
            timeout: The seconds after which no trial begins.
            catch: The exceptions that are not raised again.
        """
        optimize(self, objective, n_trials, timeout, catch)

    def minimize(self, objective: Callable[[Ask], Any], **settings: Any) -> None:
        """Do what `optimize` does, with its settings, in a study that minimizes."""
        check_direction(self, "minimize")
        self.optimize(objective, **settings)

    def maximize(self, objective: Callable[[Ask], Any], **settings: Any) -> None:
        """Do what `optimize` does, with its settings, in a study that maximizes."""
        check_direction(self, "maximize")
        self.optimize(objective, **settings)

    def tell_cost(self, trial: Ask | Trial | Run | int, cost: float) -> None:
        """Tell what a trial cost, before its outcome or after it."""
        index = _number(trial)
        self._inner.tell_cost(index, float(number(f"trial {index}: the cost", cost)))

    def correct(
        self,
        trial: Ask | Trial | Run | int,
        outcome: float | None = None,
        *,
        cost: float | None = None,
        failed: bool = False,
        infeasible: bool = False,
        measured: Mapping[str, float | None] | None = None,
    ) -> None:
        """Replace what was told of a trial by mistake."""
        index = _number(trial)
        told = told_of(f"trial {index}", outcome, cost, False, failed, infeasible, measured)
        self._inner.correct(index, told)

    def withdraw(self, trial: Ask | Trial | Run | int) -> None:
        """Give a trial up, or take back what was told of it."""
        self._inner.withdraw(_number(trial))
        if isinstance(trial, Run):
            trial._go_on(None)

    @answering
    def enter(
        self,
        values: Mapping[str, Value],
        outcome: float | None = None,
        *,
        cost: float | None = None,
        cost_later: bool = False,
        failed: bool = False,
        infeasible: bool = False,
        measured: Mapping[str, float | None] | None = None,
    ) -> int:
        """Tell an evaluation that was never asked for. Returns the number of its trial.

        Each call is a trial of its own: an evaluation that is entered twice counts twice, as if it
        had been made again with the same outcome. `correct` and `withdraw` mend what was entered.

        Args:
            values: The values of its parameters. One that does not exist at the point is left out.
            outcome: Its outcome; not needed if it failed or is infeasible.
            cost: What it cost.
            cost_later: Whether `tell_cost` will tell the cost.
            failed: Whether it gave no outcome.
            infeasible: Whether its point breaks a constraint.
            measured: The numbers that have limits or are objectives, as `tell` takes them.
        """
        told = told_of("the trial", outcome, cost, cost_later, failed, infeasible, measured)
        with self._space._speaking():
            return self._inner.enter(self._space._point(values), told)

    def announce(self, values: Mapping[str, Value]) -> int:
        """Enter a trial that somebody else chose and runs. Returns its number, to be told by."""
        with self._space._speaking():
            return self._inner.announce(self._space._point(values))

    def note_running(self, trial: Ask | Trial | Run | int, cost_so_far: float) -> None:
        """Note what a pending trial has cost so far. An overdue one is not waited for."""
        index = _number(trial)
        so_far = float(number(f"trial {index}: the cost so far", cost_so_far))
        self._inner.note_running(index, so_far)

    def forecast(self, trial: Ask | Trial | Run | int) -> Forecast | None:
        """Return what a pending trial is expected to cost; `None` as long as nothing is known."""
        found = self._inner.forecast(_number(trial))
        return None if found is None else Forecast(*found)

    def verdict(self, *, on_another: bool = False, context: When = None) -> Verdict:
        """Return whether to stop, and why. It is true if the run should stop.

        Args:
            on_another: If true, judge whether one more trial is worth its price given the pending
                ones. Otherwise these do not count.
            context: What is given and not chosen, as `ask` takes it: whether to stop there, because
                no trial in it is worth its price. It needs `price=` or `budget=`.
        """
        inner = self._inner
        if context is not None:
            if on_another:
                message = "the verdict on another trial beside pending ones is for no context"
                raise InvalidSettingError(message)
            with self._space._speaking():
                return Verdict(*inner.verdict(self._given(context)))
        self._judged = Verdict(*(inner.verdict_on_another() if on_another else inner.verdict()))
        return self._judged

    def recommendation(self, *, context: When = None) -> Recommendation | None:
        """Return the trial to use; `None` as long as none holds all limits, and beside a front.

        Args:
            context: What is given and not chosen, as `ask` takes it. Of all trials, each moved
                there, it is the one that the model expects to be best there. Its outcome may be one
                of elsewhere; `mean` and `sd` are what to expect there.
        """
        with self._space._speaking():
            found = self._inner.recommendation(self._given(context))
        if found is None:
            return None
        trial, coded, outcome, mean, sd, words, measured = found
        values, _, label = self._space._named(coded)
        shown = self._space._shown(words)
        best = Recommendation(trial, values, outcome, mean, sd, shown, measured, label)
        if context is None:
            self._recommended = best
        return best

    def _given(self, context: When) -> list[dict[str, Any]] | None:
        return None if context is None else self._space._part(context, "context")

    def best(self) -> Trial | None:
        """Return the trial with the best outcome; `None` as long as none holds all limits.

        It is `None` also if there are several objectives, which have a front.
        """
        found = self._inner.best()
        return None if found is None else self._trial(found)

    @property
    def best_trial(self) -> Trial:
        """The trial with the best outcome, as `best` returns it.

        Raises:
            EmptyError: There is none yet, or several objectives have a front.
        """
        return best_of(self, "best_trial")

    @property
    def best_params(self) -> dict[str, Value]:
        """The values of the best trial, without those of parameters that do not exist."""
        values = best_of(self, "best_params").values
        return {name: values[name] for name in self._space._coded("best_params", values)}

    @property
    def best_value(self) -> float:
        """The outcome of the best trial; in stages that of its report that counts."""
        best, report = best_of(self, "best_value"), self.best_report()
        return cast("float", best.outcome if report is None else report.outcome)

    def best_report(self) -> Report | None:
        """In stages, return the report of the best trial that counts, which is that of its end.

        If any stage counts it is its best one. `None` as long as there is none.
        """
        found = self._inner.best_report()
        return None if found is None else Report(*found)

    def forecast_end(self, trial: Ask | Trial | Run | int) -> RunForecast | None:
        """In stages, return what a trial is expected to come to.

        It is `None` without a model, and if the trial ended.
        """
        found = self._inner.forecast_end(_number(trial))
        return None if found is None else RunForecast(*found)

    def front(self) -> list[Trial]:
        """Return the trials of which no other is as good in every objective and better in one.

        They hold all limits, and are compared by what the models expect of them. With one objective
        it is the recommended trial.
        """
        return [self._trial(trial) for trial in self._inner.front()]

    @property
    def trials(self) -> Trials:
        """All trials in the order in which they were asked for or entered: `trials()`."""
        return Trials(self._trial(trial) for trial in self._inner.trials())

    def price_from_budget(self, budget: float) -> float:
        """Return the price at which a run is expected to cost no more than `budget` in all."""
        return self._inner.price_from_budget(float(number("budget", budget)))

    def change_policy(self, policy: Policy | PolicyName) -> None:
        """Choose by another policy from now on."""
        self._inner.change_policy(json.dumps(checked(policy).to_data()))

    @property
    def spent(self) -> float:
        """What the suggested trials have cost, without the initial design and what was entered."""
        return self._inner.money()[0]

    @property
    def total_cost(self) -> float:
        """What all trials have cost, those of the initial design included."""
        return self._inner.money()[1]

    def record(self) -> Record:
        """Return the run so far as a table: a dictionary of columns, one row for each trial.

        The columns are `trial`, `origin`, `state`, the parameters, `outcome`, `cost`, `spent` and
        `best` (so far), `told` (the place in the order of telling), and what was thought of the
        trial when it was suggested: `mean`, `sd`, `expected_cost`. Each number on which there is a
        limit has a column of its name, after a `measured` if that is taken. There `None` stands for
        what was not told, and NaN for what could not be measured.
        """
        return tabulated(*self._inner.record(), list(self._space._parameters.values()))

    def __reduce__(self) -> tuple[Any, ...]:
        """Refuse to be pickled: the study lives in this process.

        Raises:
            TypeError: Always. A study in a file can be pickled.
        """
        message = (
            f"a {type(self).__name__} lives in its process and cannot be pickled; "
            "gittins.Journal(path, space) is a study in a file, which several processes share"
        )
        raise TypeError(message)

    def __repr__(self) -> str:
        return line_of(self)

    def _repr_html_(self) -> str:
        """Return a table for notebooks, of what is known already."""
        return table_of(self)

    def _trial(self, trial: Told) -> Trial:
        number, coded, state, origin, outcome, cost, measured, reported = trial
        values, _, label = self._space._named(coded)
        reports = [Report(*report) for report in reported]
        return Trial(number, values, state, origin, outcome, cost, measured, reports, label)


def _number(trial: Ask | Trial | Run | int) -> int:
    if isinstance(trial, Run):
        return trial.number
    if isinstance(trial, (Ask, Trial)):
        return trial.trial
    index = whole("trial", trial)
    if not 0 <= index < 2**63:
        message = f"trial {index}: expected a trial or its number, from 0 on"
        raise UnknownTrialError(message)
    return index
