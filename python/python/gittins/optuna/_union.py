"""The space of a study of Optuna: the union of what its trials had, and when each parameter exists.

A study of Optuna has no space. Each trial says which parameters it has, and within which bounds.
The engine needs one space for all trials: bounds are widened to those of all trials, and a
parameter that some complete trials have and others have not gets conditions. They are inferred: a
set of conditions on other parameters that holds in exactly those trials that have it. Where there
is none, the parameter gets a flag of its own, which says whether it is there.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from gittins._gittins import LARGEST_LOG, LARGEST_WHOLE, SLACK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from optuna.trial import FrozenTrial

    from gittins._names import Coded

    #: Values that are given, each with a distribution that has it.
    Given = Mapping[str, tuple[Any, BaseDistribution]]

#: Numbers beyond a bound by less than this share of the larger bound are on it: a storage has whole
#: numbers as floats, which round them.
ROUNDING = 4.0 * sys.float_info.epsilon

#: Points that differ by less than this share of the range in each parameter are near.
NEAR = 0.02


def is_single(distribution: BaseDistribution) -> bool:
    """Return whether a distribution has one value."""
    if isinstance(distribution, CategoricalDistribution):
        return len(indices_of(distribution)) == 1
    return bool(distribution.single())


def indices_of(distribution: CategoricalDistribution) -> list[int]:
    """Return where the choices are that differ: of equal ones, as 1 and `True`, the first."""
    found = (distribution.to_internal_repr(choice) for choice in distribution.choices)
    return sorted({int(index) for index in found})


def joined(one: BaseDistribution, other: BaseDistribution) -> BaseDistribution | None:
    """Return a distribution with the values of both; `None` if they are of different kinds."""
    if one == other:
        return one
    if isinstance(one, FloatDistribution) and isinstance(other, FloatDistribution):
        if one.log != other.log:
            return None
        low, high = min(one.low, other.low), max(one.high, other.high)
        step = one.step if one.step == other.step else None
        if step is not None:
            offset = (one.low - other.low) / step
            step = step if abs(offset - round(offset)) <= SLACK * max(1.0, abs(offset)) else None
        return FloatDistribution(low, high, log=one.log, step=step)
    if isinstance(one, IntDistribution) and isinstance(other, IntDistribution):
        if one.log != other.log:
            return None
        low, high = min(one.low, other.low), max(one.high, other.high)
        on_step = one.step == other.step and (one.low - other.low) % one.step == 0
        return IntDistribution(low, high, log=one.log, step=one.step if on_step else 1)
    return None


def widened_to(value: Any, distribution: BaseDistribution) -> BaseDistribution | None:
    """Return a distribution that also has a value; `None` if it is of another kind."""
    try:
        internal = distribution.to_internal_repr(value)
        if not math.isfinite(internal):
            return None
        if distribution._contains(internal):
            return distribution
        if isinstance(distribution, FloatDistribution):
            low, high = min(distribution.low, internal), max(distribution.high, internal)
            return FloatDistribution(low, high, log=distribution.log)
        if isinstance(distribution, IntDistribution):
            whole = int(internal)
            low, high = min(distribution.low, whole), max(distribution.high, whole)
            return IntDistribution(int(low), int(high), log=distribution.log)
    except (TypeError, ValueError):
        pass
    return None


def kind_of(distribution: BaseDistribution) -> Any:
    """Return the engine's kind of parameter for a distribution of several values."""
    if isinstance(distribution, CategoricalDistribution):
        return {"choice": {"names": [str(index) for index in indices_of(distribution)]}}
    assert isinstance(distribution, (FloatDistribution, IntDistribution))
    bounds: dict[str, Any] = {"low": distribution.low, "high": distribution.high}
    if isinstance(distribution, FloatDistribution):
        if distribution.step is not None:
            return {"steps": {**bounds, "step": distribution.step}}
        return {"log_float" if distribution.log else "float": bounds}
    if not is_whole(distribution):
        reals = {"low": float(distribution.low), "high": float(distribution.high)}
        return {"log_float" if distribution.log else "float": reals}
    if distribution.step != 1:
        return {"steps": {**bounds, "step": distribution.step}}
    return {"log_int" if distribution.log else "int": bounds}


def is_whole(distribution: IntDistribution) -> bool:
    """Return whether the engine takes the whole numbers of a distribution as such.

    Beyond its limits they are modeled as real ones.
    """
    if distribution.log:
        return distribution.high <= LARGEST_LOG
    return max(-distribution.low, distribution.high) <= LARGEST_WHOLE


