"""scikit-learn's own tests of its searches, as far as they are installed, with this search."""

from __future__ import annotations

import inspect
import itertools
import pathlib
import re

import pytest

# The lists below are those of its tests from this version on.
pytest.importorskip("sklearn", minversion="1.9")
own = pytest.importorskip("sklearn.model_selection.tests.test_search")

import sklearn  # noqa: E402
from sklearn.linear_model import LogisticRegression, Ridge  # noqa: E402
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from gittins.sklearn import GittinsSearchCV  # noqa: E402

#: More candidates than any grid of the tests has.
ALL = 40

#: Tests that do not hold, and what they expect.
OTHERWISE = {
    "test_grid_search": "the order of a grid",
    "test_grid_search_pipeline_steps": "the order of a grid",
    "test_grid_search_when_param_grid_includes_range": "the order of a grid",
    "test_refit_callable": "the order of a grid",
    "test_refit_callable_multi_metric": "the order of a grid",
    "test_search_default_iid": "the order of a grid",
    "test_search_cv_results_none_param": "the order of a grid",
    "test_search_cv_timing": "the order of a grid",
    "test_search_with_2d_array": "the draws of a seed",
    "test_grid_search_correct_score_results": "all folds of all candidates",
    "test_grid_search_with_multioutput_data": "all folds of all candidates",
    "test_grid_search_cv_splits_consistency": "all folds of all candidates",
    "test_grid_search_failing_classifier": "all folds of all candidates",
    "test_callable_multimetric_error_failing_clf": "all folds of all candidates",
    "test_grid_search_cv_results": "several dictionaries",
    "test_random_search_cv_results": "several dictionaries",
    "test_grid_search_cv_results_multimetric": "several dictionaries",
    "test_predict_proba_disabled": "an empty dictionary",
    "test_grid_search_bad_param_grid": "the words of an error about a grid",
}
#: Tests that have nothing of a search in them, or searches that were made beforehand.
ELSEWHERE = {
    "test_validate_parameter_input",
    "test_parameter_grid",
    "test_param_sampler",
    "test_parameters_sampler_replacement",
    "test_custom_run_search",
    "test__custom_fit_no_run_search",
    "test_search_cv_score_samples_error",
    "test_unsupported_sample_weight_scorer",
    "test_search_cv_sample_weight_equivalence",
    "test_search_cv_score_samples_method",
    "test_searchcv_raise_warning_with_non_finite_score",
    "test_yield_masked_array_for_each_param",
    "test_yield_masked_array_no_runtime_warning",
    "test_search_callbacks_no_propagation",
    "test_search_callbacks_propagation",
    "test_search_callbacks_receive_search_instance",
    # It needs packages for other arrays.
    "test_array_api_search_cv_classifier",
}
#: It starts processes on eight cores, several times.
SLOW = {"test_cv_results_dtype_issue_29074"}

made = []


def grid(estimator, param_grid=None, *, pre_dispatch=None, **settings):
    made.append("grid")
    return GittinsSearchCV(estimator, param_grid, n_iter=ALL, random_state=0, **settings)


def randomized(estimator, param_distributions=None, *, n_iter=10, pre_dispatch=None, **settings):
    made.append("randomized")
    settings = {"random_state": 0, **settings}
    return GittinsSearchCV(estimator, param_distributions, n_iter=n_iter, **settings)


OURS = {GridSearchCV: grid, RandomizedSearchCV: randomized}


def sets_of(test):
    """All sets of arguments of a test that is run several times."""
    lists = []
    for mark in getattr(test, "pytestmark", []):
        if mark.name == "parametrize":
            names, values = mark.args
            names = re.findall(r"\w+", names) if isinstance(names, str) else names
            values = [getattr(value, "values", value) for value in values]
            values = [value if len(names) > 1 else (value,) for value in values]
            lists.append([dict(zip(names, value)) for value in values])
    for chosen in itertools.product(*lists):
        given = {name: value for part in chosen for name, value in part.items()}
        # Some are run with searches by halving, too.
        if all(given.get(name) in (None, *OURS) for name in ("SearchCV", "search_cv")):
            yield {
                name: OURS[value] if isinstance(value, type) and value in OURS else value
                for name, value in given.items()
            }


def own_tests():
    for name, test in vars(own).items():
        if name.startswith("test_") and not {name} & (set(OTHERWISE) | ELSEWHERE | SLOW):
            for number, given in enumerate(sets_of(test)):
                yield pytest.param(test, given, id=f"{name}-{number}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("test", "given"), list(own_tests()))
def test_a_test_of_scikit_learn_holds(test, given, monkeypatch, request):
    monkeypatch.setattr(own, "GridSearchCV", grid)
    monkeypatch.setattr(own, "RandomizedSearchCV", randomized)
    made.clear()
    wanted = [name for name in inspect.signature(test).parameters if name not in given]
    test(**given, **{name: request.getfixturevalue(name) for name in wanted})
    assert made, "the test made no search"


def test_the_page_says_how_many_hold_and_why_others_do_not():
    page = pathlib.Path(__file__).parents[2] / "docs" / "sklearn.md"
    if not page.exists():
        pytest.skip("the pages of the repository are not here")
    text = " ".join(page.read_text().split())
    assert {why for why in OTHERWISE.values() if why not in text} == set()
    if sklearn.__version__.startswith("1.9."):
        (number,) = re.findall(r"Of those of 1\.9, (\d+) hold", text)
        assert int(number) == len({param.values[0] for param in own_tests()})


def searches():
    for estimator, space in (
        (LogisticRegression(), {"C": (0.1, 1.0, "log-uniform")}),
        (Ridge(), {"alpha": (0.1, 1.0)}),
    ):
        yield GittinsSearchCV(estimator, space, n_iter=2, cv=2, random_state=0)


def unlike(search):
    """What scikit-learn's own searches do not pass with the same estimator either."""
    if isinstance(search.estimator, Ridge):
        return {"check_supervised_y_2d": "Ridge takes targets of two dimensions without a warning"}
    return {}


@parametrize_with_checks(list(searches()), expected_failed_checks=unlike)
def test_a_check_of_estimators_holds(estimator, check):
    check(estimator)
