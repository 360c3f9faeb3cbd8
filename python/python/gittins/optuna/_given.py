"""The values of a trial that the sampler does not choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gittins.optuna._union import widened_to

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.study import Study
    from optuna.trial import FrozenTrial


def values_of(trial: FrozenTrial) -> dict[str, tuple[Any, BaseDistribution]]:
    """Return the parameters that a trial has already."""
    return {name: (value, trial.distributions[name]) for name, value in trial.params.items()}


def given_to(
    study: Study, trial: FrozenTrial | None, trials: list[FrozenTrial]
) -> dict[str, tuple[Any, BaseDistribution]]:
    """Return the values that are fixed from outside: of an enqueued trial, or for all trials."""
    fixed: dict[str, Any] = {}
    sampler: Any = study.sampler
    while sampler is not None:
        # Of samplers that fix the same parameter the outer one counts.
        fixed = {**(getattr(sampler, "_fixed_params", None) or {}), **fixed}
        sampler = getattr(sampler, "_base_sampler", None)
    fixed.update(trial.system_attrs.get("fixed_params", {}) if trial is not None else {})
    given: dict[str, tuple[Any, BaseDistribution]] = {}
    if not fixed:
        return given
    for other in reversed(trials):
        for name, distribution in other.distributions.items():
            if name in fixed and name not in given:
                widened = widened_to(fixed[name], distribution)
                if widened is not None:
                    given[name] = (fixed[name], widened)
        if len(given) == len(fixed):
            break
    return given
