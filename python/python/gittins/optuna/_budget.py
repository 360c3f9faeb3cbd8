"""The verdict on a study of Optuna by its budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gittins import _gittins

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

    from gittins.optuna._history import History

#: Sums of money are known to this share of them.
ROUNDING = 1e-12


def judged(
    budget: float, history: History, trials: list[FrozenTrial], design: int | None
) -> dict[str, Any] | None:
    """Return whether to stop; `None` as long as money is left and the model is not asked.

    Args:
        budget: The money that the study may spend.
        history: What the engine knows, after `sync` with these trials.
        trials: All trials of the study.
        design: The number of trials of the design; `None` before it is over.
    """
    spent, owed = history.money(trials)
    left = budget - spent
    if left <= max(owed, ROUNDING * budget):
        words = f"the budget of {history.tag(budget)} is spent"
        if owed > 0.0 and left > ROUNDING * budget:
            words += (
                f": {history.tag(left)} are left, and pending trials are expected to cost "
                f"{history.tag(owed)}"
            )
        elif history.tag(spent) != history.tag(budget):
            words += f": {history.tag(spent)} in all"
        statistic = {"statistic": left - owed, "threshold": 0.0}
        return {"stop": True, "words": f"stop: {words}", "rule": "budget", **statistic}
    if design is None:
        return None
    outcomes = history.turned_outcomes()
    # What a front gained is no difference of outcomes.
    if history.is_front or not outcomes:
        return None
    price = _gittins.price_of_rest(max(outcomes[:design]), max(outcomes), left)
    if price is None:
        return None
    verdict = history.verdict(price)
    verdict.update(rule="budget", price=price)
    kept = f"{history.tag(left)} of the budget of {history.tag(budget)}"
    if verdict["stop"]:
        reason = verdict["words"].removeprefix("stop: ")
        rest = f"they promise less than {price * left:.2g}, a ten-thousandth of what was gained"
        verdict["words"] = f"stop: done early, {kept} are saved: {rest}; {reason}"
    else:
        verdict["words"] += f"; {kept} are left"
    return verdict
