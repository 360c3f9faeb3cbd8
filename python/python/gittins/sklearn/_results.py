"""The results of a search as scikit-learn has them."""

from __future__ import annotations

import math
import numbers
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gittins.sklearn._evaluation import Candidate

#: The key of how many folds of a candidate were fitted.
FOLDS = "n_folds"
#: What scikit-learn warns of if a mean is no number.
NON_FINITE = "One or more of the"


def formatted(
    candidates: Sequence[Candidate],
    splits: int,
    form: Callable[[list[dict[str, Any]], int, list[dict[str, Any]], dict[str, Any]], Any],
) -> dict[str, Any]:
    """Return `cv_results_`: a fold that was not fitted has the score NaN, and no seconds.

    So has the mean of a candidate that was left, which ranks last. The seconds are means of what
    was fitted.

    Args:
        candidates: The candidates with the results of their folds.
        splits: How many folds there are.
        form: The search's own method `_format_results`.
    """
    like = candidates[0].folds[0]
    folds = [
        fold
        for one in candidates
        for fold in [*one.folds, *([_blank(like)] * (splits - len(one.folds)))]
    ]
    counts = np.array([len(one.folds) for one in candidates])
    with warnings.catch_warnings():
        if all(_is_finite(fold) for one in candidates for fold in one.folds):
            # What was left has no mean. That is no news.
            warnings.filterwarnings("ignore", message=NON_FINITE, category=UserWarning)
        params = [one.params for one in candidates]
        results: dict[str, Any] = form(params, splits, folds, {FOLDS: counts})
    for name in ("fit_time", "score_time"):
        seconds = [[fold[name] for fold in one.folds] for one in candidates]
        results[f"mean_{name}"] = np.array([np.mean(some) for some in seconds])
        results[f"std_{name}"] = np.array([np.std(some) for some in seconds])
    return results


def ended(results: dict[str, Any], splits: int) -> tuple[dict[str, Any], list[int]]:
    """Return the results of the candidates whose folds were all fitted, and their places.

    If there is none, because each broke at one of its folds, these are all candidates.
    """
    counts = results[FOLDS]
    places = [place for place, count in enumerate(counts) if count == splits]
    places = places or list(range(len(counts)))
    part = {
        key: [values[place] for place in places] if isinstance(values, list) else values[places]
        for key, values in results.items()
    }
    return part, places


def _blank(like: dict[str, Any]) -> dict[str, Any]:
    """Return what a fold has that was not fitted."""
    return {
        key: dict.fromkeys(value, math.nan) if isinstance(value, dict) else math.nan
        for key, value in like.items()
    }


def _is_finite(fold: dict[str, Any]) -> bool:
    """Return whether all scores of a fold are numbers."""
    scores = [fold["test_scores"], fold.get("train_scores", 0.0)]
    flat = [one for some in scores for one in (some.values() if isinstance(some, dict) else [some])]
    return all(isinstance(one, numbers.Real) and math.isfinite(one) for one in flat)
