"""The first words of somebody who knows another tuner: they work, or are answered by name."""

from __future__ import annotations

import concurrent.futures
import copy
import inspect
import multiprocessing
import pickle

import pytest

import gittins
from gittins import Journal, Space, Study, errors, policy


def space():
    return Space().float("x", 0.0, 1.0)


def asked():
    return Study(space()).ask()


def run():
    return Study(space(), stages={"epochs": 9}, budget=9.0).run()


def told():
    study = Study(space(), seed=1)
    study.tell(study.ask(), 0.5)
    return study


ANSWERED = {
    # What a study does.
    "optimize": (lambda: told().optimize(lambda x: x, n_trials=9), r"study.ask\(\).*study.tell"),
    "best_params": (lambda: told().best_params, r"study.best\(\).values"),
    "best_value": (lambda: told().best_value, r"study.best\(\).outcome"),
    "best_trial": (lambda: told().best_trial, r"study.best\(\)"),
    "best_trials": (lambda: told().best_trials, r"study.front\(\)"),
    "enqueue_trial": (lambda: told().enqueue_trial({"x": 1}), r"study.announce\(values\)"),
    "add_trial": (lambda: told().add_trial({"x": 1}), r"study.enter\(values, outcome\)"),
    "trials_dataframe": (lambda: told().trials_dataframe(), "study.record"),
    "stop": (lambda: told().stop(), "study.verdict"),
    "should_stop": (lambda: told().should_stop(), r"study.verdict\(\), which is true"),
    "a misspelled call": (lambda: told().verdikt(), "'verdikt'; did you mean 'verdict'"),
    "nothing like it": (lambda: told().zzzz, "Study has no attribute 'zzzz'$"),
    "runs": (lambda: told().runs, r"study.trials\(\)"),
    "should_prune": (lambda: told().should_prune, "stages= of gittins.Study"),
    # What is asked for and told.
    "suggest_float": (lambda: asked().suggest_float("x", 0, 1), r"ask\[name\]"),
    "params": (lambda: asked().params, r"dict\(ask\)"),
    "number": (lambda: asked().number, r"ask.trial"),
    "a parameter as an attribute": (lambda: asked().x, r"here it is ask\['x'\]"),
    "trial_id": (lambda: asked().trial_id, "here it is ask.trial"),
    "reason of a verdict": (lambda: told().verdict().reason, "here it is verdict.words"),
    "should_stop of a verdict": (lambda: told().verdict().should_stop, r"it is bool\(verdict\)"),
    "suggest_float of a run": (lambda: run().suggest_float("x", 0, 1), r"here it is run\[name\]"),
    "tell of a run": (lambda: run().tell(1.0), r"here it is run.report\(outcome\)"),
    "should_prune of a run": (lambda: run().should_prune(), "the advice that run.report returns"),
    "params of a trial": (lambda: told().best().params, r"trial.values"),
    "value": (lambda: told().best().value, r"trial.outcome"),
    # What is searched.
    "uniform": (lambda: Space().uniform("x", 0, 1), r"float\(name, low, high\)"),
    "loguniform": (lambda: Space().loguniform("x", 1, 2), r"log_float\("),
    "categorical": (lambda: Space().categorical("x", ["a"]), r"choice\(name, values\)"),
    "suggest_categorical": (lambda: Space().suggest_categorical, r"choice\(name, values\)"),
    "suggest_float of a space": (lambda: Space().suggest_float("x", 0, 1), r"float\("),
    "quniform": (lambda: Space().quniform("x", 0, 1, 0.1), r"steps\("),
    "a misspelled kind": (lambda: Space().chioce("x", ["a"]), "did you mean 'choice'"),
    # What the package has.
    "create_study": (lambda: gittins.create_study(), r"gittins.Study\(space\)"),
    "load_study": (lambda: gittins.load_study, r"gittins.Journal\(path\)"),
    "fmin": (lambda: gittins.fmin, r"gittins.Study\(space\)"),
    "Categorical": (lambda: gittins.Categorical, "choice"),
    "Stuudy": (lambda: gittins.Stuudy, "gittins has no attribute 'Stuudy'; did you mean 'Study'"),
    "a misspelled policy": (lambda: policy.logei, "did you mean 'log_ei'"),
    "StagedStudy": (lambda: gittins.StagedStudy, r"gittins.Study\(space, stages="),
    "GitinsSampler": (lambda: gittins.GitinsSampler, "did you mean 'GittinsSampler'"),
}


@pytest.mark.parametrize("what", ANSWERED)
def test_a_word_of_another_tuner_is_answered_by_ours(what):
    call, message = ANSWERED[what]
    with pytest.raises(AttributeError, match=message):
        call()


