"""Search spaces: named parameters, and when they exist."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Optional, Union

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typing_extensions import Self

__all__ = ["Space", "Value"]

#: The value of a parameter; `None` if it does not exist at a point.
Value = Union[float, int, bool, str, None]

#: What other parameters must be: one of some values, or within two bounds, of which either may be
#: `None`.
When = Optional[
    dict[str, Union[list[Value], list[str], tuple[Optional[float], Optional[float]], str, bool]]
]

# `Space` has methods of these names.
_Real = float
_Whole = int


class Space:
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
    space is checked when a study is made of it.
    """

    def __init__(self) -> None:
        self._parameters: list[dict[str, Any]] = []
        self._constraints: list[dict[str, Any]] = []

    @property
    def names(self) -> list[str]:
        """The names of the parameters in their order."""
        return [parameter["name"] for parameter in self._parameters]

    def float(self, name: str, low: _Real, high: _Real, *, when: When = None) -> Self:
        """Add a real number."""
        return self._add(name, {"float": {"low": low, "high": high}}, when)

    def log_float(self, name: str, low: _Real, high: _Real, *, when: When = None) -> Self:
        """Add a positive real number whose order of magnitude matters."""
        return self._add(name, {"log_float": {"low": low, "high": high}}, when)

    def int(self, name: str, low: _Whole, high: _Whole, *, when: When = None) -> Self:
        """Add a whole number."""
        return self._add(name, {"int": {"low": low, "high": high}}, when)

    def log_int(self, name: str, low: _Whole, high: _Whole, *, when: When = None) -> Self:
        """Add a positive whole number whose order of magnitude matters."""
        return self._add(name, {"log_int": {"low": low, "high": high}}, when)

    def steps(self, name: str, low: _Real, high: _Real, step: _Real, *, when: When = None) -> Self:
        """Add a number in `low`, `low + step`, `low + 2 step` and so on up to `high`."""
        return self._add(name, {"steps": {"low": low, "high": high, "step": step}}, when)

    def numbers(self, name: str, values: Iterable[_Real], *, when: When = None) -> Self:
        """Add one of the numbers of a rising list."""
        return self._add(name, {"numbers": {"values": list(values)}}, when)

    def ordinal(self, name: str, names: Iterable[str], *, when: When = None) -> Self:
        """Add one of some names in an order that matters."""
        return self._add(name, {"ordinal": {"names": list(names)}}, when)

    def choice(self, name: str, names: Iterable[str], *, when: When = None) -> Self:
        """Add one of some names in no order."""
        return self._add(name, {"choice": {"names": list(names)}}, when)

    def flag(self, name: str, *, when: When = None) -> Self:
        """Add `True` or `False`."""
        return self._add(name, "flag", when)

    def constant(self, name: str, value: _Real | bool | str) -> Self:
        """Add a value that does not vary."""
        return self._add(name, {"constant": {"value": value}}, None)

    def at_most(self, weights: dict[str, _Real], bound: _Real) -> Self:
        """Require that the weighted sum of some parameters is at most `bound`."""
        terms = [[name, weight] for name, weight in weights.items()]
        self._constraints.append({"linear": {"terms": terms, "at_most": bound}})
        return self

    def at_least(self, weights: dict[str, _Real], bound: _Real) -> Self:
        """Require that the weighted sum of some parameters is at least `bound`."""
        return self.at_most({name: -weight for name, weight in weights.items()}, -bound)

    def to_data(self) -> dict[str, Any]:
        """Return the space as data, as a journal has it."""
        data: dict[str, Any] = {"parameters": copy.deepcopy(self._parameters)}
        if self._constraints:
            data["constraints"] = copy.deepcopy(self._constraints)
        return data

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Self:
        """Make a space of data that `to_data` returned."""
        space = cls()
        space._parameters = copy.deepcopy(data["parameters"])
        space._constraints = copy.deepcopy(data.get("constraints", []))
        return space

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self.to_data() == other.to_data()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Space({', '.join(self.names)})"

    def _add(self, name: str, kind: Any, when: When) -> Self:
        parameter: dict[str, Any] = {"name": name, "kind": kind}
        if when:
            parameter["when"] = conditions(when)
        self._parameters.append(parameter)
        return self


def conditions(when: dict[str, Any]) -> list[dict[str, Any]]:
    """Return conditions as data.

    For each parameter there is a list of values, a tuple of two bounds, or one value.
    """
    found: list[dict[str, Any]] = []
    for name, wanted in when.items():
        if isinstance(wanted, tuple):
            if len(wanted) != 2:
                message = f"parameter {name!r}: expected two bounds, got {wanted!r}"
                raise ValueError(message)
            low, high = wanted
            if low is not None:
                found.append({"parameter": name, "at_least": low})
            if high is not None:
                found.append({"parameter": name, "at_most": high})
        elif isinstance(wanted, (list, set, frozenset, range)):
            found.append({"parameter": name, "is": list(wanted)})
        else:
            found.append({"parameter": name, "is": [wanted]})
    return found
