"""A parameter of a space: its values, as the engine has them and as the user gave them."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gittins._check import hint, in_order, number, plain, whole
from gittins._gittins import LARGEST_WHOLE
from gittins._names import name_of, same, value_of
from gittins.errors import InvalidSettingError, OutOfBoundsError, UnknownParameterError

NAMED = ("choice", "ordinal")


@dataclass(frozen=True)
class Condition:
    """What another parameter must be: one of some values, or within bounds."""

    parent: str
    values: tuple[Any, ...] | None = None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.values is not None:
            one = repr(self.values[0]) if len(self.values) == 1 else f"one of {list(self.values)}"
            return f"{self.parent!r} is {one}"
        low = [] if self.low is None else [f"at least {self.low}"]
        high = [] if self.high is None else [f"at most {self.high}"]
        return f"{self.parent!r} is {' and '.join([*low, *high])}"

    def to_data(self, place: str, parent: Parameter) -> list[dict[str, Any]]:
        """Return it as the engine has it."""
        name = self.parent
        if self.values is not None:
            values = [parent.encoded(value, f"{place}: ") for value in self.values]
            return [{"parameter": name, "is": values}]
        if not parent.has_size:
            message = (
                f"{place}: a tuple is two bounds, and {name!r} is {parent.words}: give a list of "
                "values"
            )
            raise InvalidSettingError(message)
        bounds = {"at_least": self.low, "at_most": self.high}
        return [{"parameter": name, key: at} for key, at in bounds.items() if at is not None]


@dataclass(frozen=True)
class Parameter:
    """A parameter: its name, its kind as the engine has it, and when it exists."""

    name: str
    kind: Any
    when: tuple[Condition, ...] = ()
    #: What the user has for numbers of the engine: whole numbers of more digits than those have,
    #: and texts.
    own: Mapping[float, Any] = field(default_factory=dict)
    #: What else numbers are called, such as the cell of a file.
    called: Mapping[str, float] = field(default_factory=dict)

    @property
    def type(self) -> str:
        """The name of its kind."""
        return self.kind if isinstance(self.kind, str) else str(next(iter(self.kind)))

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of its kind."""
        return {} if isinstance(self.kind, str) else dict(self.kind[self.type])

    @property
    def values(self) -> list[Any] | None:
        """All its values, if it is not a number."""
        is_listed = self.type in (*NAMED, "constant", "flag")
        return list(map(decoded, self._codes)) if is_listed else None

    @property
    def has_size(self) -> bool:
        """Whether it has numbers, which may be within bounds."""
        values = self.values
        return values is None or (self.type == "constant" and _is_number(values[0]))

    @property
    def words(self) -> str:
        """What it may be."""
        values = self.values
        if values is None:
            return "a number"
        shown = " or ".join(map(repr, values)) if len(values) < 3 else f"one of {values}"
        return f"always {shown}" if len(values) == 1 else shown

    def encoded(self, value: Any, place: str = "") -> Any:
        """Return one of its values as the engine has it.

        Raises:
            OutOfBoundsError: It is none of the values. The engine checks the bounds of numbers.
            InvalidSettingError: It is no number.
        """
        what = f"{place}parameter {self.name!r}"
        values = self.values
        if values is None:
            own = plain(value)
            if isinstance(own, str) and own in self.called:
                return self.called[own]
            found = number(what, value)
            is_own = bool(self.own) and self.own.get(float(found)) == found
            return float(found) if is_own else found
        for known, code in zip(values, self._codes):
            if same(known, value):
                return code
        message = f"{what}: expected {self.words}, got {plain(value)!r}{hint(value, values)}"
        raise OutOfBoundsError(message)

    def decoded(self, value: Any) -> Any:
        """Return one of its values, as the engine has it, as the user has it."""
        if isinstance(value, (int, float)) and value in self.own:
            return self.own[value]
        is_whole = self.type == "steps" and all(
            float(self.settings[key]).is_integer() for key in ("low", "step")
        )
        return int(value) if is_whole and value is not None else decoded(value)

    @property
    def _codes(self) -> list[Any]:
        """All its values as the engine has them, if it is not a number."""
        if self.type in NAMED:
            return list(self.settings["names"])
        return [self.settings["value"]] if self.type == "constant" else [False, True]

    def to_data(self, parameters: Mapping[str, Parameter]) -> dict[str, Any]:
        """Return it as the engine has it."""
        data: dict[str, Any] = {"name": self.name, "kind": copy.deepcopy(self.kind)}
        place = f"parameter {self.name!r}: its condition"
        when = [
            part
            for condition in self.when
            for part in condition.to_data(place, known(parameters, condition.parent, place))
        ]
        return {**data, "when": when} if when else data

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Parameter:
        """Make a parameter of data of the engine."""
        when = [
            Condition(
                condition["parameter"],
                tuple(map(decoded, condition["is"])) if "is" in condition else None,
                condition.get("at_least"),
                condition.get("at_most"),
            )
            for condition in data.get("when", ())
        ]
        return cls(data["name"], copy.deepcopy(data["kind"]), tuple(when))


def decoded(value: Any) -> Any:
    """Return a value of the engine as the user has it."""
    return value_of(value) if isinstance(value, str) else value