SETTINGS = {
    "lambda_": (lambda: Study(space(), lambda_=1e-3), "Study: 'lambda_' is no setting; .*'price'"),
    "points_to_evaluate": (lambda: Study(space(), points_to_evaluate=[]), "here it is 'first'"),
    "n_iter": (lambda: Study(space(), n_iter=9), "'n_trials'"),
    "sampler": (lambda: Study(space(), sampler="tpe"), "'policy'"),
    "storage": (lambda: Study(space(), storage="sqlite:///x"), r"gittins.Journal\(path, space\)"),
    "directions": (lambda: Study(space(), directions=["minimize"] * 2), "'objectives'"),
    "n_startup_trials": (lambda: Study(space(), n_startup_trials=9), "'initial'"),
    "random_state": (lambda: Study(space(), random_state=9), "'seed'"),
    "polcy": (lambda: Study(space(), polcy=1), "'polcy' is no setting; .*did you mean 'policy'"),
    "of a file": (lambda: Journal("no file", space(), lam=1), "Journal.*'lam'.*'price'"),
    "of a file that is there": (lambda: Journal("no file", lam=1), "Journal.*'lam'.*'price'"),
    "epochs": (lambda: Study(space(), epochs=9), "Study: 'epochs' is no setting; .*'stages'"),
    "of a file in stages": (lambda: Journal("no file", folds=9), "Journal: .*'stages'"),
    "stagse": (lambda: Study(space(), stagse={"epochs": 9}), "did you mean 'stages'"),
}


@pytest.mark.parametrize("what", SETTINGS)
def test_a_setting_of_another_tuner_is_answered_by_ours(what):
    make, message = SETTINGS[what]
    with pytest.raises(TypeError, match=message):
        make()


def test_constructors_still_say_what_they_take():
    assert "n_trials" in inspect.signature(Study).parameters
    with pytest.raises(TypeError, match="space"):
        Study()
    assert not hasattr(Study(space()), "best_params")
    assert not hasattr(gittins, "create_study")
    # What asks for special methods gets none.
    assert copy.deepcopy(asked()) == asked()
    assert pickle.loads(pickle.dumps(told().best())) == told().best()


def test_trials_may_be_read_without_a_call():
    study = told()
    assert study.trials == study.trials()
    assert len(study.trials) == 1
    assert study.trials[0].outcome == 0.5
    assert [trial.state for trial in study.trials] == ["complete"]


def test_a_scale_and_steps_are_arguments_too():
    short = Space().float("a", 1e-3, 1.0, log=True).int("b", 1, 64, log=True)
    long = Space().log_float("a", 1e-3, 1.0).log_int("b", 1, 64)
    assert short == long
    assert Space().float("a", 0.0, 1.0, step=0.25) == Space().steps("a", 0.0, 1.0, 0.25)
    assert Space().int("n", 2, 10, step=1) == Space().int("n", 2, 10)
    assert Space().float("a", 0.0, 1.0, log=False, step=None) == Space().float("a", 0.0, 1.0)


def test_whole_steps_are_whole_numbers(tmp_path):
    path = tmp_path / "study.journal"
    study = Journal(path, Space().int("n", 2, 11, step=3).float("x", 0, 1, step=0.5), seed=1)
    for _ in range(8):
        ask = study.ask()
        assert ask["n"] in (2, 5, 8, 11)
        assert isinstance(ask["n"], int)
        assert isinstance(ask["x"], float)
        study.tell(ask, float(ask["n"]))
    again = Journal(path)
    assert all(isinstance(trial.values["n"], int) for trial in again.trials())
    assert all(isinstance(n, int) for n in again.record()["n"])
    assert again.best().values["n"] == 2
    assert again.enter({"n": 5, "x": 0.5}, 1.0) == 8


@pytest.mark.parametrize(
    ("add", "message"),
    [
        (
            lambda: Space().float("x", 1, 2, log=True, step=0.5),
            "'x': expected a log scale or steps",
        ),
        (lambda: Space().int("x", 1, 9, log=True, step=2), "'x': expected a log scale or steps"),
        (lambda: Space().int("x", 1, 9, step=0), "'x': the step.*at least 1, got 0"),
        (lambda: Space().int("x", 1, 9, step=1.5), "'x': the step.*whole number.*got 1.5"),
        (lambda: Space().int("x", 1, 9, step=None), "'x': the step.*got None"),
        (
            lambda: Space().float("x", 1, 2, log="yes"),
            "'x': log: expected True or False, got 'yes'",
        ),
        (lambda: Space().int("x", 0, 2, log=True), "'x'.*positive on a log scale"),
    ],
)
def test_a_scale_or_steps_that_make_no_sense_are_refused(add, message):
    with pytest.raises(errors.InvalidSettingError, match=message):
        add()