def coded(value: Any, distribution: BaseDistribution, merged: BaseDistribution) -> Coded:
    """Return a value of a trial as the engine has it; `None` if it is outside the merged bounds."""
    internal = distribution.to_internal_repr(value)
    if isinstance(merged, CategoricalDistribution):
        return str(int(internal))
    assert isinstance(merged, (FloatDistribution, IntDistribution))
    low, high = float(merged.low), float(merged.high)
    slack = ROUNDING * max(abs(low), abs(high))
    if not low - slack <= internal <= high + slack:
        return None
    internal = min(max(internal, low), high)
    if isinstance(merged, IntDistribution) and is_whole(merged):
        return round(internal)
    return float(internal)


def decoded(value: Coded, distribution: BaseDistribution) -> Any:
    """Return the value of a distribution that is nearest to what the engine has."""
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[int(value)]  # type: ignore[arg-type]
    assert isinstance(distribution, (FloatDistribution, IntDistribution))
    assert isinstance(value, (int, float))
    number = min(max(value, distribution.low), distribution.high)
    if distribution.step is not None and not distribution.log:
        steps = round((number - distribution.low) / distribution.step)
        number = min(distribution.low + steps * distribution.step, distribution.high)
    return round(number) if isinstance(distribution, IntDistribution) else float(number)


def is_middle(trial: FrozenTrial) -> bool:
    """Return whether a trial is the first one, and the sampler took the middle of all ranges."""
    return trial.number == 0 and all(
        value == at_draw(0.5, trial.distributions[name]) for name, value in trial.params.items()
    )


def at_draw(draw: float, distribution: BaseDistribution) -> Any:
    """Return the value of a distribution at a uniform number, every value being equally likely."""
    if isinstance(distribution, CategoricalDistribution):
        count = len(distribution.choices)
        return distribution.choices[min(int(draw * count), count - 1)]
    assert isinstance(distribution, (FloatDistribution, IntDistribution))
    low, high = float(distribution.low), float(distribution.high)
    if isinstance(distribution, IntDistribution) or distribution.step is not None:
        step = float(distribution.step or 1)
        if distribution.log:
            low, high = math.log(low - 0.5), math.log(high + 0.5)
            return decoded(round(math.exp(low + draw * (high - low))), distribution)
        count = math.floor((high - low) / step + SLACK) + 1
        return decoded(low + min(int(draw * count), count - 1) * step, distribution)
    if distribution.log:
        low, high = math.log(low), math.log(high)
        return decoded(math.exp(low + draw * (high - low)), distribution)
    return decoded(low + draw * (high - low), distribution)


@dataclass(frozen=True)
class Condition:
    """What the value of a parent must be, coded: one of some names, or within bounds."""

    parent: str
    names: frozenset[str] | None = None
    low: float | None = None
    high: float | None = None

    def holds(self, point: Mapping[str, Coded]) -> bool:
        """Return whether it holds at the values of a trial."""
        value = point.get(self.parent)
        if value is None:
            return False
        if self.names is not None:
            return value in self.names
        assert isinstance(value, (int, float))
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def to_data(self) -> dict[str, Any]:
        """Return it as the engine reads it."""
        if self.names is not None:
            return {"parameter": self.parent, "is": sorted(self.names)}
        if self.low is not None:
            return {"parameter": self.parent, "at_least": self.low}
        return {"parameter": self.parent, "at_most": self.high}


def flag_of(name: str) -> str:
    """Return the name of the flag that says whether a parameter is there, if no other tells."""
    return f"{name} (is there)"


