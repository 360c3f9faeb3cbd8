"""The first mistakes with Optuna, scikit-learn and Ray, and what is answered."""

from __future__ import annotations

import math

import optuna
import pytest
from optuna.samplers import PartialFixedSampler

import gittins
from gittins import Space, Study, policy
from gittins.optuna import GittinsPruner, GittinsSampler, GittinsStop


def check(make, words):
    """Let something be refused by what is wrong, in words for a user."""
    with pytest.raises((ValueError, TypeError, AttributeError), match=words) as caught:
        make()
    said = str(caught.value)
    for machinery in ("invalid type", "usize", "f64", "float()", "JSON", "not callable", "_lock"):
        assert machinery not in said, said


def studied():
    return optuna.create_study(sampler=GittinsSampler(seed=1, use_cost=False))


def tried(stop, **sampler):
    study = optuna.create_study(sampler=GittinsSampler(seed=1, **sampler))
    study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), 1, callbacks=[stop])


WHOLE = "expected a whole number"
POSITIVE = "expected a positive number, got"
SAMPLER = {
    "a price of zero": ({"price": 0}, f"price: {POSITIVE} 0"),
    "a price is a text": ({"price": "1"}, f"price: {POSITIVE} '1'"),
    "a price is a flag": ({"price": True}, f"price: {POSITIVE} True"),
    "a price is NaN": ({"price": math.nan}, f"price: {POSITIVE} nan"),
    "a price is a list": ({"price": [1]}, rf"price: {POSITIVE} \[1\]"),
    "a price and a policy": ({"price": 1, "policy": "log_ei"}, "price and policy: expected one"),
    "a seed is a text": ({"seed": "1"}, f"seed: {WHOLE}.*got '1'"),
    "a negative seed": ({"seed": -1}, f"seed: {WHOLE}.*got -1"),
    "half a seed": ({"seed": 1.5}, f"seed: {WHOLE}.*got 1.5"),
    "a seed is a flag": ({"seed": True}, f"seed: {WHOLE}.*got True"),
    "seeds": ({"seed": [1]}, rf"seed: {WHOLE}.*got \[1\]"),
    "a policy needs a price": ({"policy": "gittins"}, "'gittins' needs a price"),
    "a policy of Optuna": ({"policy": "tpe"}, "policy: no policy is named 'tpe'; there are"),
    "a policy misspelled": ({"policy": "gitins"}, "did you mean 'gittins'"),
    "a policy is a number": ({"policy": 1}, "policy: expected a policy of gittins.policy"),
    "a policy is not called": ({"policy": policy.log_ei}, r"call gittins.policy.log_ei\(\)"),
    "a policy keeps a state": ({"policy": "ucb"}, "policy: 'ucb' keeps a state.*expected one of"),
    "no design": ({"n_startup_trials": 0}, f"n_startup_trials: {WHOLE} of at least 1, got 0"),
    "half a design": ({"n_startup_trials": 1.5}, "n_startup_trials.*got 1.5"),
    "a design is a text": ({"n_startup_trials": "5"}, "n_startup_trials.*got '5'"),
    "a cost is a text": ({"cost_func": "cost"}, "cost_func: expected a function.*got 'cost'"),
    "constraints are a list": ({"constraints_func": [1]}, "constraints_func: expected a function"),
    "use_cost is a text": ({"use_cost": "no"}, "use_cost: expected True or False, got 'no'"),
    "overdue at once": ({"overdue": 0}, "overdue: expected at least 1, got 0"),
    "overdue is a text": ({"overdue": "5"}, "overdue: expected a number, got '5'"),
    "overdue is nothing": ({"overdue": None}, "overdue: expected a number, got None"),
    "never overdue": ({"overdue": math.inf}, "overdue: expected a finite number, got inf"),
    "a reference is a number": (
        {"reference": 1.0},
        "reference: expected a number or None for each",
    ),
    "a reference is a text": ({"reference": ["a", 1]}, "reference: expected a number, got 'a'"),
    "a budget": ({"budget": 5}, r"'budget' is no setting; .*GittinsStop\(budget=...\)"),
    "an hour": ({"hour": 5}, "'hour' is no setting; price= is what a unit of cost is worth"),
    "a direction": ({"direction": "minimize"}, "'direction' is no setting; a study has it"),
    "a mode": ({"mode": "min"}, "'mode' is no setting; a study has it"),
    "a cost": ({"cost": "x"}, "'cost' is no setting; .*user attribute 'cost'"),
    "a time": ({"timeout": 5}, "'timeout' is no setting; timeout= of study.optimize, or GittinsSt"),
    "a number of trials": ({"max_trials": 5}, "'max_trials' is no setting; .*study.optimize"),
    "another's random state": ({"random_state": 5}, "here it is 'seed'"),
    "another's setting": ({"multivariate": True}, "'multivariate' is no setting; there are"),
}