def test_a_price_is_a_setting_and_is_the_index_at_it():
    def run(**settings):
        study = Study(space(), initial=3, seed=2, **settings)
        while not study.verdict():
            ask = study.ask()
            study.tell(ask, (ask["x"] - 0.3) ** 2)
        return [trial.values["x"] for trial in study.trials()]

    points = run(price=1e-2)
    assert points == run(policy=policy.gittins(1e-2))
    assert points == run(policy="gittins", price=1e-2)
    assert points == run(price=1e-2, n_trials=99, expected_trials=None)
    assert len(run(price=1e-9, n_trials=5)) == 5


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"price": 0}, "price: expected a number above 0, got 0"),
        ({"price": "cheap"}, "price: expected a number, got 'cheap'"),
        ({"price": True}, "price: expected a number, got True"),
        ({"price": 1, "policy": policy.gittins(1)}, "price and policy: expected one of them"),
        (
            {"price": 1, "policy": "log_ei"},
            "price and policy: expected one of them, got both: price=1",
        ),
        ({"price": 1, "policy": "gitins"}, "did you mean 'gittins'"),
        ({"n_trials": 0}, "n_trials: expected a whole number from 1 to 4294967295, got 0"),
        ({"n_trials": 10**30}, "n_trials: expected a whole number from 1"),
        ({"n_trials": 1.5}, "n_trials: expected a whole number"),
        ({"n_trials": "many"}, "n_trials.*got 'many'"),
    ],
)
def test_a_price_or_a_number_of_trials_that_makes_no_sense_is_named(settings, message):
    with pytest.raises(errors.InvalidSettingError, match=message):
        Study(space(), **settings)


@pytest.mark.parametrize("most", [1, 3, 6])
@pytest.mark.parametrize(
    "settings",
    [
        lambda most: {"n_trials": most},
        lambda most: {"stop": {"name": "trial_limit", "trials": most}},
        lambda most: {"stop": ["stall", {"name": "trial_limit", "trials": most}]},
        lambda most: {"n_trials": most, "stop": {"name": "stall", "window": 40}},
        lambda most: {"n_trials": most, "price": 1e-12},
        lambda most: {"n_trials": most, "budget": 1e6},
    ],
)
def test_a_limit_of_trials_counts_the_initial_design(most, settings, tmp_path):
    for study in (
        Study(space(), initial=4, seed=1, **settings(most)),
        Journal(tmp_path / "study.journal", space(), initial=4, seed=1, **settings(most)),
    ):
        study.enter({"x": 0.125}, 0.5)
        while not study.verdict():
            ask = study.ask()
            study.tell(ask, failed=True) if ask.trial == 2 else study.tell(ask, -ask.trial)
        assert len(study.trials()) == most + 1
        words = f"stop: {most} of {most} trials were told; 1 imported ones do not count"
        assert str(study.verdict()) == words


def test_a_limit_of_trials_holds_beside_trials_under_way():
    study = Study(space(), n_trials=7, seed=1)
    asks = []
    while not study.verdict(on_another=True):
        asks += study.ask_many(1)
        if len(asks) > 2:
            study.tell(asks.pop(0), 1.0)
    assert str(study.verdict(on_another=True)) == "stop: 7 of 7 trials were told or are pending"
    for ask in asks:
        study.tell(ask, 1.0)
    assert len(study.trials()) == 7
    assert str(study.verdict()) == "stop: 7 of 7 trials were told"


def told_from(study):
    ask = study.ask()
    study.tell(ask, ask["x"])
    return study.names


def test_a_study_in_a_file_goes_to_a_pool_of_processes(tmp_path):
    study = Journal(tmp_path / "study.journal", space(), seed=1, name="mine")
    again = pickle.loads(pickle.dumps(study))
    assert again.space == study.space
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        assert pool.submit(told_from, study).result(timeout=60) == ["x"]
    study.sync()
    assert len(study.trials) == 1


def test_a_study_in_memory_that_is_pickled_says_which_can_be():
    with pytest.raises(TypeError, match=r"cannot be pickled; gittins.Journal\(path, space\)"):
        pickle.dumps(Study(space()))


def test_names_of_what_needs_another_library_are_found_where_one_looks():
    optuna = pytest.importorskip("optuna")
    assert optuna is not None
    assert gittins.GittinsSampler is gittins.optuna.GittinsSampler
    assert gittins.GittinsStop is gittins.optuna.GittinsStop
    assert gittins.GittinsPruner is gittins.optuna.GittinsPruner
    with pytest.raises(TypeError, match=r"GittinsSampler: 'lambda_' is no setting.*'price'"):
        gittins.GittinsSampler(lambda_=1e-3)
    with pytest.raises(TypeError, match=r"GittinsSampler: 'n_trials'.*study.optimize"):
        gittins.GittinsSampler(n_trials=9)
    with pytest.raises(TypeError, match=r"GittinsSampler: 'initial'.*'n_startup_trials'"):
        gittins.GittinsSampler(initial=9)
    with pytest.raises(TypeError, match=r"GittinsStop: 'rule' is no setting.*'price'"):
        gittins.GittinsStop(rule="gittins")
    with pytest.raises(TypeError, match=r"GittinsPruner: 'lam' is no setting.*'price'"):
        gittins.GittinsPruner(lam=1e-3)