class SpaceOfTrials:
    """The space of some trials."""

    def __init__(self) -> None:
        #: The merged distributions in the order in which they were first seen.
        self.merged: dict[str, BaseDistribution] = {}
        #: The distribution of the last trial that had the parameter.
        self.latest: dict[str, BaseDistribution] = {}
        self.conditions: dict[str, tuple[Condition, ...]] = {}
        self.flagged: frozenset[str] = frozenset()
        self.patterns: int = 1

    def copy(self) -> SpaceOfTrials:
        """Return a copy, to which other trials may be added."""
        other = SpaceOfTrials()
        other.merged, other.latest = dict(self.merged), dict(self.latest)
        other.conditions, other.flagged = self.conditions, self.flagged
        other.patterns = self.patterns
        return other

    def add(self, distributions: Mapping[str, BaseDistribution]) -> None:
        """Add the distributions of a trial, which are now the latest."""
        for name, distribution in distributions.items():
            known = self.latest.get(name)
            if known is distribution or known == distribution:
                continue
            self.latest[name] = distribution
            merged = self.merged.get(name)
            both = None if merged is None else joined(merged, distribution)
            # Of distributions of different kinds the latest counts.
            self.merged[name] = distribution if both is None else both

    def names(self) -> list[str]:
        """Return the names of the parameters that vary, parents first."""
        return [name for name, merged in self.merged.items() if not is_single(merged)]

    def infer(self, complete: list[FrozenTrial]) -> None:
        """Infer from complete trials when each parameter exists."""
        names = self.names()
        points = [self._coded_of(trial.params, trial.distributions) for trial in complete]
        if points:
            self.patterns = len({tuple(name in point for name in names) for point in points})
        conditions: dict[str, tuple[Condition, ...]] = {}
        flagged: set[str] = set()
        for name in names:
            have = [point for point in points if name in point]
            lack = [point for point in points if name not in point]
            if not lack:
                continue
            if not have:
                # Only trials that are not complete have it: nothing is known of it yet.
                flagged.add(name)
                continue
            found = self._explained(name, have, lack, names)
            if found is None:
                flagged.add(name)
            else:
                conditions[name] = found
        self.conditions, self.flagged = conditions, frozenset(flagged)

    def _explained(
        self,
        name: str,
        have: list[dict[str, Coded]],
        lack: list[dict[str, Coded]],
        names: list[str],
    ) -> tuple[Condition, ...] | None:
        """Return conditions that hold in exactly the trials that have a parameter, if there are."""
        candidates: list[tuple[int, Condition]] = []
        for rank, parent in enumerate(names):
            if parent == name or not all(parent in point for point in have):
                continue
            merged = self.merged[parent]
            if isinstance(merged, CategoricalDistribution):
                values = frozenset(str(point[parent]) for point in have)
                # Names first, then whole numbers, then real ones; among equals those seen first.
                candidates.append((rank, Condition(parent, names=values)))
                continue
            numbers = [_number(point[parent]) for point in have]
            others = [_number(point[parent]) for point in lack if parent in point]
            is_int = isinstance(merged, IntDistribution)
            order = rank + len(names) * (1 if is_int else 2)
            below = [number for number in others if number < min(numbers)]
            above = [number for number in others if number > max(numbers)]
            if below:
                # As low as what is known allows, for whole numbers.
                low = max(below) + 1 if is_int else 0.5 * (max(below) + min(numbers))
                candidates.append((order, Condition(parent, low=low)))
            if above:
                high = min(above) - 1 if is_int else 0.5 * (min(above) + max(numbers))
                candidates.append((order, Condition(parent, high=high)))
        candidates.sort(key=lambda candidate: candidate[0])
        chosen: list[Condition] = []
        left = lack
        while left:
            best, excluded = None, 0
            for _, condition in candidates:
                count = sum(not condition.holds(point) for point in left)
                # A parent of a simpler kind is preferred to one that excludes a few more.
                if count > 2 * excluded or count == len(left) > excluded:
                    best, excluded = condition, count
            if best is None:
                return None
            chosen.append(best)
            left = [point for point in left if best.holds(point)]
        return tuple(chosen)

    def _coded_of(
        self, params: Mapping[str, Any], distributions: Mapping[str, BaseDistribution]
    ) -> dict[str, Coded]:
        """Return the values of a trial, coded. Those that the space does not have are left out."""
        point: dict[str, Coded] = {}
        for name, value in params.items():
            merged = self.merged.get(name)
            distribution = distributions.get(name, merged)
            if merged is None or distribution is None or is_single(merged):
                continue
            if type(distribution) is not type(merged):
                continue
            if isinstance(merged, CategoricalDistribution) and distribution != merged:
                continue
            code = coded(value, distribution, merged)
            if code is not None:
                point[name] = code
        return point

    def point(
        self, params: Mapping[str, Any], distributions: Mapping[str, BaseDistribution]
    ) -> list[Coded] | None:
        """Return the values of a trial in the engine's order; `None` if the space lacks the point.

        It lacks it if a parameter is missing that should be there, or the other way round.
        """
        point = self._coded_of(params, distributions)
        values: list[Coded] = []
        for name in self.names():
            there = name in point
            if name in self.flagged:
                values.append(there)
            elif there != self.exists(name, point):
                return None
            values.append(point.get(name))
        return values

    def misfit(self, trial: FrozenTrial) -> str:
        """Return why the space lacks the point of a trial."""
        for name, value in trial.params.items():
            distribution = trial.distributions[name]
            if not distribution._contains(distribution.to_internal_repr(value)):
                return (
                    f"its parameter {name!r} is {value!r}, which is out of range of {distribution}"
                )
        return f"its parameters {trial.params} do not fit those of others"

    def point_under_way(self, trial: FrozenTrial, params: Mapping[str, Any]) -> list[Coded] | None:
        """Return the point of a running trial, which has or will have these parameters."""
        if not params:
            return None
        return self.point(params, {**self.latest, **trial.distributions})

    def exists(self, name: str, point: Mapping[str, Coded]) -> bool:
        """Return whether the conditions of a parameter hold at the values of a trial."""
        return all(condition.holds(point) for condition in self.conditions.get(name, ()))

    def to_data(self) -> dict[str, Any]:
        """Return the space as the engine reads it."""
        parameters: list[dict[str, Any]] = []
        for name in self.names():
            parameter: dict[str, Any] = {"name": name, "kind": kind_of(self.merged[name])}
            if name in self.flagged:
                parameters.append({"name": flag_of(name), "kind": "flag"})
                parameter["when"] = [{"parameter": flag_of(name), "is": [True]}]
            elif name in self.conditions:
                parameter["when"] = [one.to_data() for one in self.conditions[name]]
            parameters.append(parameter)
        return {"parameters": parameters}

    def named(self, values: list[Coded]) -> dict[str, Coded]:
        """Return the engine's values by name, without flags and what does not exist."""
        named: dict[str, Coded] = {}
        place = iter(values)
        for name in self.names():
            if name in self.flagged:
                next(place)
            value = next(place)
            if value is not None:
                named[name] = value
        return named

    def are_near(self, one: list[Coded], other: list[Coded]) -> bool:
        """Return whether two points differ by less than `NEAR` of the range in each parameter."""
        mine, others = self.named(one), self.named(other)
        if mine.keys() != others.keys():
            return False
        for name, value in mine.items():
            merged = self.merged[name]
            if isinstance(merged, CategoricalDistribution):
                if value != others[name]:
                    return False
                continue
            assert isinstance(merged, (FloatDistribution, IntDistribution))
            ends = [merged.low, merged.high, _number(value), _number(others[name])]
            low, high, a, b = [math.log(end) for end in ends] if merged.log else ends
            if abs(a - b) > NEAR * (high - low):
                return False
        return True

    def fixed(self, given: Given) -> list[dict[str, Any]]:
        """Return what must hold so that parameters have the values that are given."""
        conditions: list[dict[str, Any]] = []
        for name, (value, distribution) in given.items():
            for code in self._coded_of({name: value}, {name: distribution}).values():
                # A fixed value says nothing of trials that do not have the parameter.
                conditions.append({"parameter": name, "is_if_present": [code]})
                if name in self.flagged:
                    conditions.append({"parameter": flag_of(name), "is": [True]})
        return conditions

    def part(self, wanted: Mapping[str, BaseDistribution], given: Given) -> list[dict[str, Any]]:
        """Return what must hold of a suggestion: present bounds, and values that are given."""
        conditions = self.fixed(given)
        there = {condition["parameter"] for condition in conditions}
        for name in self.names():
            merged = self.merged[name]
            if name in there:
                continue
            if name in self.flagged:
                conditions.append({"parameter": flag_of(name), "is": [name in wanted]})
            distribution = wanted.get(name, self.latest[name])
            if isinstance(distribution, (FloatDistribution, IntDistribution)) and isinstance(
                merged, (FloatDistribution, IntDistribution)
            ):
                if distribution.low > merged.low:
                    conditions.append({"parameter": name, "at_least": distribution.low})
                if distribution.high < merged.high:
                    conditions.append({"parameter": name, "at_most": distribution.high})
        return conditions


def _number(value: Coded) -> float:
    assert isinstance(value, (int, float))
    return value


def are_same(one: list[Coded], other: list[Coded]) -> bool:
    """Return whether two points are the same, but for the rounding of real numbers."""
    for mine, theirs in zip(one, other):
        if isinstance(mine, float) or isinstance(theirs, float):
            if mine is None or theirs is None:
                return False
            if not math.isclose(float(mine), float(theirs), rel_tol=1e-9, abs_tol=1e-12):
                return False
        elif mine != theirs:
            return False
    return len(one) == len(other)
