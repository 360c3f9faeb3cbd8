"""Runs that are paid for in stages: at each report a run goes on, is left, or is abandoned."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict, cast

from gittins import _gittins
from gittins._check import above, number, text, whole
from gittins._data import SEED, OfFile, as_data, in_memory, opened, searched, told_of
from gittins._words import STAGED, Answering, refuse_unknown
from gittins.errors import InvalidSettingError, UnknownTrialError
from gittins.space import Space
from gittins.trial import Ask, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType

    from typing_extensions import Self, Unpack

    from gittins._data import Direction, StopRule
    from gittins._names import Coded
    from gittins.space import Value

__all__ = [
    "Advice",
    "Report",
    "Run",
    "RunForecast",
    "StagedAsk",
    "StagedJournal",
    "StagedRun",
    "StagedStudy",
]


@dataclass(frozen=True)
class Advice:
    """What a run does after a report. It is true if the run goes on.

    Attributes:
        kind: `"continue"`; `"pause"`: it ends, and may be resumed from its checkpoint;
            `"abandon"`: it ends for good; `"done"`: it is at its end.
        until: The progress of the coming report, of a run that goes on.
    """

    kind: Literal["continue", "pause", "abandon", "done"]
    until: float | None = None

    def __bool__(self) -> bool:
        return self.kind == "continue"

    def __str__(self) -> str:
        return f"continue until {self.until:g}" if self.until is not None else self.kind


@dataclass(frozen=True)
class Report:
    """What a run said at a progress, and what it had cost since its report before."""

    progress: float
    outcome: float
    cost: float


@dataclass(frozen=True)
class Run:
    """A run of a study. `values` has `None` for a parameter that does not exist.

    Attributes:
        run: Its number.
        values: The values of the parameters.
        state: `"running"`, `"paused"`, `"finished"`, `"abandoned"` or `"failed"`.
        cost: What it has cost so far.
        reports: What it said.
    """

    run: int
    values: dict[str, Value]
    state: str
    cost: float
    reports: list[Report]

    @property
    def progress(self) -> float:
        """The progress of its last report; 0 before the first."""
        return self.reports[-1].progress if self.reports else 0.0

    @property
    def outcome(self) -> float | None:
        """The outcome at its end; `None` if it did not come there."""
        return self.reports[-1].outcome if self.state == "finished" else None


@dataclass(frozen=True)
class RunForecast:
    """What a run is expected to come to.

    Attributes:
        mean: The mean of the outcome at its end.
        sd: Its deviation.
        cost: What the rest of the run is expected to cost.
        index: The incumbent outcome at which its next stage is just worth its price.
        words: The same in a line.
    """

    mean: float
    sd: float
    cost: float
    index: float
    words: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, eq=False)
class StagedAsk(Ask):
    """A run to begin or to resume: a mapping from the names of its parameters to their values.

    Attributes:
        resume: The progress from which a run that was left goes on; `None` for one that begins.
        until: The progress at which it reports.
    """

    resume: float | None = None
    until: float = 0.0


class Settings(TypedDict, total=False):
    """What `StagedStudy` takes beside what is searched and in which direction."""

    epochs: int | None
    total: float | None
    folds: int | None
    reports: Sequence[float] | None
    resumable: bool
    any_stage_counts: bool
    repeats: bool
    price: float | None
    budget: float | None
    stop: StopRule | None
    seed: int
    initial: int | None
    cost_unit: str | None


def _settled(
    space: Space,
    direction: Direction,
    *,
    epochs: int | None = None,
    total: float | None = None,
    folds: int | None = None,
    reports: Sequence[float] | None = None,
    resumable: bool = True,
    any_stage_counts: bool = False,
    repeats: bool = False,
    price: float | None = None,
    budget: float | None = None,
    stop: StopRule | None = None,
    seed: int = 0,
    initial: int | None = None,
    cost_unit: str | None = None,
) -> str:
    """Return the settings of a study as text."""
    data = searched(space, direction)
    if [epochs, total, folds].count(None) != 2:
        message = "expected epochs=27, folds=5, or total=... in any unit of progress"
        raise InvalidSettingError(message)
    stages: dict[str, Any] = {}
    for what, count in {"epochs": epochs, "folds": folds}.items():
        if count is not None:
            stages[what] = whole(what, count, least=1, most=2**32 - 1)
    if total is not None:
        stages["total"] = above("total", total, 0.0)
    if reports is not None:
        stages["reports"] = [float(number("reports", progress)) for progress in reports]
    flags = {"resumable": resumable, "any_stage_counts": any_stage_counts, "repeats": repeats}
    for what, flag in flags.items():
        if not isinstance(flag, bool):
            message = f"{what}: expected True or False, got {flag!r}"
            raise InvalidSettingError(message)
    data["stages"] = {**stages, **flags}
    if price is not None:
        data["policy"] = {"name": "gittins", "price": above("price", price, 0.0)}
    if budget is not None:
        data["budget"] = above("budget", budget, 0.0)
    if stop is not None:
        data["stop"] = as_data("stop", stop)
    data["seed"] = whole("seed", seed, least=0, most=SEED)
    if initial is not None:
        data["initial"] = whole("initial", initial, least=1)
    if cost_unit is not None:
        data["cost_unit"] = text("cost_unit", cost_unit)
    return json.dumps(data, allow_nan=False)


class StagedStudy(Answering):
    """A study of runs that are paid for in stages.

    >>> import gittins
    >>> space = gittins.Space().log_float("rate", 1e-4, 1.0)
    >>> study = gittins.StagedStudy(space, epochs=27, budget=90.0)
    >>> while not study.verdict():
    ...     with study.run() as run:
    ...         for until in run:  # stage by stage, as long as it is worth its price
    ...             loss = (run["rate"] - 0.1) ** 2 + 1 / until  # train from run.progress to until
    ...             advice = run.report(loss, cost=until - run.progress)
    >>> study.best().outcome < 0.05
    True

    `ask` and `report` are the same call by call.

    Args:
        space: What is searched.
        direction: `"minimize"` or `"maximize"`.
        epochs: How many epochs a run has.
        total: The progress at the end of a run in any other unit, in place of `epochs`.
        folds: How many folds a run is the mean of, in place of `epochs`: fold 1 is reported at the
            progress 1, fold 2 at 2. No checkpoint is needed.
        reports: The progress at each report; chosen by the library unless given.
        resumable: Whether a run that was left can be resumed, from a checkpoint that you keep. If
            not, it goes on at once or is abandoned.
        any_stage_counts: Whether the outcome of any report can be the incumbent, since its
            checkpoint is kept; otherwise only the outcome at the end of a run can.
        repeats: Whether each stage begins anew, as a training on more of the rows does, and costs
            its whole progress. No checkpoint is needed.
        price: What a unit of cost is worth, in units of the outcome. The study stops once nothing
            is worth its price. Unless given, the price falls by itself.
        budget: What all runs may cost together.
        stop: A stopping rule in place of the price, such as `{"name": "stall", "window": 10}`. It
            looks at the runs that came to their end.
        seed: The seed that fixes the study.
        initial: How many runs that differ begin before the index decides; 10 unless given.
        cost_unit: The unit of cost in messages, such as `"s"`.

    Raises:
        GittinsError: A setting makes no sense. The message names it.
    """

    _words = STAGED

    def __init__(
        self, space: Space, direction: Direction = "minimize", **settings: Unpack[Settings]
    ) -> None:
        refuse_unknown(type(self).__name__, settings, Settings.__annotations__)
        self._attach(_gittins.Study(_settled(space, direction, **settings)))

    def _attach(self, inner: _gittins.Study) -> None:
        self._inner = inner
        self._space = Space.from_data(json.loads(inner.space()))

    @property
    def space(self) -> Space:
        """What is searched."""
        return Space.from_data(self._space.to_data())

    @property
    def direction(self) -> Direction:
        """`"minimize"` or `"maximize"`."""
        return cast("Direction", self._inner.direction())

    def ask(self) -> StagedAsk:
        """Return what to begin or to resume, and how far it is to go before it reports.

        Raises:
            ExhaustedError: Nothing is left to begin or to resume.
        """
        with self._space._speaking():
            trial, coded, resume, until, words = self._inner.begin()
        values, absent = self._space._named(coded)
        return StagedAsk(trial, values, words, absent, resume, until)

    def report(
        self, run: StagedAsk | Run | int, progress: float, outcome: float, *, cost: float
    ) -> Advice:
        """Take what a run says at a progress, and return what it does then.

        Args:
            run: The run, or its number.
            progress: How far it is: any progress beyond that of its last report.
            outcome: Its outcome so far; that of one fold in a study by folds.
            cost: What it cost since its last report.
        """
        index = _number(run)
        told = {"the progress": progress, "the outcome": outcome, "the cost": cost}
        numbers = [float(number(f"run {index}: {what}", value)) for what, value in told.items()]
        kind, until = self._inner.report(index, *numbers)
        return Advice(cast("Any", kind), until)

    def fail(self, run: StagedAsk | Run | int, *, cost: float = 0.0) -> None:
        """Take that a run broke, and what it cost since its last report."""
        index = _number(run)
        self._inner.fail(index, float(number(f"run {index}: the cost", cost)))

    def withdraw(self, run: StagedAsk | Run | int) -> None:
        """Take that a run was lost with its worker. If it can be resumed it waits for that."""
        self._inner.withdraw(_number(run))

    def correct(self, run: StagedAsk | Run | int, outcome: float) -> None:
        """Replace the outcome of the last report of a run. What was paid stands."""
        index = _number(run)
        told = told_of(f"run {index}", outcome, None, False, False, False)
        self._inner.correct(index, told)

    def enter(
        self,
        values: Mapping[str, Value],
        outcome: float | None = None,
        *,
        cost: float | None = None,
        failed: bool = False,
    ) -> int:
        """Tell a whole run that others evaluated to its end. Returns its number.

        Its cost does not count toward a budget.

        Args:
            values: The values of its parameters. One that does not exist at the point is left out.
            outcome: Its outcome at its end; not needed if it failed.
            cost: What it cost.
            failed: Whether it gave no outcome.
        """
        told = told_of("the run", outcome, cost, False, failed, False)
        with self._space._speaking():
            return self._inner.enter(self._space._point(values), told)

    def run(self) -> StagedRun:
        """Ask, and return the run as a context that follows it through its stages."""
        return StagedRun(self, self.ask())

    def verdict(self) -> Verdict:
        """Return whether to stop, and why. It is true if the study should stop."""
        return Verdict(*self._inner.verdict())

    def best(self) -> Run | None:
        """Return the incumbent: the run with the best outcome; `None` as long as there is none."""
        found = self._inner.best_run()
        return None if found is None else self._ran(found[0])

    def best_report(self) -> Report | None:
        """Return the incumbent report: that of a run's end, unless any stage counts."""
        found = self._inner.best_run()
        return None if found is None else Report(*found[1])

    def forecast(self, run: StagedAsk | Run | int) -> RunForecast | None:
        """Return what a run is expected to come to; `None` without a model, or if it ended."""
        found = self._inner.forecast_end(_number(run))
        return None if found is None else RunForecast(*found)

    def runs(self) -> list[Run]:
        """Return all runs in the order in which they began."""
        return [self._ran(run) for run in self._inner.runs()]

    @property
    def spent(self) -> float:
        """What all runs have cost so far."""
        return self._inner.money()[1]

    def __reduce__(self) -> tuple[Any, ...]:
        """Refuse to be pickled: the study lives in this process.

        Raises:
            TypeError: Always. A study in a file can be pickled.
        """
        raise in_memory(self, "gittins.StagedJournal")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.direction}, {len(self._inner.runs())} runs)"

    def _ran(
        self, run: tuple[int, list[Coded], str, float, list[tuple[float, float, float]]]
    ) -> Run:
        index, coded, state, cost, reports = run
        values = self._space._named(coded)[0]
        return Run(index, values, state, cost, [Report(*report) for report in reports])


