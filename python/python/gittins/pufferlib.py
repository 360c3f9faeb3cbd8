"""A sweep for PufferLib, whose configuration names it like one of PufferLib's own.

    # mysweep.py: python mysweep.py sweep puffer_breakout --wandb --sweep.method GittinsSweep
    import pufferlib.pufferl, pufferlib.sweep
    from gittins.pufferlib import GittinsSweep

    pufferlib.sweep.GittinsSweep = GittinsSweep
    pufferlib.pufferl.main()

Settings of the study are bound there: `functools.partial(GittinsSweep, price=1e-4)`. This module
does not import PufferLib.
"""

from __future__ import annotations

import logging
import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from gittins._check import above, number, plain, whole, word
from gittins._data import StudySettings
from gittins._words import refuse_unknown
from gittins.errors import ExhaustedError, InvalidSettingError, NonFiniteError, OutOfBoundsError
from gittins.journal import Journal
from gittins.space import Space
from gittins.study import Study

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from typing_extensions import Unpack

__all__ = ["GittinsSweep"]

_DISTRIBUTIONS = ("uniform", "int_uniform", "uniform_pow2", "log_normal", "logit_normal")
#: How long a run is. With each part of a run that it tells, PufferLib writes its steps here.
_STEPS = "train/total_timesteps"
#: A run ends with the batch in which it has all its steps, and so with up to this many times them.
_OVER = 1.2

_logger = logging.getLogger("gittins")


@dataclass(frozen=True)
class _Parameter:
    """A parameter of a sweep: its path, its distribution, its bounds, and its mean if given."""

    path: str
    distribution: str
    low: float
    high: float
    mean: float | None

    @property
    def name(self) -> str:
        """Its name in the study."""
        return f"1 - {self.path}" if self.distribution == "logit_normal" else self.path

    def moved(self, value: Any) -> Any:
        """Return a value of PufferLib as the study has it, or one of the study as PufferLib has."""
        return 1.0 - value if self.distribution == "logit_normal" else value

    @property
    def powers(self) -> list[int]:
        """The powers of two within its bounds."""
        exponents = range(math.ceil(math.log2(self.low)), math.floor(math.log2(self.high)) + 1)
        return [2**exponent for exponent in exponents]

    @property
    def first(self) -> float:
        """The value of the study that is nearest to its mean."""
        mean = self.low if self.mean is None else min(max(self.mean, self.low), self.high)
        if self.distribution == "uniform_pow2":
            return min(self.powers, key=lambda power: abs(math.log2(power / mean)))
        is_whole = self.distribution == "int_uniform"
        return round(mean) if is_whole else float(self.moved(mean))

    def add_to(self, space: Space) -> None:
        """Add it to the space of the study."""
        if self.distribution == "uniform_pow2":
            space.numbers(self.name, self.powers)
        elif self.distribution == "logit_normal":
            space.log_float(self.name, self.moved(self.high), self.moved(self.low))
        elif self.distribution == "int_uniform":
            space.int(self.name, self.low, self.high)  # type: ignore[arg-type]
        else:
            space.float(self.name, self.low, self.high, log=self.distribution == "log_normal")


@dataclass
class _Run:
    """A run of PufferLib: its values, its trial in the study and the steps that it is to have.

    What was told of it last is there with the steps that it had then.
    """

    point: dict[str, Any]
    trial: int
    end: float | None
    told: dict[str, Any] | None = None
    steps: float | None = None

    def is_later(self, told: Mapping[str, Any], steps: float | None) -> bool:
        """Return whether what is told of it is of a later part than what was told before."""
        before = self.told or {"cost": None}
        is_end = steps is not None and steps == self.end != self.steps
        far = steps or 0.0, told["cost"] or 0.0
        return is_end or far >= (self.steps or 0.0, before["cost"] or 0.0)


