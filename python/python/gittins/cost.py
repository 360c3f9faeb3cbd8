"""The cost of a trial as a sum of what its amounts and names cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gittins._check import hint, number, text
from gittins._parameter import NAMED
from gittins.errors import InvalidSettingError

if TYPE_CHECKING:
    from gittins._parameter import Parameter
    from gittins._searched import Searched

__all__ = ["LinearCost"]


@dataclass(frozen=True)
class LinearCost:
    """What amounts cost: the fixed cost, and the cost per unit of each times its value.

    In a study in stages it is what a whole run is expected to cost; reports then say what it does.

    >>> import gittins
    >>> space = gittins.Space().float("resin", 0.0, 3.0).float("water", 0.0, 50.0)
    >>> cost = gittins.LinearCost(per_unit={"resin": 40.0, "water": 0.1}, fixed=5.0)
    >>> study = gittins.Study(space, "minimize", cost=cost, cost_unit="EUR", price=1e-3)
    >>> _ = study.enter({"resin": 2.0, "water": 10.0}, 0.3)
    >>> study.total_cost
    86.0
    >>> models = gittins.LinearCost(per_unit={"model": {"small": 0.16, "large": 3.2}})

    Attributes:
        per_unit: What a unit of each of some parameters costs. They are numbers or flags; of a
            choice it is what each of its values costs, by these, a tuple standing for a list:
            `{16: 1.0, 32: 2.0}`. One that is absent counts as 0.
        fixed: What each trial costs besides.
    """

    per_unit: Mapping[str, float | Mapping[Any, float]]
    fixed: float = 0.0


def costed(what: str, cost: Any, space: Searched) -> Any:
    """Return a cost of the points of a space as data.

    Raises:
        InvalidSettingError: It makes no sense. The message names what is wrong.
    """
    if isinstance(cost, LinearCost):
        return {"linear": _linear(what, cost, space._parameters)}
    if isinstance(cost, str) and cost == "learned":
        return cost
    if isinstance(cost, (str, Mapping)) or callable(cost):
        known = "a number, 'learned', None or gittins.LinearCost(per_unit={'resin': 40.0})"
        message = f"{what}: expected {known}, got {cost!r}{hint(cost, ['learned'])}"
        raise InvalidSettingError(message)
    return {"uniform": float(number(what, cost))}


def _linear(what: str, cost: LinearCost, known: Mapping[str, Parameter]) -> dict[str, Any]:
    if not isinstance(cost.per_unit, Mapping):
        example = "{'resin': 40.0}"
        message = f"{what}: per_unit: expected a mapping such as {example}, got {cost.per_unit!r}"
        raise InvalidSettingError(message)
    terms = [
        [
            text(f"{what}: per_unit", name),
            _per_unit(f"{what}: per_unit: {name}", each, known.get(name)),
        ]
        for name, each in cost.per_unit.items()
    ]
    return {"terms": terms, "fixed": float(number(f"{what}: fixed", cost.fixed))}


def _per_unit(what: str, cost: Any, parameter: Parameter | None) -> Any:
    """Return what a unit of a parameter costs, or each value of a choice."""
    if not isinstance(cost, Mapping):
        return float(number(what, cost))
    of_choice = parameter if parameter is not None and parameter.type in NAMED else None
    found = {}
    for value, each in cost.items():
        # A list is no key. The engine refuses values of what is no choice.
        one = list(value) if isinstance(value, tuple) else value
        code = str(value) if of_choice is None else of_choice.encoded(one, f"{what}: ")
        found[code] = float(number(f"{what}: {value}", each))
    return found
