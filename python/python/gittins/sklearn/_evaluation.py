"""Fits of one fold each, by scikit-learn's own function, on one worker or several."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from joblib import effective_n_jobs  # type: ignore[import-untyped]
from sklearn.base import clone  # type: ignore[import-untyped]
from sklearn.model_selection._validation import (  # type: ignore[import-untyped]
    _fit_and_score,
)
from sklearn.utils.parallel import Parallel, delayed  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gittins.sklearn._callbacks import Tasks


@dataclass
class Candidate:
    """A setting of the estimator, and what scikit-learn returned of each of its folds so far.

    Attributes:
        run: The number of its run in the study.
        params: The parameters that are set.
        folds: The result of each fold, in their order.
        has_failed: Whether a fold broke, so that the others are not run.
    """

    run: int
    params: dict[str, Any]
    folds: list[dict[str, Any]] = field(default_factory=list)
    has_failed: bool = False


class Evaluation:
    """The folds of a cross-validation, each of which is fitted and scored when it is wanted.

    Args:
        estimator: What is cloned for each fit.
        data: Inputs and targets.
        splits: Pairs of rows to fit and to test, the same for all candidates.
        settings: What scikit-learn's `_fit_and_score` takes besides.
        tasks: What callbacks are told of.
        n_jobs: How many folds are fitted at a time.
        most: How many candidates there may be, if it is known.
    """

    def __init__(
        self,
        estimator: Any,
        data: tuple[Any, Any],
        splits: Sequence[tuple[Any, Any]],
        settings: dict[str, Any],
        tasks: Tasks,
        n_jobs: int | None,
        most: int | None,
    ) -> None:
        self._estimator = estimator
        self._data = data
        self._splits = splits
        self._settings = settings
        self._tasks = tasks
        self._most = most
        self.workers = max(1, effective_n_jobs(n_jobs))
        self._parallel = Parallel(n_jobs=n_jobs)

    def __enter__(self) -> Evaluation:
        self._parallel.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._parallel.__exit__(*error)

    @property
    def folds(self) -> int:
        """How many folds there are."""
        return len(self._splits)

    def run(self, candidates: Sequence[Candidate]) -> list[float]:
        """Fit and score the next fold of each, and return the seconds that each took."""
        jobs = [self._job(one) for one in candidates]
        told = self._parallel(delayed(_timed)(**job) for job in jobs)
        for candidate, (fold, _) in zip(candidates, told):
            candidate.folds.append(fold)
        return [seconds for _, seconds in told]

    def _job(self, candidate: Candidate) -> dict[str, Any]:
        fold = len(candidate.folds)
        train, test = self._splits[fold]
        inputs, targets = self._data
        return {
            "estimator": clone(self._estimator),
            "X": inputs,
            "y": targets,
            "train": train,
            "test": test,
            "parameters": candidate.params,
            "split_progress": (fold, self.folds),
            "candidate_progress": None if self._most is None else (candidate.run, self._most),
            **self._settings,
            **self._tasks.fold(),
        }


def _timed(**job: Any) -> tuple[dict[str, Any], float]:
    """Return the result of a fold, and its seconds with those that scikit-learn leaves out."""
    start = time.perf_counter()
    return _fit_and_score(**job), time.perf_counter() - start
