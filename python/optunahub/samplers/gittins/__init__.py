from gittins.optuna import GittinsSampler


__all__ = ["GittinsSampler"]
