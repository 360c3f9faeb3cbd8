"""`GittinsSearchCV`: what a search pays for, what it says of it, and what it ends by."""

from __future__ import annotations

import itertools
import math
import pathlib
import pickle
import re
import subprocess
import sys
import time

import pytest

pytest.importorskip("sklearn", minversion="1.5")

import numpy as np
from joblib import parallel_config
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    PredefinedSplit,
    RandomizedSearchCV,
    ShuffleSplit,
    cross_val_score,
)
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

import gittins
from gittins.sklearn import GittinsSearchCV

ROWS, CLASSES = load_iris(return_X_y=True)
SVM = {"C": (1e-3, 1e3, "log-uniform"), "gamma": (1e-5, 1e1, "log-uniform")}


class Peak(ClassifierMixin, BaseEstimator):
    """Its score is known: it is best at a rate of 0.01, and folds differ by how hard they are."""

    def __init__(self, rate=1.0, broken=False, breaks_from=math.inf):
        self.rate = rate
        self.broken = broken
        self.breaks_from = breaks_from

    def fit(self, X, y, sample_weight=None):
        if self.broken or self.rate >= self.breaks_from:
            raise RuntimeError("this one is broken")
        self.classes_ = np.unique(y)
        self.weighed_ = sample_weight is not None
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])

    def score(self, X, y, sample_weight=None):
        return 1.0 - (math.log10(self.rate) + 2.0) ** 2 - 0.1 * float(np.mean(X[:, 0]))


@pytest.fixture(autouse=True)
def ticks(monkeypatch):
    """A clock that ticks whenever it is read: with one worker each fold takes two seconds."""
    monkeypatch.setattr(time, "perf_counter", map(float, itertools.count()).__next__)


RATE = {"rate": (1e-5, 1e1, "log-uniform")}


def peak(space=RATE, **settings):
    settings = {"n_iter": 20, "random_state": 0, **settings}
    return GittinsSearchCV(Peak(), space, **settings).fit(ROWS, CLASSES)


def test_bad_settings_are_left_before_all_folds_are_fitted():
    search = peak(n_iter=30)
    counts = search.cv_results_["n_folds"]
    assert len(counts) == 30
    assert 0 < sum(counts == 5) < 20
    assert counts.min() >= 1
    assert counts[search.best_index_] == 5
    assert abs(math.log10(search.best_params_["rate"]) + 2.0) < 0.25


def test_the_best_score_is_that_of_a_cross_validation():
    search = GittinsSearchCV(SVC(), SVM, n_iter=15, random_state=1).fit(ROWS, CLASSES)
    scores = cross_val_score(SVC(**search.best_params_), ROWS, CLASSES, cv=5)
    results, best = search.cv_results_, search.best_index_
    assert [results[f"split{fold}_test_score"][best] for fold in range(5)] == list(scores)
    assert search.best_score_ == results["mean_test_score"][best] == np.mean(scores)
    assert results["std_test_score"][best] == np.std(scores)
    assert results["rank_test_score"][best] == 1
    assert results["params"][best] == search.best_params_
    assert search.best_estimator_.get_params()["C"] == search.best_params_["C"]
    assert search.score(ROWS, CLASSES) == search.best_estimator_.score(ROWS, CLASSES)
    assert search.refit_time_ > 0


def test_a_fold_that_was_not_fitted_has_no_score():
    results = peak(return_train_score=True).cv_results_
    counts = results["n_folds"]
    for of in ("test", "train"):
        folds = np.array([results[f"split{fold}_{of}_score"] for fold in range(5)])
        assert np.array_equal((~np.isnan(folds)).sum(axis=0), counts)
        assert np.array_equal(np.isnan(results[f"mean_{of}_score"]), counts < 5)
    last = results["rank_test_score"].max()
    assert all(results["rank_test_score"][counts < 5] == last)
    assert np.isfinite(results["mean_fit_time"]).all()
    assert (results["std_score_time"] >= 0).all()


@pytest.mark.parametrize("scoring", [None, ["accuracy", "f1_macro"]])
def test_results_have_the_form_of_randomized_search(scoring):
    space = {"C": stats.loguniform(1e-2, 1e2), "kernel": ["linear", "rbf"]}
    settings = {"n_iter": 6, "scoring": scoring, "refit": scoring is None, "random_state": 0}
    theirs = RandomizedSearchCV(SVC(), space, **settings).fit(ROWS, CLASSES).cv_results_
    ours = GittinsSearchCV(SVC(), space, **settings).fit(ROWS, CLASSES).cv_results_
    assert set(ours) == {*theirs, "n_folds"}
    for key, values in theirs.items():
        assert type(ours[key]) is type(values)
        assert len(ours[key]) == 6
        assert getattr(ours[key], "dtype", None) == getattr(values, "dtype", None), key


