"""`GittinsSearchCV`: a search of scikit-learn that pays for a cross-validation fold by fold."""

from __future__ import annotations

import math
import numbers
import time
from typing import TYPE_CHECKING, Any

from sklearn.base import _fit_context, clone, is_classifier  # type: ignore[import-untyped]
from sklearn.model_selection import check_cv  # type: ignore[import-untyped]
from sklearn.model_selection._search import BaseSearchCV  # type: ignore[import-untyped]
from sklearn.model_selection._validation import (  # type: ignore[import-untyped]
    _insert_error_scores,
    _warn_or_raise_about_fit_failures,
)
from sklearn.utils import check_random_state, indexable  # type: ignore[import-untyped]
from sklearn.utils._param_validation import Interval  # type: ignore[import-untyped]
from sklearn.utils.validation import _check_method_params  # type: ignore[import-untyped]

from gittins._words import answering
from gittins.errors import InvalidSettingError
from gittins.sklearn._callbacks import Tasks
from gittins.sklearn._course import Course
from gittins.sklearn._evaluation import Evaluation
from gittins.sklearn._results import ended, formatted
from gittins.sklearn._space import check_names, searched
from gittins.space import Space
from gittins.study import Study

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from typing_extensions import Self

    from gittins.trial import Verdict


__all__ = ["N_ITER", "GittinsSearchCV"]

#: How many candidates begin if nothing says when a search ends.
N_ITER = 50

_POSITIVE = [Interval(numbers.Real, 0, None, closed="neither"), None]
_SEEDS = 2**31 - 1