class GittinsSweep:
    """A sweep of PufferLib that a study chooses, in the place of `pufferlib.sweep.Protein`.

    A parameter is in the study by its path, such as `"train/learning_rate"`:

    - `uniform`, `int_uniform` and `log_normal` are a `float`, an `int` and a `log_float`.
    - `uniform_pow2` is one of the powers of two within its bounds.
    - `logit_normal` is a `log_float` of what is missing to 1, as PufferLib has it. It is called
      `"1 - train/gamma"`.

    The first run has the mean of each parameter, if all have one. `scale` is not read.

    - Costs are the seconds that PufferLib tells. They are learned.
    - PufferLib tells of a run several times. What has the most steps counts as its outcome. What
      came before is entered as trials with less `total_timesteps`, if these are searched on a
      `log_normal` or `uniform` scale. They do not count for a budget and for `n_trials`.
    - Runs that differ in their steps alone are told apart by these.
    - A cost that is no number above 0 is not known: that of a clock that stood still, say.
    - A run that PufferLib calls a failure, or whose score is not finite, is told as failed.
    - A run that was not suggested is entered. One that is no point of the space is left out, and a
      warning is logged.
    - PufferLib does not ask whether to stop. Once the verdict of the study is to stop, by a price,
      a budget or `n_trials`, `suggest` logs it and raises `SystemExit(0)`.

    Other settings are those of `gittins.Study`, without `stages`. Unless given, `cost` is
    `"learned"`, `cost_unit` is `"s"`, and `first` has the means.

    Args:
        sweep_config: The section `[sweep]` of a configuration of PufferLib, as a dictionary.
        path: The file of the study, a `gittins.Journal`, if it should survive its process. A sweep
            with the same section and settings goes on with it.

    Raises:
        GittinsError: A parameter or a setting makes no sense. The message names it.
    """

    def __init__(
        self,
        sweep_config: Mapping[str, Any],
        path: str | os.PathLike[str] | None = None,
        **settings: Unpack[StudySettings],
    ) -> None:
        known = [name for name in StudySettings.__annotations__ if name != "stages"]
        refuse_unknown(type(self).__name__, settings, ["path", *known])
        if not isinstance(sweep_config, Mapping):
            message = f"sweep: expected the section [sweep] as a dictionary, got {sweep_config!r}"
            raise InvalidSettingError(message)
        goal = word("sweep: goal", sweep_config.get("goal"), ("maximize", "minimize"))
        only = [part.strip() for part in str(sweep_config.get("sweep_only", "")).split(",")]
        self._parameters = [
            parameter
            for parameter in _found(sweep_config)
            if any(part in parameter.path.rpartition("/")[2] for part in only)
        ]
        space = Space()
        for parameter in self._parameters:
            parameter.add_to(space)
        settings = {"cost": "learned", "cost_unit": "s", **settings}
        if all(parameter.mean is not None for parameter in self._parameters):
            settings.setdefault("first", [{one.name: one.first for one in self._parameters}])
        self._study: Study | None = (
            Study(space, goal, **settings)  # type: ignore[arg-type]
            if path is None
            else Journal(path, space, goal, **settings)  # type: ignore[arg-type]
        )
        self._has_shorter = any(
            one.path == _STEPS and one.distribution in ("log_normal", "uniform")
            for one in self._parameters
        )
        self._is_learned = settings["cost"] == "learned"
        self._least_cost = 0.0 if settings.get("cost_floor") else math.ulp(0.0)
        #: The runs of the same values but for their steps, in their order.
        self._runs: defaultdict[tuple[float, ...], list[_Run]] = defaultdict(list)
        self._told_last: _Run | None = None

    @property
    def study(self) -> Study:
        """The study."""
        if self._study is None:
            message = "study: it stays with the sweep that was pickled"
            raise InvalidSettingError(message)
        return self._study

    def suggest(
        self, fill: dict[str, Any] | None = None, fixed_total_timesteps: float | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Write the values of the next run into a configuration of PufferLib.

        Args:
            fill: The configuration: `fill["train"]["learning_rate"]` is set and so on. A new one
                if it is `None`.
            fixed_total_timesteps: What `train.total_timesteps` has to be, if it is searched.

        Returns:
            The configuration, and the number of the trial and why it was chosen.

        Raises:
            SystemExit: The study stops, or all points of its space were tried.
        """
        verdict = self.study.verdict()
        if verdict:
            _end(verdict.words)
        where = None
        for one in self._parameters:
            if one.path == _STEPS and fixed_total_timesteps is not None:
                fixed = float(number("fixed_total_timesteps", fixed_total_timesteps))
                where = {one.name: one.moved(min(max(fixed, one.low), one.high))}
        try:
            ask = self.study.ask(where=where)
        except ExhaustedError as error:
            _end(f"stop: {error}")
        fill = {} if fill is None else fill
        for one in self._parameters:
            *sections, key = one.path.split("/")
            inner = fill
            for section in sections:
                inner = inner.setdefault(section, {})
            inner[key] = one.moved(ask[one.name])
        run = _Run(ask.point, ask.trial, _steps(fill))
        self._runs[self._key(self._read(fill))].append(run)
        return fill, {"trial": ask.trial, "why": ask.why}

    def observe(
        self,
        hypers: Mapping[str, Any],
        score: float,
        cost: float,
        is_failure: bool = False,
        **_: Any,
    ) -> None:
        """Tell the study what a run came to.

        Args:
            hypers: The configuration of the run, as `suggest` filled it.
            score: Its outcome.
            cost: The seconds that it took. They are not known if they are 0, NaN or `None`.
            is_failure: Whether it gave no outcome.

        Raises:
            GittinsError: A value is missing, or a number makes no sense. The message names it.
        """
        values, steps = self._read(hypers), _steps(hypers)
        score, known = plain(score), self._known(cost)
        if is_failure or (isinstance(score, float) and not math.isfinite(score)):
            told: dict[str, Any] = {"failed": True, "cost": known}
        else:
            told = {"outcome": number("score", score), "cost": known}
        run = self._run_of(values, steps)
        if run is None:
            point = {one.name: one.moved(values[one.path]) for one in self._parameters}
            trial = self._add(point, told)
            if trial is None:
                message = "a run is left out of the study, it is no point of the sweep: %s"
                _logger.warning(message, point)
            elif not self._has_shorter:
                self._runs[self._key(values)].append(_Run(point, trial, steps, told, steps))
            return
        self._told_last = run
        if run.told is None:
            self.study.tell(run.trial, **told, cost_later=self._comes_later(told))
            run.told, run.steps = told, steps
            return
        if "failed" in run.told or ("failed" not in told and not run.is_later(told, steps)):
            self._add_shorter(run, told, steps)
        else:
            self.study.correct(run.trial, **told)
            self._add_shorter(run, run.told, run.steps)
            run.told, run.steps = told, steps

    def early_stop(self, logs: dict[str, Any], target_key: str) -> bool:
        """Return whether a loss is NaN. PufferLib asks for it from its version 4 on.

        Args:
            logs: What a run logged last.
            target_key: The name of its score there.
        """
        losses = [value for name, value in logs.items() if "loss/" in name]
        nested = logs.get("loss")
        if isinstance(nested, Mapping):
            losses.extend(nested.values())
        if any(value != value for value in losses):
            logs["is_loss_nan"] = True
            return True
        return False

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the study: a run in another process needs `early_stop` only."""
        return {**self.__dict__, "_study": None}

    def _read(self, hypers: Any) -> dict[str, float]:
        """Return the numbers of a configuration by their paths."""
        values = {}
        for one in self._parameters:
            value = hypers
            for part in one.path.split("/"):
                if not isinstance(value, Mapping) or part not in value:
                    message = f"hypers: {one.path} is missing, which the sweep varies"
                    raise InvalidSettingError(message)
                value = value[part]
            values[one.path] = number(f"hypers: {one.path}", value)
        return values

    def _key(self, values: Mapping[str, float]) -> tuple[float, ...]:
        """Return what a run is known by. PufferLib changes its steps."""
        return tuple(value for path, value in values.items() if path != _STEPS)

    def _run_of(self, values: Mapping[str, float], steps: float | None) -> _Run | None:
        """Return the run of which something is told; `None` if it was not suggested.

        Of several that differ in their steps alone it is the one that is to have so many steps, or
        the one that goes on, or the one that waits and is to have a little more.
        """
        runs = self._runs[self._key(values)]
        if steps is not None and _STEPS in values:
            runs = [run for run in runs if run.end is None or steps <= _OVER * run.end]

        def unlike(run: _Run) -> tuple[bool, bool, bool, bool, float]:
            is_told = run.told is not None
            if steps is None or run.end is None:
                return False, False, is_told, False, 0.0
            had = run.steps or 0.0
            goes_on = run is self._told_last and had < min(steps, run.end)
            is_past = had >= run.end and steps > run.end
            return steps != run.end, not goes_on, is_told, is_past, abs(math.log(steps / run.end))

        # Of those alike it is the first that waits, or the last one.
        return min([*(run for run in runs if not run.told), *runs[::-1]], key=unlike, default=None)

    def _known(self, cost: Any) -> float | None:
        """Return a cost; `None` if it is not known."""
        try:
            found = None if plain(cost) is None else number("cost", cost)
        except NonFiniteError:
            return None
        return None if found is None or found < self._least_cost else found

    def _comes_later(self, told: Mapping[str, Any]) -> bool:
        """Return whether a cost is missing. The study does without it then, as if it came later."""
        return self._is_learned and "failed" not in told and told["cost"] is None

    def _add(self, point: dict[str, Any], told: dict[str, Any]) -> int | None:
        """Add a trial that was not asked for; `None` if its point is out of bounds."""
        try:
            return self.study.enter(point, **told, cost_later=self._comes_later(told))
        except OutOfBoundsError:
            return None

    def _add_shorter(self, run: _Run, told: dict[str, Any], steps: float | None) -> None:
        """Add what a run was after fewer steps, as a trial with so many."""
        if self._has_shorter:
            self._add({**run.point, _STEPS: steps}, told)


def _steps(hypers: Any) -> float | None:
    """Return the steps of a configuration, if there are any."""
    for part in _STEPS.split("/"):
        hypers = hypers.get(part) if isinstance(hypers, Mapping) else None
    found = plain(hypers)
    return float(found) if isinstance(found, (int, float)) and 0 < found < math.inf else None


def _end(words: str) -> NoReturn:
    """End the program: the loop of PufferLib has no other end."""
    _logger.warning("the sweep ends: %s", words)
    raise SystemExit(0)


def _found(section: Mapping[str, Any], path: str = "") -> Iterator[_Parameter]:
    """Yield the parameters of a section. Beside its own sections a sweep has plain settings."""
    for name, one in section.items():
        place = f"{path}{name}"
        if not path and (name == "metric" or not isinstance(one, Mapping)):
            continue
        if isinstance(one, Mapping) and any(isinstance(part, Mapping) for part in one.values()):
            yield from _found(one, f"{place}/")
        else:
            yield _parameter(place, one)


def _parameter(path: str, given: Any) -> _Parameter:
    """Return a parameter. What it may be is checked here, so that errors name its section."""
    place = f"sweep: {path}"
    for key in ("distribution", "min", "max"):
        if not isinstance(given, Mapping) or key not in given:
            message = f"{place}: expected distribution, min and max, got {given!r}"
            raise InvalidSettingError(message)
    kind = word(f"{place}: distribution", given["distribution"], _DISTRIBUTIONS)
    read = whole if kind == "int_uniform" else number
    low, high = read(f"{place}: min", given["min"]), read(f"{place}: max", given["max"])
    if kind in ("log_normal", "uniform_pow2"):
        above(f"{place}: min", low, 0.0)
    if low > high:
        message = f"{place}: expected a min of at most max, got {low!r} and {high!r}"
        raise InvalidSettingError(message)
    if kind == "logit_normal" and high >= 1.0:
        message = f"{place}: max: expected a number below 1, got {high!r}"
        raise InvalidSettingError(message)
    mean = None if given.get("mean") is None else number(f"{place}: mean", given["mean"])
    found = _Parameter(path, kind, low, high, mean)
    if kind == "uniform_pow2" and not found.powers:
        message = f"{place}: no power of two is from {low!r} to {high!r}"
        raise InvalidSettingError(message)
    return found
