"""Cost-aware Bayesian optimization: where to spend the next evaluation, and when to stop.

`gittins.Study` is the engine by ask and tell, with `stages=` for trainings that are paid for stage
by stage. `gittins.optuna` has a sampler and a stop for Optuna, `gittins.sklearn` a
search for scikit-learn, `gittins.ray` one for Ray Tune, `gittins.pufferlib` a sweep for PufferLib.
`gittins.mcp` serves studies to assistants. `gittins.plot` draws what a study did, if matplotlib is
there.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from gittins import _words, errors, plot, policy
from gittins._earlier import warm_start
from gittins._gittins import __version__
from gittins.cost import LinearCost
from gittins.errors import GittinsError
from gittins.journal import Journal
from gittins.record import Record
from gittins.space import Space
from gittins.stages import Advice, Run, RunForecast, Stages
from gittins.study import Study
from gittins.table import Table
from gittins.trial import Ask, Forecast, Recommendation, Report, Trial, Verdict

if TYPE_CHECKING:
    from gittins import mcp as mcp
    from gittins import optuna as optuna
    from gittins import pufferlib as pufferlib
    from gittins import ray as ray
    from gittins import sklearn as sklearn

__all__ = [
    "Advice",
    "Ask",
    "Forecast",
    "GittinsError",
    "Journal",
    "LinearCost",
    "Recommendation",
    "Record",
    "Report",
    "Run",
    "RunForecast",
    "Space",
    "Stages",
    "Study",
    "Table",
    "Trial",
    "Verdict",
    "__version__",
    "errors",
    "plot",
    "policy",
    "warm_start",
]


#: What is for another library, by the module that it is in.
_HOSTED: dict[str, list[str]] = {
    "mcp": [],
    "optuna": ["GittinsPruner", "GittinsSampler", "GittinsStop"],
    "pufferlib": ["GittinsSweep"],
    "ray": ["GittinsScheduler", "GittinsSearch"],
    "sklearn": ["GittinsSearchCV"],
}


def __getattr__(name: str) -> Any:
    """Import what is for another library when it is first used; answer what is not there."""
    if name in _HOSTED:
        return importlib.import_module(f"gittins.{name}")
    for module, names in _HOSTED.items():
        if name in names:
            return getattr(importlib.import_module(f"gittins.{module}"), name)
    hosted = [word for module, names in _HOSTED.items() for word in (module, *names)]
    raise _words.answer("gittins", name, [*__all__, *hosted])
