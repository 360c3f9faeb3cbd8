"""The stop on studies of Optuna."""

from __future__ import annotations

import optuna
import pytest

from gittins.optuna import GittinsSampler, GittinsStop
from test_sampler import study_of


def objective(trial):
    x = trial.suggest_float("x", 0.0, 1.0)
    trial.set_user_attr("cost", 1.0 + x)
    return (x - 0.3) ** 2 + trial.suggest_categorical("k", [0, 1])


@pytest.mark.parametrize("price", [1e-3, 1e-5])
def test_a_study_stops_at_a_price_and_says_why(price):
    study = study_of(GittinsSampler(seed=1))
    study.optimize(objective, n_trials=100, callbacks=[GittinsStop(price)])
    assert 5 < len(study.trials) < 60
    assert study.best_value < 0.02
    said = study.user_attrs["gittins:stop"]
    assert said["stop"] is True
    assert said["words"].startswith("stop: ")
    assert said["price"] == price
    assert said["trials"] == len(study.trials)


def test_a_dear_unit_of_cost_stops_earlier():
    lengths = []
    for price in (0.1, 1e-6):
        study = study_of(GittinsSampler(seed=1))
        study.optimize(objective, n_trials=100, callbacks=[GittinsStop(price)])
        lengths.append(len(study.trials))
    assert lengths[0] < lengths[1]


def test_each_worker_sees_the_stop_within_one_trial(tmp_path):
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    first = optuna.create_study(study_name="s", storage=storage, sampler=GittinsSampler(seed=1))
    first.optimize(objective, n_trials=100, callbacks=[GittinsStop(1e-2)])
    stopped = len(first.trials)
    assert stopped < 100
    second = optuna.load_study(study_name="s", storage=storage, sampler=GittinsSampler(seed=2))
    second.optimize(objective, n_trials=100, callbacks=[GittinsStop(1e-2)])
    assert len(second.trials) == stopped + 1
    GittinsStop.clear(second)
    second.optimize(objective, n_trials=3, callbacks=[GittinsStop(1e-9)])
    assert len(second.trials) == stopped + 4


def test_threads_stop_together():
    study = study_of(GittinsSampler(seed=1))
    study.optimize(objective, n_trials=200, n_jobs=3, callbacks=[GittinsStop(1e-2)])
    said = study.user_attrs["gittins:stop"]
    # Those that were under way end, and each thread may have begun one more.
    assert said["trials"] <= len(study.trials) <= said["trials"] + 6


def test_a_price_from_a_budget_is_the_same_for_all_workers():
    study = study_of(GittinsSampler(seed=1))
    study.optimize(objective, n_trials=200, callbacks=[GittinsStop(budget=60.0)])
    said = study.user_attrs["gittins:stop"]
    assert said["price"] > 0.0
    attrs = study._storage.get_study_system_attrs(study._study_id)
    assert attrs["gittins:price"] == {"budget": 60.0, "price": said["price"]}
    # The budget is what is expected, and no limit: the bound is loose.
    assert sum(trial.user_attrs["cost"] for trial in study.trials) < 120.0


def test_an_hour_has_a_price_and_another_sampler_can_be_stopped():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    stop = GittinsStop(hour=3600.0 * 1e-2)
    study.optimize(objective, n_trials=150, callbacks=[stop])
    assert study.user_attrs["gittins:stop"]["price"] == pytest.approx(1e-2)
    assert len(study.trials) < 150


def test_a_judgment_waits_for_the_design():
    study = study_of(GittinsSampler(seed=1, n_startup_trials=6))
    study.optimize(objective, n_trials=5)
    assert GittinsStop(1.0).judge(study) is None
    study.optimize(objective, n_trials=1)
    assert GittinsStop(1.0).judge(study)["stop"] is True
    assert GittinsStop(1e-12).judge(study)["stop"] is False


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="none"):
        GittinsStop()
    with pytest.raises(ValueError, match="budget"):
        GittinsStop(1.0, budget=2.0)
    with pytest.raises(ValueError, match="hour"):
        GittinsStop(hour=0.0)
    study = optuna.create_study(directions=["minimize", "maximize"])
    study.add_trial(optuna.create_trial(values=[1.0, 2.0]))
    with pytest.raises(ValueError, match="several"):
        GittinsStop(1.0)(study, study.trials[0])
