"""A sampler and a stop for Optuna.

`GittinsSampler` weighs what a trial may bring against what it costs. `GittinsStop` ends a study
once no trial is worth its price.
"""

try:
    import optuna as _optuna  # noqa: F401
except ModuleNotFoundError as _error:
    if _error.name != "optuna":
        raise
    _message = 'gittins.optuna needs Optuna: pip install "gittins[optuna]"'
    raise ImportError(_message) from _error

from gittins.optuna.sampler import GittinsSampler
from gittins.optuna.stop import GittinsStop

__all__ = ["GittinsSampler", "GittinsStop"]