@pytest.mark.parametrize("mistake", SAMPLER)
def test_a_sampler_names_what_is_wrong(mistake):
    settings, words = SAMPLER[mistake]
    check(lambda: GittinsSampler(**settings), words)


OPTUNA = {
    "a stop without a price": (lambda: GittinsStop(), "expected one of price, hour and budget"),
    "a stop at nothing": (lambda: GittinsStop(None), "expected one of price, hour.*got none"),
    "a stop by two": (lambda: GittinsStop(1, hour=1), "expected one of price.*'hour': 1"),
    "a stop at zero": (lambda: GittinsStop(0), f"price: {POSITIVE} 0"),
    "a stop at a text": (lambda: GittinsStop("0.1"), f"price: {POSITIVE} '0.1'"),
    "an endless hour": (lambda: GittinsStop(hour=math.inf), f"hour: {POSITIVE} inf"),
    "a budget is a text": (lambda: GittinsStop(budget="1h"), f"budget: {POSITIVE} '1h'"),
    "a stop by trials": (lambda: GittinsStop(n_trials=5), "n_trials= of study.optimize"),
    "nothing like a setting": (lambda: GittinsStop(metric="x"), r"there are \[[^?]*\]$"),
    "a stop by a name": (
        lambda: GittinsStop(1, sampler="gittins"),
        "sampler: expected a GittinsSampler, got 'gittins'",
    ),
    "a stop by a class": (
        lambda: GittinsStop(1, sampler=GittinsSampler),
        "sampler: expected a GittinsSampler, got <class",
    ),
    "an hour of no seconds": (
        lambda: tried(GittinsStop(hour=1), use_cost=False),
        "hour: costs must be seconds",
    ),
    "whether to stop": (lambda: GittinsStop(1).should_stop, r"here it is bool\(stop.verdict"),
    "a verdict misspelled": (lambda: GittinsStop(1).verdikt, "did you mean 'verdict'"),
    "no study": (
        lambda: GittinsStop(1).verdict(None),
        "study: expected a study of Optuna, got None",
    ),
    "a study of ours": (
        lambda: GittinsStop(1).verdict(Study(Space().float("x", 0, 1))),
        r"study: expected a study of Optuna, got Study\(",
    ),
    "a trial": (lambda: GittinsStop(1).verdict(studied().ask()), "study: expected a study of Opt"),
    "nothing is cleared": (lambda: GittinsStop.clear(None), "study: expected a study of Optuna"),
    "nothing is overdue": (
        lambda: GittinsSampler().overdue_trials(None),
        "study: expected a study",
    ),
    "a pruner by a text": (lambda: GittinsPruner("1"), f"price: {POSITIVE} '1'"),
    "a pruner by two": (lambda: GittinsPruner(1, hour=1), "either a price or an hour"),
    "a budget is NaN": (lambda: GittinsPruner(budget=math.nan), f"budget: {POSITIVE} nan"),
    "no length": (lambda: GittinsPruner(total=0), f"total: {POSITIVE} 0"),
    "one share": (lambda: GittinsPruner(reports=0.1), "reports: expected shares of a trial, got 0"),
    "shares that fall": (lambda: GittinsPruner(reports=[0.5, 0.1]), "reports: report 2: expected"),
    "shares in percent": (
        lambda: GittinsPruner(reports=[2, 3]),
        "reports: report 1: expected.*got 2",
    ),
    "a cost is nothing": (lambda: GittinsPruner(cost=None), "cost: expected 'seconds'.*got None"),
    "a cost has no name": (lambda: GittinsPruner(cost=""), "cost: expected 'seconds'.*got ''"),
    "a seed is nothing": (lambda: GittinsPruner(seed=None), f"seed: {WHOLE}.*got None"),
    "stages of a pruner": (lambda: GittinsPruner(stages={}), "'stages' is no setting; stages= of"),
    "four objectives": (
        lambda: GittinsStop(1).verdict(optuna.create_study(directions=["minimize"] * 4)),
        "expected at most 3 objectives, got 4",
    ),
}


