"""What `GittinsSearchCV` takes for a space."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

pytest.importorskip("sklearn", minversion="1.5")

import numpy as np
import optuna
from scipy import stats
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from gittins import Space, errors
from gittins.sklearn._space import QUANTILES, check_names, searched


class Integer(SimpleNamespace):
    """As scikit-optimize calls it."""


class Real(SimpleNamespace):
    """As scikit-optimize calls it."""


@pytest.mark.parametrize(
    ("what", "space"),
    [
        ((1, 8), Space().int("x", 1, 8)),
        ((np.int64(1), np.int64(8)), Space().int("x", 1, 8)),
        ((1, 8.0), Space().float("x", 1, 8)),
        ((0.5, 8.0, "uniform"), Space().float("x", 0.5, 8)),
        ((1e-6, 1e6, "log-uniform"), Space().log_float("x", 1e-6, 1e6)),
        ((1, 64, "log-uniform", 2), Space().log_int("x", 1, 64)),
        (stats.uniform(1, 4), Space().float("x", 1, 5)),
        (stats.loguniform(1e-2, 1e2), Space().log_float("x", 1e-2, 1e2)),
        (stats.reciprocal(1e-2, 1e2), Space().log_float("x", 1e-2, 1e2)),
        (stats.randint(2, 9), Space().int("x", 2, 8)),
        (stats.expon(scale=3), Space().float("x", *QUANTILES)),
        (optuna.distributions.FloatDistribution(0, 1), Space().float("x", 0, 1)),
        (optuna.distributions.FloatDistribution(1, 9, log=True), Space().log_float("x", 1, 9)),
        (optuna.distributions.FloatDistribution(0, 1, step=0.1), Space().steps("x", 0, 1, 0.1)),
        (optuna.distributions.IntDistribution(1, 9), Space().int("x", 1, 9)),
        (optuna.distributions.IntDistribution(1, 9, log=True), Space().log_int("x", 1, 9)),
        (optuna.distributions.IntDistribution(1, 9, step=2), Space().steps("x", 1, 9, 2)),
        (Real(low=0.1, high=1.0, prior="log-uniform"), Space().log_float("x", 0.1, 1)),
        (Integer(low=1, high=9, prior="uniform"), Space().int("x", 1, 9)),
    ],
)
def test_a_range_may_be_given_in_many_ways(what, space):
    assert searched({"x": what}).space == space


@pytest.mark.parametrize(
    ("what", "values"),
    [
        ([3, 1, 2], [1, 2, 3]),
        ((1, 2, 3), [1, 2, 3]),
        (range(2, 6), [2, 3, 4, 5]),
        (np.logspace(-2, 2, 3), list(np.logspace(-2, 2, 3))),
        (["a", "b"], ["a", "b"]),
        (("a", "b"), ["a", "b"]),
        ([None, 4, 0.5, "sqrt"], [None, 4, 0.5, "sqrt"]),
        ([True, False], [True, False]),
        ([(1, 1), (1, 2)], [(1, 1), (1, 2)]),
        ([math.log, len], [math.log, len]),
        (optuna.distributions.CategoricalDistribution(["a", None]), ["a", None]),
        (SimpleNamespace(categories=("a", "b")), ["a", "b"]),
    ],
)
def test_values_come_back_as_they_were_given(what, values):
    found = searched({"x": what})
    read = [found.params({"x": place})["x"] for place in range(len(values))]
    assert read == values
    assert [type(value) for value in read] == [type(value) for value in values]


def test_a_list_of_numbers_has_an_order_and_others_have_none():
    assert searched({"x": [10, 1, 10**400]}).space == Space().int("x", 0, 2)
    assert searched({"x": [math.nan, 1.0]}).space == Space().choice("x", range(2))
    assert searched({"x": ["a", 1, 100]}).space == Space().choice("x", range(3))


def test_whole_steps_are_whole_numbers():
    found = searched({"x": optuna.distributions.IntDistribution(1, 9, step=2)})
    assert type(found.params({"x": 3.0})["x"]) is int


def test_quantiles_are_those_of_the_distribution():
    found = searched({"x": stats.expon(scale=3)})
    # The median of an exponential distribution with mean 3.
    assert found.params({"x": 0.5})["x"] == pytest.approx(3 * math.log(2))
    whole = searched({"x": stats.poisson(4)}).space
    assert whole == Space().int("x", 0, int(stats.poisson(4).ppf(QUANTILES[1])))


def test_what_does_not_vary_is_set_all_the_same():
    found = searched({"x": (0.0, 1.0), "y": ["a"], "z": [len]})
    assert found.space.names == ["x"]
    assert found.params({"x": 0.5}) == {"x": 0.5, "y": "a", "z": len}
    single = searched({"y": ["a"], "z": [len]})
    assert single.is_single
    assert single.params({"z": 1}) == {"y": "a", "z": len}
    assert not found.is_single


def test_a_list_may_have_one_dictionary():
    assert searched([{"x": (0, 5)}]).space == Space().int("x", 0, 5)


@pytest.mark.parametrize(
    ("space", "words"),
    [
        ({}, r"space: expected a gittins\.Space, or a dictionary"),
        ("C", r"space: expected a gittins\.Space, or a dictionary"),
        (Space(), "space: expected at least one parameter, got none"),
        ([{"C": [1, 2]}, {"gamma": [1, 2]}], "expected one dictionary, got a list of 2"),
        ({"C": []}, "space, 'C': expected a value at least"),
        ({"C": 1.0}, "space, 'C': expected a list of values.*got 1.0; a single value is in a list"),
        ({"C": "rbf"}, "space, 'C': expected a list of values"),
        ({"C": {1, 2}}, "space, 'C': expected a list of values"),
        ({"C": None}, "space, 'C': expected a list of values"),
        ({"C": (2.0, 1.0)}, "parameter 'C': the lower bound must be below the upper one"),
        ({"C": (0, 1, "log-uniform")}, "parameter 'C': the lower bound must be positive"),
        ({"C": (0.1, 1, "log")}, "space, 'C': the scale: expected 'uniform' or 'log-uniform'"),
        ({1: (0.1, 1)}, "space: the name of a parameter: expected a text, got 1"),
    ],
)
def test_mistakes_are_named(space, words):
    with pytest.raises(errors.GittinsError, match=words):
        searched(space)


@pytest.mark.parametrize(
    ("estimator", "name", "words"),
    [
        (SVC(), "gama", "SVC has no parameter 'gama'; there are .* did you mean 'gamma'"),
        (make_pipeline(StandardScaler(), Ridge()), "alpha", "Pipeline has no parameter 'alpha'"),
        (
            make_pipeline(StandardScaler(), Ridge()),
            "ridge__alfa",
            "no parameter 'ridge__alfa'; there are .* did you mean 'ridge__alpha'",
        ),
    ],
)
def test_a_name_that_the_estimator_lacks_is_named(estimator, name, words):
    with pytest.raises(errors.InvalidSettingError, match=words):
        check_names(searched({name: (0.1, 1.0)}), estimator)


def test_what_is_below_a_searched_step_is_known_later():
    pipe = make_pipeline(StandardScaler(), Ridge())
    check_names(searched({"ridge": [Ridge(), SVC()], "ridge__gamma": (0.1, 1.0)}), pipe)


def test_equal_bounds_set_a_value():
    found = searched({"C": (1.0, 1.0), "n": (3, 3), "rate": (2, 2, "log-uniform"), "k": (0.1, 1.0)})
    assert found.fixed == {"C": 1.0, "n": 3, "rate": 2}
    assert found.space.names == ["k"]
    assert searched({"C": (1.0, 1.0)}).is_single
