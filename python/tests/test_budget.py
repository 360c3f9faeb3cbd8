"""The money that a study may spend."""

import re

import optuna
import pytest

import gittins
from gittins.optuna import GittinsSampler, GittinsStop

optuna.logging.set_verbosity(optuna.logging.WARNING)


def rosenbrock(trial):
    x = trial.suggest_float("x", -2.0, 2.0)
    y = trial.suggest_float("y", -2.0, 2.0)
    trial.set_user_attr("cost", 1.0)
    return (1 - x) ** 2 + 100 * (y - x * x) ** 2


def bowl(trial):
    x = trial.suggest_float("x", -2.0, 2.0)
    y = trial.suggest_float("y", -2.0, 2.0)
    trial.set_user_attr("cost", 2.0 + x / 2)
    return (x - 0.5) ** 2 + (y + 0.3) ** 2


def played(objective, stop, sampler=None, n_trials=200):
    study = optuna.create_study(sampler=sampler or GittinsSampler(seed=1))
    study.optimize(objective, n_trials=n_trials, callbacks=[stop])
    return study


def cost_of(study):
    return sum(trial.user_attrs["cost"] for trial in study.trials)


def test_a_budget_is_used():
    study = played(rosenbrock, GittinsStop(budget=30))
    assert len(study.trials) == 30
    assert study.best_value < study.trials[0].value
    assert study.user_attrs["gittins:stop"]["words"] == "stop: the budget of 30 is spent"


def test_a_budget_smaller_than_the_design_ends_the_study():
    study = played(rosenbrock, GittinsStop(budget=2))
    assert len(study.trials) == 2
    assert study.user_attrs["gittins:stop"]["rule"] == "budget"


@pytest.mark.parametrize("sampler", [optuna.samplers.RandomSampler(seed=1), GittinsSampler(seed=1)])
def test_with_any_sampler_only_the_running_trial_exceeds_it(sampler):
    study = played(bowl, GittinsStop(budget=17.5), sampler)
    spent = cost_of(study)
    assert 17.5 <= spent < 17.5 + study.trials[-1].user_attrs["cost"]


def test_a_study_that_is_done_ends_early_and_says_what_it_saved():
    study = played(bowl, GittinsStop(budget=300))
    said = study.user_attrs["gittins:stop"]
    assert said["words"].startswith("stop: done early, ")
    # A study by itself says the same.
    saved = r" of the budget of 300 are saved: they promise less than \S+, a ten-thousandth of what"
    assert re.search(saved + " was gained; best ", said["words"])
    assert said["budget"] == 300
    assert cost_of(study) < 150
    assert study.best_value < 1e-3


def test_maximizing_is_minimizing_with_the_other_sign():
    down = played(bowl, GittinsStop(budget=300))
    up = optuna.create_study(direction="maximize", sampler=GittinsSampler(seed=1))
    up.optimize(lambda trial: -bowl(trial), n_trials=200, callbacks=[GittinsStop(budget=300)])
    assert len(up.trials) == len(down.trials)


def test_failures_alone_spend_it_by_what_they_cost():
    def fails(trial):
        trial.suggest_float("x", 0.0, 1.0)
        raise ValueError

    sampler = GittinsSampler(seed=1, cost_func=lambda trial: 2.0)
    study = optuna.create_study(sampler=sampler)
    study.optimize(fails, n_trials=50, catch=(ValueError,), callbacks=[GittinsStop(budget=9)])
    assert len(study.trials) == 5


def test_an_unknown_cost_counts_as_the_mean_of_the_others():
    def cost(trial):
        return None if trial.number % 2 else 3.0

    sampler = GittinsSampler(seed=1, cost_func=cost)
    study = optuna.create_study(sampler=sampler)
    study.optimize(rosenbrock, n_trials=50, callbacks=[GittinsStop(budget=30)])
    assert len(study.trials) == 10


def test_more_money_goes_on_and_less_does_not():
    study = played(rosenbrock, GittinsStop(budget=8))
    assert len(study.trials) == 8
    study.optimize(rosenbrock, n_trials=20, callbacks=[GittinsStop(budget=6)])
    assert len(study.trials) == 9
    study.optimize(rosenbrock, n_trials=20, callbacks=[GittinsStop(budget=12)])
    assert len(study.trials) == 12


def test_a_study_without_parameters_has_a_budget_too():
    study = optuna.create_study(sampler=GittinsSampler(seed=1, use_cost=False))
    study.optimize(lambda trial: 1.0, n_trials=50, callbacks=[GittinsStop(budget=4)])
    assert len(study.trials) == 4


def test_trials_under_way_owe_what_they_are_expected_to_cost():
    study = played(rosenbrock, GittinsStop(budget=100), n_trials=10)
    stop = GittinsStop(budget=12)
    verdict = stop.judge(study)
    assert verdict is None or not verdict["stop"]
    for _ in range(2):
        trial = study.ask()
        trial.suggest_float("x", -2.0, 2.0)
        trial.suggest_float("y", -2.0, 2.0)
    words = stop.judge(study)["words"]
    assert "2 are left, and pending trials are expected to cost 2" in words


def test_a_study_by_itself_has_a_budget():
    space = gittins.Space().float("x", 0.0, 1.0)
    study = gittins.Study(space, cost="learned", cost_unit="s", budget=50.0, seed=1)
    while not study.verdict():
        ask = study.ask()
        study.tell(ask, (ask["x"] - 0.3) ** 2, cost=2.0)
    assert "are saved" in str(study.verdict())
    for wrong in (0, -1, "much", float("nan")):
        with pytest.raises(gittins.GittinsError, match="budget"):
            gittins.Study(space, budget=wrong)