@pytest.mark.parametrize("mistake", OPTUNA)
def test_a_stop_and_a_pruner_name_what_is_wrong(mistake):
    check(*OPTUNA[mistake])


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_scalars_of_numpy_are_taken_and_unknown_fixed_names_break_nothing():
    numpy = pytest.importorskip("numpy")
    count = numpy.int64(2)
    sampler = GittinsSampler(seed=numpy.int64(3), n_startup_trials=count, overdue=numpy.float32(2))
    pruner = GittinsPruner(numpy.float64(0.1), seed=numpy.int64(3))
    study = optuna.create_study(sampler=PartialFixedSampler({"y": 1}, sampler), pruner=pruner)
    stop = GittinsStop(numpy.float64(1e-9))
    study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), 4, callbacks=[stop])
    assert len(study.trials) == 4


NAMES = {"C": (0.1, 10.0)}
SEARCH = {
    "no space": ({"space": None}, "space: expected a gittins.Space, or a dictionary.*got None"),
    "an empty space": (
        {"space": {}},
        r"space: expected a gittins.Space, or a dictionary.*got \{\}",
    ),
    "a name as a space": ({"space": "C"}, "space: expected a gittins.Space, or a dict.*got 'C'"),
    "a class as a space": ({"space": Space}, "space: expected a gittins.Space, or.*got <class"),
    "a study as a space": ({"space": Study(Space().flag("C"))}, r"space: expected.*got Study\("),
    "two spaces": ({"space": [NAMES, NAMES]}, "space: expected one dictionary, got a list of 2"),
    "a constant": ({"space": {"C": 1.0}}, "'C': expected a list.*a single value is in a list"),
    "a text": ({"space": {"kernel": "rbf"}}, "'kernel': expected.*a single value is in a list"),
    "no values": ({"space": {"C": []}}, r"'C': expected a value at least, got \[\]"),
    "bounds swapped": ({"space": {"C": (2.0, 1.0)}}, "'C': the lower bound must be below"),
    "a log from zero": ({"space": {"C": (0, 1, "log-uniform")}}, "'C'.*positive on a log scale"),
    "a scale misspelled": (
        {"space": {"C": (0.1, 1, "loguniform")}},
        "'C': the scale.*did you mean 'log-uniform'",
    ),
    "a bound is NaN": ({"space": {"C": (0.1, math.nan)}}, "'C': the upper bound.*finite.*nan"),
    "a name misspelled": ({"space": {"gama": (0.1, 1)}}, "SVC has no parameter 'gama'.*'gamma'"),
    "a number as a name": ({"space": {1: (0.1, 1)}}, "the name of a parameter: expected a text"),
    "the name of a step": (
        {"estimator": "pipeline", "space": NAMES},
        "Pipeline has no parameter 'C'; .*did you mean 'svc__C'",
    ),
    "a price of zero": ({"price": 0}, "'price' parameter.*Got 0"),
    "a price is a text": ({"price": "1"}, "'price' parameter.*Got '1'"),
    "a price is a flag": ({"price": True}, "price: expected a number, got True"),
    "a price and an hour": ({"price": 1, "hour": 1}, "price and hour: expected one of them"),
    "a budget is a text": ({"budget": "60"}, "'budget' parameter.*Got '60'"),
    "no candidates": ({"n_iter": 0}, "'n_iter' parameter.*Got 0"),
    "half a candidate": ({"n_iter": 2.5}, "'n_iter' parameter.*Got 2.5"),
    "both counts": ({"n_iter": 3, "n_trials": 3}, "n_iter and n_trials: expected one of them"),
    "one fold": ({"cv": 1}, "'cv' parameter.*Got 1"),
    "a score misspelled": ({"scoring": "acuracy"}, "'scoring' parameter.*Got 'acuracy'"),
    "refit is nothing": ({"refit": None}, "'refit' parameter.*Got None"),
    "workers are a text": ({"n_jobs": "2"}, "'n_jobs' parameter.*Got '2'"),
    "a random state is a text": ({"random_state": "1"}, "'random_state' parameter.*Got '1'"),
    "a seed": ({"seed": 1}, "'seed' is no setting; here it is 'random_state'"),
    "a grid": ({"param_grid": NAMES}, "'param_grid' is no setting; here it is 'space'"),
    "folds": ({"folds": 3}, "'folds' is no setting; here it is 'cv'"),
    "a time": ({"timeout": 3}, "'timeout' is no setting; here it is 'budget'"),
    "a direction": ({"direction": "maximize"}, "'direction' is no setting; .*maximizes its score"),
    "a misspelled setting": ({"njobs": 3}, "'njobs' is no setting; .*did you mean 'n_jobs'"),
}


