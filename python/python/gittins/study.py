"""A study: asked for points, told what came of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gittins import _gittins
from gittins._data import Cost, finite, settings_of, text_of, told_of
from gittins.errors import EmptyError, InvalidSettingError, UnknownParameterError
from gittins.record import Record, tabulated
from gittins.space import Space, Value, conditions
from gittins.trial import Ask, Forecast, Recommendation, Trial, Verdict

if TYPE_CHECKING:
    from gittins.policy import Policy

__all__ = ["Study"]


class Study:
    """A run of cost-aware Bayesian optimization by ask and tell.

    >>> import math
    >>> import gittins
    >>> space = gittins.Space().log_float("rate", 1e-5, 1e-1).int("depth", 2, 12)
    >>> study = gittins.Study(
    ...     space, "minimize", cost="learned", policy=gittins.policy.gittins(1e-3), seed=7
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
        space: What is searched.
        direction: `"minimize"` or `"maximize"`.
        policy: What chooses the points; expected improvement per cost unless given.
        cost: `None` if each evaluation costs the same, a number for what each costs, or
            `"learned"`: each outcome is then told with its cost, and a second model learns it.
        cost_floor: The smallest cost that matters. Costs of zero need it.
        cost_unit: The unit of cost in messages, such as `"s"`.
        seed: The seed that fixes the run.
        initial: The number of points of the initial design.
        expected_trials: How many trials the run is expected to have.
        time_limit: The most seconds that one suggestion or verdict may take.
        overdue: From how many times its expected cost on a trial under way is not waited for.

    Raises:
        GittinsError: A setting makes no sense. The message names it.
    """

    def __init__(
        self,
        space: Space,
        direction: str = "minimize",
        *,
        policy: Policy | None = None,
        cost: Cost = None,
        cost_floor: float | None = None,
        cost_unit: str | None = None,
        seed: int = 0,
        initial: int | None = None,
        expected_trials: int | None = None,
        time_limit: float | None = None,
        overdue: float | None = None,
    ) -> None:
        settings = settings_of(
            space,
            direction,
            policy=policy,
            cost=cost,
            cost_floor=cost_floor,
            cost_unit=cost_unit,
            seed=seed,
            initial=initial,
            expected_trials=expected_trials,
            time_limit=time_limit,
            overdue=overdue,
        )
        self._attach(_gittins.Study(settings))

    def _attach(self, inner: _gittins.Study) -> None:
        self._inner = inner
        described = json.loads(inner.described())
        self._names: list[str] = described["names"]
        self._direction: str = described["direction"]

    @property
    def names(self) -> list[str]:
        """The names of the parameters in their order."""
        return list(self._names)

    @property
    def direction(self) -> str:
        """`"minimize"` or `"maximize"`."""
        return self._direction

    def ask(self, *, within: float | None = None, where: dict[str, Any] | None = None) -> Ask:
        """Return the next point to evaluate.

        Args:
            within: The most that it may be expected to cost.
            where: What parameters must be: a value, a list of values, or a tuple of two bounds,
                either of which may be `None`. The point is the best one of this part of the space.

        Raises:
            EmptyError: Nothing that is within the limit is known, or nothing costs so little.
        """
        if within is not None and where is not None:
            message = "expected either `within` or `where`, got both"
            raise InvalidSettingError(message)
        if where is not None:
            wanted = text_of("where", conditions(where))
            return self._asked(json.loads(self._inner.ask_where(wanted)))
        if within is None:
            return self._asked(json.loads(self._inner.ask()))
        found = self._inner.ask_within(within)
        if found is None:
            message = f"nothing is expected to cost at most {within}"
            raise EmptyError(message)
        return self._asked(json.loads(found))

    def ask_many(self, count: int) -> list[Ask]:
        """Return the next points to evaluate at the same time, each chosen given those before."""
        return [self._asked(ask) for ask in json.loads(self._inner.ask_many(count))]

    def tell(
        self,
        trial: Ask | int,
        outcome: float | None = None,
        *,
        cost: float | None = None,
        cost_later: bool = False,
        failed: bool = False,
        infeasible: bool = False,
    ) -> None:
        """Tell what came of a trial.

        Args:
            trial: The trial, or its number.
            outcome: What came out; not needed if it failed or is infeasible.
            cost: What it cost.
            cost_later: Whether `tell_cost` will tell the cost.
            failed: Whether it gave no outcome. The study learns where trials fail.
            infeasible: Whether its point breaks a constraint. To the model it is a failure.
        """
        number = _number(trial)
        told = told_of(f"trial {number}", outcome, cost, cost_later, failed, infeasible)
        self._inner.tell(number, told)

    def tell_cost(self, trial: Ask | int, cost: float) -> None:
        """Tell what a trial cost, before its outcome or after it."""
        self._inner.tell_cost(_number(trial), cost)

    def correct(
        self,
        trial: Ask | int,
        outcome: float | None = None,
        *,
        cost: float | None = None,
        failed: bool = False,
        infeasible: bool = False,
    ) -> None:
        """Replace what was told of a trial by mistake."""
        number = _number(trial)
        told = told_of(f"trial {number}", outcome, cost, False, failed, infeasible)
        self._inner.correct(number, told)

    def withdraw(self, trial: Ask | int) -> None:
        """Give a trial up, or take back what was told of it."""
        self._inner.withdraw(_number(trial))

    def enter(
        self,
        values: dict[str, Value],
        outcome: float | None = None,
        *,
        cost: float | None = None,
        cost_later: bool = False,
        failed: bool = False,
        infeasible: bool = False,
    ) -> int:
        """Tell an evaluation that was never asked for. Returns the number of its trial."""
        told = told_of("the trial", outcome, cost, cost_later, failed, infeasible)
        return self._inner.enter(self._point(values), told)

    def announce(self, values: dict[str, Value]) -> int:
        """Enter a trial that somebody else chose and runs. Returns its number, to be told by."""
        return self._inner.announce(self._point(values))

    def note_running(self, trial: Ask | int, cost_so_far: float) -> None:
        """Note what a trial under way has cost so far. An overdue one is not waited for."""
        self._inner.note_running(_number(trial), cost_so_far)

    def forecast(self, trial: Ask | int) -> Forecast | None:
        """Return what a trial under way is expected to cost; `None` as long as nothing is known."""
        found = self._inner.forecast(_number(trial))
        if found is None:
            return None
        data = json.loads(found)
        return Forecast(**{key: finite(value) for key, value in data.items()})

    def verdict(self, *, on_another: bool = False) -> Verdict:
        """Return whether to stop, and why. It is true if the run should stop.

        Args:
            on_another: Whether the question is if another trial is worth its price beside those
                that are under way. Otherwise these do not count.
        """
        judged = self._inner.verdict_on_another() if on_another else self._inner.verdict()
        return _verdict(judged)

    def recommendation(self) -> Recommendation | None:
        """Return the trial to use; `None` as long as none is complete."""
        found = self._inner.recommendation()
        if found is None:
            return None
        data = json.loads(found)
        return Recommendation(
            data["trial"],
            self._named(data["values"]),
            data["outcome"],
            finite(data["mean"]),
            finite(data["sd"]),
            data["words"],
        )

    def best(self) -> Trial | None:
        """Return the trial with the best outcome; `None` as long as none is complete."""
        found = self._inner.best()
        return None if found is None else self._trial(json.loads(found))

    def trials(self) -> list[Trial]:
        """Return all trials in the order in which they were asked for or entered."""
        return [self._trial(data) for data in json.loads(self._inner.trials())]

    def price_from_budget(self, budget: float) -> float:
        """Return the price at which a run is expected to cost no more than `budget` in all."""
        return self._inner.lambda_from_budget(budget)

    def change_policy(self, policy: Policy) -> None:
        """Choose by another policy from now on."""
        self._inner.change_policy(text_of("the policy", policy.to_data()))

    @property
    def spent(self) -> float:
        """What the suggested trials have cost."""
        return float(json.loads(self._inner.described())["spent"])

    @property
    def total_cost(self) -> float:
        """What all trials have cost, those of the initial design included."""
        return float(json.loads(self._inner.described())["total_cost"])

    def record(self) -> Record:
        """Return the run so far as a table: a dictionary of columns, one row for each trial.

        The columns are `trial`, `origin`, `state`, the parameters, `outcome`, `cost`, `spent` and
        `best` (so far), `told` (the place in the order of telling), and what was thought of the
        trial when it was suggested: `mean`, `sd`, `expected_cost`.
        """
        return tabulated(json.loads(self._inner.record())["rows"], self._names)

    def __repr__(self) -> str:
        described = json.loads(self._inner.described())
        return f"Study({', '.join(self._names)}; {described['trials']} trials)"

    def _named(self, values: list[Value]) -> dict[str, Value]:
        return dict(zip(self._names, values))

    def _asked(self, data: dict[str, Any]) -> Ask:
        return Ask(data["trial"], self._named(data["values"]), data["why"])

    def _trial(self, data: dict[str, Any]) -> Trial:
        return Trial(
            data["trial"],
            self._named(data["values"]),
            data["state"],
            data["origin"],
            data["outcome"],
            data["cost"],
        )

    def _point(self, values: dict[str, Value]) -> str:
        for name in values:
            if name not in self._names:
                message = f"no parameter is named {name!r}; there are {self._names}"
                raise UnknownParameterError(message)
        return text_of("the values", [values.get(name) for name in self._names])


def _number(trial: Ask | int) -> int:
    return trial.trial if isinstance(trial, Ask) else trial


def _verdict(judged: str) -> Verdict:
    data = json.loads(judged)
    return Verdict(
        data["stop"],
        data["rule"],
        finite(data["statistic"]),
        finite(data["threshold"]),
        data["words"],
    )
