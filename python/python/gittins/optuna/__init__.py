"""A sampler and a stop for Optuna.

`GittinsSampler` weighs what a trial may bring against what it costs. `GittinsStop` ends a study
once no trial is worth its price.
"""

from gittins.optuna.sampler import GittinsSampler
from gittins.optuna.stop import GittinsStop

__all__ = ["GittinsSampler", "GittinsStop"]