@pytest.mark.parametrize("mistake", SEARCH)
def test_a_search_of_scikit_learn_names_what_is_wrong(mistake):
    pytest.importorskip("sklearn", minversion="1.5")
    datasets, svm = pytest.importorskip("sklearn.datasets"), pytest.importorskip("sklearn.svm")
    pipeline = pytest.importorskip("sklearn.pipeline")
    settings, words = SEARCH[mistake]
    settings = {"space": NAMES, "estimator": svm.SVC(), **settings}
    if settings["estimator"] == "pipeline":
        settings["estimator"] = pipeline.make_pipeline(svm.SVC())
    x, y = datasets.load_iris(return_X_y=True)
    check(lambda: gittins.GittinsSearchCV(**settings).fit(x, y), words)


STAGED = {"metric": "loss"}
GOOD = {"loss": 1.0, "training_iteration": 1, "time_this_iter_s": 1.0}
RAY = {
    "no study": ({"study": Space().flag("x")}, {}, r"study: expected a gittins.Study\(space, sta"),
    "a metric is a number": ({"metric": 3}, {}, "metric: expected a text, got 3"),
    "a metric is empty": ({"metric": ""}, {}, "metric: expected a text, got ''"),
    "metrics": ({"metric": ["loss"]}, {}, r"metric: expected a text, got \['loss'\]"),
    "no progress": ({"progress": None}, {}, "progress: expected a text, got None"),
    "a cost is a function": ({"cost": len}, {}, "cost: expected a text, got <built-in"),
    "a mode": ({"mode": "max"}, {}, "'mode' is no setting; a study has it"),
    "a space": ({"space": Space()}, {}, "'space' is no setting; space= of gittins.Study has it"),
    "a seed": ({"seed": 1}, {}, "'seed' is no setting; seed= of gittins.Study has it"),
    "a price": ({"price": 1}, {}, "'price' is no setting; price= of gittins.Study has it"),
    "a budget": ({"budget": 1}, {}, r"'budget' is no setting; gittins.Study\(budget=...\)"),
    "epochs": ({"epochs": 9}, {}, "'epochs' is no setting; stages= of gittins.Study has it"),
    "points": ({"points_to_evaluate": []}, {}, "first= of gittins.Study says what to begin with"),
    "misspelled": ({"metrc": "loss"}, {}, "'metrc' is no setting.*did you mean 'metric'"),
    "nothing like it": ({"num_samples": 3}, {}, "'num_samples' is no setting; there are"),
    "no loss": ({}, {"loss": ...}, "the trainable reports no 'loss', but"),
    "no epoch": ({}, {"training_iteration": ...}, "reports no 'training_iteration', but"),
    "a loss is nothing": ({}, {"loss": None}, "reports 'loss' as None, expected a number"),
    "a loss is a text": ({}, {"loss": "0.5"}, "reports 'loss' as '0.5', expected a number"),
    "losses": ({}, {"loss": [0.5]}, r"reports 'loss' as \[0.5\], expected a number"),
    "a cost is nothing": (
        {},
        {"time_this_iter_s": None},
        "'time_this_iter_s' as None, expected a n",
    ),
    "a cost is NaN": ({}, {"time_this_iter_s": math.nan}, "the cost: expected a finite number"),
    "a cost is negative": ({}, {"time_this_iter_s": -1}, "expected a cost of at least 0, got -1"),
    "an epoch is a text": (
        {},
        {"training_iteration": "1"},
        "'training_iteration' as '1', expected",
    ),
    "an epoch too late": ({}, {"training_iteration": 99}, "at most 9, got 99"),
}


@pytest.mark.parametrize("mistake", RAY)
def test_a_search_of_ray_names_what_is_wrong(mistake):
    pytest.importorskip("ray.tune")
    room = pytest.importorskip("gittins.ray")
    settings, result, words = RAY[mistake]
    study = Study(Space().float("x", 0, 1), stages={"epochs": 9}, budget=9.0)

    def told():
        search = room.GittinsSearch(**{"study": study, **STAGED, **settings})
        room.GittinsScheduler(search)
        search.suggest("a")
        given = {**GOOD, **result}
        search.result("a", {name: value for name, value in given.items() if value is not ...})

    check(told, words)