class GittinsSearchCV(BaseSearchCV):  # type: ignore[misc]
    """A search for the parameters of an estimator that leaves bad settings after a fold or two.

    It is used as `RandomizedSearchCV` is, and has its methods and attributes. Each fold of a
    cross-validation is paid for by itself: after each one the search goes on with this candidate,
    resumes one that was left, or begins another, whichever is worth most for its seconds. Only a
    candidate of which all folds were fitted can be the best.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from gittins.sklearn import GittinsSearchCV
    >>> x, y = load_iris(return_X_y=True)
    >>> space = {"C": (1e-2, 1e3, "log-uniform"), "gamma": (1e-4, 1e1, "log-uniform")}
    >>> search = GittinsSearchCV(SVC(), space, n_iter=20, random_state=0).fit(x, y)
    >>> bool(search.best_score_ > 0.96)
    True

    A search ends by the first of those that are given:

    - `n_iter` (or `n_trials`): `n_iter` candidates were started, and no paused candidate can still
      win, or is worth its price if there is one.
    - `price` or `hour`: nothing is worth its seconds any more.
    - `budget`: the seconds are spent.

    If none is given, 50 candidates are started.

    The seconds of a fold are those of fitting and scoring it, and those in which the search chose
    it. With several workers their seconds are summed. Measured seconds differ from run to run, so
    two searches with the same `random_state` begin alike and may then part.

    Args:
        estimator: What is fitted. It has a method `score`, or `scoring` is given.
        space: What is searched: a `gittins.Space`, or a dictionary from names of parameters to a
            list of values; two bounds `(low, high)`, with whole numbers in between if both are
            whole; `(low, high, "log-uniform")`; a distribution of SciPy or Optuna; or a dimension
            of scikit-optimize. Values may be anything, also estimators and functions. Numbers of a
            list are taken in rising order, at equal distances.
        price: What a second must bring, in units of the score.
        hour: What an hour must bring, in place of `price`.
        budget: How many seconds all folds may take together.
        n_iter: How many candidates may begin.
        n_trials: The same, in the word of a `gittins.Study`.
        scoring: What is maximized, as in `RandomizedSearchCV`. Of several scores it is the one that
            `refit` names, or the first one if `refit` is `False` or a function.
        n_jobs: How many folds are fitted at a time, by joblib. The search waits for all of a round.
        refit: Whether the best estimator is fitted on all rows; the name of a score, if there are
            several; or a function from results to the index of the best. It is given the results of
            the candidates of which all folds were fitted.
        cv: The folds, as in `RandomizedSearchCV`. They are split once, the same for all candidates.
        verbose: How much scikit-learn prints, from 0 to 10.
        random_state: The seed: a number, a state of NumPy, or `None` for another one each time.
        error_score: The score of a fold whose fit breaks; `"raise"` raises. With NaN the other
            folds of that candidate are not fitted, and the search learns where fits break.
        return_train_score: Whether results have scores on the rows that were fitted, too.

    Attributes:
        cv_results_: The results as in `RandomizedSearchCV`, and in `n_folds` how many folds were
            fitted of each candidate. Scores of folds that were not are NaN, and so is the mean.
        best_estimator_: The estimator that was fitted on all rows, if `refit`.
        best_score_: Its mean score over the folds.
        best_params_: Its parameters.
        best_index_: Its place in the results.
        scorer_: What scored.
        n_splits_: How many folds there are.
        refit_time_: The seconds of the last fit, on all rows.
        multimetric_: Whether there are several scores.
        study_: The `gittins.Study`. It is not kept when the search is pickled.
        verdict_: Why the search ended, as a `gittins.Verdict`.
        spent_: The seconds that it took, without the last fit.

    Raises:
        GittinsError: The space makes no sense, or the estimator has no such parameter.
        InvalidParameterError: Another argument makes no sense. Both are `ValueError`.
    """

    cv_results_: dict[str, Any]
    best_estimator_: Any
    best_score_: float
    best_params_: dict[str, Any]
    best_index_: int
    scorer_: Any
    n_splits_: int
    refit_time_: float
    multimetric_: bool
    study_: Study
    verdict_: Verdict
    spent_: float
    feature_names_in_: Any

    _parameter_constraints: dict[str, Any] = {  # noqa: RUF012
        **{
            key: value
            for key, value in BaseSearchCV._parameter_constraints.items()
            if key != "pre_dispatch"
        },
        "space": "no_validation",
        "price": _POSITIVE,
        "hour": _POSITIVE,
        "budget": _POSITIVE,
        "n_iter": [Interval(numbers.Integral, 1, None, closed="left"), None],
        "n_trials": [Interval(numbers.Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    @answering
    def __init__(
        self,
        estimator: Any,
        space: Space | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        price: float | None = None,
        hour: float | None = None,
        budget: float | None = None,
        n_iter: int | None = None,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: bool | str | Callable[[dict[str, Any]], int] = True,
        cv: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        error_score: Any = math.nan,
        return_train_score: bool = False,
        n_trials: int | None = None,
    ) -> None:
        # Not that of the base: it sets a `pre_dispatch`, and a round is dispatched as a whole.
        self.estimator = estimator
        self.space = space
        self.price = price
        self.hour = hour
        self.budget = budget
        self.n_iter = n_iter
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.refit = refit
        self.cv = cv
        self.verbose = verbose
        self.random_state = random_state
        self.error_score = error_score
        self.return_train_score = return_train_score
        self.n_trials = n_trials

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Search, and fit the best estimator on all rows.

        Args:
            X: The rows.
            y: Their targets; `None` if there are none.
            params: What the estimator's `fit`, the scorer and the splitter take besides, such as
                `sample_weight` and `groups`, as in `RandomizedSearchCV`.

        Returns:
            The search itself.
        """
        self._fit(X, y, params)
        return self

    # Apart from `fit`, whose type the decorator would hide. It checks the settings.
    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def _fit(self, X: Any, y: Any, params: dict[str, Any]) -> None:
        for names in (("price", "hour"), ("n_iter", "n_trials")):
            one, other = (getattr(self, name) for name in names)
            if one is not None and other is not None:
                message = f"{' and '.join(names)}: expected one of them, got {one!r} and {other!r}"
                raise InvalidSettingError(message)
        scorers, metric = self._get_scorers()
        found = searched(self.space)
        base = clone(self.estimator)
        check_names(found, base)
        X, y = indexable(X, y)
        params = _check_method_params(X, params=params)
        routed = self._get_routed_params_for_fit(params)
        splits = self._split(X, y, routed.splitter.split)

        weights = params.get("sample_weight")
        metadata = None if weights is None else {"sample_weight": weights}
        tasks = Tasks(self, {"X": X, "y": y, "metadata": metadata})
        most = 1 if found.is_single else self._most()
        evaluation = Evaluation(
            base,
            (X, y),
            splits,
            {
                "scorer": scorers,
                "fit_params": routed.estimator.fit,
                "score_params": routed.scorer.score,
                "return_train_score": self.return_train_score,
                "return_n_test_samples": True,
                "return_times": True,
                "error_score": self.error_score,
                "verbose": self.verbose,
            },
            tasks,
            self.n_jobs,
            most,
        )
        study = self._study(found.space, most)
        # The name of a score counts for a function that returns several, too.
        name = self.refit if isinstance(self.refit, str) else None
        is_priced = self.price is not None or self.hour is not None
        course = Course(study, found, evaluation, name, most, is_priced=is_priced)
        if self.verbose > 0:
            bound = "candidates" if most is None else f"at most {most} candidates"
            print(f"Fitting up to {self.n_splits_} folds for each of {bound}")
        with tasks.search(), evaluation:
            verdict = course.play()
        results = self._results(course)
        if callable(self.scoring) and self.multimetric_:
            self._check_refit_for_multimetric(course.candidates[0].folds[0]["test_scores"])
            metric = self.refit
        if self.refit or not self.multimetric_:
            self._choose(results, metric)
        if self.refit:
            self._fit_best(base, X, y, routed.estimator.fit, tasks)
        # One scorer is kept as it is, several by their names.
        self.scorer_ = getattr(scorers, "_scorers", scorers)
        self.cv_results_ = results
        self.study_, self.verdict_, self.spent_ = study, verdict, study.total_cost
        tasks.end()

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the study, which lives in this process."""
        state: dict[str, Any] = super().__getstate__()
        return {key: value for key, value in state.items() if key != "study_"}

    def _most(self) -> int | None:
        """Return how many candidates may begin."""
        has_end = any(given is not None for given in (self.price, self.hour, self.budget))
        most = self.n_trials if self.n_iter is None else self.n_iter
        return N_ITER if most is None and not has_end else most

    def _study(self, space: Space, most: int | None) -> Study:
        price = self.price if self.hour is None else self.hour / 3600.0
        return Study(
            space,
            "maximize",
            stages={"folds": self.n_splits_},
            price=price,
            budget=self.budget,
            # Of few candidates a third is drawn, and the model chooses the others.
            initial=None if most is None else max(1, min(10, most // 3)),
            seed=int(check_random_state(self.random_state).randint(_SEEDS)),
            cost_unit="s",
        )

    def _split(self, X: Any, y: Any, params: Mapping[str, Any]) -> list[tuple[Any, Any]]:
        """Return the folds: once for all candidates, since a random splitter changes its mind."""
        cv = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        self.n_splits_ = cv.get_n_splits(X, y, **params)
        splits = list(cv.split(X, y, **params))
        if len(splits) != self.n_splits_:
            message = (
                "cv.split and cv.get_n_splits return inconsistent results. "
                f"Expected {self.n_splits_} splits, got {len(splits)}"
            )
            raise ValueError(message)
        if not splits:
            message = "No fits were performed. Was the CV iterator empty? Were there no candidates?"
            raise ValueError(message)
        return splits

    def _results(self, course: Course) -> dict[str, Any]:
        folds = [fold for one in course.candidates for fold in one.folds]
        _warn_or_raise_about_fit_failures(folds, self.error_score)
        if callable(self.scoring):
            _insert_error_scores(folds, self.error_score)
        self.multimetric_ = isinstance(folds[0]["test_scores"], dict)
        return formatted(course.candidates, self.n_splits_, self._format_results)

    def _choose(self, results: dict[str, Any], metric: Any) -> None:
        """Set what is the best, among the candidates of which all folds were fitted."""
        if callable(self.refit):
            part, places = ended(results, self.n_splits_)
            self.best_index_ = places[self._select_best_index(self.refit, metric, part)]
        else:
            self.best_index_ = self._select_best_index(self.refit, metric, results)
            self.best_score_ = results[f"mean_test_{metric}"][self.best_index_]
        self.best_params_ = results["params"][self.best_index_]

    def _fit_best(self, base: Any, X: Any, y: Any, params: Mapping[str, Any], tasks: Tasks) -> None:
        # Parameters may be estimators, which are cloned too.
        chosen = clone(self.best_params_, safe=False)
        self.best_estimator_ = clone(base).set_params(**chosen)
        rows = (X,) if y is None else (X, y)
        with tasks.refit(self.best_estimator_):
            start = time.time()
            self.best_estimator_.fit(*rows, **params)
            self.refit_time_ = time.time() - start
        if hasattr(self.best_estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.best_estimator_.feature_names_in_