def test_without_an_end_fifty_candidates_begin():
    search = peak(n_iter=None)
    assert len(search.cv_results_["params"]) == 50
    assert search.verdict_.rule == "number of trials"
    assert str(search.verdict_) == "stop: 50 of 50 candidates began"


@pytest.mark.parametrize("end", [{"price": 1e-3}, {"hour": 3.6}])
def test_a_price_ends_a_search(end):
    search = peak(n_iter=None, **end)
    assert search.verdict_.words.startswith("stop: nothing is worth its price any more; ")
    assert isinstance(search.verdict_, gittins.Verdict)
    assert abs(math.log10(search.best_params_["rate"]) + 2.0) < 0.5


def test_candidates_are_no_more_than_n_iter_beside_a_price():
    search = peak(n_iter=7, price=1e-9)
    assert len(search.cv_results_["params"]) == 7
    assert search.verdict_.rule == "number of trials"


def test_a_budget_is_kept():
    search = peak(n_iter=None, budget=100.0)
    costs = [report.cost for run in search.study_.trials() for report in run.reports]
    assert set(costs) == {2.0}
    assert search.spent_ == sum(costs) == 100.0
    assert "budget" in search.verdict_.words


@pytest.mark.parametrize("workers", [1, 3])
def test_one_candidate_comes_to_its_end_whatever_the_budget(workers):
    with parallel_config(backend="threading"):
        search = peak(n_iter=None, budget=1e-9, n_jobs=workers)
    assert sum(search.cv_results_["n_folds"] == 5) >= 1
    assert search.cv_results_["n_folds"][search.best_index_] == 5


def test_a_budget_also_ends_what_is_left_of_so_many_candidates():
    free = peak(n_iter=20)
    assert free.spent_ == 2.0 * free.cv_results_["n_folds"].sum()
    for seconds, rule in ((60.0, "budget"), (80.0, "number of trials")):
        bound = peak(n_iter=20, budget=seconds)
        assert bound.spent_ <= seconds < free.spent_
        assert bound.verdict_.rule == rule


def test_a_price_also_ends_what_is_left_of_so_many_candidates():
    dear = peak(n_iter=9, price=1e6).cv_results_["n_folds"]
    assert sum(dear == 5) == 1
    assert sum(peak(n_iter=9, price=1e-9).cv_results_["n_folds"]) > sum(dear)


def test_a_search_is_the_same_if_its_seconds_are():
    one, other = (peak(n_iter=15).cv_results_ for _ in range(2))
    assert one["params"] == other["params"]
    assert list(one["n_folds"]) == list(other["n_folds"])


def test_one_candidate_is_a_cross_validation():
    search = peak(n_iter=1)
    assert list(search.cv_results_["n_folds"]) == [5]


def test_all_settings_of_a_small_space_are_enough():
    search = peak({"rate": [0.001, 0.01, 0.1]}, n_iter=50)
    assert sorted(search.cv_results_["param_rate"]) == [0.001, 0.01, 0.1]
    assert search.best_params_ == {"rate": 0.01}


@pytest.mark.parametrize(
    "cv", [ShuffleSplit(1, random_state=0), PredefinedSplit(np.arange(150) % 3 - 1 > 0)]
)
def test_folds_may_be_one(cv):
    splits = cv.get_n_splits()
    search = peak(cv=cv, n_iter=15)
    assert search.n_splits_ == splits
    assert abs(math.log10(search.best_params_["rate"]) + 2.0) < 0.5


def test_a_random_splitter_splits_once():
    class Counted(KFold):
        times = 0

        def split(self, *given, **settings):
            Counted.times += 1
            return super().split(*given, **settings)

    peak(cv=Counted(3, shuffle=True))
    assert Counted.times == 1


def test_a_fit_that_breaks_is_no_score_and_not_fitted_again():
    with (
        pytest.warns(FitFailedWarning, match="fits failed out of a total of"),
        pytest.warns(UserWarning, match="test scores are non-finite"),
    ):
        search = peak({**RATE, "breaks_from": [1e-1]}, n_iter=20)
    results = search.cv_results_
    broken = results["param_rate"] >= 1e-1
    assert broken.any()
    assert (results["n_folds"][broken] == 1).all()
    assert np.isnan(results["mean_test_score"][broken]).all()
    states = {run.trial: run.state for run in search.study_.trials()}
    assert {states[place] for place in np.flatnonzero(broken)} == {"failed"}
    assert abs(math.log10(search.best_params_["rate"]) + 2.0) < 0.5


