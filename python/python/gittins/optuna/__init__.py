"""A sampler, a pruner and a stop for Optuna.

`GittinsSampler` weighs what a trial may bring against what it costs. `GittinsPruner` leaves a trial
whose rest is not worth its price. `GittinsStop` ends a study once no trial is worth its price.
"""

try:
    import optuna as _optuna  # noqa: F401
except ModuleNotFoundError as _error:
    if _error.name != "optuna":
        raise
    _message = 'gittins.optuna needs Optuna: pip install "gittins[optuna]"'
    raise ImportError(_message) from _error

from gittins.optuna.pruner import GittinsPruner
from gittins.optuna.sampler import GittinsSampler
from gittins.optuna.stop import GittinsStop

__all__ = ["GittinsPruner", "GittinsSampler", "GittinsStop"]