class StagedRun:
    """A pending run: iterate over its stages, and report at the end of each.

    An exception inside its block is told as a failure, with the seconds since the last report as
    its cost. A run that is left by `break`, or by an interruption of the program, waits to be
    resumed.

    Attributes:
        ask: What was asked for.
        progress: How far the run is: where the present stage begins.
        advice: What the last report was answered; `None` before the first.
    """

    def __init__(self, study: StagedStudy, ask: StagedAsk) -> None:
        self.ask = ask
        self.progress: float = ask.resume or 0.0
        self.advice: Advice | None = None
        self._study = study
        self._until: float | None = ask.until
        self._since = time.perf_counter()

    @property
    def number(self) -> int:
        """The number of the run, by which its checkpoint may be called."""
        return self.ask.trial

    @property
    def resume(self) -> float | None:
        """The progress from which it goes on; `None` if it begins."""
        return self.ask.resume

    @property
    def values(self) -> dict[str, Any]:
        """The values of the parameters that exist, as `Model(**run.values)` takes them."""
        return dict(self.ask)

    def __getitem__(self, name: str) -> Any:
        """Return the value of a parameter; `None` if it does not exist at this point."""
        return self.ask[name]

    def __iter__(self) -> Iterator[float]:
        while self._until is not None:
            until = self._until
            yield until
            if self._until == until:
                message = (
                    f"run {self.number}: call report(outcome) at {until:g} before the next stage"
                )
                raise InvalidSettingError(message)

    def report(self, outcome: float, *, cost: float | None = None) -> Advice:
        """Take the outcome at the end of the present stage. Write a checkpoint before.

        Args:
            outcome: The outcome so far; that of one fold in a study by folds.
            cost: What the stage cost; the seconds since the last report unless given.
        """
        if self._until is None:
            message = f"run {self.number}: it was told to {self.advice}, and takes no report"
            raise InvalidSettingError(message)
        paid = time.perf_counter() - self._since if cost is None else cost
        self.advice = self._study.report(self.ask, self._until, outcome, cost=paid)
        self.progress, self._until = self._until, self.advice.until
        self._since = time.perf_counter()
        return self.advice

    def __enter__(self) -> Self:
        self._since = time.perf_counter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._until is None:
            return
        if kind is not None and issubclass(kind, Exception):
            self._study.fail(self.ask, cost=time.perf_counter() - self._since)
        else:
            self._study.withdraw(self.ask)
        self._until = None


