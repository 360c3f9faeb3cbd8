"""Points that are drawn: those of the design, and others where nothing is left to choose."""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING, Any

from optuna.trial import TrialState

from gittins import _gittins
from gittins.optuna import _shared
from gittins.optuna._union import at_draw

if TYPE_CHECKING:
    from collections.abc import Mapping

    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial

    from gittins.optuna._union import SpaceOfTrials

#: This many draws are made for a point that no trial has.
DRAWS = 256


def comparable(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values of which equal ones are equal: NaN is a choice as any other."""
    return {
        name: "nan" if isinstance(value, float) and math.isnan(value) else value
        for name, value in values.items()
    }


def draw(seed: int, number: int, name: str) -> float:
    """Return a uniform number for a parameter of a trial."""
    text = f"{seed}:{number}:{name}".encode()
    digest = hashlib.blake2b(text, digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) / 2**53


def designed(
    seed: int, number: int, wanted: Mapping[str, BaseDistribution], space: SpaceOfTrials
) -> dict[str, Any]:
    """Return the point of the design for the trial of a number."""
    names = [*space.names(), *(name for name in wanted if name not in space.merged)]
    if number == 0:
        draws = [0.5] * len(names)
    else:
        draws = _gittins.quasi_random(len(names), seed, number - 1)
    found = dict(zip(names, draws))
    return {name: at_draw(found[name], one) for name, one in wanted.items() if name in found}


def drawn(
    seed: int,
    number: int,
    wanted: Mapping[str, BaseDistribution],
    given: Mapping[str, Any],
    others: list[FrozenTrial],
    space: SpaceOfTrials,
    *,
    in_design: bool,
) -> dict[str, Any]:
    """Return a point that no other trial has, if there is one; or else one of few, not running.

    The first that is tried is that of the design for the trial of a number, if it is one of it.
    """
    taken = [(_params_of(other, space), other.state) for other in others]
    spare: dict[str, Any] = {}
    least: tuple[bool, int] | None = None
    for attempt in range(DRAWS):
        if attempt == 0 and in_design:
            found = designed(seed, number, wanted, space)
        else:
            found = {
                name: at_draw(draw(seed, number, f"{name}:{attempt}"), one)
                for name, one in wanted.items()
            }
        values = comparable({**found, **given})
        same = [state for params, state in taken if _is_in(params, state, values)]
        if not same:
            return found
        worth = (TrialState.RUNNING in same, len(same))
        if least is None or worth < least:
            spare, least = found, worth
    return spare


def _params_of(trial: FrozenTrial, space: SpaceOfTrials) -> dict[str, Any]:
    """Return all that a trial has, or will have if it is running."""
    is_running = trial.state == TrialState.RUNNING
    return comparable(_shared.params_of(trial, space.latest) if is_running else trial.params)


def _is_in(params: Mapping[str, Any], state: TrialState, values: Mapping[str, Any]) -> bool:
    """Return whether a trial is at these values, some of which it may not have asked for."""
    # A trial may fail before it has asked for all of its parameters.
    is_whole = state != TrialState.FAIL or len(params) == len(values)
    return bool(params) and is_whole and params.items() <= values.items()
