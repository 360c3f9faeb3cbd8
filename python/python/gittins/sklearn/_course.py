"""The course of a search: which fold of which candidate comes next, and when it ends."""

from __future__ import annotations

import math
import numbers
import time
from typing import TYPE_CHECKING, Any

from gittins.errors import ExhaustedError
from gittins.sklearn._evaluation import Candidate
from gittins.trial import Verdict

if TYPE_CHECKING:
    from gittins.sklearn._evaluation import Evaluation
    from gittins.sklearn._space import Searched
    from gittins.study import Study
    from gittins.trial import Trial

#: A search ends if this many candidates broke before anything else was seen.
HOPELESS = 20
#: After the last candidate, a run is taken on if this many deviations above its mean it is the
#: best: with a probability of a fortieth or more.
LUCK = 2.0


class Course:
    """Plays a study with the folds of a cross-validation.

    Args:
        study: The study, which maximizes.
        searched: What its values mean to the estimator.
        evaluation: The folds.
        metric: The score that counts, if there are several by name; the first one unless given.
        most: How many candidates may begin.
        is_priced: Whether the study has a price.
    """

    def __init__(
        self,
        study: Study,
        searched: Searched,
        evaluation: Evaluation,
        metric: str | None,
        most: int | None,
        *,
        is_priced: bool,
    ) -> None:
        self.candidates: list[Candidate] = []
        self._study = study
        self._searched = searched
        self._evaluation = evaluation
        self._metric = metric
        self._most = most
        self._is_priced = is_priced
        self._going: list[Candidate] = []
        self._verdict: Verdict | None = None
        # What paused runs promise, without another incumbent and with one.
        self._promises: dict[bool, dict[int, float]] = {}

    def play(self) -> Verdict:
        """Fit fold after fold to the end of the search, and return why it ended."""
        since = time.perf_counter()
        while candidates := self._round():
            thought = (time.perf_counter() - since) / len(candidates)
            seconds = self._evaluation.run(candidates)
            since = time.perf_counter()
            # Whoever waits for the search pays for what it thinks, too.
            self._going = [
                candidate
                for candidate, cost in zip(candidates, seconds)
                if self._tell(candidate, cost + thought)
            ]
        assert self._verdict is not None
        return self._verdict

    def _round(self) -> list[Candidate]:
        """Return what is fitted next: a candidate for each worker."""
        found = self._going
        while len(found) < self._evaluation.workers:
            candidate = self._next(found)
            if candidate is None:
                break
            found.append(candidate)
        return found

    def _next(self, taken: list[Candidate]) -> Candidate | None:
        if self._verdict is None:
            self._verdict = self._ended()
        if self._verdict is None:
            try:
                ask = self._study.ask()
            except ExhaustedError:
                if not taken:
                    words = "stop: nothing is left to evaluate"
                    self._verdict = Verdict(True, "exhausted", 0.0, 0.0, words)
                return None
            if ask.resume is None:
                self.candidates.append(Candidate(ask.trial, self._searched.params(ask)))
            return self.candidates[ask.trial]
        run = self._last(taken)
        return None if run is None else self.candidates[run.trial]

    def _ended(self) -> Verdict | None:
        """Return why no other candidate begins; `None` if one may."""
        begun = len(self.candidates)
        if self._most is not None and begun >= self._most:
            words = f"stop: {begun} of {self._most:d} candidates began"
            return Verdict(True, "number of trials", float(begun), float(self._most), words)
        if begun >= HOPELESS and all(one.has_failed for one in self.candidates):
            words = f"stop: all of {begun} candidates failed"
            return Verdict(True, "failures", float(begun), float(HOPELESS), words)
        verdict = self._study.verdict()
        return verdict if verdict else None

    def _last(self, taken: list[Candidate]) -> Trial | None:
        """Return a run whose next fold is fitted although no other candidate begins.

        After the last of `n_iter` candidates these are the runs that may still be the best, or that
        are worth their price if there is one. As long as they are too few for a model, these are
        all runs, or with a price those that are ahead so far. After any other end it is only what
        it takes to have one candidate of which all folds are known.
        """
        assert self._verdict is not None
        best = self._study.best()
        is_over = self._verdict.rule != "number of trials" or self._study.verdict()
        if is_over and (best is not None or taken):
            return None
        under_way = {candidate.run for candidate in taken}
        left = {
            run.trial: run
            for run in self._study.trials()
            if run.state == "paused" and run.reports and run.trial not in under_way
        }
        if not left:
            return None
        # A forecast of each run at each fold is slow. Few change, so only the first is made anew.
        promises = self._promises.setdefault(best is None, {})
        fresh: set[int] = set()
        for run in left.keys() - promises.keys():
            promises[run] = self._promise(left[run], best is None)
            fresh.add(run)
        while (first := max(left, key=promises.__getitem__)) not in fresh:
            promises[first] = self._promise(left[first], best is None)
            fresh.add(first)
        if best is None or best.outcome is None:
            return left[first]
        return left[first] if promises[first] > best.outcome else None

    def _promise(self, run: Trial, is_first: bool) -> float:
        """Return what a run is expected to come to.

        Beside an incumbent it is what it comes to with some luck, or what is just worth its price.
        """
        forecast = self._study.forecast_end(run)
        if forecast is None:
            return run.reports[-1].outcome if is_first or self._is_priced else math.inf
        if is_first:
            return forecast.mean
        return forecast.index if self._is_priced else forecast.mean + LUCK * forecast.sd

    def _tell(self, candidate: Candidate, cost: float) -> bool:
        """Tell the study of the last fold, and return whether the candidate goes on at once."""
        score = self._score(candidate.folds[-1]["test_scores"])
        if not math.isfinite(score):
            candidate.has_failed = True
            self._study.tell(candidate.run, failed=True, cost=cost)
            return False
        progress = float(len(candidate.folds))
        return bool(self._study.report(candidate.run, progress, score, cost=cost))

    def _score(self, scores: Any) -> float:
        if isinstance(scores, dict):
            scores = scores[self._metric] if self._metric in scores else next(iter(scores.values()))
        return float(scores) if isinstance(scores, numbers.Real) else math.nan