class StagedJournal(OfFile, StagedStudy):
    """A study of runs in stages in a file, which several processes may share.

    The file is a journal of Optuna, whose dashboard shows the curves. A study in a file begins by
    the same settings as `StagedStudy`. Without a space it goes on by the settings of the file. A
    worker writes a checkpoint before it reports: once a run is told to pause, another worker may be
    asked to go on with it.

    Args:
        path: The file. It is made if it is not there and a space is given.
        space: What is searched.
        direction: `"minimize"` or `"maximize"`.
        name: The name of the study in the file, if there are several.

    Raises:
        GittinsError: The file cannot be opened, is none or has another study. A setting makes no
            sense, or comes without a space: the study has those of the file.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        space: Space | None = None,
        direction: Direction = "minimize",
        *,
        name: str | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        refuse_unknown(type(self).__name__, settings, Settings.__annotations__)

        def settle(space: Space) -> str:
            return _settled(space, direction, **settings)

        self._attach(opened(path, space, name, settings, settle, stages=True))
        self._stand(path, name)

    def sync(self) -> None:
        """Read what other processes wrote to the file. Every call but those that only look does."""
        self._inner.sync()


def _number(run: StagedAsk | Run | int) -> int:
    if isinstance(run, Ask):
        return run.trial
    if isinstance(run, Run):
        return run.run
    index = whole("run", run)
    if not 0 <= index < 2**63:
        message = f"run {index}: expected a run or its number, from 0 on"
        raise UnknownTrialError(message)
    return index
