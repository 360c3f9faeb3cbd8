"""What goes to the engine and comes back, as JSON."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, TypedDict, Union

from gittins.errors import GittinsError, InvalidSettingError, NonFiniteError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from gittins.policy import Policy
    from gittins.space import Space

#: What is known of the cost: `None` if each evaluation costs the same, a number for what each
#: costs, or `"learned"`.
Cost = Union[float, str, None]


class Settings(TypedDict, total=False):
    """What `Study` takes beside what is searched and in which direction."""

    policy: Policy | None
    cost: Cost
    cost_floor: float | None
    cost_unit: str | None
    seed: int
    initial: int | None
    expected_trials: int | None
    time_limit: float | None
    overdue: float | None


def settings_of(space: Space, direction: str, **settings: Unpack[Settings]) -> str:
    """Return the settings of a study as text, without those that are `None`."""
    if unknown := settings.keys() - Settings.__annotations__.keys():
        message = f"{min(unknown)!r} is no setting; there are {list(Settings.__annotations__)}"
        raise TypeError(message)
    if direction not in ("minimize", "maximize"):
        message = f"direction: expected 'minimize' or 'maximize', got {direction!r}"
        raise InvalidSettingError(message)
    data: dict[str, Any] = {"space": space.to_data(), "direction": direction, **settings}
    if (policy := settings.get("policy")) is not None:
        data["policy"] = policy.to_data()
    cost = settings.get("cost")
    if isinstance(cost, str) and cost != "learned":
        message = f"cost: expected a number, 'learned' or None, got {cost!r}"
        raise InvalidSettingError(message)
    if cost is not None and not isinstance(cost, str):
        data["cost"] = {"uniform": float(cost)}
    return text_of("the study", {key: value for key, value in data.items() if value is not None})


def text_of(what: str, data: Any) -> str:
    """Return data as JSON. Scalars of NumPy and its like are numbers, too."""

    def plain(value: Any) -> Any:
        if getattr(value, "ndim", None) == 0:
            return value.item()
        message = f"{what}: expected a number, a name or a flag, got {value!r}"
        raise InvalidSettingError(message)

    try:
        return json.dumps(data, allow_nan=False, default=plain)
    except GittinsError:
        raise
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