def known(parameters: Mapping[str, Parameter], name: str, place: str) -> Parameter:
    """Return the parameter of a name."""
    if name not in parameters:
        there = list(parameters)
        message = f"{place}: no parameter is named {name!r}; there are {there}{hint(name, there)}"
        raise UnknownParameterError(message)
    return parameters[name]


def conditions(place: str, given: Any) -> tuple[Condition, ...]:
    """Return conditions: for each parameter one value, a list of values, or a tuple of two bounds.

    Raises:
        InvalidSettingError: They make no sense. The message names the parameter.
    """
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        message = f"{place}: expected a dictionary, like {{'depth': [3, 4]}}, got {given!r}"
        raise InvalidSettingError(message)
    return tuple(_condition(f"{place}, {name!r}", name, wanted) for name, wanted in given.items())


def _condition(place: str, name: str, wanted: Any) -> Condition:
    if isinstance(wanted, tuple):
        if len(wanted) != 2 or wanted == (None, None):
            message = (
                f"{place}: expected two bounds, of which one may be None, got {wanted!r}; "
                "values are a list"
            )
            raise InvalidSettingError(message)
        if any(isinstance(plain(bound), (str, bool)) for bound in wanted):
            message = f"{place}: a tuple is two bounds, got {wanted!r}; values are a list"
            raise InvalidSettingError(message)
        low, high = (None if bound is None else number(place, bound) for bound in wanted)
        if low is not None and high is not None and low > high:
            message = f"{place}: the lower bound is above the upper one, got {wanted!r}"
            raise InvalidSettingError(message)
        return Condition(name, None, low, high)
    values = listed(wanted)
    if values is None:
        return Condition(name, (wanted,))
    if not values:
        message = f"{place}: expected a value at least, got {wanted!r}"
        raise InvalidSettingError(message)
    return Condition(name, tuple(values))


def listed(values: Any) -> list[Any] | None:
    """Return the values of a list, or of a set; `None` if it is a single value."""
    return in_order(list(values) if isinstance(values, (set, frozenset)) else values)


def names(what: str, values: Any) -> list[str]:
    """Return the names of the values of a choice, which must differ.

    Raises:
        InvalidSettingError: They are no list, too few, no values or not different.
    """
    if isinstance(values, (set, frozenset)):
        message = f"{what}: a set has no order that stays the same: give a list, got {values!r}"
        raise InvalidSettingError(message)
    given = listed(values)
    if given is None:
        message = f"{what}: expected a list of values, got {values!r}"
        raise InvalidSettingError(message)
    if not given:
        message = f"{what}: expected a value at least, got {given}"
        raise InvalidSettingError(message)
    found = [name_of(what, value) for value in given]
    for place, value in enumerate(given):
        for other in given[:place]:
            if bool(value == other):
                message = f"{what}: {other!r} and {value!r} are equal; all values must differ"
                raise InvalidSettingError(message)
    return found


def bounds(what: str, low: Any, high: Any, *, is_log: bool, is_whole: bool) -> dict[str, Any]:
    """Return two bounds, of which the first is not above the second.

    Raises:
        InvalidSettingError: They are no numbers, or not in order, or not positive on a log scale.
    """
    if is_whole:
        low = whole(f"{what}: the lower bound", low)
        high = whole(f"{what}: the upper bound", high)
        if max(-low, high) > LARGEST_WHOLE:
            within = f"2^{LARGEST_WHOLE.bit_length() - 1} of zero"
            message = f"{what}: the bounds must lie within {within}, got {low} and {high}"
            raise InvalidSettingError(message)
    else:
        low = float(number(f"{what}: the lower bound", low))
        high = float(number(f"{what}: the upper bound", high))
    if low > high:
        message = f"{what}: the lower bound must be below the upper one, got {low} and {high}"
        raise InvalidSettingError(message)
    if is_log and low <= 0:
        message = f"{what}: the lower bound must be positive on a log scale, got {low}"
        raise InvalidSettingError(message)
    return {"low": low, "high": high}


def rising(what: str, values: Any) -> list[float]:
    """Return the numbers of a rising list."""
    given = in_order(values)
    if given is None:
        message = f"{what}: expected a list of numbers, got {values!r}"
        raise InvalidSettingError(message)
    found = [number(what, value) for value in given]
    if not found or any(a >= b for a, b in zip(found, found[1:])):
        message = f"{what}: expected a number at least, each above the one before, got {found}"
        raise InvalidSettingError(message)
    return found


def exists(name: str, values: Mapping[str, Any], parameters: Mapping[str, Parameter]) -> bool:
    """Return whether a parameter exists at values of the user."""
    return all(
        exists(condition.parent, values, parameters) and _holds(condition, values)
        for condition in parameters[name].when
    )


def _holds(condition: Condition, values: Mapping[str, Any]) -> bool:
    value = plain(values.get(condition.parent))
    if condition.values is not None:
        return any(same(value, known) for known in condition.values)
    if not _is_number(value):
        return False
    is_above = condition.low is None or value >= condition.low
    return is_above and (condition.high is None or value <= condition.high)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
