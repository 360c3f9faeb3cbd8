"""The cost of a trial as a sum of what its amounts and names cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gittins._check import hint, number, text
from gittins.errors import InvalidSettingError

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
            choice it is what each of its names costs. One that is absent counts as 0.
        fixed: What each trial costs besides.
    """

    per_unit: Mapping[str, float | Mapping[str, float]]
    fixed: float = 0.0


def costed(what: str, cost: Any) -> Any:
    """Return a cost as data.

    Raises:
        InvalidSettingError: It makes no sense. The message names what is wrong.
    """
    if isinstance(cost, LinearCost):
        return {"linear": _linear(what, cost)}
    if isinstance(cost, str) and cost == "learned":
        return cost
    if isinstance(cost, (str, Mapping)) or callable(cost):
        known = "a number, 'learned', None or gittins.LinearCost(per_unit={'resin': 40.0})"
        message = f"{what}: expected {known}, got {cost!r}{hint(cost, ['learned'])}"
        raise InvalidSettingError(message)
    return {"uniform": float(number(what, cost))}


def _linear(what: str, cost: LinearCost) -> dict[str, Any]:
    if not isinstance(cost.per_unit, Mapping):
        example = "{'resin': 40.0}"
        message = f"{what}: per_unit: expected a mapping such as {example}, got {cost.per_unit!r}"
        raise InvalidSettingError(message)
    terms = [
        [text(f"{what}: per_unit", name), _per_unit(f"{what}: per_unit: {name}", each)]
        for name, each in cost.per_unit.items()
    ]
    return {"terms": terms, "fixed": float(number(f"{what}: fixed", cost.fixed))}


def _per_unit(what: str, cost: Any) -> Any:
    """Return what a unit of a parameter costs, or each name of a choice."""
    if isinstance(cost, Mapping):
        return {text(what, name): float(number(f"{what}: {name}", c)) for name, c in cost.items()}
    return float(number(what, cost))
