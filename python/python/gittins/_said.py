"""What an assistant says to `gittins.mcp`: the schemas of arguments, and what is made of them.

The schemas are for the assistant. What comes is checked by the library, in its own words.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from typing import Any

from gittins._check import refuse_keys, text, word
from gittins._data import StudySettings
from gittins._words import refuse_unknown
from gittins.cost import LinearCost
from gittins.errors import InvalidSettingError
from gittins.policy import Policy
from gittins.space import Space

#: The most trials of one call.
MANY = 100

KINDS = ["float", "log_float", "int", "log_int", "steps", "numbers", "ordinal", "choice"]
KINDS += ["flag", "constant"]

#: What a file does not keep is no setting here, and runs in stages need a loop in Python.
SETTINGS = [name for name in StudySettings.__annotations__ if name not in ("backend", "stages")]

BOUNDS = ["at_most", "at_least", "equal_to"]


def _of(kind: str | list[str], said: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "description": said, **more}


_WHEN = (
    'For each name a value, a list of values, or bounds: {"depth": {"at_least": 1, "at_most": 5}}.'
)

PARAMETER = {
    "name": {"type": "string"},
    "type": _of(
        "string",
        "float and int go from low to high; log_float and log_int likewise, if the order of "
        "magnitude matters; steps has a step too; numbers are rising values; ordinal are values in "
        "an order, choice in none; flag is true or false; constant has a value.",
        enum=KINDS,
    ),
    **{name: {"type": "number"} for name in ("low", "high", "step")},
    "values": {"type": "array"},
    "value": {},
    "when": _of("object", f"The parameter exists only then. {_WHEN}"),
}

CONSTRAINT = {
    "terms": _of("object", "A weighted sum: the weights by the names of parameters."),
    **{bound: {"type": "number"} for bound in BOUNDS},
    "parts": _of("array", "Names of floats from 0, of which at most `at_most` are more than 0."),
    "least": _of("number", "The least amount of each of the parts that is there."),
}

#: The arguments of tools. They mean the same in each, but for those named with their tool.
ARGUMENTS = {
    "study": _of("string", "The name of the study, which is that of its file."),
    "parameters": _of(
        "array",
        "What may vary.",
        items={"type": "object", "properties": PARAMETER, "required": ["name", "type"]},
    ),
    "direction": _of("string", "Which outcomes are better.", enum=["minimize", "maximize"]),
    "price": _of(
        "number",
        "How much better the outcome must get to be worth one more unit of cost. The study stops "
        "once no trial is worth its price.",
    ),
    "budget": _of("number", "What all trials may cost."),
    "n_trials": _of("integer", "How many trials there may be."),
    "create_study.cost": _of(
        ["string", "number", "object"],
        "'learned': each trial is told with what it cost. A number: what each costs; 1 unless "
        'given. {"per_unit": {"resin": 40}, "fixed": 5}: what the amounts of a trial cost.',
    ),
    "cost_unit": _of("string", "The unit of cost, such as 's', 'h' or 'USD'."),
    "constraints": _of(
        "array",
        "What must hold of the parameters: a bound of a weighted sum, or of a number of parts.",
        items={"type": "object", "properties": CONSTRAINT},
    ),
    "limits": _of(
        "object", 'Bounds on what is measured beside the outcome: {"latency_ms": {"at_most": 20}}.'
    ),
    "objectives": _of("object", 'Further objectives, two at most: {"latency_ms": "minimize"}.'),
    "first": _of(
        "array", "Settings to begin with, such as what is in use.", items={"type": "object"}
    ),
    "settings": _of("object", f"Rarely needed: any other of {', '.join(SETTINGS)}."),
    "count": _of("integer", "How many, to try at the same time.", minimum=1, maximum=MANY),
    "within": _of("number", "The most that each may be expected to cost."),
    "where": _of("object", f"What parameters must be. {_WHEN}"),
    "context": _of("object", f"What is given and not chosen, such as the machine. {_WHEN}"),
    "trial": _of("integer", "The number of the trial, as ask_trials said it."),
    "outcome": _of("number", "The number that the trial is judged by."),
    "cost": _of("number", "What the trial cost, in the study's unit."),
    "measured": _of("object", "The numbers that have limits or are objectives, by their names."),
    "cost_later": _of("boolean", "Whether the cost is told later, by itself."),
    "failed": _of("boolean", "Whether it gave no outcome."),
    "infeasible": _of("boolean", "Whether it gave no outcome because its values are not allowed."),
    "values": _of("object", "The values of the parameters that exist, by their names."),
    "last": _of("integer", "How many of the last trials.", minimum=1),
}


def an_object(what: str, given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        message = f"{what}: expected an object, got {given!r}"
        raise InvalidSettingError(message)
    return dict(given)


def objects(what: str, given: Any) -> list[dict[str, Any]]:
    if not isinstance(given, list):
        message = f"{what}: expected a list of objects, got {given!r}"
        raise InvalidSettingError(message)
    return [an_object(what, one) for one in given]


def refuse_lack(what: str, given: Mapping[str, Any], needed: list[str]) -> None:
    missing = [name for name in needed if name not in given]
    if missing:
        message = f"{what}: expected {' and '.join(missing)}, got {list(given) or 'nothing'}"
        raise InvalidSettingError(message)


def settings_of(given: Any, space: Space) -> dict[str, Any]:
    """Return settings as Python has them: with a cost and a policy that are no data."""
    found = an_object("settings", given)
    try:
        refuse_unknown("settings", found, SETTINGS)
    except TypeError as error:
        raise InvalidSettingError(str(error)) from None
    cost, policy = found.get("cost"), found.get("policy")
    if isinstance(cost, Mapping):
        refuse_keys("cost", cost, ["per_unit", "fixed"])
        prices = cost.get("per_unit", {})
        if isinstance(prices, Mapping):
            prices = {name: _by_value(space, name, each) for name, each in prices.items()}
        found["cost"] = LinearCost(**{**cost, "per_unit": prices})
    if isinstance(policy, Mapping):
        numbers = dict(policy)
        found["policy"] = Policy(str(numbers.pop("name", "")), numbers)
    return found


def _by_value(space: Space, name: str, prices: Any) -> Any:
    """Return the prices of the values of a choice by these: all keys of an object are texts."""
    one = space._parameters.get(name)
    if one is None or one.values is None or not isinstance(prices, Mapping):
        return prices
    scalars = (value for value in one.values if not isinstance(value, (str, list, dict)))
    known = {json.dumps(value): value for value in scalars}
    return {key if key in one.values else known.get(key, key): each for key, each in prices.items()}


def conditions_of(given: Any) -> Any:
    """Return conditions as Python has them, where two bounds are a tuple."""
    if not isinstance(given, Mapping):
        return given
    bounds = BOUNDS[1::-1]
    return {
        name: tuple(map(wanted.get, bounds))
        if isinstance(wanted, Mapping) and wanted and set(wanted) <= set(bounds)
        else wanted
        for name, wanted in given.items()
    }


def space_of(parameters: Any, constraints: Any) -> Space:
    """Return a space of what an assistant says: the methods of `Space` and their arguments."""
    space = Space()
    for given in objects("parameters", parameters):
        name = given.pop("name", None)
        place = f"parameter {text('parameters: the name', name)!r}"
        add = getattr(space, word(f"{place}: type", given.pop("type", None), KINDS))
        known = list(inspect.signature(add).parameters.values())[1:]
        refuse_keys(place, given, [one.name for one in known])
        refuse_lack(place, given, [one.name for one in known if one.default is one.empty])
        if "when" in given:
            given["when"] = conditions_of(given["when"])
        add(name, **given)
    for number, given in enumerate(objects("constraints", constraints or []), 1):
        place = f"constraint {number}"
        if "parts" in given:
            refuse_keys(place, given, ["parts", "at_most", "least"])
            refuse_lack(place, given, ["at_most"])
            space.at_most_of(given["parts"], given["at_most"], given.get("least", 0.0))
            continue
        refuse_keys(place, given, ["terms", *BOUNDS])
        said = [bound for bound in BOUNDS if bound in given]
        refuse_lack(place, given, ["terms", *([] if said else ["at_most, at_least or equal_to"])])
        for bound in said:
            getattr(space, bound)(given["terms"], given[bound])
    return space