def test_a_fit_that_breaks_may_have_a_score():
    with pytest.warns(FitFailedWarning, match="will be set to -50"):
        search = peak({**RATE, "breaks_from": [1e-1]}, error_score=-50.0)
    results = search.cv_results_
    broken = results["param_rate"] >= 1e-1
    assert set(results["split0_test_score"][broken]) == {-50.0}
    assert all(run.state != "failed" for run in search.study_.trials())


def test_a_fit_that_breaks_may_raise():
    with pytest.raises(RuntimeError, match="this one is broken"):
        peak({"broken": [True], **RATE}, error_score="raise")


def test_a_search_gives_up_if_all_fits_break():
    with pytest.raises(ValueError, match="All the 20 fits failed"):
        peak({"broken": [True], **RATE}, n_iter=1000)


def test_a_score_that_is_no_number_is_a_failure():
    def scored(estimator, X, y):
        return math.nan if estimator.rate > 1e-1 else estimator.score(X, y)

    with pytest.warns(UserWarning, match="test scores are non-finite"):
        search = peak(scoring=scored)
    assert search.best_params_["rate"] <= 1e-1
    assert "failed" in {run.state for run in search.study_.trials()}


@pytest.mark.filterwarnings("error")
def test_a_fold_that_was_not_fitted_is_no_reason_to_warn():
    assert (peak().cv_results_["n_folds"] < 5).any()


def test_several_scores_are_kept_and_the_named_one_is_searched():
    def low(estimator, X, y):
        return -estimator.score(X, y)

    def high(estimator, X, y):
        return estimator.score(X, y)

    for refit, sign in (("high", 1), ("low", -1)):
        search = peak(scoring={"low": low, "high": high}, refit=refit)
        assert search.multimetric_
        distance = abs(math.log10(search.best_params_["rate"]) + 2.0)
        assert (distance < 0.5) == (sign > 0)
        assert search.best_score_ == search.cv_results_[f"mean_test_{refit}"][search.best_index_]
    search = peak(scoring={"high": high, "low": low}, refit=False)
    assert not hasattr(search, "best_params_")
    best = np.nanargmax(search.cv_results_["mean_test_high"])
    assert abs(math.log10(search.cv_results_["params"][best]["rate"]) + 2.0) < 0.5


def test_a_function_chooses_among_what_came_to_its_end():
    seen = []

    def worst(results):
        seen.append(results)
        return int(np.argmin(results["mean_test_score"]))

    search = peak(refit=worst)
    (results,) = seen
    assert np.isfinite(results["mean_test_score"]).all()
    assert (results["n_folds"] == 5).all()
    assert 1 < len(results["params"]) < 20
    mean = search.cv_results_["mean_test_score"]
    assert mean[search.best_index_] == np.nanmin(mean)
    assert search.best_params_ == search.cv_results_["params"][search.best_index_]
    assert search.best_estimator_.rate == search.best_params_["rate"]


def test_groups_and_weights_reach_who_needs_them():
    groups = np.arange(150) % 7
    search = GittinsSearchCV(Peak(), RATE, n_iter=3, cv=GroupKFold(3), random_state=0)
    with pytest.raises(ValueError, match="'groups' parameter should not be None"):
        search.fit(ROWS, CLASSES)
    search.fit(ROWS, CLASSES, groups=groups, sample_weight=np.ones(150))
    assert search.best_estimator_.weighed_


def test_parameters_of_steps_and_steps_themselves_are_searched():
    pipe = Pipeline([("scale", StandardScaler()), ("model", SVC())])
    steps = [StandardScaler(), MinMaxScaler(), "passthrough"]
    space = {"scale": steps, "model__C": (1e-2, 1e2, "log-uniform")}
    search = GittinsSearchCV(pipe, space, n_iter=8, cv=3, random_state=0).fit(ROWS, CLASSES)
    assert any(search.best_params_["scale"] is step for step in steps)
    # What is searched is cloned, not fitted.
    assert not hasattr(steps[0], "mean_")
    assert search.predict(ROWS[:3]).shape == (3,)


