"""A callback for Optuna that ends a study once no trial is worth its price."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from optuna.logging import get_logger
from optuna.trial import FrozenTrial, TrialState

from gittins._words import Answering, answering
from gittins.optuna import _budget
from gittins.optuna._costs import positive
from gittins.optuna._given import given_to
from gittins.optuna._shared import shown
from gittins.optuna.sampler import GittinsSampler, check_objectives
from gittins.trial import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from optuna.study import Study

    from gittins.optuna._history import History

# Optuna shows what its own loggers say.
_logger = get_logger("optuna.gittins")

__all__ = ["STOP", "GittinsStop"]

#: The user attribute of a study that says that it has stopped, and why.
STOP = "gittins:stop"


class _OnStudy:
    """The verdict on a study: by a stop, or by what any stop wrote."""

    def __get__(
        self, stop: GittinsStop | None, kind: type[GittinsStop]
    ) -> Callable[[Study], Verdict]:
        return _written if stop is None else stop._verdict


def _written(study: Study) -> Verdict:
    """Return the verdict that ended a study; one to go on if none did."""
    said = _said(study)
    if said is not None:
        return _verdict(said)
    words = "continue: no stop has ended the study; GittinsStop(price).verdict(study) judges it"
    return Verdict(False, "none", math.inf, 0.0, words)


def _said(study: Study) -> dict[str, Any] | None:
    """Return the verdict that ended a study, as it is written."""
    check_objectives(study)
    said: Any = study._storage.get_study_user_attrs(study._study_id).get(STOP)
    return said if isinstance(said, dict) else None


def _verdict(said: dict[str, Any]) -> Verdict:
    """Return a verdict that is written as data. Numbers that JSON lacks are texts there."""
    statistic, threshold = (float(said.get(name, math.nan)) for name in ("statistic", "threshold"))
    stop, rule = bool(said.get("stop", True)), str(said.get("rule", "none"))
    return Verdict(stop, rule, statistic, threshold, str(said.get("words", "stop")))


class GittinsStop(Answering):
    """A callback that ends a study once no trial is worth its price.

    After each trial it compares the best Gittins index of all places, given the running trials,
    with the best posterior mean. Once no index is better, the next trial is not expected to bring
    what it costs. The callback then writes why into the user attribute `gittins:stop` of the study,
    and stops. The callback of every other worker sees that after the trial that it is running. The
    verdict holds for its price and above: a stop at a lower price judges anew. If the running
    trials disappoint, a study may go on once `GittinsStop.clear` removed the attribute. A study
    without a complete trial goes on. `verdict` says what the end of a study was, or why it goes on.
    If a `PartialFixedSampler` fixes values, it is about trials with these.

    With several objectives the price is that of a unit of volume of the front, so give references
    to the sampler: `GittinsSampler(reference=[1.0, 40.0])`. A budget then ends the study once it is
    spent.

    The price says what a unit of cost, or an hour, is worth in units of the value. A budget is the
    most that the study may cost. It ends the study once it is spent, also amid the design, and
    earlier if the rest promises less than a ten-thousandth of what was gained since the design.
    Running trials take of it what they are expected to cost, and a trial whose cost is unknown what
    others cost on average. Costs are those of the sampler: seconds, unless trials have an attribute
    `cost` or the sampler a `cost_func`.

    Args:
        price: The improvement that one unit of cost is worth.
        hour: The improvement that an hour is worth. Costs must be seconds: those of a `cost_func`
            or of the attribute `cost` are in units that only you know, so they take a `price`.
        budget: The most that all trials of the study may cost. Only trials that are running when it
            ends can exceed it.
        sampler: Whose costs and settings count, if the study's own sampler is another one.

    Raises:
        ValueError: Not exactly one of `price`, `hour` and `budget` is given, or it is not positive.
            Or at the first trial where that is known: `hour` is given, and costs are no seconds.
    """

    _made: Mapping[str, Any] = {}

    @answering
    def __init__(
        self,
        price: float | None = None,
        *,
        hour: float | None = None,
        budget: float | None = None,
        sampler: GittinsSampler | None = None,
    ) -> None:
        given = {"price": price, "hour": hour, "budget": budget}
        named = {name: value for name, value in given.items() if value is not None}
        if len(named) != 1:
            message = f"expected one of price, hour and budget, got {named or 'none'}"
            raise ValueError(message)
        ((name, value),) = named.items()
        number = positive(name, value)
        if sampler is not None and not isinstance(sampler, GittinsSampler):
            message = f"sampler: expected a GittinsSampler, got {sampler!r}"
            raise ValueError(message)
        self._is_hour = hour is not None
        self._price = {"price": number, "hour": number / 3600.0}.get(name)
        self._budget = number if budget is not None else None
        self._sampler = sampler
        self._own: GittinsSampler | None = None

    def __repr__(self) -> str:
        return shown(self, self._made)

    def __call__(self, study: Study, trial: FrozenTrial) -> None:
        """Judge the study after a trial."""
        sampler = self._sampler_of(study)
        with sampler._lock:
            self._refuse_hours(sampler.history(study))
        said = self._standing(study)
        if said is None:
            said = self.judge(study)
            if said is None or not said["stop"]:
                return
            # Another worker may have judged at the same time. The first verdict stays.
            if self._standing(study) is None:
                study.set_user_attr(STOP, said)
        # Threads share the study: one of them says it.
        if not getattr(study, "_stop_flag", False):
            words, price = said.get("words", "stop"), said.get("price")
            at = "" if price is None else f", price {price:.4g}"
            _logger.info("The study ends after trial %d%s: %s", trial.number, at, words)
        study.stop()

    #: `verdict(study)` says whether another trial is worth its price, and why: what ended the study
    #: if it has ended, or what is so after its trials as they are now. It writes nothing. Called on
    #: the class, `GittinsStop.verdict(study)`, it says what ended the study, if anything did.
    verdict: _OnStudy = _OnStudy()

    def judge(self, study: Study) -> dict[str, Any] | None:
        """Return the verdict on another trial.

        `None` as long as the design is not over, or no trial is complete, and money is left.

        The verdict has the keys `stop`, `words`, `rule`, `statistic`, `threshold`, `price`,
        `budget` and `trials`, the number of trials that it is about.
        """
        return self._judged(study)[0]

    def _judged(self, study: Study) -> tuple[dict[str, Any] | None, str]:
        """Return the verdict on another trial, and what it waits for as long as there is none."""
        check_objectives(study)
        sampler = self._sampler_of(study)
        with sampler._lock:
            history = sampler.history(study)
            trials = sampler.read(study)
            history.fixed = given_to(study, None, trials)
            wanted = {name: one for name, (_, one) in history.fixed.items()}
            is_known = history.sync(trials, None, wanted)
            self._refuse_hours(history)
            told = [one for one in trials if one.state in (TrialState.COMPLETE, TrialState.PRUNED)]
            design = sampler.startup(history.space)
            is_over = is_known and len(told) >= design and history.complete > 0
            if self._budget is not None:
                at = design if is_over else None
                verdict = _budget.judged(self._budget, history, trials, at)
            else:
                assert self._price is not None
                verdict = history.verdict(self._price) if is_over else None
            left = history.left(self._budget, trials) if self._budget is not None else ""
        if verdict is None:
            missing = design - len(told)
            if missing > 0:
                waits = f"{missing} of {design} points of the initial design are not told yet"
            elif history.complete > 0:
                waits = "no outcome stands out"
            else:
                waits = "no trial is complete"
            return None, waits + left
        known = {"price": self._price, "budget": self._budget, "trials": len(told)}
        return {**known, **verdict}, ""

    def _verdict(self, study: Study) -> Verdict:
        """Return whether another trial is worth its price, and why."""
        said = self._standing(study)
        if said is not None:
            return _verdict(said)
        said, waits = self._judged(study)
        if said is None:
            return Verdict(False, "none", math.inf, 0.0, f"continue: {waits}")
        return _verdict(said)

    @staticmethod
    def clear(study: Study) -> None:
        """Remove the verdict to stop, so that the study can go on."""
        check_objectives(study)
        study.set_user_attr(STOP, None)

    def _sampler_of(self, study: Study) -> GittinsSampler:
        if self._sampler is not None:
            return self._sampler
        sampler: Any = study.sampler
        while not isinstance(sampler, GittinsSampler):
            sampler = getattr(sampler, "_base_sampler", None)
            if sampler is None:
                if self._own is None:
                    self._own = GittinsSampler(seed=0)
                return self._own
        return sampler

    def _standing(self, study: Study) -> dict[str, Any] | None:
        """Return the verdict of the study, if it holds for this stop.

        One by a price holds at this price and above, one by a budget for this budget and below.
        """
        said = _said(study)
        if said is None:
            return None
        budget = said.get("budget")
        if self._budget is not None:
            return said if budget is not None and self._budget <= budget else None
        if budget is not None:
            return None
        own, price = self._price, said.get("price")
        return None if own is not None and price is not None and own < price else said

    def _refuse_hours(self, history: History) -> None:
        """Refuse a price per hour if costs are no seconds."""
        if not self._is_hour or history.source == "duration":
            return
        costs = {
            "equal": "all trials cost one (use_cost=False)",
            "function": "the sampler's cost_func says what a trial costs",
            "attribute": "the attribute 'cost' of the trials says what they cost",
        }[history.source]
        message = (
            f"hour: costs must be seconds, but {costs}; give the price of one unit of cost "
            f"instead: GittinsStop(price=...)"
        )
        raise ValueError(message)
