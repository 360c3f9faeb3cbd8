"""The loop of a study: ask, evaluate and tell, until the verdict is to stop."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from gittins._check import number, plain, refuse_keys, whole
from gittins.errors import EmptyError, ExhaustedError, InvalidSettingError, MissingCostError

if TYPE_CHECKING:
    from collections.abc import Callable

    from gittins.study import Study
    from gittins.trial import Ask, Trial

#: What `Study.tell` takes of a trial.
TOLD = ["outcome", "cost", "cost_later", "failed", "infeasible", "measured"]

#: What the verdict says of a study that nothing ends.
_ENDLESS = "no verdict will end this study"


def optimize(
    study: Study,
    objective: Callable[[Ask], Any],
    n_trials: int | None,
    timeout: float | None,
    catch: type[Exception] | Iterable[type[Exception]],
) -> None:
    """Evaluate points until the verdict is to stop, or so many were, or so many seconds are over.

    Raises:
        InvalidSettingError: It would never end, the study has stages, or a setting makes no sense.
    """
    if not callable(objective):
        message = f"optimize: expected a function of the values of a trial, got {objective!r}"
        raise InvalidSettingError(message)
    if study.has_stages:
        message = "optimize: this study has stages: `with study.run() as run` is a trial of it"
        raise InvalidSettingError(message)
    left = None if n_trials is None else whole("n_trials", n_trials, least=0)
    end = None if timeout is None else time.monotonic() + number("timeout", timeout)
    caught = tuple(catch) if isinstance(catch, Iterable) else (catch,)
    while left != 0 and (end is None or time.monotonic() < end):
        verdict = study.verdict()
        if left is None and end is None and _ENDLESS in verdict.words:
            message = f"optimize: expected n_trials or timeout: {_ENDLESS}, as it has no price"
            raise InvalidSettingError(message)
        if verdict:
            return
        try:
            ask = study.ask()
        except ExhaustedError:
            return
        _evaluate(study, ask, objective, caught)
        left = None if left is None else left - 1


def _evaluate(
    study: Study,
    ask: Ask,
    objective: Callable[[Ask], Any],
    caught: tuple[type[Exception], ...],
) -> None:
    """Tell what the objective is at a point, or that it failed there."""
    since = time.perf_counter()
    try:
        _tell(study, ask, _told_of(objective(ask)), time.perf_counter() - since)
    except Exception as error:
        study.tell(ask, failed=True)
        if not isinstance(error, caught):
            raise
    except BaseException:
        study.withdraw(ask)
        raise


def _told_of(found: Any) -> dict[str, Any]:
    """Return what is told of a trial whose objective returned something."""
    if isinstance(found, Mapping):
        refuse_keys("optimize: what the objective returned", found, TOLD)
        told = dict(found)
    elif isinstance(found, tuple) and len(found) == 2:
        told = dict(zip(TOLD, found))
    else:
        told = {"outcome": found}
    outcome = plain(told.get("outcome"))
    if isinstance(outcome, float) and not math.isfinite(outcome):
        told.update(outcome=None, failed=True)
    return told


def _tell(study: Study, ask: Ask, told: dict[str, Any], seconds: float) -> None:
    """Tell a result, with the seconds that it took if costs are learned and it has none."""
    try:
        study.tell(ask, **told)
    except MissingCostError:
        if study._inner.cost_unit() not in (None, "s"):
            raise
        study.tell(ask, **{**told, "cost": max(seconds, math.ulp(1.0))})


def check_direction(study: Study, wanted: str) -> None:
    """Refuse to minimize in a study that maximizes, and the other way round."""
    if study.direction != wanted:
        message = f"{wanted}: this study is to {study.direction}: Study(space, {wanted!r})"
        raise InvalidSettingError(message)


def best_of(study: Study, what: str) -> Trial:
    """Return the best trial of a study, which must have one.

    Raises:
        EmptyError: It has none.
    """
    best = study.best()
    if best is None:
        no_one = "several objectives have no best trial: study.front() has the best ones"
        why = no_one if study.front() else "no trial has an outcome that counts yet"
        message = f"{what}: {why}"
        raise EmptyError(message)
    return best