def test_parameters_may_exist_under_conditions():
    space = (
        gittins.Space()
        .choice("kernel", ["linear", "rbf"])
        .log_float("gamma", 1e-3, 1e1, when={"kernel": "rbf"})
    )
    search = GittinsSearchCV(SVC(), space, n_iter=10, cv=3, random_state=0).fit(ROWS, CLASSES)
    results = search.cv_results_
    linear = results["param_kernel"] == "linear"
    assert linear.any()
    assert not linear.all()
    assert np.array_equal(np.ma.getmaskarray(results["param_gamma"]), linear)
    assert all("gamma" not in one for one in np.array(results["params"])[linear])


def test_workers_fit_several_folds_at_a_time():
    with parallel_config(backend="threading"):
        search = peak(n_jobs=3, n_iter=12)
    assert len(search.cv_results_["params"]) == 12
    assert abs(math.log10(search.best_params_["rate"]) + 2.0) < 0.5


def test_a_seed_begins_alike():
    def first(state):
        return peak(random_state=state, n_iter=9).cv_results_["param_rate"][:3].tolist()

    assert first(3) == first(3) == first(np.random.RandomState(3))
    assert first(3) != first(4)


def test_a_search_is_cloned_and_pickled():
    search = peak()
    again = pickle.loads(pickle.dumps(search))
    assert again.best_params_ == search.best_params_
    assert not hasattr(again, "study_")
    assert again.verdict_ == search.verdict_
    fresh = clone(search)
    assert fresh.get_params()["space"] == RATE
    with pytest.raises(NotFittedError):
        fresh.predict(ROWS)


def test_the_example_of_scikit_optimize_needs_two_lines_changed():
    search = GittinsSearchCV(
        SVC(),
        {
            "C": (1e-6, 1e6, "log-uniform"),
            "gamma": (1e-6, 1e1, "log-uniform"),
            "degree": (1, 8),
            "kernel": ["linear", "poly", "rbf"],
        },
        n_iter=32,
        cv=3,
        random_state=0,
    )
    search.fit(ROWS, CLASSES)
    assert search.score(ROWS, CLASSES) > 0.95
    assert type(search.best_params_["degree"]) is int


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"price": 0}, "'price' parameter of GittinsSearchCV must be a float in the range"),
        ({"price": -1.0}, "'price' parameter"),
        ({"price": "1"}, "'price' parameter"),
        ({"price": math.nan}, "'price' parameter"),
        ({"hour": 0.0}, "'hour' parameter"),
        ({"budget": 0}, "'budget' parameter"),
        ({"n_iter": 0}, "'n_iter' parameter"),
        ({"n_iter": 2.5}, "'n_iter' parameter"),
        ({"n_trials": 0}, "'n_trials' parameter"),
        ({"n_iter": 3, "n_trials": 3}, "n_iter and n_trials: expected one of them, got 3 and 3"),
        ({"price": 1.0, "hour": 1.0}, "price and hour: expected one of them"),
        ({"cv": 1}, "cv.* must be an int in the range|requires at least one train/test split"),
        ({"refit": "accuracy", "scoring": ["recall"]}, "refit must be set to a scorer key"),
    ],
)
def test_mistakes_are_named(settings, words):
    with pytest.raises(ValueError, match=words):
        GittinsSearchCV(Ridge(), {"alpha": (0.1, 1.0)}, **settings).fit(ROWS, CLASSES)


def test_a_number_of_trials_is_a_number_of_candidates():
    search = GittinsSearchCV(Ridge(), {"alpha": (0.1, 1.0)}, n_trials=3, random_state=0)
    search.fit(ROWS, CLASSES)
    assert len(search.cv_results_["params"]) == 3
    assert search.get_params()["n_trials"] == 3
    with pytest.raises(TypeError, match="'lam' is no setting; here it is 'price'"):
        GittinsSearchCV(Ridge(), {}, lam=1.0)


def test_the_program_of_types_has_each_setting():
    page = pathlib.Path(__file__).with_name("typed.py").read_text()
    settings = set(GittinsSearchCV(Ridge(), {}).get_params(deep=False)) - {"space"}
    assert settings <= set(re.findall(r"\w+", page))


def test_the_package_itself_needs_no_scikit_learn():
    code = "import gittins, sys; assert 'sklearn' not in sys.modules; gittins.sklearn; "
    code += "assert 'sklearn' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_missing_scikit_learn_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    for name in [name for name in sys.modules if name.startswith("gittins.sklearn")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ImportError, match=r'pip install "gittins\[sklearn\]"'):
        __import__("gittins.sklearn")
