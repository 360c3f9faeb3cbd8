"""Contexts: parameters that are given and not chosen."""

import re

import optuna
import pytest
from optuna.samplers import PartialFixedSampler

import gittins
from gittins import Journal, Space, Study
from gittins.optuna import GittinsSampler, GittinsStop


def space():
    return Space().float("x", 0.0, 1.0).choice("machine", ["old", "new"])


def loss(values):
    """The old machine is worse everywhere, and best elsewhere."""
    best, level = (0.2, 1.0) if values["machine"] == "old" else (0.7, 0.0)
    return 4.0 * (values["x"] - best) ** 2 + level


def test_each_context_has_its_own_end_and_setting(tmp_path):
    study = Journal(tmp_path / "machines.journal", space(), price=0.02, seed=2)
    for machine in ["new", "old"]:
        context = {"machine": machine}
        while not study.verdict(context=context):
            (ask,) = study.ask_many(1, context=context)
            assert ask["machine"] == machine
            study.tell(ask, loss(ask))
    again = Journal(tmp_path / "machines.journal")
    for machine, level in [("new", 0.0), ("old", 1.0)]:
        setting = again.recommendation(context={"machine": machine})
        assert setting.values["machine"] == machine
        assert loss(setting.values) < level + 0.15
    assert again.recommendation().values["machine"] == "new"


@pytest.mark.parametrize(
    ("context", "words"),
    [
        ({"machine": "odd"}, "'odd'"),
        ({"machines": "old"}, "context: .*'machines'"),
        ("old", "context"),
        ({"x": (0.4, 0.2)}, "x"),
        ({"x": None}, "x"),
    ],
)
def test_mistakes_name_the_culprit(context, words):
    study = Study(space(), price=0.1)
    for call in (study.ask, study.verdict, study.recommendation):
        with pytest.raises(gittins.GittinsError, match=words):
            call(context=context)


def test_what_is_for_no_context_says_so():
    study = Study(space())
    verdict = study.verdict(context={"machine": "old"})
    assert not verdict
    assert "no price and no budget" in verdict.words
    assert study.recommendation(context={"machine": "old"}) is None
    with pytest.raises(gittins.GittinsError, match="no context"):
        study.verdict(on_another=True, context={"machine": "old"})


def of_optuna(trial):
    machine = trial.suggest_categorical("machine", ["old", "new"])
    return loss({"machine": machine, "x": trial.suggest_float("x", 0.0, 1.0)})


def tried(count, seed=0, fixed=None):
    """Return a study of Optuna after some trials, on any machine or on one."""
    sampler = GittinsSampler(seed=seed, use_cost=False)
    sampler = sampler if fixed is None else PartialFixedSampler(fixed, sampler)
    study = optuna.create_study(sampler=sampler)
    study.optimize(of_optuna, n_trials=count)
    return study


def fix(study, values):
    study.sampler = PartialFixedSampler(values, study.sampler)


def best_said(study, **settings):
    return float(re.search(r"best ([^\s;]+)", GittinsStop(**settings).verdict(study).words)[1])


fixing = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")


@fixing
@pytest.mark.parametrize("seed", [1, 2, 5])
@pytest.mark.parametrize("how", ["fixed for all", "enqueued"])
def test_values_that_optuna_fixes_are_a_context(how, seed):
    study = tried(15, seed)
    if how == "enqueued":
        study.enqueue_trial({"machine": "old"})
    else:
        fix(study, {"machine": "old"})
    study.optimize(of_optuna, n_trials=1)
    last = study.trials[-1]
    assert last.params["machine"] == "old"
    # No place of the old machine is better than what is known of the new one.
    assert last.value < 1.1


@fixing
@pytest.mark.parametrize("end", [{"price": 0.02}, {"budget": 200.0}])
def test_a_stop_judges_with_the_values_that_are_fixed(end):
    study = tried(15, 1)
    assert abs(best_said(study, **end)) < 0.1
    fix(study, {"machine": "new"})
    # Of two that fix the same parameter the outer one counts.
    fix(study, {"machine": "old"})
    assert best_said(study, **end) > 0.8
    study.optimize(of_optuna, n_trials=25, callbacks=[GittinsStop(**end)])
    assert {trial.params["machine"] for trial in study.trials[15:]} == {"old"}
    assert min(trial.value for trial in study.trials[15:]) < 1.1
    assert len(study.trials) < 40 or "budget" in end


@fixing
def test_a_fixed_value_that_was_never_tried_ends_no_study():
    study = tried(12, 1, {"machine": "new"})
    assert GittinsStop(0.02).verdict(study)
    study.sampler = PartialFixedSampler({"machine": "old"}, study.sampler._base_sampler)
    words = "continue: no trial is complete with machine = 'old'"
    assert GittinsStop(0.02).verdict(study).words == words
    said = GittinsStop(budget=40.0).verdict(study).words
    assert said == words + "; 28 of the budget of 40 are left"
    study.optimize(of_optuna, n_trials=20, callbacks=[GittinsStop(0.02)])
    assert 13 < len(study.trials) < 32


@fixing
def test_a_front_takes_fixed_values_and_has_no_context():
    study = optuna.create_study(directions=["minimize"] * 2, sampler=GittinsSampler(seed=1))
    study.optimize(lambda trial: (of_optuna(trial), trial.params["x"]), n_trials=8)
    fix(study, {"machine": "old"})
    study.optimize(lambda trial: (of_optuna(trial), trial.params["x"]), n_trials=2)
    assert [trial.params["machine"] for trial in study.trials[8:]] == ["old", "old"]
    assert "the front has" in GittinsStop(0.02).verdict(study).words
