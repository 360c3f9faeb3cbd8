"""Cost-aware Bayesian optimization: where to spend the next evaluation, and when to stop.

`gittins.Study` is the engine by ask and tell, `gittins.StagedStudy` the one for trainings that are
paid for stage by stage. `gittins.optuna` has a sampler and a stop for Optuna, `gittins.sklearn` a
search for scikit-learn. `gittins.plot` draws what a study did, if matplotlib is there.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from gittins import errors, plot, policy
from gittins._gittins import __version__
from gittins.errors import GittinsError
from gittins.journal import Journal
from gittins.record import Record
from gittins.space import Space
from gittins.staged import (
    Advice,
    Report,
    Run,
    RunForecast,
    StagedAsk,
    StagedJournal,
    StagedStudy,
)
from gittins.study import Study
from gittins.trial import Ask, Forecast, Recommendation, Trial, Verdict

if TYPE_CHECKING:
    from gittins import optuna as optuna
    from gittins import sklearn as sklearn

__all__ = [
    "Advice",
    "Ask",
    "Forecast",
    "GittinsError",
    "Journal",
    "Recommendation",
    "Record",
    "Report",
    "Run",
    "RunForecast",
    "Space",
    "StagedAsk",
    "StagedJournal",
    "StagedStudy",
    "Study",
    "Trial",
    "Verdict",
    "__version__",
    "errors",
    "plot",
    "policy",
]


def __getattr__(name: str) -> Any:
    """Import `gittins.optuna` and `gittins.sklearn` when first used: each needs its library."""
    if name in ("optuna", "sklearn"):
        return importlib.import_module(f"gittins.{name}")
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
