"""What goes to the engine and comes back, as JSON."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Union

from gittins.errors import InvalidSettingError, NonFiniteError

if TYPE_CHECKING:
    from gittins.policy import Policy
    from gittins.space import Space

#: What is known of the cost: `None` if each evaluation costs the same, a number for what each
#: costs, or `"learned"`.
Cost = Union[float, str, None]


def settings_of(
    space: Space,
    direction: str,
    policy: Policy | None,
    cost: Cost,
    cost_floor: float | None,
    cost_unit: str | None,
    seed: int,
    initial: int | None,
    expected_trials: int | None,
    time_limit: float | None,
    overdue: float | None,
) -> dict[str, Any]:
    if direction not in ("minimize", "maximize"):
        message = f"direction: expected 'minimize' or 'maximize', got {direction!r}"
        raise InvalidSettingError(message)
    if isinstance(cost, str) and cost != "learned":
        message = f"cost: expected a number, 'learned' or None, got {cost!r}"
        raise InvalidSettingError(message)
    known = cost if cost is None or isinstance(cost, str) else {"uniform": float(cost)}
    settings = {
        "space": space.to_data(),
        "direction": direction,
        "policy": None if policy is None else policy.to_data(),
        "cost": known,
        "cost_floor": cost_floor,
        "cost_unit": cost_unit,
        "seed": seed,
        "initial": initial,
        "expected_trials": expected_trials,
        "time_limit": time_limit,
        "overdue": overdue,
    }
    return {key: value for key, value in settings.items() if value is not None}


def text_of(what: str, data: Any) -> str:
    try:
        return json.dumps(data, allow_nan=False)
    except ValueError as error:
        message = f"{what}: all numbers must be finite, got {data}"
        raise NonFiniteError(message) from error


def told_of(
    place: str,
    outcome: float | None,
    cost: float | None,
    cost_later: bool,
    failed: bool,
    infeasible: bool,
) -> str:
    told: dict[str, Any] = {"cost_later": cost_later, "failed": failed, "infeasible": infeasible}
    for what, number in (("outcome", outcome), ("cost", cost)):
        if number is None:
            continue
        if not math.isfinite(number):
            message = f"{place}: expected a finite {what}, got {number}"
            raise NonFiniteError(message)
        told[what] = float(number)
    if outcome is None and not failed and not infeasible:
        message = f"{place}: expected an outcome, or that it failed or is infeasible"
        raise InvalidSettingError(message)
    return json.dumps(told)


def finite(value: Any) -> Any:
    """Return a number that JSON does not have by its name."""
    names = {"inf": math.inf, "-inf": -math.inf, "NaN": math.nan}
    return names.get(value, value) if isinstance(value, str) else value
