"""Search spaces: named parameters, and when they exist."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, Optional, Union

from gittins._check import flag, in_order, number, plain, text, whole
from gittins._names import name_of
from gittins._parameter import (
    Parameter,
    bounds,
    conditions,
    exists,
    known,
    names,
    rising,
)
from gittins._searched import Searched
from gittins._words import Answering
from gittins.errors import (
    DataError,
    DimensionError,
    InvalidSettingError,
    OutOfBoundsError,
    UnknownParameterError,
)

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Space", "Value", "When"]

#: The value of a parameter, as JSON has it; `None` also if the parameter does not exist at a point.
Value = Union[float, int, bool, str, None, list[Any], dict[str, Any]]

#: What other parameters must be: one value, one of a list of values, or within a tuple of two
#: bounds, of which either may be `None`.
When = Optional[
    Mapping[str, Union[Value, Sequence[Value], Set[Value], tuple[Optional[float], Optional[float]]]]
]

# `Space` has methods of these names.
_Real = float
_Whole = int


class Space(Searched, Answering):
    """Named parameters, in the order in which they are added.

    Each method adds a parameter, or something that must hold, and returns the space itself, so that
    calls can be chained:

    >>> space = (
    ...     Space()
    ...     .log_float("rate", 1e-5, 1e-1)
    ...     .choice("solver", ["adam", "sgd"])
    ...     .float("momentum", 0.0, 0.99, when={"solver": ["sgd"]})
    ... )
    >>> space.names
    ['rate', 'solver', 'momentum']

    With `when` a parameter exists only if other parameters have one of the values given for them,
    or are in a range: `when={"layers": (2, None)}` is two layers at least. Bounds are inclusive. A
    list is always one of several values, and a tuple two bounds.

    What has one value, as a choice of one name, is a constant.

    A dictionary is a short form of a space, in which a list is a choice, and a tuple two bounds: of
    whole numbers if both are whole and more than 1 apart, and of real ones otherwise.

    >>> Space({"rate": (0, 1), "depth": (2, 12), "solver": ["adam", "sgd"]}) == (
    ...     Space().float("rate", 0, 1).int("depth", 2, 12).choice("solver", ["adam", "sgd"])
    ... )
    True

    Raises:
        GittinsError: A parameter makes no sense. The message names it. What is between parameters
            is checked when a study is made of the space.
    """

    def __init__(
        self, parameters: Mapping[str, tuple[_Real, _Real] | list[Any]] | None = None
    ) -> None:
        super().__init__()
        self._constraints: list[dict[str, Any]] = []
        example = "{'x': (0.0, 1.0), 'solver': ['adam', 'sgd']}"
        if parameters is not None and not isinstance(parameters, Mapping):
            message = (
                f"space: expected parameters by their names, like {example}, got {parameters!r}"
            )
            raise InvalidSettingError(message)
        for name, values in (parameters or {}).items():
            place, is_tuple = _place(name), isinstance(values, tuple)
            if is_tuple and len(values) == 2:
                low, high = (number(f"{place}: a bound", bound) for bound in values)
                is_whole = isinstance(low, int) and isinstance(high, int) and high - low > 1
                add = self.int if is_whole else self.float
                add(name, low, high)  # type: ignore[arg-type]
            elif is_tuple or in_order(values) is None:
                message = f"{place}: expected two bounds or a list, like {example}, got {values!r}"
                raise InvalidSettingError(message)
            else:
                self.choice(name, values)

    def float(
        self,
        name: str,
        low: _Real,
        high: _Real,
        *,
        log: bool = False,
        step: _Real | None = None,
        when: When = None,
    ) -> Self:
        """Add a real number; with `log` it is a `log_float`, with a `step` one of `steps`."""
        if step is not None:
            _check_scale(name, log, step)
            return self.steps(name, low, high, step, when=when)
        is_log = flag(f"{_place(name)}: log", log)
        kind = bounds(_place(name), low, high, is_log=is_log, is_whole=False)
        return self._add(name, {"log_float" if is_log else "float": kind}, when)

    def log_float(self, name: str, low: _Real, high: _Real, *, when: When = None) -> Self:
        """Add a positive real number whose order of magnitude matters."""
        return self.float(name, low, high, log=True, when=when)

    def int(
        self,
        name: str,
        low: _Whole,
        high: _Whole,
        *,
        log: bool = False,
        step: _Whole = 1,
        when: When = None,
    ) -> Self:
        """Add a whole number; with `log` it is a `log_int`, with a `step` one of `steps`."""
        step = whole(f"{_place(name)}: the step", step, least=1)
        is_log = flag(f"{_place(name)}: log", log)
        kind = bounds(_place(name), low, high, is_log=is_log, is_whole=True)
        if step > 1:
            _check_scale(name, log, step)
            return self.steps(name, kind["low"], kind["high"], step, when=when)
        return self._add(name, {"log_int" if is_log else "int": kind}, when)

    def log_int(self, name: str, low: _Whole, high: _Whole, *, when: When = None) -> Self:
        """Add a positive whole number whose order of magnitude matters."""
        return self.int(name, low, high, log=True, when=when)

    def steps(self, name: str, low: _Real, high: _Real, step: _Real, *, when: When = None) -> Self:
        """Add a number in `low`, `low + step`, `low + 2 step` and so on up to `high`.

        Its values are whole numbers if `low` and `step` are.
        """
        place = _place(name)
        kind = bounds(place, low, high, is_log=False, is_whole=False)
        kind["step"] = _Real(number(f"{place}: the step", step))
        return self._add(name, {"steps": kind}, when)

    def numbers(self, name: str, values: Iterable[_Real], *, when: When = None) -> Self:
        """Add one of the numbers of a rising list."""
        return self._add(name, {"numbers": {"values": rising(_place(name), values)}}, when)

    def ordinal(self, name: str, values: Iterable[Value], *, when: When = None) -> Self:
        """Add one of some values in an order that matters, such as `["small", "large"]`."""
        return self._add(name, {"ordinal": {"names": names(_place(name), values)}}, when)

    def choice(self, name: str, values: Iterable[Value], *, when: When = None) -> Self:
        """Add one of some values in no order.

        They may be whatever JSON has: texts, numbers, flags, `None`, lists and dictionaries. All
        must differ, and 1, 1.0 and `True` do not. Numbers among which near ones are alike are
        `numbers`.
        """
        return self._add(name, {"choice": {"names": names(_place(name), values)}}, when)

    def flag(self, name: str, *, when: When = None) -> Self:
        """Add `True` or `False`."""
        return self._add(name, "flag", when)

    def constant(self, name: str, value: Value) -> Self:
        """Add a value that does not vary."""
        place, value = _place(name), plain(value)
        if isinstance(value, bool):
            found: Any = value
        elif isinstance(value, (str, list, dict, tuple)) or value is None:
            found = name_of(place, value)
        else:
            found = number(place, value)
        return self._add(name, {"constant": {"value": found}}, None)

    def at_most(self, weights: Mapping[str, _Real], bound: _Real) -> Self:
        """Require that the weighted sum of some parameters is at most `bound`."""
        return self._limit("at_most", weights, bound, 1)

    def at_least(self, weights: Mapping[str, _Real], bound: _Real) -> Self:
        """Require that the weighted sum of some parameters is at least `bound`."""
        return self._limit("at_least", weights, bound, -1)

    def equal_to(self, weights: Mapping[str, _Real], total: _Real) -> Self:
        """Require that the weighted sum of some floats is `total`."""
        terms = _terms("equal_to", weights, 1)
        whole = number("equal_to: the total", total)
        self._constraints.append({"equation": {"terms": terms, "equal_to": whole}})
        return self

    def sum_to(self, parts: Iterable[str], total: _Real) -> Self:
        """Require that some floats sum to `total`: the parts of a mixture."""
        return self.equal_to(dict.fromkeys(_parts("sum_to", parts), 1.0), total)

    def at_most_of(self, parts: Iterable[str], count: _Whole, least: _Real = 0.0) -> Self:
        """Require that at most `count` of some floats from 0 are more than 0.

        Each that is there is at least `least`: four of twenty ingredients, 2 % or more of each.
        """
        named = _parts("at_most_of", parts)
        most = whole("at_most_of: the count", count, 1)
        lowest = number("at_most_of: the least", least)
        limit = {"parts": named, "at_most": most, "least": lowest}
        self._constraints.append({"cardinality": limit})
        return self

    def to_data(self) -> dict[str, Any]:
        """Return the space as data, as a journal has it.

        Raises:
            GittinsError: A condition makes no sense. The message names it.
        """
        parameters = self._parameters
        data: dict[str, Any] = {
            "parameters": [parameter.to_data(parameters) for parameter in parameters.values()]
        }
        for limit in self._constraints:
            (limit,) = limit.values()
            for name in limit.get("parts", []):
                known(parameters, name, "at_most_of")
            for name, _ in limit.get("terms", []):
                parameter = known(parameters, name, "a weighted sum")
                if not parameter.has_size and parameter.type != "flag":
                    message = f"a weighted sum: {name!r} is {parameter.words}, and no number"
                    raise InvalidSettingError(message)
        if self._constraints:
            data["constraints"] = copy.deepcopy(self._constraints)
        return data

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Make a space of data that `to_data` returned."""
        space = cls()
        try:
            for parameter in map(Parameter.from_data, data["parameters"]):
                space._parameters[parameter.name] = parameter
            space._constraints = copy.deepcopy(list(data.get("constraints", [])))
            space.to_data()
        except (AttributeError, KeyError, StopIteration, TypeError) as error:
            if isinstance(error, UnknownParameterError):
                raise
            message = f"space: expected data that Space.to_data returned, got {data!r}"
            raise DataError(message) from error
        return space

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self.to_data() == other.to_data()

    def __repr__(self) -> str:
        return f"Space({', '.join(self.names)})"

    def _add(self, name: str, kind: Any, when: When) -> Self:
        place = _place(name)
        if name in self._parameters:
            message = f"{place} is there already; all names must differ"
            raise UnknownParameterError(message)
        found = conditions(f"{place}: when", when)
        parameter = Parameter(name, kind, found)
        # Parents may be added later.
        if all(condition.parent in self._parameters for condition in found):
            parameter.to_data(self._parameters)
        self._parameters[name] = parameter
        return self

    def _limit(self, what: str, weights: Any, bound: Any, sign: _Whole) -> Self:
        terms = _terms(what, weights, sign)
        limit = sign * number(f"{what}: the bound", bound)
        self._constraints.append({"linear": {"terms": terms, "at_most": limit}})
        return self

    def _point(self, values: Mapping[str, Any]) -> list[Any]:
        """Return the user's values of a point as the engine has them."""
        if not isinstance(values, Mapping):
            message = f"the values: expected a dictionary, like {{'x': 0.5}}, got {values!r}"
            raise DimensionError(message)
        for name in values:
            known(self._parameters, name, "the values")
        point: list[Any] = []
        for name, parameter in self._parameters.items():
            value = values.get(name)
            is_there = exists(name, values, self._parameters)
            # `None` may be one of the values of a parameter that exists.
            is_given = value is not None or (name in values and None in (parameter.values or []))
            if is_there and not is_given:
                message = f"parameter {name!r}: expected {parameter.words}, it is missing"
                raise OutOfBoundsError(message)
            if value is not None and not is_there:
                needed = " and ".join(map(str, parameter.when))
                message = f"parameter {name!r}: it is given, and exists only if {needed}"
                raise OutOfBoundsError(message)
            point.append(parameter.encoded(value) if is_there else None)
        return point


def _terms(what: str, weights: Any, sign: int) -> list[list[Any]]:
    """Return the terms of a weighted sum as the engine has them."""
    if not isinstance(weights, Mapping) or not weights:
        message = f"{what}: expected weights by names, like {{'a': 1.0}}, got {weights!r}"
        raise InvalidSettingError(message)
    return [
        [name, sign * number(f"{what}: the weight of {name!r}", weight)]
        for name, weight in weights.items()
    ]


def _parts(what: str, parts: Any) -> list[str]:
    """Return names that differ."""
    named = in_order(parts) or []
    if not named or len(set(map(repr, named))) < len(named):
        message = f"{what}: expected names that differ, like ['a', 'b'], got {parts!r}"
        raise InvalidSettingError(message)
    return named


def _check_scale(name: Any, log: Any, step: Any) -> None:
    """Refuse steps on a log scale."""
    if flag(f"{_place(name)}: log", log):
        message = f"{_place(name)}: expected a log scale or steps, got log=True and step={step!r}"
        raise InvalidSettingError(message)


def _place(name: Any) -> str:
    return f"parameter {text('the name of a parameter', name)!r}"
