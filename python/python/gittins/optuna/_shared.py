"""What a running trial says of itself in its system attributes.

Optuna stores the parameters of a trial one by one, as the objective asks for them. So that other
workers know the whole point at once, it is written when it is suggested, with the seconds that the
suggestion took: they are no cost of the trial. How the point was chosen stands there too, for a
study of the engine that is made anew. After each stage the pruner writes what the trial had cost,
and how long it has taken itself by then.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from optuna.distributions import BaseDistribution
    from optuna.study import Study
    from optuna.trial import FrozenTrial

#: The key of the system attributes, with the number of the part behind a colon.
KEY = "gittins:relative_params"

#: The key of what the pruner writes after a stage, with the number of the stage behind a colon.
STAGE = "gittins:stage"

#: The key of why the pruner ended a trial.
PRUNED = "gittins:pruned"

#: The longest value of a system attribute in a relational storage is 2045 characters.
LONGEST = 2045


def write(
    study: Study,
    trial: FrozenTrial,
    params: Mapping[str, Any],
    distributions: Mapping[str, BaseDistribution],
    seconds: float,
    choice: Any,
) -> None:
    """Write the parameters of a trial, how long the suggestion took, and how it was chosen."""
    internal = {name: distributions[name].to_internal_repr(value) for name, value in params.items()}
    said = {"seconds": round(seconds, 6), "params": internal, "choice": choice}
    text = json.dumps(said)
    parts = [text[at : at + LONGEST] for at in range(0, len(text), LONGEST)]
    # What was written before may have been longer.
    old = sum(key.startswith(f"{KEY}:") for key in trial.system_attrs)
    for number in range(max(len(parts), old)):
        part = parts[number] if number < len(parts) else ""
        study._storage.set_trial_system_attr(trial._trial_id, f"{KEY}:{number}", part)


def _read(trial: FrozenTrial) -> dict[str, Any]:
    parts: list[str] = []
    while f"{KEY}:{len(parts)}" in trial.system_attrs:
        parts.append(trial.system_attrs[f"{KEY}:{len(parts)}"])
    if not parts:
        return {}
    try:
        found = json.loads("".join(parts))
    except ValueError:
        # The writer is in the middle of it.
        return {}
    return found if isinstance(found, dict) else {}


def read(trial: FrozenTrial, latest: Mapping[str, BaseDistribution]) -> dict[str, Any]:
    """Return the parameters that a trial will ask for, as far as they are known."""
    found: dict[str, Any] = {}
    for name, internal in _read(trial).get("params", {}).items():
        distribution = latest.get(name)
        if distribution is not None and distribution._contains(internal):
            found[name] = distribution.to_external_repr(internal)
    return found


def seconds(trial: FrozenTrial) -> float:
    """Return the seconds that the suggestion of a trial took."""
    return float(_read(trial).get("seconds", 0.0))


def write_stage(study: Study, trial: FrozenTrial, stage: int, said: Mapping[str, Any]) -> None:
    """Write what is said of a trial after a stage.

    It has the `step`, the `cost` by then, the `seconds` of the pruner by then, and whether it is
    `pruned`.
    """
    # A trial that is tried again inherits attributes, so each says whose it is.
    whose = {"trial": trial.number, **said}
    study._storage.set_trial_system_attr(trial._trial_id, f"{STAGE}:{stage}", whose)


def stages(trial: FrozenTrial) -> list[dict[str, Any]]:
    """Return what the pruner wrote of a trial after its stages."""
    return [
        said
        for key, said in trial.system_attrs.items()
        if key.startswith(f"{STAGE}:") and said["trial"] == trial.number
    ]


def own_seconds(trial: FrozenTrial) -> float:
    """Return the seconds of a trial that are no cost of it: of its suggestion and of the pruner."""
    return seconds(trial) + pruner_seconds(trial)


def pruner_seconds(trial: FrozenTrial) -> float:
    """Return the seconds that the pruner took of a trial."""
    return max((float(said["seconds"]) for said in stages(trial)), default=0.0)


def params_of(trial: FrozenTrial, latest: Mapping[str, BaseDistribution]) -> dict[str, Any]:
    """Return the parameters of a running trial, and those that it will ask for."""
    return {**read(trial, latest), **trial.params}


def choice(trial: FrozenTrial) -> Any:
    """Return how the point of a trial was chosen; `None` if that is not known.

    It is known if the trial has the point that was written.
    """
    said = _read(trial)
    written = said.get("params", {})
    has = {
        name: trial.distributions[name].to_internal_repr(value)
        for name, value in trial.params.items()
    }
    chosen = said.get("choice") if has.items() <= written.items() else None
    return tuple(chosen) if isinstance(chosen, list) else chosen


def shown(what: object, given: Mapping[str, Any]) -> str:
    """Return how an object was made, as Python writes it."""
    settings = ", ".join(f"{name}={value!r}" for name, value in given.items())
    return f"{type(what).__name__}({settings})"
