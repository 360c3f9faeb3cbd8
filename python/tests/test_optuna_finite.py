"""The sampler on studies of Optuna with few settings, and at the ends of double precision."""

from __future__ import annotations

import logging
import math
from collections import Counter

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, IntDistribution

from gittins.optuna import GittinsSampler
from gittins.optuna._union import coded, is_single, kind_of


def study_of(**settings):
    return optuna.create_study(sampler=GittinsSampler(seed=1, use_cost=False), **settings)


def counts(study):
    return Counter(tuple(sorted(map(repr, trial.params.items()))) for trial in study.trials)


@pytest.mark.parametrize("low", [1, -5])
@pytest.mark.parametrize("high", [2**53 + 1, 2**63 - 1, 2**64 - 1, 10**18 - 1])
def test_whole_numbers_that_a_float_rounds_beyond_their_bound(low, high, caplog):
    study = study_of(direction="maximize")
    with caplog.at_level(logging.WARNING, "gittins.optuna"):
        study.optimize(lambda trial: trial.suggest_int("n", low, high) / high, n_trials=10)
    assert "left out" not in caplog.text
    assert max(counts(study).values()) <= 2


def test_the_lower_end_of_whole_numbers():
    study = study_of(direction="minimize")
    study.optimize(lambda trial: trial.suggest_int("n", -(2**63), 0) / 2**63, n_trials=10)
    assert max(counts(study).values()) <= 2


def test_a_value_beyond_merged_bounds_by_rounding_is_on_them():
    top = IntDistribution(1, 2**63 - 1)
    assert coded(2**63, top, top) == float(2**63)
    assert coded(2**62, top, IntDistribution(1, 2**61)) is None


def test_equal_choices_are_one():
    distribution = CategoricalDistribution((1, True, 1.0, "a", math.nan, 0))
    assert kind_of(distribution) == {"choice": {"names": ["0", "3", "4", "5"]}}
    assert is_single(CategoricalDistribution((1, True)))
    study = study_of()

    def objective(trial):
        value = trial.suggest_categorical("c", (1, True, 1.0, "a", math.nan, 0))
        return {"a": 3.0}.get(value, 1.0) + 0.1 * trial.suggest_int("n", 0, 1)

    study.optimize(objective, n_trials=8)
    assert max(counts(study).values()) == 1


def test_settings_are_not_repeated_while_another_is_free():
    study = study_of()

    def objective(trial):
        return trial.suggest_int("a", 1, 4) + 0.5 * trial.suggest_categorical("b", [False, True])

    study.optimize(objective, n_trials=8)
    assert len(counts(study)) == 8
    # Nothing is left to choose, and the study goes on all the same.
    study.optimize(objective, n_trials=2)
    assert len(study.trials) == 10


def test_as_many_trials_under_way_as_settings():
    study = study_of()
    trials = []
    for told in range(12):
        trial = study.ask()
        values = trial.suggest_int("a", 1, 4), trial.suggest_categorical("b", [False, True])
        trials.append(values)
        if told < 2:
            study.tell(trial, float(sum(values)))
    assert len(set(trials[:8])) == 8


def test_steps_that_changed_lead_to_no_third_trial_of_a_point():
    study = study_of()
    study.optimize(lambda trial: (trial.suggest_int("n", 0, 9) - 3) ** 2, n_trials=3)
    study.optimize(lambda trial: (trial.suggest_int("n", 0, 9, step=3) - 3) ** 2, n_trials=10)
    found = counts(study)
    # There are four settings for ten trials: each comes twice before one comes again.
    assert len([value for value in found.values() if value >= 2]) >= 3, found
