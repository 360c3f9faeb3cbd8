"""What the trials of a study of Optuna cost."""

from __future__ import annotations

import datetime
import logging
import math

import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution
from optuna.trial import TrialState, create_trial

from gittins.optuna import GittinsSampler
from test_sampler import model_of, study_of, trials_of

SPACE = {"x": FloatDistribution(0.0, 1.0)}


def costs_of(study):
    return [trial.cost for trial in trials_of(study)]


def objective(trial):
    x = trial.suggest_float("x", 0.0, 1.0)
    trial.set_user_attr("cost", 1.0 + x)
    return x


def lasting(x, seconds, **attrs):
    """Return a complete trial that took so many seconds."""
    trial = create_trial(params={"x": x}, distributions=SPACE, value=x, user_attrs=attrs)
    trial.datetime_start = datetime.datetime(2030, 1, 1)
    trial.datetime_complete = trial.datetime_start + datetime.timedelta(seconds=seconds)
    return trial


def test_costs_come_from_a_function_an_attribute_or_the_duration():
    study = study_of(GittinsSampler(seed=1))
    study.optimize(objective, n_trials=6)
    assert costs_of(study) == [1.0 + trial.params["x"] for trial in study.trials]

    study = study_of(GittinsSampler(seed=1, cost_func=lambda trial: 7.0 + trial.number))
    study.optimize(objective, n_trials=6)
    assert costs_of(study) == [7.0 + number for number in range(6)]

    study = study_of(GittinsSampler(seed=1))
    start = datetime.datetime(2030, 1, 1)
    for seconds in (3.0, 0.0):
        trial = create_trial(
            params={"x": 0.1 + seconds / 10},
            distributions={"x": FloatDistribution(0.0, 1.0)},
            value=seconds,
            system_attrs={"gittins:relative_params:0": '{"seconds": 1.0, "params": {}}'},
        )
        trial.datetime_start = start
        trial.datetime_complete = start + datetime.timedelta(seconds=seconds)
        study.add_trial(trial)
    # The suggestion took one second of three; a trial costs at least a tenth of a second.
    assert costs_of(study) == [2.0, 0.1]


@pytest.mark.parametrize("bad", [0, -1.0, math.nan, math.inf, None, "dear", True, 10**400])
def test_a_bad_cost_is_unknown_and_said_once(bad, caplog):
    sampler = GittinsSampler(seed=1, cost_func=lambda trial: bad if trial.number == 2 else 1.5)
    study = study_of(sampler)
    with caplog.at_level(logging.WARNING, "gittins.optuna"):
        study.optimize(objective, n_trials=4)
        # Another space: all trials are told anew.
        study.optimize(lambda trial: objective(trial) + trial.suggest_float("y", 0, 1), n_trials=4)
        assert costs_of(study) == [1.5, 1.5, None, *[1.5] * 5]
    assert model_of(study).complete == 8
    (record,) = caplog.records
    assert record.getMessage().startswith("The cost of trial 2 is unknown: cost_func returned ")
    assert repr(bad)[:100] in record.getMessage()


def test_numbers_of_numpy_are_costs():
    numpy = pytest.importorskip("numpy")
    said = [numpy.int64(3), numpy.float32(2.5), numpy.array(2.0), numpy.bool_(True), 4]
    study = study_of(GittinsSampler(seed=1, cost_func=lambda trial: said[trial.number]))
    study.optimize(objective, n_trials=5)
    assert costs_of(study) == [3.0, 2.5, 2.0, None, 4.0]


def test_a_cost_function_that_raises_ends_no_study(caplog):
    asked = []

    def cost(trial):
        asked.append(trial.number)
        return {0: 1.0, 2: 3.0}[trial.number]

    study = study_of(GittinsSampler(seed=1, cost_func=cost))
    with caplog.at_level(logging.WARNING, "gittins.optuna"):
        study.optimize(objective, n_trials=3)
        assert costs_of(study) == [1.0, None, 3.0]
    assert [record.getMessage() for record in caplog.records] == [
        "The cost of trial 1 is unknown: cost_func raised KeyError: 1"
    ]
    assert asked == [0, 1, 2]


def test_a_bad_attribute_is_unknown(caplog):
    study = study_of(GittinsSampler(seed=1))
    study.add_trials([lasting(0.1 * k, 5.0, cost="dear" if k == 1 else 2.0) for k in range(5)])
    with caplog.at_level(logging.WARNING, "gittins.optuna"):
        assert costs_of(study) == [2.0, None, 2.0, 2.0, 2.0]
    assert [record.getMessage() for record in caplog.records] == [
        "The cost of trial 1 is unknown: its user attribute 'cost' is 'dear', "
        "expected a positive finite number"
    ]


def test_the_attribute_counts_once_more_than_half_of_the_complete_trials_have_it():
    study = study_of(GittinsSampler(seed=1))
    study.add_trials([lasting(0.1, 3.0), lasting(0.2, 4.0), lasting(0.3, 5.0, cost=90.0)])
    # One stray attribute changes nothing.
    assert costs_of(study) == [3.0, 4.0, 5.0]
    study.add_trial(lasting(0.4, 6.0, cost=91.0))
    assert costs_of(study) == [3.0, 4.0, 5.0, 6.0]
    # Trials that failed did not come to say it, and do not count.
    failed = create_trial(params={"x": 0.5}, distributions=SPACE, state=TrialState.FAIL)
    study.add_trials([failed, lasting(0.6, 7.0, cost=92.0)])
    assert costs_of(study) == [None, None, 90.0, 91.0, None, 92.0]


def test_a_complete_trial_that_fits_no_space_is_left_out_aloud(caplog):
    study = study_of(GittinsSampler(seed=1, use_cost=False))
    for choices, x in [(["a", "b"], 0.1), (["a", "c"], 0.2), (["a", "c"], 0.3)]:
        space = {**SPACE, "k": CategoricalDistribution(choices)}
        trial = create_trial(params={"x": x, "k": "a"}, distributions=space, value=x)
        # A storage takes distributions that do not fit.
        study._storage.create_new_trial(study._study_id, template_trial=trial)
    with caplog.at_level(logging.WARNING, "gittins.optuna"):
        for _ in range(3):
            assert model_of(study).complete == 2
    (record,) = caplog.records
    assert record.getMessage().startswith("Trial 0 is left out of the model: its parameters ")
