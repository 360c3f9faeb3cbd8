"""What goes to the engine: the settings of a study as JSON, and what is told of a trial."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

from gittins import _gittins
from gittins._check import flag, hint, number, plain, refuse_keys, text, whole, word
from gittins._words import refuse_unknown
from gittins.cost import LinearCost, costed
from gittins.errors import InvalidSettingError, StorageError
from gittins.policy import checked, priced
from gittins.space import Space
from gittins.stages import staged
from gittins.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Unpack

    from gittins._searched import Searched
    from gittins.policy import Policy, PolicyName
    from gittins.stages import Stages

__all__ = [
    "Cost",
    "Direction",
    "First",
    "Limits",
    "Objectives",
    "StopRule",
    "StudySettings",
]

#: Which outcomes are better.
Direction = Literal["minimize", "maximize"]

#: What is known of the cost: `None` if each evaluation costs the same, a number for what each
#: costs, `LinearCost` for what amounts cost, or `"learned"`.
Cost = Union[float, LinearCost, Literal["learned"], None]

#: A stopping rule: its name, its name with numbers such as `{"name": "stall", "window": 10}`, a
#: list of rules of which any ends the run, or `{"all": [...]}`.
StopRule = Union[str, Mapping[str, Any], Sequence[Any]]

#: What measured numbers must hold, by their names: `{"at_most": 20.0}` or `{"at_least": 0.9}`.
Limits = Mapping[str, Mapping[str, float]]

#: What is an objective beside the outcome, by their names: a direction, or with what is worth
#: nothing `{"direction": "minimize", "reference": 40.0}`.
Objectives = Mapping[str, Union[Direction, Mapping[str, Any]]]

#: Settings to begin with, each by the names of its parameters: `[{"rate": 0.01, "depth": 6}]`.
First = Sequence[Mapping[str, Any]]

#: The largest seed.
SEED = 2**64 - 1


class StudySettings(TypedDict, total=False):
    """What `Study` takes beside what is searched and in which direction."""

    price: float | None
    n_trials: int | None
    policy: Policy | PolicyName | None
    cost: Cost
    cost_floor: float | None
    cost_unit: str | None
    seed: int | None
    initial: int | None
    first: First | None
    expected_trials: int | None
    time_limit: float | None
    overdue: float | None
    budget: float | None
    stop: StopRule | None
    standardize: bool | None
    warping: Literal["none", "half_rank"] | None
    incumbent: Literal["posterior_mean", "best_outcome"] | None
    limits: Limits | None
    objectives: Objectives | None
    reference: float | None
    best_possible: float | None
    search: Mapping[str, Any] | None
    model: Mapping[str, Any] | None
    cost_model: Mapping[str, Any] | None
    stages: Stages | None
    backend: Literal["auto", "cpu", "gpu"] | None


def _count(what: str, count: Any) -> int:
    return whole(what, count, least=0)


def _seed(what: str, seed: Any) -> int:
    return whole(what, seed, least=0, most=SEED)


def _seconds(what: str, seconds: Any) -> float:
    found = float(number(what, seconds))
    if found < 0.0:
        message = f"{what}: expected seconds of at least 0, got {seconds!r}"
        raise InvalidSettingError(message)
    return found


def as_data(what: str, value: Any) -> Any:
    """Return names, flags, numbers, lists and mappings of them as data. The engine checks them."""
    value = plain(value)
    if isinstance(value, (str, bool)):
        return value
    if isinstance(value, Mapping):
        return {str(key): as_data(f"{what}: {key}", part) for key, part in value.items()}
    if isinstance(value, Sequence):
        return [as_data(what, part) for part in value]
    return number(what, value)


def _first(what: str, first: Any, space: Searched) -> list[dict[str, Any]]:
    """Return the settings to begin with as data. `None` is absent, unless it is a value there."""
    example = "[{'rate': 0.01, 'depth': 6}]"
    if not isinstance(first, Sequence) or isinstance(first, str):
        message = f"{what}: expected a list of settings such as {example}, got {first!r}"
        raise InvalidSettingError(message)
    for setting in first:
        if not isinstance(setting, Mapping):
            message = f"{what}: expected settings such as {example}, got {setting!r}"
            raise InvalidSettingError(message)
    coded = (space._coded(f"{what}: setting {at}", one) for at, one in enumerate(first, 1))
    return [as_data(what, setting) for setting in coded]


def _limits(what: str, limits: Any) -> dict[str, dict[str, float]]:
    """Return what measured numbers must hold as data."""
    if not isinstance(limits, Mapping):
        example = "{'latency_ms': {'at_most': 20.0}}"
        message = f"{what}: expected a mapping such as {example}, got {limits!r}"
        raise InvalidSettingError(message)
    return {text(what, name): _limit(f"{what}: {name}", limit) for name, limit in limits.items()}


def _limit(what: str, limit: Any) -> dict[str, float]:
    known = ["at_most", "at_least"]
    if not isinstance(limit, Mapping) or len(limit) != 1:
        message = f"{what}: expected {{'at_most': ...}} or {{'at_least': ...}}, got {limit!r}"
        raise InvalidSettingError(message)
    ((side, bound),) = limit.items()
    if side not in known:
        message = f"{what}: expected one of {known}, got {side!r}{hint(str(side), known)}"
        raise InvalidSettingError(message)
    return {side: float(number(f"{what}: {side}", bound))}


def _objectives(what: str, objectives: Any) -> dict[str, dict[str, Any]]:
    """Return what is an objective beside the outcome as data."""
    if not isinstance(objectives, Mapping):
        example = "{'latency_ms': 'minimize'}"
        message = f"{what}: expected a mapping such as {example}, got {objectives!r}"
        raise InvalidSettingError(message)
    return {
        text(what, name): _objective(f"{what}: {name}", objective)
        for name, objective in objectives.items()
    }


def _objective(what: str, objective: Any) -> dict[str, Any]:
    given = {"direction": objective} if isinstance(objective, str) else objective
    if not isinstance(given, Mapping) or "direction" not in given:
        message = f"{what}: expected 'minimize' or 'maximize', got {objective!r}"
        raise InvalidSettingError(message)
    refuse_keys(what, given, ["direction", "reference"])
    word(f"{what}: direction", given["direction"], ("minimize", "maximize"))
    found = {"direction": given["direction"]}
    if given.get("reference") is not None:
        found["reference"] = float(number(f"{what}: reference", given["reference"]))
    return found


#: How each setting is checked, and what the engine gets; those of values have the space, too.
_OF_VALUES: dict[str, Callable[[str, Any, Searched], Any]] = {"cost": costed, "first": _first}
_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "policy": lambda what, policy: checked(policy, what).to_data(),
    "cost_floor": number,
    "cost_unit": text,
    "seed": _seed,
    "initial": _count,
    "expected_trials": _count,
    "time_limit": _seconds,
    "overdue": number,
    "budget": number,
    "stop": as_data,
    "standardize": as_data,
    "warping": text,
    "incumbent": text,
    "limits": _limits,
    "objectives": _objectives,
    "reference": number,
    "best_possible": number,
    "search": as_data,
    "model": as_data,
    "cost_model": as_data,
    "stages": staged,
    "backend": text,
}


def searched(space: Space | Table, direction: Direction) -> dict[str, Any]:
    """Return what is searched, and for which outcomes, as data."""
    if not isinstance(space, (Space, Table)):
        expected = "gittins.Space, such as gittins.Space().float('x', 0.0, 1.0)"
        if isinstance(space, Mapping):
            expected += ", or gittins.Space({'x': (0.0, 1.0)})"
        if hasattr(space, "columns") or isinstance(space, (list, Mapping)):
            expected += ", or a list of candidates as a gittins.Table"
        message = f"space: expected a {expected}, got {space!r} ({type(space).__name__})"
        raise InvalidSettingError(message)
    word("direction", direction, ("minimize", "maximize"))
    what = "table" if isinstance(space, Table) else "space"
    return {what: space.to_data(), "direction": direction}


def settings_of(
    space: Space | Table, direction: Direction, **settings: Unpack[StudySettings]
) -> str:
    """Return the settings of a study as text, without those that are `None`."""
    refuse_unknown("Study", settings, StudySettings.__annotations__)
    data = searched(space, direction)
    given = {name: value for name, value in settings.items() if value is not None}
    price, most = given.pop("price", None), given.pop("n_trials", None)
    if price is not None:
        given["policy"] = priced(given.get("policy"), price)
    for name, value in given.items():
        if name in _OF_VALUES:
            data[name] = _OF_VALUES[name](name, value, space)
        else:
            data[name] = _CHECKS[name](name, value)
    if most is not None and "stages" in data:
        message = "n_trials: in stages price=, budget= or stop= ends a study"
        raise InvalidSettingError(message)
    if most is not None:
        most = whole("n_trials", most, least=1, most=2**32 - 1)
        data.setdefault("expected_trials", most)
        data["stop"] = [*_rules(data), {"name": "trial_limit", "trials": most}]
    return json.dumps(data, allow_nan=False)


def _rules(data: Mapping[str, Any]) -> list[Any]:
    """Return the rules that end a study, or the one that ends it by the price of its policy."""
    if "stop" in data:
        stop = data["stop"]
        return stop if isinstance(stop, list) else [stop]
    has_price = "price" in data.get("policy", {})
    return ["gittins"] if has_price else []


def opened(
    path: str | os.PathLike[str],
    space: Space | Table | None,
    name: str | None,
    settings: Mapping[str, object],
    settle: Callable[[Space | Table], str],
) -> tuple[_gittins.Study, str]:
    """Open a study in a file: by its settings as `settle` writes them, or by those of the file.

    Its name in the file comes with it.

    Raises:
        InvalidSettingError: There are settings without a space.
    """
    if space is None and settings:
        message = f"{', '.join(settings)}: without a space the study has the file's settings"
        raise InvalidSettingError(message)
    if not isinstance(path, (str, os.PathLike)):
        message = f"path: expected the path of a file, got {path!r}"
        raise InvalidSettingError(message)
    settled = None if space is None else settle(space)
    if space is None and not os.path.exists(path):
        message = f"{path}: there is no such file; Journal(path, space) begins a study in it"
        raise StorageError(message)
    called = None if name is None else text("name", name)
    with (Space() if space is None else space)._speaking():
        return _gittins.Study.open(os.fspath(path), settled, called)


def told_of(
    place: str,
    outcome: float | None,
    cost: float | None,
    cost_later: bool,
    failed: bool,
    infeasible: bool,
    measured: Mapping[str, float | None] | None = None,
) -> _gittins.Outcome:
    """Return what is told of a trial.

    Raises:
        InvalidSettingError: It has no outcome, or one although it gave none.
        NonFiniteError: A number is NaN or infinite.
    """
    told: dict[str, Any] = {}
    flags = {"cost_later": cost_later, "failed": failed, "infeasible": infeasible}
    for what, given in flags.items():
        told[what] = flag(f"{place}: {what}", given)
    for what, size in (("outcome", outcome), ("cost", cost)):
        if size is not None:
            told[what] = float(number(f"{place}: the {what}", size))
    if outcome is None and not failed and not infeasible:
        message = f"{place}: expected an outcome, or that it failed or is infeasible"
        raise InvalidSettingError(message)
    if outcome is not None and (failed or infeasible):
        state = "infeasible" if infeasible else "failed"
        message = f"{place}: expected an outcome or {state}=True, got both"
        raise InvalidSettingError(message)
    if cost is not None and cost_later:
        message = f"{place}: expected a cost or cost_later=True, got both"
        raise InvalidSettingError(message)
    if measured is not None:
        told["measured"] = _measured(place, measured)
    return _gittins.Outcome(**told)


def _measured(place: str, measured: Any) -> dict[str, float]:
    """Return measured numbers by their names. What could not be measured is NaN."""
    if not isinstance(measured, Mapping):
        message = f"{place}: measured: expected a mapping of names to numbers, got {measured!r}"
        raise InvalidSettingError(message)
    found: dict[str, float] = {}
    for name, value in measured.items():
        what = f"{place}: {text(f'{place}: measured', name)}"
        known = plain(value)
        missing = known is None or (isinstance(known, float) and math.isnan(known))
        found[name] = math.nan if missing else float(number(what, value))
    return found
